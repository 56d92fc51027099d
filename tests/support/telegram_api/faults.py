"""Scripted faults: what the next calls of a method meet instead of, or after, being carried out.

`applied` says whether the call takes effect first: `drop` with `applied` is the message that was sent and
whose answer was lost; without it, the connection that died on the way in.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from .errors import ApiError, too_many_requests

_KINDS = ("status", "drop", "hang", "slow")
_MAX_FAULTS = 1000
_MAX_COUNT = 1_000_000
_MAX_DELAY_S = 600.0
_DESCRIPTIONS = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden: bot was blocked by the user",
    404: "Not Found",
    409: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    500: "Internal Server Error",
    502: "Bad Gateway",
}


@dataclass(slots=True)
class Fault:
    """For the next `count` calls of `method` (any method: "*"), optionally only those to one chat."""

    method: str
    kind: str
    count: int = 1
    status: int = 500
    description: str | None = None
    retry_after_s: int = 1
    delay_s: float = 1.0
    applied: bool = False
    chat_id: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"fault kind {self.kind!r}: expected one of {', '.join(_KINDS)}")
        if not 1 <= self.count <= _MAX_COUNT:
            raise ValueError("fault count: expected 1 or more")
        if not 0 <= self.delay_s <= _MAX_DELAY_S:
            raise ValueError(f"fault delay_s: expected 0 to {_MAX_DELAY_S:g}")

    def error(self) -> ApiError:
        if self.status == 429:
            return too_many_requests(self.retry_after_s)
        documented = _DESCRIPTIONS.get(self.status, "Internal Server Error")
        return ApiError(self.status, self.description or documented)


class FaultScript:
    """The faults in the order in which they were added; each call takes the first that fits it."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self.cleared = asyncio.Event()

    def add(self, fault: Fault) -> None:
        if len(self._faults) >= _MAX_FAULTS:
            raise ValueError(f"at most {_MAX_FAULTS} faults may be scripted: clear them first")
        self._faults.append(fault)

    def clear(self) -> None:
        """Forget every fault and release the calls that hang or are slow."""
        self._faults.clear()
        self.cleared.set()
        self.cleared = asyncio.Event()

    def take(self, method: str, chat_id: str | None) -> Fault | None:
        for fault in self._faults:
            if fault.method.lower() in {"*", method} and fault.chat_id in {None, chat_id}:
                fault.count -= 1
                if fault.count == 0:
                    self._faults.remove(fault)
                return fault
        return None

    def pending(self) -> list[dict[str, Any]]:
        return [{"method": fault.method, "kind": fault.kind, "count": fault.count} for fault in self._faults]
