"""The demo household on the cluster, from outside: messages in by its channels, replies out of the providers.

The names of the messages are those of `examples/messages/index.yaml`.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from typing import Any

import httpx
import yaml

from tests.e2e.cluster import ROOT, Cluster, eventually
from tests.support.messages import ExampleMessage, fresh_mail, fresh_post, fresh_update, load_examples
from tests.support.providers import Ports

__all__ = ["Household", "bearer", "household_on"]

WEBHOOK_PORT = 40191
REPLY_S = 60.0
ADA = 1001


@dataclass
class Household:
    """Addresses on this machine of the providers' control APIs and of the webhook."""

    telegram: str
    imap: str
    smtp: str
    webhook: str
    run: str = field(default_factory=lambda: secrets.token_hex(4))
    """Carried by every identifier, so that a second run is new to a household that has seen the first."""

    def example(self, name: str) -> ExampleMessage:
        """A message of examples/messages/."""
        return next(message for message in load_examples() if message.id == name)

    def send_telegram(self, message: ExampleMessage) -> int:
        """Hand the message to the bot; the id of its update."""
        update = fresh_update(message, now=datetime.now(UTC), injected={})
        return int(self._post(f"{self.telegram}/control/updates", json=update).json()["update"]["update_id"])

    def say(self, text: str, *, sender: int = ADA) -> int:
        """Write to the bot as a member of the household; the id of the update."""
        user = {"id": sender, "is_bot": False, "first_name": "Member"}
        chat = {"id": sender, "type": "private", "first_name": "Member"}
        update = {"message": {"chat": chat, "from": user, "text": text}}
        return int(self._post(f"{self.telegram}/control/updates", json=update).json()["update"]["update_id"])

    def told_by_telegram(self, *, since: int = 0) -> list[dict[str, Any]]:
        """What the bot sent, in order; `seq` grows by one for everything it did."""
        log = self._get(f"{self.telegram}/control/log", since=since).json()["log"]
        return [entry for entry in log if entry["kind"] == "message"]

    def send_mail(self, message: ExampleMessage) -> str:
        """Put the mail into the household's mailbox; its Message-ID."""
        raw = fresh_mail(message, now=datetime.now(UTC), run=self.run)
        self._post(f"{self.imap}/control/mails", content=raw)
        return str(message_from_bytes(raw)["Message-ID"])

    def told_by_mail(self, *, since: int = 0) -> list[dict[str, Any]]:
        """The mails that the household sent, in order."""
        mails: list[dict[str, Any]] = self._get(f"{self.smtp}/control/log", since=since).json()["log"]
        return mails

    def post(self, message: ExampleMessage) -> str:
        """Submit the message to the webhook; its request id."""
        key, body = fresh_post(message, run=self.run)
        answer = self._post(
            f"{self.webhook}/v1/messages", json=body, headers=bearer() | {"Idempotency-Key": key}
        )
        return str(answer.json()["request_id"])

    def submit(self, text: str) -> str:
        """Submit a text to the webhook as a member of the household; its request id."""
        headers = bearer() | {"Idempotency-Key": secrets.token_hex(8)}
        answer = self._post(
            f"{self.webhook}/v1/messages", json={"text": text, "sender": "ada"}, headers=headers
        )
        return str(answer.json()["request_id"])

    def answer_to(self, request_id: str, *, timeout_s: float = REPLY_S) -> dict[str, Any]:
        """The webhook's view of a request once it has ended."""

        def ended() -> dict[str, Any] | None:
            answer = httpx.get(
                f"{self.webhook}/v1/messages/{request_id}", headers=bearer(), timeout=10, trust_env=False
            )
            view: dict[str, Any] = answer.json() if answer.status_code == 200 else {}
            return view if view.get("reply") else None

        return eventually(ended, timeout_s=timeout_s, what=f"an answer to {request_id}") or {}

    def _post(self, url: str, **rest: Any) -> httpx.Response:
        return httpx.post(url, timeout=20, trust_env=False, **rest).raise_for_status()

    def _get(self, url: str, **query: Any) -> httpx.Response:
        return httpx.get(url, params=query, timeout=20, trust_env=False).raise_for_status()


@contextlib.contextmanager
def household_on(cluster: Cluster, *, namespace: str | None = None) -> Iterator[Household]:
    """The demo household of a namespace, reachable while the block runs."""
    ports = (Ports.TELEGRAM, Ports.IMAP_CONTROL, Ports.SMTP_CONTROL)
    with (
        cluster.port_forward("service/providers", *ports, namespace=namespace) as providers,
        cluster.port_forward("service/connector-webhook", WEBHOOK_PORT, namespace=namespace) as webhook,
    ):
        telegram, imap, smtp = (f"http://127.0.0.1:{providers[port]}" for port in ports)
        yield Household(telegram, imap, smtp, f"http://127.0.0.1:{webhook[WEBHOOK_PORT]}")


def bearer() -> dict[str, str]:
    """The header that the demo's webhook wants."""
    documents = yaml.safe_load_all((ROOT / "examples" / "demo" / "secrets.yaml").read_text("utf-8"))
    token = next(one["stringData"]["token"] for one in documents if one["metadata"]["name"] == "webhook")
    return {"Authorization": f"Bearer {token}"}
