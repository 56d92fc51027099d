"""One-time codes: a link that opens a session without a token in it.

Invariant: a code opens one session, within five minutes of its making; at most 64 wait.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from butler_contracts.errors import OverloadRejected
from butler_kit.time import Clock

__all__ = ["ONCE_TTL_S", "OnceCodes"]

ONCE_TTL_S: Final = 300.0
_WAITING_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class _Waiting:
    token: str
    until: float


class OnceCodes:
    """Codes of this process; a restart voids them."""

    def __init__(self, clock: Clock, draw: Callable[[], str] = lambda: secrets.token_urlsafe(32)) -> None:
        self._clock = clock
        self._draw = draw
        self._waiting: dict[bytes, _Waiting] = {}

    def issue(self, token: str) -> str:
        """A code for the session that `token` opens. Raises `OverloadRejected`."""
        self._forget_late_ones()
        if len(self._waiting) >= _WAITING_MAX:
            raise OverloadRejected("too many one-time links wait to be opened", retry_after_s=ONCE_TTL_S)
        code = self._draw()
        self._waiting[_digest(code)] = _Waiting(token, self._clock.monotonic() + ONCE_TTL_S)
        return code

    def redeem(self, code: str) -> str | None:
        """The token behind a code, once; None for a code that was used, is too old or never was."""
        self._forget_late_ones()
        found = self._waiting.pop(_digest(code), None)
        return found.token if found is not None else None

    def _forget_late_ones(self) -> None:
        now = self._clock.monotonic()
        self._waiting = {digest: one for digest, one in self._waiting.items() if one.until > now}


def _digest(code: str) -> bytes:
    """Codes are looked up by digest, so that how long that takes tells nothing of them."""
    return sha256(code.encode("utf-8", "surrogatepass")).digest()
