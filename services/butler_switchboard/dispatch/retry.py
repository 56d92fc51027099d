"""When a failed try is made again, and when it is not (pure; SWB-13.2, D12).

Two different things repeat: *transport* tries of one subrequest, whose outcome nobody has seen and which keep their
id; and *attempts*, which follow only a received, retryable, terminal error and get a new id.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RetryPolicy"]


@dataclass(frozen=True)
class RetryPolicy:
    """Bounds and pauses; pauses double up to `max_delay_s` and are spread by `jitter` (0..1 of the pause)."""

    max_attempts: int = 3
    max_transport_tries: int = 12
    base_delay_s: float = 0.5
    max_delay_s: float = 30.0
    jitter: float = 0.3

    def delay_s(self, tries: int, *, spread: float) -> float:
        """The pause after `tries` (≥ 1) failures; `spread` is a random number in [0, 1)."""
        pause = min(self.base_delay_s * 2.0 ** max(tries - 1, 0), self.max_delay_s)
        return pause * (1 + self.jitter * (2 * spread - 1))

    def may_retry(self, *, attempt: int, retryable: bool) -> bool:
        """Whether a received terminal error of this attempt is followed by another one."""
        return retryable and attempt < self.max_attempts

    def transport_exhausted(self, tries: int) -> bool:
        return tries >= self.max_transport_tries
