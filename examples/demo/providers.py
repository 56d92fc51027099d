"""The demo's Telegram, IMAP and SMTP servers, and a copy of the manifests that points at them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from butler_cli.local.providers import ProviderAddresses, write_retargeted
from tests.support.mail.imap_server import ImapServer
from tests.support.mail.smtp_server import SmtpServer
from tests.support.telegram_api import TelegramApiServer

__all__ = ["Providers", "running_providers", "webhook_token", "write_manifests"]

MANIFESTS = Path(__file__).parent
MAILBOX = "household@example.org"
HOUSEHOLD = (1001, 1002)
"""Ada and Ben have each started the bot: it may write to them first."""


@dataclass(frozen=True)
class Providers:
    """The three servers, all on loopback."""

    telegram: TelegramApiServer
    imap: ImapServer
    smtp: SmtpServer


@asynccontextmanager
async def running_providers(state: Path) -> AsyncIterator[Providers]:
    """Start the servers on free ports; their state is kept in `state`, where a later `make run` continues."""
    secrets = _secrets()
    telegram = TelegramApiServer(token=secrets["telegram-bot"]["token"], state_file=state / "telegram.json")
    imap = ImapServer(user=MAILBOX, password=secrets["mail-account"]["password"], state=state / "imap")
    smtp = SmtpServer(log=state / "smtp.jsonl")
    async with telegram, imap, smtp:
        for person in HOUSEHOLD:
            telegram.add_chat({"id": person, "type": "private", "first_name": "Member"})
        yield Providers(telegram, imap, smtp)


def write_manifests(providers: Providers, target: Path) -> None:
    """Copy the demo's manifests into `target` with the addresses of the running servers."""
    target.mkdir(parents=True, exist_ok=True, mode=0o700)
    mail = ("127.0.0.1", providers.imap.port), ("127.0.0.1", providers.smtp.port)
    addresses = ProviderAddresses(telegram_api=providers.telegram.url, imap=mail[0], smtp=mail[1])
    write_retargeted(MANIFESTS, target, addresses)


def _secrets() -> dict[str, dict[str, str]]:
    documents = yaml.safe_load_all((MANIFESTS / "secrets.yaml").read_text("utf-8"))
    return {document["metadata"]["name"]: document["stringData"] for document in documents}


def webhook_token() -> str:
    """Return the bearer token of the demo's webhook."""
    return _secrets()["webhook"]["token"]
