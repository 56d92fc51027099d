"""Which of a session's calls are findings: only what the message itself says, in its writer's words (pure; SWB-04.1).

Invariants: all evidence is a range of the text that its writer wrote for this message, and each subject occurs in the
text. So whatever a text talks a model into, nothing is recorded that the text does not say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from butler_switchboard.extraction.signals import SUBJECT_MAX, Signal, SignalType

__all__ = ["signals_of"]

Ranges = Sequence[tuple[int, int]]


def signals_of(calls: Iterable[Mapping[str, Any]], text: str, own: Ranges) -> tuple[Signal, ...]:
    """Return the findings in schema-valid calls, each once, in their order; `own` comes from `own_ranges`."""
    found: dict[tuple[SignalType, str, int, int], Signal] = {}
    for call in calls:
        signal = _signal(call, text, own)
        if signal is not None:
            found.setdefault((signal.type, signal.subject, signal.start, signal.end), signal)
    return tuple(found.values())


def _signal(call: Mapping[str, Any], text: str, own: Ranges) -> Signal | None:
    subject = _as_written(call["subject"], text)
    evidence = _place(call["quote"].strip(), text, own)
    if subject is None or evidence is None:
        return None
    return Signal(SignalType(call["type"]), subject, *evidence, float(call["confidence"]))


def _as_written(subject: str, text: str) -> str | None:
    """Return the subject as the text has it, on one line."""
    words = " ".join(subject.split())[:SUBJECT_MAX]
    at = text.casefold().find(words.casefold())
    if not words or at < 0:
        return None
    written = text[at : at + len(words)]
    return written if written.casefold() == words.casefold() else words


def _place(quote: str, text: str, own: Ranges) -> tuple[int, int] | None:
    """Return where the quote first occurs with all its words in what the writer wrote."""
    if not quote:
        return None
    at = text.find(quote)
    while at >= 0:
        end = at + len(quote)
        if _is_own(text, at, end, own):
            return at, end
        at = text.find(quote, at + 1)
    return None


def _is_own(text: str, at: int, end: int, own: Ranges) -> bool:
    """Whether every word from `at` to `end` is the writer's: a quoted line between two of theirs is not."""
    for first, last in own:
        if text[at : max(at, min(first, end))].strip():
            return False
        at = max(at, min(last, end))
    return not text[at:end].strip()
