"""Splits a reminder request: its time, its text, what it precedes, what stands before it (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.moments import Span, said_in, spans_in
from butler_specialist.understanding.reminder_words import CONNECTOR, FILLER, POLITE_LEAD

__all__ = [
    "AND_AT_THE_END",
    "EDGES",
    "bare",
    "event_and_thing",
    "head_and_body",
    "is_thing",
    "split_before",
    "with_the_hour",
    "with_what_follows",
]

AND_AT_THE_END: Final = re.compile(r"[\s,]+(?:and|und|et|y|so|also|then|dann)$")
EDGES: Final = " \t\n,;:.!?-–—\"'“”„«»"


def split_before(before: str, today: date) -> tuple[str, str]:
    """Split what stands before the request: words of its moment, or else a statement."""
    left = before
    for start, end in reversed(spans := spans_in(before, today, loose=True)):
        left = left[:start] + " " + left[end:]
    rest = POLITE_LEAD.sub("", fold(left).strip(EDGES), count=1)
    return (
        (before[spans[0][0] : spans[-1][1]], "")
        if spans and not rest.strip(EDGES)
        else ("", _kept(before, rest))
    )


_STATES: Final = re.compile(
    r"\b(?:is|are|was|has|have|had|it's|there's|starts?|begins?|comes?|leaves?|ist|sind|hat|haben|beginnt|kommt|fahrt|est|sont|ont"
    r"|commence|part|arrive|es|son|tiene|tengo|hay|empieza|sale|llega|i|we|he|she|ich|wir|je|j'ai|nous|tu|il|elle|yo)\b"
)


def is_thing(statement: str, today: date) -> bool:
    """Return whether the preceding words are only what and when: "the bins on Tuesday, remind me"."""
    return not _STATES.search(fold(statement)) and bool(spans_in(statement, today, loose=True))


def _kept(before: str, rest: str) -> str:
    if not rest.strip(EDGES):
        return ""
    kept = before.strip(" ,;:-–")
    joint = AND_AT_THE_END.search(fold(kept))
    return kept[: joint.start()] if joint else kept


def head_and_body(rest: str, today: date) -> tuple[str, str]:
    """Return the leading words about when, with the connector after them, and the rest."""
    folded, spans = fold(rest), spans_in(rest, today, loose=True)
    heads: list[str] = []
    place, connected = 0, False
    while place < len(rest):
        span = next((span for span in spans if span[0] <= place < span[1]), None)
        filler = FILLER.match(folded, place)
        connector = CONNECTOR.match(folded, place)
        if span and not (connected and heads):
            heads.append(rest[place : span[1]])
            place = span[1]
        elif folded[place] in EDGES:
            place += 1
        elif filler:
            place = filler.end()
        elif connector and not connected:
            place, connected = connector.end(), True
        else:
            break
    return " ".join(heads), rest[place:]


def with_what_follows(head: str, body: str, today: date) -> tuple[str, str, str]:
    """Return the same with the words about when from the text itself, as far as the head leaves it open.

    The last value is what the reminder precedes: "to buy a present two days before Clara's birthday".
    """
    said, spans = said_in(head, today), spans_in(body, today, loose=False)
    span = _own(spans, body, today)
    if span is None or (said.names_a_day and said.names_an_hour):
        return head, body, ""
    words, before, after = body[slice(*span)], body[: span[0]], body[span[1] :]
    found = said_in(words, today)
    if (said.names_a_day and found.names_a_day) or (said.names_an_hour and found.names_an_hour):
        return head, body, ""
    whole = f"{head} {words}".strip()
    if found.ahead is not None:
        event = bare(_without_connector(after))
        return whole, bare(before), event or bare(before)
    return whole, bare(f"{before.rstrip(EDGES)} {after.strip(' ,;')}"), ""


def with_the_hour(head: str, body: str, today: date) -> tuple[str, str]:
    """Return the same with a final hour, which belongs to the day before something."""
    span = next(reversed(spans_in(body, today, loose=False)), None)
    said = said_in(body[slice(*span)], today) if span else None
    if span is None or said is None or said.names_a_day or not said.names_an_hour:
        return head, body
    return f"{head} {body[slice(*span)]}", bare(f"{body[: span[0]].rstrip()} {body[span[1] :].strip()}")


def _without_connector(text: str) -> str:
    found = CONNECTOR.match(fold(text.lstrip(EDGES)))
    return text.lstrip(EDGES)[found.end() :] if found else text


_FOR_A_DAY: Final = re.compile(r"\b(?:for|fur|pour|para|of|vom|von|du|del)\s+$")


def _own(spans: Sequence[Span], body: str, today: date) -> Span | None:
    """Return the words about when at the text's end, else its start, else the only ones.

    A lead from anywhere.
    """
    folded = fold(body)
    leads = (span for span in spans if said_in(body[slice(*span)], today).ahead is not None)
    if (lead := next(leads, None)) is not None or not spans:
        return lead
    at_the_end = not FILLER.sub("", folded[spans[-1][1] :]).strip(EDGES)
    only = len(spans) == 1 or spans[0][0] == 0
    chosen = spans[-1] if at_the_end else spans[0] if only else None
    return None if chosen and _FOR_A_DAY.search(folded[: chosen[0]]) else chosen


_TO_DO: Final = re.compile(r"\s*(?:\bto\s|,\s*(?:dass|to)\s|\b(?:d'|de |que )(?=\w{2,}(?:er|ir|re|ar)\b))")


def event_and_thing(body: str) -> tuple[str, str]:
    """Return what the reminder precedes, and its text: "Clara's birthday to buy a present"."""
    cut = _TO_DO.search(fold(body))
    if cut:
        return bare(body[: cut.start()]), bare(body[cut.end() :])
    return body, body


def bare(text: str) -> str:
    """Return the text without polite words and punctuation at its ends."""
    kept = text.strip(EDGES)
    tail = re.search(
        r"[\s,]+(?:please|pls|bitte|svp|stp|s'il (?:te|vous) plait|por favor|thanks|thank you|danke|merci"
        r"|gracias|zu)$",
        fold(kept),
    )
    return kept[: tail.start()].strip(EDGES) if tail else kept
