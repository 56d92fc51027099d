"""Who was busy with a request, and when (pure): one lane per participant, bars on a 1000-unit time axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from butler_dashboard.pages.moments import seconds_between
from butler_dashboard.pages.words import type_word
from butler_dashboard.reads.delivery_models import DeliveryDetail
from butler_dashboard.reads.request_models import RequestLife, Subroute

__all__ = ["Lane", "Lanes", "Stretch", "lanes_of"]

PLANE: Final = 1000.0
_LEAST: Final = 8.0
_MARKS: Final = 5
_LONG_BEFORE: Final = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A bar from `x` on, `width` long; `kind` is work, wait, warn, bad or moment."""

    x: float
    width: float
    kind: str


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    stretches: tuple[Stretch, ...]
    busy_s: float | None


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes, and seconds since `received_at` at equal distances along the plane."""

    lanes: tuple[Lane, ...]
    marks: tuple[float, ...]
    total_s: float


@dataclass(frozen=True, slots=True)
class _Piece:
    start: datetime
    end: datetime
    kind: str


def lanes_of(life: RequestLife, now: datetime) -> Lanes:
    """Return lanes: provider, Switchboard, butlers, Messenger, other providers; open work ends at `now`."""
    named = [(name, pieces) for name, pieces in _participants(life, now) if pieces]
    every = [piece for _, pieces in named for piece in pieces]
    first = min(piece.start for piece in every)
    last = max(max(piece.end for piece in every), first + timedelta(milliseconds=1))
    length = seconds_between(first, last)

    def placed(piece: _Piece) -> Stretch:
        x = seconds_between(first, piece.start) / length * PLANE
        width = max(_LEAST, seconds_between(piece.start, piece.end) / length * PLANE)
        return Stretch(round(min(x, PLANE - width), 1), round(width, 1), piece.kind)

    lead = seconds_between(life.received_at, first)
    return Lanes(
        tuple(Lane(name, tuple(map(placed, pieces)), _busy(pieces)) for name, pieces in named),
        tuple(lead + length * at / (_MARKS - 1) for at in range(_MARKS)),
        length,
    )


def _participants(life: RequestLife, now: datetime) -> Iterator[tuple[str, list[_Piece]]]:
    channel = life.source.channel
    yield type_word(channel), [*_update(life), *_receipts(life, channel)]
    yield "Switchboard", _switchboard(life, now)
    for name in dict.fromkeys(item.target for item in life.subroutes):
        mine = [item for item in life.subroutes if item.target == name]
        yield name, [piece for item in mine for piece in _butler(item, now)]
    yield "Messenger", [piece for item in life.deliveries for piece in _messenger(item, now)]
    for other in dict.fromkeys(item.channel for item in life.deliveries if item.channel != channel):
        yield type_word(other), _receipts(life, other)


def _update(life: RequestLife) -> list[_Piece]:
    seen = life.source.observed_at
    if seen is None or not timedelta(0) <= life.received_at - seen <= _LONG_BEFORE:
        return []
    return [_Piece(seen, seen, "moment")]


def _receipts(life: RequestLife, channel: str) -> list[_Piece]:
    """Return the receipts on `channel`: an answer to a mail may reach its recipient by Telegram."""
    receipts = (
        item for delivery in life.deliveries if delivery.channel == channel for item in delivery.receipts
    )
    return [_Piece(item.received_at, item.received_at, "moment") for item in receipts]


def _switchboard(life: RequestLife, now: datetime) -> list[_Piece]:
    pieces = [_Piece(life.received_at, life.final_state_at or now, "wait")]
    for session in life.sessions:
        kind = "work" if session.status in ("completed", "running") else "warn"
        pieces.append(_Piece(session.started_at, session.ended_at or now, kind))
    if life.plan is not None:
        pieces.append(_Piece(life.plan.committed_at, life.plan.committed_at, "work"))
    if life.state == "errored" and life.final_state_at is not None:
        pieces.append(_Piece(life.final_state_at, life.final_state_at, "bad"))
    return pieces


def _butler(item: Subroute, now: datetime) -> Iterable[_Piece]:
    sent = item.first_sent_at
    if sent is None:
        return
    end = item.finished_at or now
    began = item.started_at or end
    yield _Piece(sent, max(sent, began), "wait")
    if item.started_at is not None or item.finished_at is not None:
        kind = "bad" if item.state == "error" else "warn" if item.state == "skipped" else "work"
        yield _Piece(began, max(began, end), kind)


def _messenger(item: DeliveryDetail, now: datetime) -> Iterable[_Piece]:
    yield _Piece(item.created_at, item.terminal_at or now, "wait")
    for attempt in item.attempts:
        kind = {"sent": "work", "in_provider_call": "work", "failed": "bad"}.get(attempt.outcome, "warn")
        yield _Piece(attempt.started_at, attempt.finished_at or now, kind)


def _busy(pieces: Iterable[_Piece]) -> float | None:
    """Return the seconds from the first to the last moment; None where only moments are known."""
    kept = list(pieces)
    if all(piece.kind == "moment" for piece in kept):
        return None
    return seconds_between(min(piece.start for piece in kept), max(piece.end for piece in kept))
