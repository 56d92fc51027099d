"""The due keys, and whose turn it is: the namespace with the fewest running keys, and within it who waits longest.

Invariant: where more than one worker works, no namespace has all of them; a household whose Switchboard hangs keeps
its own workers waiting and never the last one.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Final

from butler_operator.reconcile.key import Key

__all__ = ["DueKeys"]

LEFT_FOR_OTHERS: Final = 1


class DueKeys:
    """`add` a key that is due, `take` the next one, and say when its run has `ended`."""

    def __init__(self, *, workers: int) -> None:
        self._most = max(1, workers - LEFT_FOR_OTHERS)
        self._due: dict[str, OrderedDict[Key, float]] = {}
        self._running: Counter[str] = Counter()

    def __len__(self) -> int:
        return sum(map(len, self._due.values()))

    def __contains__(self, key: Key) -> bool:
        return key in self._due.get(key.namespace, ())

    def add(self, key: Key, since: float) -> None:
        """Add a key that is not there yet, due `since`."""
        self._due.setdefault(key.namespace, OrderedDict())[key] = since

    def oldest(self) -> float | None:
        """Since when the key that waits longest is due."""
        return min(map(_first, self._due.values()), default=None)

    def take(self) -> tuple[Key, float] | None:
        """Return the key to run now and since when it is due; None if there is none, or no turn for any."""
        able = [name for name in self._due if self._running[name] < self._most]
        if not able:
            return None
        namespace = min(able, key=lambda name: (self._running[name], _first(self._due[name])))
        taken = self._due[namespace].popitem(last=False)
        if not self._due[namespace]:
            del self._due[namespace]
        self._running[namespace] += 1
        return taken

    def ended(self, key: Key) -> None:
        """Note that the run of a taken key is over."""
        self._running[key.namespace] -= 1
        if not self._running[key.namespace]:
            del self._running[key.namespace]


def _first(keys: OrderedDict[Key, float]) -> float:
    return next(iter(keys.values()))
