"""The state of delivery, as a person reads it: lines in words, then a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from butler_cli.output.moments import instant, span, timestamp
from butler_cli.output.screen import line_of
from butler_cli.output.tables import Column, table
from butler_cli.output.tight import tight_lines

__all__ = ["limits_screen", "queue_screen", "stats_screen", "status_screen"]

Document = Mapping[str, Any]
QUEUE: Final = (
    Column("LANE"),
    Column("CHANNEL"),
    Column("FROM", gives="flexible"),
    Column("DELIVERIES", "right"),
    Column("WAITING", "right"),
    Column("PUT OFF", "right"),
    Column("IN A CALL", "right"),
    Column("OLDEST", gives="optional"),
    Column("NEXT TRY", gives="optional"),
)
STATS: Final = (
    Column("OF", gives="flexible"),
    Column("DELIVERIES", "right"),
    Column("SENT", "right"),
    Column("FAILED", "right"),
    Column("DEAD", "right"),
    Column("UNCERTAIN", "right"),
    Column("OPEN", "right"),
    Column("SUCCESS", "right"),
    Column("RETRIED", "right", gives="optional"),
    Column("HALF IN", "right"),
    Column("95 % IN", "right"),
)
LIMITS: Final = (
    Column("BUDGET"),
    Column("CHANNEL"),
    Column("WHOSE", gives="flexible"),
    Column("USED", "right"),
    Column("OF", "right"),
    Column("ROOM", "right"),
    Column("FREE IN", "right"),
)
_OPEN: Final = ("pending", "in_progress", "pending_approval", "pending_missing_identifier")


def queue_screen(queue: Document) -> list[RenderableType]:
    """Return how much is under way, then the same by lane, channel and butler."""
    rows = [
        (
            one.get("lane"),
            one.get("channel"),
            one.get("origin_butler"),
            one.get("deliveries"),
            one.get("admitted"),
            one.get("awaiting_retry"),
            one.get("in_provider_call"),
            _moment(one.get("oldest_at")),
            _moment(one.get("next_try_at")),
        )
        for one in queue.get("groups") or ()
    ]
    return [Text(_under_way(queue)), *([table(QUEUE, rows)] if rows else [])]


def stats_screen(stats: Document) -> list[RenderableType]:
    """Return the window, then its totals and its groups."""
    groups: Sequence[Document] = stats.get("groups") or ()
    rows = [_figures("all", stats), *(_figures(one.get("of"), one) for one in groups)]
    window = f"asked for from {timestamp(stats.get('since'))} to {timestamp(stats.get('until'))}"
    return [Text(line_of(window)), table(STATS, rows)]


def limits_screen(limits: Document) -> list[RenderableType]:
    """Return the budgets, the fullest first, and the pauses of providers."""
    rows = [
        (
            one.get("dimension"),
            one.get("channel"),
            one.get("whose"),
            _count(one.get("used")),
            _count(one.get("limit")),
            _count(one.get("room")),
            _span(one.get("free_in_s")),
        )
        for one in limits.get("budgets") or ()
    ]
    left_out = limits.get("left_out")
    more = [Text(f"and {left_out} more with less in them")] if left_out else []
    return [table(LIMITS, rows), *more, *(Text(line) for line in _pauses(limits))]


def status_screen(document: Document) -> list[RenderableType]:
    """Return a line for each thing that matters; problems come last, where they are seen."""
    lines = [_under_way(document["queue"]), _lately(document["stats"])]
    lines += [_channel(one) for one in document["channels"]]
    lines += [_circuit(one) for one in document["circuits"] if one.get("state") != "closed"]
    lines += tight_lines(document["slo"])
    lines += _full(document["limits"])
    lines += _pauses(document["limits"])
    return [Text(line_of(line)) for line in lines]


def _under_way(queue: Document) -> str:
    count = queue.get("deliveries")
    held = queue.get("awaiting_approval")
    waits = [f"{held} {'wait' if held != 1 else 'waits'} for an approval"] if held else []
    if not count:
        return "; ".join([f"nothing is under way ({queue.get('places')} may be)", *waits])
    parts = [f"{count} under way of {queue.get('places')}"]
    if queue.get("in_provider_call"):
        parts.append(f"{queue['in_provider_call']} in a call")
    if queue.get("awaiting_retry"):
        first, last = _moment(queue.get("next_try_at")), _moment(queue.get("deferred_until"))
        until = f"until {first}" if first == last else f"the first until {first}, the last until {last}"
        parts.append(f"{queue['awaiting_retry']} put off, {until}")
    parts.append(f"the oldest for {_span(queue.get('oldest_s'))}")
    return "; ".join([*parts, *waits])


def _lately(stats: Document) -> str:
    if not stats.get("deliveries"):
        return "the last hour: nobody was told anything"
    states, times = stats["states"], stats["sent_after_s"]
    ended = [
        f"{states[name]} {name.replace('_', '-')}"
        for name in ("sent", "failed", "dead_lettered", "uncertain")
        if states[name]
    ]
    said = f"the last hour: {stats['deliveries']} asked for; {', '.join(ended) or 'none has ended'}"
    if times["p50"] is None:
        return said
    return f"{said}; half within {_span(times['p50'])}, 95 % within {_span(times['p95'])}"


def _channel(one: Document) -> str:
    fault = one.get("fault")
    return f"{one['channel']}: {fault['message'] if fault else 'its last call went well'}"


def _circuit(one: Document) -> str:
    said = f"{one.get('channel')}: its circuit is {one.get('state')} ({one.get('trip_reason') or 'no reason is kept'})"
    probe = _moment(one.get("next_probe_at"))
    return f"{said}, asked again at {probe}" if probe else said


def _full(limits: Document) -> list[str]:
    budgets: Sequence[Document] = limits.get("budgets") or ()
    full = [one for one in budgets if one.get("free_in_s") is not None]
    lines = [
        f"no room: {' '.join(str(one[name]) for name in ('dimension', 'channel', 'whose') if one.get(name))} "
        f"({_count(one['used'])} of {_count(one['limit'])}), again in {_span(one['free_in_s'])}"
        for one in full[:_SHOWN]
    ]
    more = len(full) - _SHOWN
    return [*lines, *([f"no room: {more} more, see butlers messenger limits"] if more > 0 else [])]


_SHOWN: Final = 8


def _pauses(limits: Document) -> Iterator[str]:
    for one in limits.get("pauses") or ():
        chat = one.get("target_identity")
        whose = f"{one.get('channel')}, chat {chat}" if chat else f"{one.get('channel')}"
        yield f"{whose} asks for a pause until {_moment(one.get('until'))}"


def _figures(whose: object, one: Document) -> tuple[object, ...]:
    states: Document = one.get("states") or {}
    times: Document = one.get("sent_after_s") or {}
    return (
        whose,
        one.get("deliveries"),
        states.get("sent"),
        states.get("failed"),
        states.get("dead_lettered"),
        states.get("uncertain"),
        sum(states.get(name) or 0 for name in _OPEN),
        _percent(one.get("success_rate")),
        _percent(one.get("retry_rate")),
        _span(times.get("p50")),
        _span(times.get("p95")),
    )


def _percent(rate: object) -> str | None:
    return f"{rate:.0%}".replace("%", " %") if isinstance(rate, int | float) else None


def _count(value: object) -> str | None:
    return f"{value:g}" if isinstance(value, int | float) else None


def _span(seconds: object) -> str | None:
    return span(seconds) if isinstance(seconds, int | float) else None


def _moment(value: object) -> str | None:
    found: datetime | None = instant(value)
    return f"{found:%H:%M:%S} UTC" if found is not None else None
