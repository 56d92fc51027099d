"""The state of one process of the household."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ChildState"]


@dataclass(frozen=True)
class ChildState:
    """What the supervisor currently knows of one process."""

    name: str
    state: str
    """waiting, starting, ready, unready, restarting, stopping or stopped."""
    pid: int | None
    restarts: int
    crash_loop: bool
    last_exit: str | None

    @property
    def ready(self) -> bool:
        """Whether it can serve."""
        return self.state == "ready"
