"""The health of the connector, as shown by the heartbeat and the health pages (CNX-11.3).

Invariant: the state is the worst of the current troubles; anything but healthy has a message.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, Literal

from butler_contracts.text import storable
from butler_kit.sources.faults import SourceFault
from butler_kit.telemetry.redaction import redact_text

__all__ = ["Health", "Level", "Status"]

Level = Literal["degraded", "error"]
_MESSAGE_CHARS: Final = 500


@dataclass(frozen=True)
class Health:
    """`state` is healthy, degraded (slow or partly) or error (unable to ingest)."""

    state: Literal["healthy", "degraded", "error"]
    message: str | None = None


class Status:
    """The troubles of this process by part; `positioned` is whether reading has a place to continue from."""

    def __init__(self) -> None:
        self._troubles: dict[str, Health] = {}
        self._notices: dict[str, str] = {}
        self.positioned = False
        self.standby = False
        """Whether another instance reads the source."""
        self.source_fault: dict[str, str] | None = None
        """Why the source cannot be read: `kind` as the metrics call it, and words; None while it can."""
        self.changed = asyncio.Event()
        """Set when `health.state` or a notice changes; cleared by the task that reports it."""

    def trouble(self, part: str, level: Level, message: str) -> None:
        """Record what is wrong with a part, replacing what was known about it."""
        text = storable(redact_text(message, _MESSAGE_CHARS)).strip() or level
        self._note(part, Health(level, f"{part}: {text}"))

    def source_failed(self, part: str, level: Level, fault: SourceFault) -> None:
        """Record that the source cannot be read: a trouble of `part`, with its kind and words shown apart."""
        self.source_fault = {"kind": fault.kind, "message": redact_text(str(fault), _MESSAGE_CHARS)}
        self.trouble(part, level, str(fault))

    def source_works(self, part: str) -> None:
        """Record that the source is read."""
        self.source_fault = None
        self.clear(part)

    def notice(self, part: str, message: str) -> None:
        """Record what a person should know about a working part: something was skipped for good."""
        text = storable(redact_text(message, _MESSAGE_CHARS)).strip()
        told = self._notices.get(part)
        self._notices[part] = f"{part}: {text}"
        if told != self._notices[part]:
            self.changed.set()

    def clear(self, part: str) -> None:
        """Record that a part works."""
        self._note(part, None)

    def forget(self, *, but: str) -> None:
        """Forget everything about a source that is no longer read, and about every part except `but`."""
        for part in tuple(self._troubles):
            if part != but:
                self.clear(part)
        self._notices.clear()
        self.source_fault, self.positioned = None, False

    def _note(self, part: str, trouble: Health | None) -> None:
        before = self.health.state
        if trouble is None:
            self._troubles.pop(part, None)
        else:
            self._troubles[part] = trouble
        if self.health.state != before:
            self.changed.set()

    @property
    def health(self) -> Health:
        """The worst state, with its troubles and all notices in words."""
        for state in ("error", "degraded"):
            found = [
                trouble.message or state for trouble in self._troubles.values() if trouble.state == state
            ]
            if found:
                words = "; ".join([*found, *self._notices.values()])[:2_000]
                return Health("error" if state == "error" else "degraded", words)
        return Health("healthy", "; ".join(self._notices.values())[:2_000] or None)

    async def ready(self) -> str | None:
        """Return what keeps the connector from ingesting, or None: the readiness check."""
        health = self.health
        if health.state == "error":
            return health.message
        return None if self.positioned or self.standby else "the source was not reached yet"
