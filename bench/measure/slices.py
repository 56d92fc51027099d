"""Short slices of each variant in turn, so that other load affects all of them alike.

A figure is the median over rounds; a comparison is the median of the ratios within each round, never a ratio of two
figures measured at different times.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

__all__ = ["Measured", "Slice", "interleave", "percentile"]


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the values lie; 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


@dataclass(frozen=True)
class Slice:
    """One short run: `count` operations in `seconds`, the latency of each, processor seconds by process."""

    count: int
    seconds: float
    latencies_s: Sequence[float] = ()
    cpu_s: Mapping[str, float] = field(default_factory=dict)

    @property
    def per_s(self) -> float:
        return self.count / self.seconds if self.seconds else 0.0

    @property
    def p50_ms(self) -> float:
        return percentile(self.latencies_s, 0.5) * 1000

    @property
    def p99_ms(self) -> float:
        return percentile(self.latencies_s, 0.99) * 1000

    def cpu_us(self, *names: str) -> float:
        """Return the processor microseconds per operation, of the named processes together."""
        return sum(self.cpu_s.get(name, 0.0) for name in names) / max(1, self.count) * 1e6


Value = Callable[[Slice], float]
Variant = Callable[[], Awaitable[Slice]]


@dataclass(frozen=True)
class Measured:
    """Slices by variant, one per round."""

    slices: Mapping[str, Sequence[Slice]]

    def of(self, name: str, value: Value) -> float:
        """The median of a variant's value over the rounds."""
        return median(value(one) for one in self.slices[name])

    def ratio(self, name: str, other: str, value: Value) -> float:
        """The median over the rounds of the ratio of `name`'s value to `other`'s in the same round."""
        pairs = zip(self.slices[name], self.slices[other], strict=True)
        return median(value(mine) / max(value(theirs), 1e-12) for mine, theirs in pairs)


async def interleave(variants: Mapping[str, Variant], *, rounds: int) -> Measured:
    """Run every variant once per round, in an order that rotates by one each round."""
    names = list(variants)
    slices: dict[str, list[Slice]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            slices[name].append(await variants[name]())
    return Measured(slices)
