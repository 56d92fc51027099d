"""The parts of the application."""

from __future__ import annotations

from dataclasses import dataclass

from butler_dashboard.acting.orders import Orders
from butler_dashboard.auth.sessions import Sessions
from butler_dashboard.pages.events import Events
from butler_dashboard.reads.reader import Reader
from butler_kit.time import Clock

__all__ = ["Parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The application's parts; `names` are the hosts that callers may use besides loopback.

    `events` notifies open pages of changes; operators act through `orders`.
    """

    reader: Reader
    sessions: Sessions
    clock: Clock
    events: Events
    names: tuple[str, ...] = ()
    orders: Orders | None = None
