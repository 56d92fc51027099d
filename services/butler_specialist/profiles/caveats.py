"""What an acknowledgement says about what it could not read or keep, or is not sure of (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.locale import joined, noop, say
from butler_specialist.questions.wording import doubt_text, quoted
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.repeats import repeat_in

__all__ = ["beyond", "doubt", "once_text", "span_text", "unopened"]

_UP_TO: Final = re.compile(
    r"\s*(?:-|–|to|through|thru|till|until|bis(?: zum)?|au|jusqu'au|a|al|hasta(?: el)?)\s*(?:the |le |el |dem |den )?"
)
_NAMED: Final = 3
_ONCE: Final = frozenset({"appointment", "note", "meeting"})
_HOUR: Final = re.compile(r"(?P<h>\d{1,2})(?:[:.h](?P<m>\d\d))?")


def beyond(noted: int, stated: int, reading: Reading) -> RecordDraft | None:
    """Return what was not noted, said in the answer and kept with the whole text; None if all was noted."""
    language, said = reading.language, list[str]()
    if noted < stated:
        said = [say(language, "I noted {noted} of {all} facts of this message.", noted=noted, all=stated)]
    if reading.unread:
        read = len({sentence.line for sentence in reading.sentences})
        whole = read + reading.unread
        said.append(say(language, "I read {read} of {all} lines of this message.", read=read, all=whole))
    if not said:
        return None
    title = " ".join([*said, say(language, "Please send what is missing in another one.")])
    return RecordDraft(kind="note", occurred_on=reading.today, title=title, text=reading.text)


def doubt(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    """Say that an hour of the message may be morning or evening, so that it is not kept.

    A fact of the clause may still have its time, from a wish to be woken.
    """
    if not drafts:
        return ""
    timed = {draft.text for draft in drafts if draft.occurred_at is not None or draft.details.get("hours")}
    unset = (sentence for sentence in reading.sentences if sentence.text not in timed)
    unclear = next(
        (said for sentence in unset if (said := sentence.unclear_hour) and not _is_set(said, drafts)), None
    )
    stored = {draft.occurred_on for draft in drafts}
    beside = (day for sentence in reading.sentences for day in sentence.days if day.beside is not None)
    wrong = [
        meant for day in beside for meant in {day.before, day.after} & stored if meant.weekday() != day.beside
    ]
    said = doubt_text(unclear, reading.language)
    return f"{said} {_check_text(wrong[0], reading.language)}" if wrong else said


def once_text(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    """Say that only one day of something recurring is noted; empty if nothing recurs."""
    once = (one for one in drafts if one.kind in _ONCE and one.occurred_on >= reading.today)
    if not any((said := repeat_in(fold(one.text))) is not None and not said.loose for one in once):
        return ""
    text = noop("Only that one day is noted; “remind me every …” comes each time.")
    return " " + say(reading.language, text)


def span_text(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    """Say that only the first of several days is noted; empty if there is no such span."""
    first = {one.occurred_on for one in drafts if one.kind in _ONCE}
    spans = (
        (one.on("future"), reading_of.folded[one.end : other.start])
        for reading_of in reading.sentences
        for one, other in pairwise(reading_of.days)
    )
    if not any(day in first and _UP_TO.fullmatch(between) for day, between in spans):
        return ""
    return " " + say(reading.language, noop("Only the first of these days is noted."))


def unopened(drafts: Sequence[RecordDraft], reading: Reading, files: Sequence[str]) -> str:
    """Say that the attached files were not read, if the words state no fact; empty if they do."""
    if not files or reading.descriptor is not None or any(draft.kind != "note" for draft in drafts):
        return ""
    named = [quoted(name, language=reading.language) for name in files[:_NAMED] if name]
    text = noop("I cannot open pictures or files; write in words what should be noted of them.")
    if named:
        text = noop("I cannot open {files}; write in words what should be noted of it.")
    return " " + say(reading.language, text, files=joined(named, reading.language))


def _is_set(said: str, drafts: Sequence[RecordDraft]) -> bool:
    """Return whether a fact has the named hour, as am or pm."""
    hour = _HOUR.search(said)
    meant = (int(hour["h"]) % 12, int(hour["m"] or 0)) if hour is not None else None
    at = (draft.occurred_at for draft in drafts if draft.occurred_at is not None)
    return any((one.hour % 12, one.minute) == meant for one in at)


def _check_text(day: date, language: Language) -> str:
    text = noop("Please check the day: {day} is not the weekday that you wrote.")
    return say(language, text, day=day_text(day, language))
