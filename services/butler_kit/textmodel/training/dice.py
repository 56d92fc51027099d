"""A generator of chance that is the same on every Python."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Dice"]


class Dice:
    """A small xorshift generator: reproducible over Python versions, unlike `random.choice`."""

    def __init__(self, seed: int) -> None:
        self._state = (seed * 2654435761 + 88172645463325252) & 0xFFFFFFFFFFFFFFFF

    @property
    def state(self) -> int:
        """Where it stands: 64 bits."""
        return self._state

    def below(self, bound: int) -> int:
        """A whole number in [0, bound)."""
        state = self._state
        state ^= (state << 13) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 7
        state ^= (state << 17) & 0xFFFFFFFFFFFFFFFF
        self._state = state
        return (state >> 11) % bound

    def chance(self, percent: int) -> bool:
        """True in `percent` of a hundred cases."""
        return self.below(100) < percent

    def pick(self, values: Sequence[str]) -> str:
        """One of `values`."""
        return values[self.below(len(values))]
