"""`python -m tests.support.telegram_api --port N --token T --state FILE`: serve until SIGTERM or SIGINT."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from tests.support.loopback import terminated

from .server import TelegramApiServer


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="telegram_api", description="A Telegram Bot API server for tests.")
    parser.add_argument("--port", type=int, required=True, help="loopback port; 0 takes a free one")
    parser.add_argument("--token", required=True, help="the bot's token")
    parser.add_argument("--state", type=Path, help="journal that keeps updates, messages and the log")
    return parser.parse_args()


async def _serve(arguments: argparse.Namespace) -> None:
    server = TelegramApiServer(token=arguments.token, port=arguments.port, state_file=arguments.state)
    await server.start()
    print(f"telegram_api listening on {server.url}", flush=True)
    try:
        await terminated()
    finally:
        await server.stop()


if __name__ == "__main__":
    asyncio.run(_serve(_arguments()))
