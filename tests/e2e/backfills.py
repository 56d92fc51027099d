"""Mails that were there before their connector, and the BackfillJob that fetches them."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any, Final

import httpx

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household

__all__ = ["DONE_S", "NAME", "an_attic", "history_of", "until_state"]

NAME: Final = "attic"
DONE_S: Final = 150.0


@contextlib.contextmanager
def an_attic(cluster: Cluster, home: Household, *, mails: int) -> Iterator[list[str]]:
    """A mailbox with mails in it, and only then a connector of its own that reads it; the mails' ids.

    Afterwards the connector and its BackfillJob are gone.
    """
    run = secrets.token_hex(4)
    ids = [f"<{NAME}-{run}-{number}@mail.example.org>" for number in range(mails)]
    for number, own in enumerate(ids):
        _deliver(home, own, f"Your receipt of {number}.20 EUR for electricity")
    found = cluster.get("connector", "mail")
    assert found is not None
    spec = found["spec"] | {"endpointIdentity": f"imap:{NAME}-{run}@example.org"}
    try:
        cluster.apply(_resource("Connector", spec))
        cluster.ready(f"connector/{NAME}")
        yield ids
    finally:
        where = ("--namespace", cluster.namespace, "--ignore-not-found", "--timeout=120s")
        cluster.kubectl("delete", "backfilljob", NAME, *where, timeout_s=130)
        cluster.kubectl("delete", "connector", NAME, *where, timeout_s=130)


def history_of(connector: str, *, per_hour: int) -> dict[str, Any]:
    """The BackfillJob for a connector's mails since yesterday."""
    today = datetime.now(UTC).date()
    days = {"dateFrom": str(today - timedelta(days=1)), "dateTo": str(today)}
    return _resource("BackfillJob", {"connectorRef": connector, "rateLimitPerHour": per_hour, **days})


def until_state(cluster: Cluster, state: str) -> dict[str, Any]:
    """The job's status once it has this state."""

    def there() -> dict[str, Any] | None:
        status: dict[str, Any] = (cluster.get("backfilljob", NAME) or {}).get("status") or {}
        return status if status.get("state") == state else None

    found = eventually(there, timeout_s=DONE_S, pause_s=1, what=f"a job that is {state}")
    assert found is not None
    return found


def _deliver(home: Household, message_id: str, text: str) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"] = "shop@example.net", "household@example.org"
    mail["Subject"], mail["Message-ID"] = "Receipt", message_id
    mail["Date"] = format_datetime(datetime.now(UTC))
    mail.set_content(text)
    answer = httpx.post(f"{home.imap}/control/mails", content=mail.as_bytes(), timeout=20, trust_env=False)
    answer.raise_for_status()


def _resource(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": {"name": NAME}, "spec": spec}
