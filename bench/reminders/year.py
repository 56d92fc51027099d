"""The year: reminders, kills, jumps and three days of downtime, then the outcome of each due time."""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from bench.reminders.life import Killed, Lives
from bench.reminders.population import START, Planned, fill, people
from bench.reminders.world import Told, ToldClock
from butler_kit.db import Pool

__all__ = ["Figures", "Shape", "live_a_year"]

_COUNT: Final = re.compile(r"Missed ([0-9]+) times")
_PAUSES: Final = (0, 0, 0, 1, 5, 30, 120, 600, 5400, 14_400)
"""Seconds after which a killed process is started again."""
_JUMPS_S: Final = (-90_000, -7200, -3600, -60, -1, 1, 60, 3600, 7200, 90_000)
_DOWN: Final = timedelta(days=3)
_LAST_KILL: Final = 0.98
"""Part of the year in which kills are ordered: each still finds the process at its point."""


@dataclass(frozen=True)
class Shape:
    """The size of the run."""

    reminders: int = 100_000
    days: int = 365
    kills: int = 200
    jumps: int = 20
    seed: int = 1


@dataclass
class Figures:
    """Outcome of all due times; `wrong` are examples of failures."""

    due: int = 0
    sent: int = 0
    missed: int = 0
    doubled: int = 0
    lost: int = 0
    unasked: int = 0
    missed_while_up: int = 0
    late_while_up_s: float = 0.0
    missed_lines: int = 0
    kills: int = 0
    repeats: int = 0
    killed_at: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


async def live_a_year(
    pool: Pool, shape: Shape, *, month_over: Callable[[datetime], object] = lambda _: None
) -> Figures:
    """Fill the empty household of `pool` and run the year; the figures are counted from what Messenger received."""
    chance = random.Random(shape.seed)
    planned = people(shape.reminders, days=shape.days, chance=chance)
    clock = ToldClock(pool, START)
    await clock.start()
    await fill(pool, planned)
    lives = Lives(pool, clock, chance)
    end = START + timedelta(days=shape.days + 2)
    with lives.killing():
        await _live(lives, clock, _events(shape, chance), end, month_over)
    return _count(planned, list(lives.messenger.deliveries.values()), lives, clock)


def _events(shape: Shape, chance: random.Random) -> list[tuple[timedelta, str]]:
    """Return the events, by the time that really passes."""
    span = shape.days * 86_400
    killing = int(span * _LAST_KILL)
    kills = [(timedelta(seconds=chance.randrange(killing)), "kill") for _ in range(shape.kills)]
    jumps = [(timedelta(seconds=chance.randrange(span)), "jump") for _ in range(shape.jumps)]
    down = [(timedelta(days=shape.days * 0.55, hours=9, minutes=59), "down")]
    return sorted([*kills, *jumps, *down])


async def _live(
    lives: Lives,
    clock: ToldClock,
    events: list[tuple[timedelta, str]],
    end: datetime,
    month_over: Callable[[datetime], object],
) -> None:
    passed, month = timedelta(0), timedelta(days=30)
    await lives.begin()
    while clock.now < end or events:
        if passed >= month:
            month += timedelta(days=30)
            month_over(clock.now)
        try:
            wait = await lives.look()
        except Killed:
            pause = timedelta(seconds=lives.chance.choice(_PAUSES))
            passed += pause
            await clock.move(pause, away=True)
            await lives.begin()
            continue
        if events and passed + wait >= events[0][0]:
            wait, (at, what) = max(timedelta(0), events[0][0] - passed), events.pop(0)
            passed = max(passed, at)
            await clock.move(wait)
            await _happens(what, lives, clock)
            continue
        passed += wait
        await clock.move(wait)
    await _caught_up(lives)


async def _caught_up(lives: Lives) -> None:
    """Process what became due in the last step, which may have been the pause after a kill."""
    while True:
        try:
            await lives.look()
        except Killed:
            await lives.begin()
        else:
            return


async def _happens(what: str, lives: Lives, clock: ToldClock) -> None:
    if what == "kill":
        lives.arm()
    elif what == "jump":
        await clock.move(timedelta(seconds=lives.chance.choice(_JUMPS_S)), away=True)
    else:
        await clock.move(_DOWN, away=True)
        await lives.begin()


def _count(planned: Sequence[Planned], told: Sequence[Told], lives: Lives, clock: ToldClock) -> Figures:
    figures = Figures(kills=lives.kills, repeats=lives.messenger.repeats, killed_at=lives.killed_at)
    by_reminder: dict[UUID, list[tuple[datetime, Told]]] = defaultdict(list)
    for one in told:
        _, reminder_id, moment = one.key.split(":", 2)
        by_reminder[UUID(reminder_id)].append((datetime.fromisoformat(moment), one))
    for plan in planned:
        _compare(plan, sorted(by_reminder.pop(plan.reminder_id, []), key=lambda it: it[0]), clock, figures)
    figures.unasked += sum(len(rest) for rest in by_reminder.values())
    return figures


def _compare(plan: Planned, told: list[tuple[datetime, Told]], clock: ToldClock, figures: Figures) -> None:
    moments = [moment for moment in plan.moments(clock.now) if moment <= clock.now - plan.grace]
    covered = [0] * len(moments)
    for first, one in told:
        count = int(match[1]) if (match := _COUNT.match(one.message)) else 1
        missed = one.message.startswith("Missed")
        begin = bisect_left(moments, first)
        span = moments[begin : begin + count]
        if not span:
            figures.unasked += first <= clock.now - plan.grace
            continue
        figures.unasked += span[0] != first
        covered[begin : begin + count] = [times + 1 for times in covered[begin : begin + count]]
        figures.missed_lines += missed
        _judge(span, one, clock, figures, missed=missed)
    figures.due += len(moments)
    figures.doubled += sum(times > 1 for times in covered)
    figures.lost += sum(times == 0 for times in covered)
    if any(times != 1 for times in covered) and len(figures.wrong) < 10:
        at = next(moment for moment, times in zip(moments, covered, strict=True) if times != 1)
        figures.wrong.append(f"{plan} at {at}: told {covered[moments.index(at)]} times")


def _judge(span: Sequence[datetime], one: Told, clock: ToldClock, figures: Figures, *, missed: bool) -> None:
    for moment in span:
        away = any(begin <= moment <= stop for begin, stop in clock.away)
        if missed:
            figures.missed += 1
            figures.missed_while_up += not away
        else:
            figures.sent += 1
            late_s = (one.at - moment).total_seconds()
            figures.late_while_up_s = max(figures.late_while_up_s, 0.0 if away else late_s)
