"""Environments of connectors whose way to provider and Switchboard is the test's to break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.integration.connectors.fake_switchboard import FakeSwitchboard

__all__ = ["BOT", "MAILBOX", "PASSWORD", "TOKEN", "USER", "imap_env", "letter", "telegram_env", "told"]

TOKEN = "1000000001:a-bot-token-that-opens-nothing-at-all"
BOT = "telegram:bot:household"
USER, PASSWORD, MAILBOX = "household@example.org", "a-password", "imap:household@example.org"


def telegram_env(folder: Path, *, api: str, switchboard: str, token: Path, **more: str) -> dict[str, str]:
    return {
        "CONNECTOR_TYPE": "telegram_bot",
        "CONNECTOR_PROVIDER": "telegram",
        "CONNECTOR_CHANNEL": "telegram",
        "CONNECTOR_ENDPOINT_IDENTITY": BOT,
        "CONNECTOR_CURSOR_PATH": str(folder / "telegram" / "cursor.json"),
        "SWITCHBOARD_MCP_URL": switchboard,
        "BUTLERS_TOKEN_FILE": str(token),
        "TELEGRAM_BOT_TOKEN": TOKEN,
        "TELEGRAM_API_BASE_URL": api,
        "TELEGRAM_POLL_TIMEOUT_S": "1",
        "TELEGRAM_STALL_TIMEOUT_S": "2.5",
        **more,
    }


def imap_env(
    folder: Path, *, port: int, switchboard: str, token: Path, host: str = "127.0.0.1", **more: str
) -> dict[str, str]:
    return {
        "CONNECTOR_TYPE": "imap",
        "CONNECTOR_PROVIDER": "imap",
        "CONNECTOR_CHANNEL": "email",
        "CONNECTOR_ENDPOINT_IDENTITY": MAILBOX,
        "CONNECTOR_CURSOR_PATH": str(folder / "imap" / "cursor.json"),
        "CONNECTOR_POLL_INTERVAL_S": "1",
        "SWITCHBOARD_MCP_URL": switchboard,
        "BUTLERS_TOKEN_FILE": str(token),
        "IMAP_HOST": host,
        "IMAP_PORT": str(port),
        "IMAP_TLS": "none",
        "IMAP_USERNAME": USER,
        "IMAP_PASSWORD": PASSWORD,
        **more,
    }


def letter(text: str = "hello", *, message_id: str | None = None, **fields: str) -> bytes:
    """A mail of Ada's, with what her provider says of her domain; `in_reply_to` is `In-Reply-To`."""
    own = {"Message-ID": message_id} if message_id else {}
    more = {name.replace("_", "-"): value for name, value in fields.items()}
    head = {
        "Authentication-Results": "mx.example.org; dmarc=pass header.from=example.org",
        "From": "Ada <ada@example.org>",
        "Subject": "A bill",
        **own,
        **more,
    }
    lines = [f"{name}: {value}" for name, value in head.items()]
    return ("\r\n".join(lines) + f"\r\n\r\n{text}\r\n").encode()


async def told(switchboard: FakeSwitchboard, state: str, *, words: str = "") -> Any:
    """Wait until a heartbeat of this state has arrived after all that came before; it."""
    before = len(switchboard.heartbeats)
    found: list[Any] = []

    def arrived(_: FakeSwitchboard) -> bool:
        found[:] = [
            beat
            for beat in switchboard.heartbeats[max(before - 1, 0) :]
            if beat.status.state == state and words in (beat.status.error_message or "")
        ]
        return bool(found)

    await switchboard.until(arrived, timeout_s=90)
    return found[-1]
