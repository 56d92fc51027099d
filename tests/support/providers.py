"""The demo's Telegram, IMAP and SMTP servers as one process on fixed ports: what the pod `providers` runs.

`python -m tests.support.providers [--state DIR] [--secrets DIR]`. The secrets are those of the demo's manifests, one
file each: `telegram-bot/token` and `mail-account/password`. TEST_PROVIDERS_LISTEN names the address to listen on.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Final

from tests.support.loopback import LoopbackServer, terminated
from tests.support.mail.imap_server import ImapServer
from tests.support.mail.imap_server import control_app as imap_control
from tests.support.mail.smtp_server import SmtpServer
from tests.support.mail.smtp_server import control_app as smtp_control
from tests.support.telegram_api import TelegramApiServer

__all__ = ["Ports"]

MAILBOX: Final = "household@example.org"
MEMBERS: Final = (1001, 1002)
"""Ada and Ben have each started the bot: it may write to them first."""


class Ports:
    """Where each server listens; Telegram's control API is on its own port."""

    SMTP: Final = 40125
    SMTP_CONTROL: Final = 40126
    IMAP: Final = 40143
    IMAP_CONTROL: Final = 40144
    TELEGRAM: Final = 40181


async def serve(state: Path, secrets: Path) -> None:
    """Run the three servers and their control APIs until SIGTERM or SIGINT."""
    telegram = TelegramApiServer(
        token=_secret(secrets, "telegram-bot", "token"),
        port=Ports.TELEGRAM,
        state_file=state / "telegram.json",
    )
    imap = ImapServer(
        user=MAILBOX,
        password=_secret(secrets, "mail-account", "password"),
        port=Ports.IMAP,
        state=state / "imap",
    )
    smtp = SmtpServer(port=Ports.SMTP, log=state / "smtp.jsonl")
    control = LoopbackServer(imap_control(imap), port=Ports.IMAP_CONTROL)
    async with telegram, imap, smtp, control, LoopbackServer(smtp_control(smtp), port=Ports.SMTP_CONTROL):
        for person in MEMBERS:
            telegram.add_chat({"id": person, "type": "private", "first_name": "Member"})
        print("test providers listening", flush=True)
        await terminated()


def _secret(folder: Path, name: str, key: str) -> str:
    return (folder / name / key).read_text("utf-8").strip()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="providers", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--state", type=Path, default=Path("/var/lib/providers"), help="what the servers keep"
    )
    parser.add_argument("--secrets", type=Path, default=Path("/run/secrets/providers"))
    return parser.parse_args()


if __name__ == "__main__":
    chosen = _arguments()
    asyncio.run(serve(chosen.state, chosen.secrets))
