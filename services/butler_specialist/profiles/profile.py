"""What a profile is: pure understanding and wording around one read of the records (CON-4.4).

Invariant: everything an answer says is in the message or in the records; what could not be read is said so.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from importlib import resources
from typing import Final

from butler_contracts.route import TogetherV1
from butler_kit.wording.standing import Topic
from butler_specialist.changes.settle import Desk
from butler_specialist.locale import noop, say
from butler_specialist.profiles.alarm import alarm_text
from butler_specialist.profiles.beside import beside_facts
from butler_specialist.profiles.doubtful import as_written, as_written_text, doubtful
from butler_specialist.profiles.following import pointed_at
from butler_specialist.profiles.leftover import (
    is_courtesy,
    left_out,
    left_out_text,
    notes_of,
    own_clauses,
    unsaid_sums,
)
from butler_specialist.profiles.listed import NOTHING_LISTED, Listed, listing_of
from butler_specialist.profiles.listing import with_list
from butler_specialist.profiles.moods import mood_text
from butler_specialist.profiles.reminder_desk import heard_about_reminders, reminders_ahead
from butler_specialist.profiles.reply import Reply, reply_of
from butler_specialist.profiles.standing import standing_reply
from butler_specialist.profiles.together import asked_together
from butler_specialist.profiles.unmet import Unmet, dated_note, declined_text
from butler_specialist.profiles.unmet import unmet as undone
from butler_specialist.questions.periods import Period
from butler_specialist.questions.recognise import asks
from butler_specialist.questions.wording import doubt_text
from butler_specialist.remind.quiet import QuietHours
from butler_specialist.store.earlier import NO_CONVERSATION, Conversation
from butler_specialist.store.former import FormerVersions
from butler_specialist.store.model import (
    Asker,
    Record,
    RecordChange,
    RecordDraft,
    RecordReader,
    ReminderReader,
)
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.emergencies import Alarm, alarm_in
from butler_specialist.understanding.household import NOBODY, Whose
from butler_specialist.understanding.language import Language
from butler_specialist.understanding.list_done import is_reason
from butler_specialist.understanding.moods import mood_of
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading, Sentence, read
from butler_specialist.understanding.requests import Request, requests_in

__all__ = ["MOST_FACTS", "Answering", "Lookup", "Profile", "Reply"]

MOST_FACTS: Final = 1_000
"""Of one message; one that states more is told so."""
_TITLE_CHARS: Final = 300
_MOST_TOLD: Final = 60
"""Clauses beside a question that are looked at."""

_QUOTED: Final = re.compile(r"„[^“]*“|“[^”]*”|«[^»]*»")
_JUST_NOW: Final = 10**15
"""Beyond the number of any record."""
_UNREAD: Final = frozenset({"note"})
"""What is kept of a text without a fact."""
_WORDS: Final = frozenset({"note", "task", "appointment"})
_TITLED: Final = _WORDS


def _as_it_is(change: RecordChange) -> RecordChange:
    return change


@dataclass(frozen=True, slots=True)
class Answering:
    """What a session may know besides the text: when it came (the writer's zone), who wrote, records, the currency.

    `reachable`: a reminder can be sent to whoever asks for it; without `reminders` there are none to be asked about.
    `together`: other butlers are asked the same. `usual` is the language of who wrote, for words that are of none.
    A change is `kept` by the clock of who told the record, which its hours here are not.
    """

    moment: datetime
    household: bool
    records: RecordReader
    whose: Whose = NOBODY
    currency: str = ""
    conversation: Conversation = NO_CONVERSATION
    reminders: ReminderReader | None = None
    asker: Asker | None = None
    reachable: bool = False
    quiet: QuietHours | None = None
    usual: Language = "en"
    edit: FormerVersions | None = None
    together: TogetherV1 | None = None
    kept: Callable[[RecordChange], RecordChange] = _as_it_is


@dataclass(frozen=True, slots=True)
class Lookup:
    """Which records an answer is made from; `end` is not included."""

    kinds: tuple[str, ...]
    start: date | None = None
    end: date | None = None
    all_senders: bool = False


class Profile(ABC):
    """One subject; its methods but `respond` are pure."""

    name: str
    triggers: tuple[str, ...]
    capabilities: tuple[str, ...] = ("records",)
    keeps_sums = False
    """Whether a sum that a note quotes is where it belongs."""
    tells_people_apart = False
    """Whether its answers are of one person, so that a question may be asked again of another."""
    kept: tuple[str, ...]
    """The kinds of its records."""
    topics: tuple[Topic, ...] = ()
    """What of its records comes by itself, for whoever wants to be reminded of it."""

    def __init__(self) -> None:
        folder = resources.files(f"butler_specialist.profiles.{self.name}")
        self.prompt = folder.joinpath("prompt.md").read_text(encoding="utf-8")
        self.prompt_version = f"{self.name}-{hashlib.sha256(self.prompt.encode()).hexdigest()[:12]}"

    @abstractmethod
    def asked(self, reading: Reading) -> Lookup | None:
        """The records that a question in the message is about; None when it asks nothing of us."""

    @abstractmethod
    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        """The answer to the question, computed from `rows` (newest day first)."""

    def listed(self, reading: Reading, rows: Sequence[Record]) -> Listed:
        """The entries that the answer lists, in its order."""
        return NOTHING_LISTED

    @abstractmethod
    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        """The facts that the message states."""

    def agenda(self, reading: Reading) -> Period | None:
        """Of a question about what is to be done, the period; reminders are a part of that."""
        return None

    def does(self, request: Request) -> bool:
        """Whether it does what is asked for."""
        return False

    def stated(self, reading: Reading, drafts: Sequence[RecordDraft]) -> int:
        """How many facts the message states; more than `drafts` where not all of them were taken."""
        return len(drafts)

    def used(self, sentence: Sentence, drafts: Sequence[RecordDraft], reading: Reading) -> bool:
        """Whether a clause is in the facts of its message: it states one by itself, or says of one when or where."""
        alone = self.compose(reading.only(sentence), household=True)
        return any(draft.kind not in _UNREAD for draft in alone)

    @abstractmethod
    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        """The records that the acknowledgement mentions: a month's total, the value before."""

    def settled(self, drafts: Sequence[RecordDraft], rows: Sequence[Record]) -> tuple[RecordDraft, ...]:
        """The facts as they are kept, now that the records they are compared with are known."""
        return tuple(drafts)

    @abstractmethod
    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        """What was understood."""

    async def respond(self, prompt: str, answering: Answering) -> Reply:
        """Understand a prompt: keep what it states, answer what it asks, say what cannot be done.

        Nobody outside the household is told anything from the records, not even through the owner.
        """
        reading = self._read(prompt, answering)
        if answering.household and (alarm := alarm_in(reading)) is not None:
            return await self._alarmed(alarm, reading, answering)
        standing = await standing_reply(reading, answering, self.topics) if answering.household else None
        if standing is not None:
            return standing
        if answering.household and answering.together is not None:
            return await asked_together(reading, answering, self.kept)
        if answering.household and "list_item" in self.kept:
            reading = await with_list(reading, answering.conversation)
        if not answering.household:
            return await self._understood(reading, answering)
        if (mood := mood_of(reading)) is not None and not self._states(reading):
            return Reply((), mood_text(mood, reading.language))
        return await self._reminded(reading, answering) or await self._done(reading, answering)

    def _states(self, reading: Reading) -> bool:
        """Whether there is anything in it but words, to which a mood has at most a day."""
        return any(draft.kind not in _WORDS for draft in self.compose(reading, household=True))

    async def _reminded(self, reading: Reading, answering: Answering) -> Reply | None:
        """What is done about reminders, and with the rest of the message what is done with any."""
        heard = await heard_about_reminders(reading, answering, self.kept)
        if heard is None:
            return None
        reply = Reply((), "")
        if not all(is_courtesy(sentence) for sentence in heard.rest.sentences):
            reply = await self._done(heard.rest, answering)
        text = f"{heard.text} {reply.text}".strip()
        question = heard.question or reply.question
        return replace(
            reply, text=text, reminders=heard.drafts, reminder_stops=heard.stops, question=question
        )

    async def _done(self, reading: Reading, answering: Answering) -> Reply:
        """Keep, change and answer what can be; say what cannot be done."""
        desk = Desk(self.kept, reading, answering.records, answering.conversation)
        picked = await desk.picked() or await desk.recalled() or await desk.pointed() or await desk.amended()
        return reply_of((picked,)) if picked is not None else await self._asked(reading, desk, answering)

    async def _asked(self, reading: Reading, desk: Desk, answering: Answering) -> Reply:
        """Change what is to be changed, decline what cannot be done; keep and answer the rest of the message."""
        requests = [one for one in requests_in(reading) if not self.does(one)]
        settled = await desk.settled(requests)
        left = [one for place, one in enumerate(requests) if place not in settled]
        read_out = [requests[place].sentence for place, one in settled.items() if not one.beside]
        rest = reading.without(read_out) if read_out else reading
        done = list(settled.values())
        if (bill := await desk.paid(rest.sentences)) is not None and not any(one.beside for one in done):
            done.append(bill)
        if settled and all(is_courtesy(sentence) or is_reason(sentence) for sentence in rest.sentences):
            return reply_of(done)
        unmet = undone(left)
        reply = await (self._declined(rest, unmet, answering) if unmet else self._understood(rest, answering))
        return reply_of(done, beside=reply)

    async def _declined(self, reading: Reading, unmet: Sequence[Unmet], answering: Answering) -> Reply:
        """Keep and answer the rest of the message; say what is not done. What is to come is kept without a reminder."""
        taken = [one for one in unmet if one.reminds and self.used(one.request.sentence, (), reading)]
        noted = [note for one in unmet if one not in taken and (note := dated_note(one, reading))]
        rest = reading.without([one.request.sentence for one in unmet if one not in taken])
        reply = Reply((), "")
        if not all(is_courtesy(sentence) for sentence in rest.sentences):
            reply = await self._understood(rest, answering)
        text = declined_text(unmet, reply.text, noted, reading.language)
        text += unsaid_sums((), text, reading.without(rest.sentences))
        return Reply((*reply.records, *noted), text)

    async def _understood(self, reading: Reading, answering: Answering) -> Reply:
        """Keep what is stated, answer what is asked, of what was said before where the message points back."""
        apart = self.tells_people_apart
        meant = (
            await pointed_at(reading, answering.conversation, of_people=apart)
            if answering.household
            else None
        )
        if meant is None:
            return await self._asked_or_told(reading, answering)
        again = replace(self._read(meant.question, answering), language=reading.language)
        if meant.question and self.asked(again) is not None:
            reply = await self._asked_or_told(again, answering)
            return reply if meant.is_answered_by(reply.text) else Reply((), meant.text)
        return Reply((), meant.text)

    def _read(self, text: str, answering: Answering) -> Reading:
        reading = read(
            text,
            answering.moment,
            whose=answering.whose,
            currency=answering.currency,
            usual=answering.usual,
        )
        return reading if answering.household else replace(reading, language="en")

    async def _asked_or_told(self, reading: Reading, answering: Answering) -> Reply:
        told = self._told_beside(reading) if answering.household else ()
        asked = reading.without(told) if told else reading
        lookup = self.asked(asked) if answering.household else None
        if lookup is not None:
            return await self._answered(asked, lookup, told, reading, answering)
        unsure = doubtful(reading, self._stated_by) if answering.household else ()
        return await (
            self._told_in_part(reading, unsure, answering) if unsure else self._told(reading, answering)
        )

    async def _answered(
        self, asked: Reading, lookup: Lookup, told: Sequence[Sentence], whole: Reading, answering: Answering
    ) -> Reply:
        """Keep what was told beside a question, and answer that from all that is known then."""
        kept = Reply((), "")
        if told:
            rest = _alone(told, whole)
            kept = await self._told(rest, answering)
        known = (*_as_records(kept.records, lookup), *await _rows(answering.records, lookup))
        rows = sorted(known, key=lambda row: (row.occurred_on, row.seq), reverse=True)
        said = [
            kept.text,
            self.answer(asked, rows),
            await reminders_ahead(asked, answering, self.agenda(asked)),
        ]
        shown = listing_of(asked, self.listed(asked, rows), among=bool(said[2])) if not told else None
        return replace(kept, text=" ".join(part for part in said if part), question=shown)

    def _stated_by(self, reading: Reading) -> tuple[RecordDraft, ...]:
        return self.compose(reading, household=True)

    async def _told_in_part(
        self, reading: Reading, unsure: Sequence[Sentence], answering: Answering
    ) -> Reply:
        """Keep what is doubtful in its own words only, and the rest as ever."""
        rest = reading.without(unsure)
        whole = all(is_courtesy(sentence) for sentence in rest.sentences)
        notes = as_written(unsure, reading, whole=whole)
        text = as_written_text(notes, reading)
        if whole:
            return Reply(notes, text)
        told = await self._told(rest, answering)
        return replace(told, records=(*told.records, *notes), text=f"{told.text} {text}")

    async def _alarmed(self, alarm: Alarm, reading: Reading, answering: Answering) -> Reply:
        """Whom to call, before anything else; then the facts of the message, if it has any. It is no note."""
        reading = replace(reading, language=alarm.language)
        told = await self._told(reading, answering)
        said = alarm_text(alarm, reading)
        stated = any(draft.kind not in _UNREAD for draft in told.records)
        return Reply(told.records, f"{said} {told.text}") if stated else Reply((), said)

    async def _told(self, reading: Reading, answering: Answering) -> Reply:
        """What the message states, kept and said back."""
        reading, found = self._composed(reading, household=answering.household)
        drafts = found[:MOST_FACTS]
        noted = len(drafts)
        compared = self.compared_with(drafts, reading) if answering.household else None
        known = await _rows(answering.records, compared) if compared is not None else ()
        drafts = self.settled(drafts, known)
        text = self.acknowledge(drafts, known, reading, household=answering.household)
        rest = self._left_out(drafts, text, reading) if answering.household else ()
        left = _doubt(drafts, reading) + left_out_text(rest, reading.language)
        told = text if self.keeps_sums else _QUOTED.sub("", text)
        text += left + (unsaid_sums(drafts, told + left, reading) if answering.household else "")
        drafts = (*drafts, *notes_of(rest, reading))
        beyond = _beyond(noted, self.stated(reading, found), reading)
        return Reply((*drafts, beyond), f"{beyond.title} {text}") if beyond else Reply(drafts, text)

    def _left_out(self, drafts: Sequence[RecordDraft], said: str, reading: Reading) -> tuple[Sentence, ...]:
        """Of a message without facts nothing: it is kept whole."""
        if all(draft.kind in _UNREAD for draft in drafts):
            return ()
        rest = left_out(reading, lambda sentence: self.used(sentence, drafts, reading))
        others = [sentence for sentence in own_clauses(reading) if sentence not in rest]
        return (*rest, *beside_facts(others, drafts, said, reading))

    def _told_beside(self, reading: Reading) -> tuple[Sentence, ...]:
        """The clauses beside a question that state facts."""
        told = [sentence for sentence in reading.sentences[:_MOST_TOLD] if not asks(sentence)]
        if not told or len(told) == len(reading.sentences):
            return ()
        rest = _alone(told, reading)
        return tuple(sentence for sentence in told if self.used(sentence, (), rest))

    def _composed(self, reading: Reading, *, household: bool) -> tuple[Reading, tuple[RecordDraft, ...]]:
        """The facts of the body; those of a mail's subject only where the body states none. Notes are titled by it."""
        drafts = self.compose(reading, household=household)
        if reading.subject and all(draft.kind in _UNREAD for draft in drafts):
            whole = reading.with_subject()
            found = self.compose(whole, household=household)
            if any(draft.kind not in _UNREAD for draft in found):
                reading, drafts = whole, found
        titled = (
            replace(draft, title=one_line(reading.subject, most=_TITLE_CHARS))
            if reading.subject and draft.title is None and draft.kind in _TITLED
            else draft
            for draft in drafts
        )
        return reading, tuple(titled)


def _alone(told: Sequence[Sentence], reading: Reading) -> Reading:
    """These clauses without the others of their message."""
    kept = frozenset(told)
    return reading.without([sentence for sentence in reading.sentences if sentence not in kept])


def _beyond(noted: int, stated: int, reading: Reading) -> RecordDraft | None:
    """What of a message was not noted: said in the answer, and kept with the whole text; None when all was."""
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


def _doubt(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    """That an hour of the message may be of the morning or of the evening, so that it is not kept.

    A fact of the clause alone may have its time, which a wish to be woken says.
    """
    if not drafts:
        return ""
    timed = {draft.text for draft in drafts if draft.occurred_at is not None or draft.details.get("hours")}
    unset = (sentence for sentence in reading.sentences if sentence.text not in timed)
    unclear = next((said for sentence in unset if (said := sentence.unclear_hour)), None)
    stored = {draft.occurred_on for draft in drafts}
    beside = (day for sentence in reading.sentences for day in sentence.days if day.beside is not None)
    wrong = [
        meant for day in beside for meant in {day.before, day.after} & stored if meant.weekday() != day.beside
    ]
    doubt = doubt_text(unclear, reading.language)
    return f"{doubt} {_check_text(wrong[0], reading.language)}" if wrong else doubt


def _check_text(day: date, language: Language) -> str:
    text = noop("Please check the day: {day} is not the weekday that you wrote.")
    return say(language, text, day=day_text(day, language))


def _as_records(drafts: Sequence[RecordDraft], lookup: Lookup) -> list[Record]:
    """What was just told, as a question that was asked with it finds it."""
    values = ({each.name: getattr(draft, each.name) for each in fields(RecordDraft)} for draft in drafts)
    found = [Record(**value, seq=_JUST_NOW + place) for place, value in enumerate(values)]
    return [
        row
        for row in found
        if row.kind in lookup.kinds
        and (lookup.start is None or row.occurred_on >= lookup.start)
        and (lookup.end is None or row.occurred_on < lookup.end)
    ]


async def _rows(records: RecordReader, lookup: Lookup) -> Sequence[Record]:
    return await records.find(
        lookup.kinds, start=lookup.start, end=lookup.end, all_senders=lookup.all_senders
    )
