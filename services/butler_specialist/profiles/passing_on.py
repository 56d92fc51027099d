"""Messages that rules pass on to another member: what an adult asks for in a chat of their own (pure; ADR 0127).

Invariant: a person is told the rest of the very sentence that asks for it, as it was written, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from butler_contracts.errors import ValidationFailed
from butler_contracts.language import Language
from butler_specialist.locale import noop, say
from butler_specialist.people.company import Company
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.model import TellingDraft
from butler_specialist.understanding.household import Whose
from butler_specialist.understanding.passed_words import addressed_in
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.requests import Request, Wish

__all__ = ["Passed", "passed_on", "with_passed"]

_MOST: Final = 3
"""The most people that one message may tell something; more are refused together (`work/tellings.py`)."""
_SAYS_SOMETHING: Final = re.compile(r"[^\W_]{2}")
_ENDS: Final = " \t.,;:!"
_PASSING: Final = noop("Passing it on:")


@dataclass(frozen=True, slots=True)
class Passed:
    """What is passed on, the requests that asked for it, and the clauses that are told."""

    tellings: tuple[TellingDraft, ...] = ()
    requests: tuple[Request, ...] = ()
    sentences: tuple[Sentence, ...] = ()


def passed_on(requests: Sequence[Request], reading: Reading, answering: Answering) -> Passed:
    """Return what can be passed on of these requests; the others stay what no butler can do.

    Nothing of a mail, in a group, of children and guests, or where several butlers read the same.
    """
    asked = [one for one in requests if one.wish is Wish.TELL and not one.told]
    may = answering.hand is not None and not answering.in_group and not answering.claims
    if not asked or len(asked) > _MOST or not may or reading.subject:
        return Passed()
    company = Company(reading.text, answering.whose, answering.others)
    passed = Passed()
    for request in asked:
        if request.sentence in passed.sentences:
            continue
        told = _told_by(request.sentence, reading)
        draft = _draft(request.sentence, told, reading, company)
        if draft is not None:
            passed = Passed(
                (*passed.tellings, draft),
                (*passed.requests, *(one for one in requests if one.sentence in told)),
                (*passed.sentences, *told),
            )
    return passed


def with_passed(reply: Reply, passed: Passed, language: Language) -> Reply:
    """Return the reply that tells the others; whom it reached is said below it when it is known."""
    if not passed.tellings:
        return reply
    text = f"{reply.text} {say(language, _PASSING)}".strip()
    return replace(reply, text=text, tellings=passed.tellings)


def _told_by(asking: Sentence, reading: Reading) -> tuple[Sentence, ...]:
    """Return the clause and those behind it in the same sentence, which are part of what is to be told."""
    places = [place for place, one in enumerate(reading.sentences) if one is asking]
    behind = reading.sentences[places[0] :] if places else (asking,)
    return tuple(one for one in behind if one.line == asking.line)


def _draft(
    asking: Sentence, told: Sequence[Sentence], reading: Reading, company: Company
) -> TellingDraft | None:
    addressed = addressed_in(asking, lambda name: _is_contact(company.whose, name))
    begin = reading.text.find(asking.text)
    if addressed is None or begin < 0:
        return None
    last = reading.text.find(told[-1].text, begin)
    end = last + len(told[-1].text) if last >= 0 else begin + len(asking.text)
    words = reading.text[begin + addressed.start : end].strip(_ENDS if addressed.asks else f"{_ENDS}?")
    if not _SAYS_SOMETHING.search(words):
        return None
    try:
        return company.draft(addressed.name, words)
    except ValidationFailed:
        return None


def _is_contact(whose: Whose, name: str) -> bool:
    return whose.contact(name) is not None
