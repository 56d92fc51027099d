"""PURE: when a level becomes tight, and when it is released (docs/adr/0073).

Tight: an error budget burns over the long and the short window of one pair, the fast or the slow one (the multiwindow
alerts of the SRE workbook), with enough events to tell. Kept again: for `release_after_s` no budget burnt even
slightly too fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from butler_kit.service_levels.counts import BurnPolicy, Count, Measured, Sli, WindowPair

__all__ = ["Level", "State", "burn_of", "burning", "decided", "why_of"]

TOO_FAST: Final = 1.0
"""The rate at which a budget is used up at the end of its period."""


class State(StrEnum):
    """How what a level is kept of is treated."""

    KEPT = "kept"
    TIGHT = "tight"


@dataclass(frozen=True, slots=True)
class Level:
    """The state of one level; a change returns a new value. Times are the database's, None if not set."""

    state: State = State.KEPT
    changed_at: datetime | None = None
    burning_at: datetime | None = None
    cause: str = ""
    counted_from: datetime | None = None
    burn: float = 0.0

    def released_at(self, policy: BurnPolicy) -> datetime | None:
        """Return when a tight level is released if nothing burns any more."""
        if self.state is State.KEPT or self.burning_at is None:
            return None
        return self.burning_at + timedelta(seconds=policy.release_after_s)

    def let_go(self, now: datetime) -> Level:
        """Return the level as released by an operator; earlier figures no longer count against it."""
        return Level(State.KEPT, changed_at=now, counted_from=now)


def decided(level: Level, measured: Measured, policy: BurnPolicy, now: datetime) -> Level:
    """Return the next level by its figures."""
    found = burning(measured, policy)
    seen = replace(level, burn=burn_of(measured, policy))
    if level.state is State.KEPT:
        if found is None or not policy.tightens:
            return seen
        return replace(seen, state=State.TIGHT, changed_at=now, burning_at=now, cause=str(found))
    if not policy.tightens:
        return _kept(seen, now)
    if found is not None or _still(measured, policy):
        return replace(seen, burning_at=now)
    released_at = level.released_at(policy)
    return _kept(seen, now) if released_at is None or now >= released_at else seen


def burning(measured: Measured, policy: BurnPolicy) -> Sli | None:
    """Return the first objective whose budget burns fast enough to act on; None if none does."""
    for sli in _acting(measured, policy):
        for pair in (policy.fast, policy.slow):
            if _burns(measured, sli, pair, policy):
                return sli
    return None


def burn_of(measured: Measured, policy: BurnPolicy) -> float:
    """Return the highest burn rate of the acting objectives, over the long window of the fast pair."""
    long_s = policy.fast.long_s
    rates = (_count(measured, sli, long_s).burn(_target(sli, policy)) for sli in _acting(measured, policy))
    return max(rates, default=0.0)


def why_of(level: Level, policy: BurnPolicy, *, setting: str) -> str:
    """Return why a level is as it was just decided; `setting` is the table of the policy in `butler.toml`."""
    if level.state is State.TIGHT:
        return f"the error budget of {level.cause} burns {level.burn:.1f} times too fast"
    if not policy.tightens:
        return f"{setting}.tightens is false"
    return f"no error budget burnt for {policy.release_after_s:.0f} s"


def _burns(measured: Measured, sli: Sli, pair: WindowPair, policy: BurnPolicy) -> bool:
    long, short = _count(measured, sli, pair.long_s), _count(measured, sli, pair.short_s)
    if long.events < policy.minimum_events or long.bad < policy.minimum_failures:
        return False
    target = _target(sli, policy)
    return long.burn(target) >= pair.burn and short.burn(target) >= pair.burn


def _still(measured: Measured, policy: BurnPolicy) -> bool:
    """Return whether any budget still burns too fast, however few events there are."""
    short_s = policy.fast.short_s
    return any(
        _count(measured, sli, short_s).burn(_target(sli, policy)) > TOO_FAST
        for sli in _acting(measured, policy)
    )


def _kept(level: Level, now: datetime) -> Level:
    return replace(level, state=State.KEPT, changed_at=now, burning_at=None, cause="")


def _acting(measured: Measured, policy: BurnPolicy) -> Iterator[Sli]:
    return (sli for sli in sorted(measured) if sli.objective in policy.acting)


def _count(measured: Measured, sli: Sli, window_s: float) -> Count:
    return measured[sli].get(window_s, Count())


def _target(sli: Sli, policy: BurnPolicy) -> float:
    return policy.targets[sli.objective]
