"""What a message says and asks about its sender, if memory is on (SWB-24.2, ADR 0078).

Invariants: an answer is only ever about the asker, because nothing else is found; each line says when it was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import count, counted, joined, noop, say
from butler_specialist.memory.decide import (
    FORGOTTEN,
    SUPERSEDED,
    confirmed,
    draft_of_statement,
    learned,
    said_on,
    until_of,
)
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.listed import first_of, listing_of
from butler_specialist.profiles.reply import Reply
from butler_specialist.questions.remembered import remembered
from butler_specialist.questions.wording import in_sentences, more_text, quoted, when_text
from butler_specialist.store.model import PRIVATE, Record, RecordChange, RecordDraft
from butler_specialist.understanding.about_me import (
    AboutMe,
    asks_about_me,
    asks_of_me,
    forgets_all,
    told_about_me,
)
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.repeats import repeat_in

__all__ = ["HeardOfMe", "heard_about_me", "known_together"]

_SHOWN: Final = 15
_OLD_DAYS: Final = 730
_KNOWN: Final = noop("This is what I know about you: {what}. Only you are told this.")
_NOTHING: Final = noop(
    "I know nothing about you yet. “Remember that I am vegetarian” tells me something; only you are told it."
)
_ANSWER: Final = noop("This is what I know: {what}.")
_LINE: Final = noop("{statement} (you said so on {day})")
_IN_PASSING: Final = noop("{statement} (you mentioned it on {day})")
_OLD: Final = noop("{statement} (you said so on {day}, which is long ago)")
_UNTIL: Final = noop("{statement} (you said so on {day}, until {until})")
_KEPT: Final = noop("I will remember: {what}. Only you are told this; “forget that” takes it back.")
_KEPT_HERE: Final = noop("I will remember that; only you are told it, in our own chat.")
_INSTEAD: Final = noop("Before, it was {what}; that is no longer so.")
_KNOWN_ALREADY: Final = noop("I knew that already: {what}.")
_FORGOTTEN: Final = counted(
    "I have forgotten the one thing that I knew about you. “undo” brings it back within a day.",
    "I have forgotten all {number} things that I knew about you. “undo” brings them back within a day.",
)


@dataclass(frozen=True, slots=True)
class HeardOfMe:
    """The reply to what a message says about its sender, and the `rest` of the message."""

    reply: Reply
    rest: Reading | None = None


async def heard_about_me(reading: Reading, answering: Answering, *, in_passing: bool) -> HeardOfMe | None:
    """Handle such a message; None if memory is off, or it says and asks nothing about its sender."""
    if not answering.memory or reading.subject:
        return None
    if asks_about_me(reading.text):
        return HeardOfMe(_known(reading, await answering.records.find(PRIVATE)))
    if forgets_all(reading.text):
        return HeardOfMe(_forgotten(reading, await answering.records.find(PRIVATE)))
    if in_passing and asks_of_me(reading.text) and not any(one.days for one in reading.sentences):
        found = remembered(reading, await answering.records.find(PRIVATE), text_of=_searched)
        return HeardOfMe(_recalled(reading, found)) if found else None
    told = told_about_me(reading.text, in_passing=in_passing)
    parts = [(one, _clauses(one, reading)) for one in told]
    lasting = [(one, clauses) for one, clauses in parts if _lasts(clauses)]
    if not lasting:
        return None
    known = await (answering.own or answering.records).find(PRIVATE)
    reply = _told([one for one, _ in lasting], reading, known)
    if answering.in_group:
        reply = replace(reply, text=say(reading.language, _KEPT_HERE))
    rest = reading.without([clause for _, clauses in lasting for clause in clauses])
    return HeardOfMe(reply, rest if rest.sentences else None)


async def known_together(reading: Reading, answering: Answering) -> Reply:
    """Return this butler's part of what all are asked that remember: what it knows, or has forgotten now.

    Who knows nothing is silent, except the last if nobody knew anything.
    """
    rows = await answering.records.find(PRIVATE) if answering.memory else ()
    if forgets_all(reading.text):
        reply, knows = _forgotten(reading, rows), bool(rows)
    else:
        reply, knows = _known(reading, rows), bool(_standing(rows, reading.today))
    together = answering.together
    alone = together is None or (together.last and not together.answered)
    return reply if knows or alone else Reply((), "", silent=True)


def _standing(rows: Sequence[Record], today: date) -> list[Record]:
    return [row for row in rows if (until := until_of(row)) is None or until >= today]


def _known(reading: Reading, rows: Sequence[Record]) -> Reply:
    """Return what is known, the newest first, each with the day on which it was said."""
    language = reading.language
    shown = _standing(rows, reading.today)
    if not shown:
        return Reply((), say(language, _NOTHING))
    lines = [_line(row, reading.today, language) for row in shown[:_SHOWN]]
    more = [more_text(len(shown) - _SHOWN, language)] if len(shown) > _SHOWN else []
    text = say(language, _KNOWN, what=joined([*lines, *more], language))
    return Reply((), text, question=listing_of(reading, first_of(shown, _SHOWN), among=False))


def _recalled(reading: Reading, rows: Sequence[Record]) -> Reply:
    """Return what answers a question, with the day on which it was said."""
    lines = [_line(row, reading.today, reading.language) for row in rows[:_SHOWN]]
    text = say(reading.language, _ANSWER, what=joined(lines, reading.language))
    return Reply((), text, question=listing_of(reading, first_of(rows, _SHOWN), among=False))


def _searched(row: Record) -> str:
    return f"{row.title or ''} {row.text}"


def _line(row: Record, today: date, language: Language) -> str:
    day, until = said_on(row), until_of(row)
    form = _IN_PASSING if row.details.get("basis") == "passing" else _LINE
    form = _OLD if (today - day).days > _OLD_DAYS else form
    return say(
        language,
        _UNTIL if until is not None else form,
        statement=_quoted(row, language),
        day=when_text(day, None, language),
        until=when_text(until, None, language) if until is not None else "",
    )


def _told(told: Sequence[AboutMe], reading: Reading, known: Sequence[Record]) -> Reply:
    """Store what is new, withdraw what it contradicts, and confirm what was known."""
    language, drafts = reading.language, list[RecordDraft]()
    changes, again = dict[object, RecordChange](), list[str]()
    for one in told:
        draft = draft_of_statement(one, reading.today)
        found = learned(draft, [row for row in known if row.record_id not in changes])
        for other in found.supersedes:
            changes[other.record_id] = RecordChange(other.record_id, other.version, SUPERSEDED)
        if found.known is not None:
            changes[found.known.record_id] = confirmed(found.known, reading.today)
            again.append(_line(found.known, reading.today, language))
        elif draft not in drafts:
            drafts.append(draft)
    said = [say(language, _KEPT, what=_all(drafts, language))] if drafts else []
    gone = [row for row in known if row.record_id in changes and changes[row.record_id].cause == SUPERSEDED]
    said += [say(language, _INSTEAD, what=_all(gone, language))] if gone else []
    said += [say(language, _KNOWN_ALREADY, what=joined(again, language))] if again else []
    return Reply(tuple(drafts), in_sentences(said), changes=tuple(changes.values()))


def _forgotten(reading: Reading, rows: Sequence[Record]) -> Reply:
    if not rows:
        return Reply((), say(reading.language, _NOTHING))
    changes = tuple(RecordChange(row.record_id, row.version, FORGOTTEN) for row in rows)
    return Reply((), count(reading.language, *_FORGOTTEN, len(rows)), changes=changes)


def _clauses(one: AboutMe, reading: Reading) -> list[Sentence]:
    return [sentence for sentence in reading.sentences if sentence.text in one.said]


def _lasts(clauses: Sequence[Sentence]) -> bool:
    """Return whether it has no single day, hour or sum, unlike a profile's entry; "every Monday" lasts."""
    return bool(clauses) and not any(
        one.times or one.amounts or (one.days and repeat_in(one.folded) is None) for one in clauses
    )


def _all(rows: Sequence[RecordDraft], language: Language) -> str:
    return joined([_quoted(row, language) for row in rows], language)


def _quoted(row: RecordDraft, language: Language) -> str:
    return quoted(row.title or row.text, most=150, language=language)
