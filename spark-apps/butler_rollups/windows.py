"""Selects the windows of a run (pure; SWB-22, D40). All of them begin and end on whole UTC buckets.

Invariants: windows follow from what is published, not from the clock, so that missed runs heal by themselves; a
window is closed a grace period after its end, and only closed ones move the watermark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from butler_rollups.errors import BadArguments
from butler_rollups.models import STEP, Job, Window, text_of

__all__ = [
    "DAYS_KEPT",
    "GRACE",
    "MOST",
    "SPAN",
    "TRAILING",
    "Published",
    "automatic",
    "begins",
    "buckets",
    "check_begun",
    "closed_until",
    "floor",
    "given",
    "lag_s",
    "spans",
    "watermark",
]

DAYS_KEPT: Final = timedelta(days=365)
"""How long statistics by day are kept."""
GRACE: Final = timedelta(minutes=5)
"""The time after its end when a window is closed: beats and outcomes are written a little after they came."""
TRAILING: Final = 2
"""Closed windows before the watermark that each run computes again: late beats, outcomes after midnight."""
MOST: Final = 24 * 14
"""The most new windows of one run; the next continues where it ended."""
SPAN: Final = 24
"""How many neighbouring windows are computed and published together."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_BUCKET: Final = {job: "hour" if step == timedelta(hours=1) else "day" for job, step in STEP.items()}


@dataclass(frozen=True, slots=True)
class Published:
    """The known past of a job: its first published window and the end of the first unbroken run of them.

    `oldest_source` is the oldest moment of its source before that window; None if there is none. A moment so old that
    its statistics were pruned does not count.
    """

    first_start: datetime | None = None
    chain_end: datetime | None = None
    oldest_source: datetime | None = None


def floor(moment: datetime, step: timedelta) -> datetime:
    """Return the start of the bucket that holds `moment`, in UTC."""
    return moment.astimezone(UTC) - (moment - _EPOCH) % step


def closed_until(job: Job, now: datetime) -> datetime:
    """Return the end of the last closed window."""
    return floor(now - GRACE, STEP[job])


def begins(job: Job, published: Published) -> datetime | None:
    """Return the first window with any data; None if there is nothing to roll up and never was."""
    oldest = published.oldest_source
    return published.first_start if oldest is None else floor(oldest, STEP[job])


def watermark(job: Job, published: Published) -> datetime | None:
    """Return the moment up to which nothing is missing; None if there is nothing to roll up and never was.

    A source older than the first published window means that windows before it are missing.
    """
    return published.chain_end if published.oldest_source is None else begins(job, published)


def automatic(
    job: Job,
    *,
    mark: datetime | None,
    until: datetime,
    since: datetime | None,
    trailing: int = TRAILING,
    most: int = MOST,
    dirty: Iterable[datetime] = (),
) -> tuple[Window, ...]:
    """Return the windows of an automatic run: trailing ones, at most `most` new ones up to `until`, dirty ones.

    None lie before `since`, where there is no source (any more). `dirty` are moments whose windows have changed since
    they were published.
    """
    step = STEP[job]
    if mark is None:
        return ()
    starts = {mark - count * step for count in range(1, trailing + 1)}
    starts |= {mark + count * step for count in range(min(most, max(0, (until - mark) // step)))}
    starts |= {floor(moment, step) for moment in dirty}
    first = since or _EPOCH
    return tuple(
        Window(start, start + step) for start in sorted(starts) if start >= first and start + step <= until
    )


def given(job: Job, start: datetime, end: datetime) -> Window:
    """Return a requested window, which may still be open. Raises `BadArguments`."""
    step, bucket = STEP[job], _BUCKET[job]
    for name, moment in (("--window-start", start), ("--window-end", end)):
        if moment.tzinfo is None:
            raise BadArguments(f"{name}: {moment.isoformat()} has no offset; write 2026-11-22T10:00:00Z")
        if floor(moment, step) != moment:
            nearest = text_of(floor(moment, step))
            raise BadArguments(
                f"{name}: {text_of(moment)} is not a whole {bucket} of UTC; the one before is {nearest}"
            )
    if end <= start:
        raise BadArguments(f"--window-end: {text_of(end)} is not after --window-start {text_of(start)}")
    return Window(start.astimezone(UTC), end.astimezone(UTC))


def check_begun(job: Job, window: Window, now: datetime) -> None:
    """Raise `BadArguments` for a window that extends beyond the bucket of `now`."""
    open_until = floor(now, STEP[job]) + STEP[job]
    if window.end > open_until:
        raise BadArguments(
            f"--window-end: {text_of(window.end)} lies ahead; the {_BUCKET[job]} of now ends at {text_of(open_until)}"
        )


def buckets(job: Job, window: Window) -> tuple[Window, ...]:
    """Return the single windows of a range."""
    step = STEP[job]
    count = (window.end - window.start) // step
    return tuple(Window(window.start + n * step, window.start + (n + 1) * step) for n in range(count))


def spans(windows: Iterable[Window], *, most: timedelta) -> Iterator[Window]:
    """Join neighbours and cut long windows into ranges no longer than `most`, in order."""
    span: Window | None = None
    for piece in (piece for window in sorted(windows) for piece in _pieces(window, most)):
        if span is not None and span.end == piece.start and piece.end - span.start <= most:
            span = Window(span.start, piece.end)
            continue
        if span is not None:
            yield span
        span = piece
    if span is not None:
        yield span


def _pieces(window: Window, most: timedelta) -> Iterator[Window]:
    start = window.start
    while start < window.end:
        yield Window(start, min(start + most, window.end))
        start += most


def lag_s(job: Job, *, mark: datetime | None, now: datetime) -> float:
    """Return the seconds of closed windows that are not published yet; 0 if there is nothing to publish."""
    if mark is None:
        return 0.0
    return max(0.0, (closed_until(job, now) - mark) / timedelta(seconds=1))
