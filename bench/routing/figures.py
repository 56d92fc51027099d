"""Tables of held-out decisions: exactness by any key, the confusion matrix, and the calibration of the confidence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from bench.measure.report import Report
from bench.routing.held_out import SPECIALISTS, Outcome
from butler_switchboard.routing.registry_view import GENERAL

__all__ = ["calibration", "confusion", "exactness", "share_exact", "share_wrong"]

_BINS = 10


def share_exact(outcomes: Sequence[Outcome]) -> float:
    """The share of messages that reached exactly the expected butlers."""
    return sum(item.exact for item in outcomes) / max(1, len(outcomes))


def share_wrong(outcomes: Sequence[Outcome]) -> float:
    """The share of messages that reached an unexpected specialist."""
    return sum(item.wrong for item in outcomes) / max(1, len(outcomes))


def exactness(report: Report, table: str, outcomes: Sequence[Outcome], key: Callable[[Outcome], str]) -> None:
    """Add one row per value of `key`."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for item in outcomes:
        groups[key(item)].append(item)
    for name in sorted(groups):
        found = groups[name]
        report.row(table, group=name, n=len(found), exact=share_exact(found), wrong=share_wrong(found))


def confusion(report: Report, table: str, outcomes: Sequence[Outcome]) -> None:
    """Add the expected butler (rows) against the decided one (columns), for messages with one subject."""
    cells = Counter(
        (item.expected[0], item.decided[0] if len(item.decided) == 1 else "several")
        for item in outcomes
        if len(item.expected) == 1
    )
    for expected in (*SPECIALISTS, GENERAL):
        row = {name: cells[expected, name] for name in (*SPECIALISTS, GENERAL, "several")}
        report.row(table, expected=expected, **row)


def calibration(report: Report, table: str, outcomes: Sequence[Outcome]) -> float:
    """Add how often decisions of each confidence were right; return the expected calibration error."""
    bins: dict[int, list[Outcome]] = defaultdict(list)
    for item in outcomes:
        bins[min(_BINS - 1, int(item.confidence * _BINS))].append(item)
    error, total = 0.0, sum(len(found) for found in bins.values())
    for number in sorted(bins):
        found = bins[number]
        said = sum(item.confidence for item in found) / len(found)
        report.row(
            table,
            confidence=f"{number / _BINS:.1f}-{(number + 1) / _BINS:.1f}",
            n=len(found),
            said=said,
            right=share_exact(found),
        )
        error += len(found) / max(1, total) * abs(said - share_exact(found))
    return error
