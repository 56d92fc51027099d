"""The operator's calls according to the API server's audit log: its writes by object, by kind and by time."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

__all__ = ["Call", "Calls", "policy_for", "read_calls"]

_WRITES: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})
_OBJECT: Final = re.compile(r"^(?:butler-|connector-)?(switchboard|[bc]\d{3})$")
"""Names of the bench's resources and of their children."""


@dataclass(frozen=True)
class Call:
    """One answered request of the operator."""

    at: datetime
    verb: str
    resource: str
    name: str
    status: int
    namespace: str = ""

    @property
    def is_write(self) -> bool:
        """Whether it changed something, or tried to."""
        return self.verb in _WRITES

    @property
    def is_event(self) -> bool:
        return self.resource == "events"

    @property
    def owner(self) -> str | None:
        """The resource that it was made for, with its namespace; None for what a household has only once."""
        found = _OBJECT.match(self.name.split(".")[0])
        return f"{self.namespace}/{found.group(1)}" if found else None


@dataclass(frozen=True)
class Calls:
    """The operator's requests within a period."""

    calls: tuple[Call, ...]

    def between(self, begin: datetime, end: datetime) -> Calls:
        return Calls(tuple(call for call in self.calls if begin <= call.at < end))

    @property
    def writes(self) -> tuple[Call, ...]:
        """All writes, including events."""
        return tuple(call for call in self.calls if call.is_write)

    def per_owner(self, *, events: bool) -> Counter[str]:
        """Return the number of writes (or events) by resource."""
        owners = (call.owner for call in self.writes if call.is_event == events)
        return Counter(owner for owner in owners if owner is not None)

    def by_kind(self) -> Counter[str]:
        """Return the number of calls by verb and resource."""
        return Counter(f"{call.verb} {call.resource}" for call in self.calls)


def policy_for(user: str) -> dict[str, Any]:
    """Return an audit policy that logs the requests of `user`, without bodies."""
    return {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived", "ResponseStarted"],
        "rules": [{"level": "Metadata", "users": [user]}, {"level": "None"}],
    }


def read_calls(log: Path) -> Calls:
    """Return every call in the log and its rotated files."""
    return Calls(tuple(_calls(_lines(log))))


def _lines(log: Path) -> Iterator[str]:
    for part in sorted(log.parent.glob(f"{log.stem}*{log.suffix}")):
        yield from part.read_text(encoding="utf-8").splitlines()


def _calls(lines: Iterable[str]) -> Iterator[Call]:
    for line in lines:
        entry = json.loads(line)
        target = entry.get("objectRef") or {}
        resource, name = str(target.get("resource") or entry["requestURI"]), str(target.get("name") or "")
        if target.get("subresource"):
            resource += f"/{target['subresource']}"
        yield Call(
            at=datetime.fromisoformat(entry["requestReceivedTimestamp"]),
            verb=str(entry["verb"]),
            resource=resource,
            name=name,
            status=int((entry.get("responseStatus") or {}).get("code", 0)),
            namespace=str(target.get("namespace") or ""),
        )
