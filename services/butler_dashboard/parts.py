"""What the application is made of."""

from __future__ import annotations

from dataclasses import dataclass

from butler_dashboard.auth.sessions import Sessions
from butler_dashboard.reads.reader import Reader
from butler_kit.time import Clock

__all__ = ["Parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """`names` are the hosts, without port, that callers may use besides loopback."""

    reader: Reader
    sessions: Sessions
    clock: Clock
    names: tuple[str, ...] = ()
