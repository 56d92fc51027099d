"""The base of a profile: pure understanding and wording around one read of the records (CON-4.4).

Invariant: everything an answer says is in the message or in the records; what could not be read is reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from butler_specialist.changes.settle import Desk
from butler_specialist.profiles.about_me import heard_about_me, known_together
from butler_specialist.profiles.alarm import alarm_text
from butler_specialist.profiles.answering import Answering, Lookup, as_records, rows_of
from butler_specialist.profiles.beside_question import kept_beside
from butler_specialist.profiles.calendar_desk import calendar_ahead
from butler_specialist.profiles.caveats import beyond, doubt, once_text, span_text, unopened
from butler_specialist.profiles.doubtful import as_written, as_written_text, doubtful
from butler_specialist.profiles.following import pointed_at
from butler_specialist.profiles.in_group import asks_privately, openly
from butler_specialist.profiles.leftover import is_courtesy, left_out_text, notes_of, unsaid_sums
from butler_specialist.profiles.listed import listing_of
from butler_specialist.profiles.listing import with_list
from butler_specialist.profiles.moods import mood_text
from butler_specialist.profiles.passing_on import passed_on, with_passed
from butler_specialist.profiles.quoting import is_settled, quoted_kinds, with_quotes
from butler_specialist.profiles.reminder_desk import heard_about_reminders, reminders_ahead
from butler_specialist.profiles.reply import Reply, reply_of
from butler_specialist.profiles.spoken import with_person
from butler_specialist.profiles.standing import standing_reply
from butler_specialist.profiles.stated import (
    alone,
    composed,
    overlooked,
    states_more_than_words,
    told_beside,
)
from butler_specialist.profiles.subject import MOST_FACTS, UNREAD, Subject
from butler_specialist.profiles.together import among_tellers, asked_together
from butler_specialist.profiles.unmet import Unmet, dated_note, declined_text
from butler_specialist.profiles.unmet import unmet as undone
from butler_specialist.profiles.whose_said import settled_whose, with_word
from butler_specialist.questions.claiming import claims_of
from butler_specialist.questions.nothing import Nothing
from butler_specialist.store.model import PRIVATE, Record, RecordDraft
from butler_specialist.understanding.about_me import talked_about
from butler_specialist.understanding.emergencies import Alarm, alarm_in
from butler_specialist.understanding.list_done import is_reason
from butler_specialist.understanding.moods import mood_of
from butler_specialist.understanding.reading import Reading, Sentence, read
from butler_specialist.understanding.requests import requests_in
from butler_specialist.understanding.whose_word import whose_word

__all__ = ["Profile"]

_QUOTED: Final = re.compile(r"„[^“]*“|“[^”]*”|«[^»]*»")


class Profile(Subject):
    """One subject and how it answers a message; its methods except `respond` are pure."""

    async def respond(self, prompt: str, answering: Answering) -> Reply:
        """Understand a prompt: keep what it states, answer what it asks, say what cannot be done.

        Nobody outside the household is told anything from the records, not even through the owner, and a group is
        told nothing that may be the sender's alone.
        """
        said = whose_word(prompt, answering.whose) if answering.household else None
        if said is None:
            return await self._open_reply(prompt, answering)
        if said.word.points_back:
            return await settled_whose(said, prompt, answering, kinds=self.kept)
        mine = replace(answering, memory=answering.memory and not said.shares)
        return with_word(await self._open_reply(said.word.rest, mine), said, prompt, answering)

    async def _open_reply(self, prompt: str, answering: Answering) -> Reply:
        """Return the reply; in a group only what all there may know, and the rest aside.

        There each of several that remember answers as if it were alone: silence would tell what it knows. What was
        spoken of there, all know.
        """
        together = answering.together
        of_memory = together is not None and together.of == "memory"
        if answering.in_group and of_memory and talked_about(prompt) is None:
            answering = replace(answering, together=None)
        if not answering.in_group or not answering.household or answering.together is not None:
            return await self._replied(prompt, answering)
        reading = self._read(prompt, answering)
        safe = await self._replied(prompt, answering)
        if alarm_in(reading) is not None or not asks_privately(self, reading, answering):
            return safe
        return openly(safe, await self._replied(prompt, answering.privately()), reading, answering)

    async def _replied(self, prompt: str, answering: Answering) -> Reply:
        reading = self._read(prompt, answering)
        if answering.household and (alarm := alarm_in(reading)) is not None:
            return await self._alarmed(alarm, reading, answering)
        standing = await standing_reply(reading, answering, self.topics) if answering.household else None
        if standing is not None:
            return standing
        if answering.household and (together := answering.together) is not None:
            if together.of == "memory":
                return await known_together(reading, answering)
            if together.of != "told":
                return await asked_together(reading, answering, self.kept)
            alone = replace(answering, together=None, claims=True)
            return among_tellers(await self._heard(reading, alone), together, reading)
        return await self._heard(reading, answering)

    async def _heard(self, reading: Reading, answering: Answering) -> Reply:
        """Handle a message that needs no special treatment first."""
        if answering.household and "list_item" in self.kept:
            reading = await with_list(reading, answering.conversation)
        if answering.household and "measurement" in self.kept:
            reading = await with_person(reading, answering.conversation)
        if not answering.household:
            return await self._understood(reading, answering)
        if (mood := mood_of(reading)) is not None and not states_more_than_words(self, reading):
            return Reply((), mood_text(mood, reading.language))
        return (
            await self._remembered(reading, answering)
            or await self._reminded(reading, answering)
            or await self._done(reading, answering)
        )

    async def _remembered(self, reading: Reading, answering: Answering) -> Reply | None:
        """Handle what the message says about its sender, and the rest of it as usual."""
        heard = await heard_about_me(reading, answering, in_passing=self.remembers_in_passing)
        if heard is None or heard.rest is None or all(is_courtesy(one) for one in heard.rest.sentences):
            return heard.reply if heard is not None else None
        told = heard.reply
        reply = await self._reminded(heard.rest, answering) or await self._done(heard.rest, answering)
        text = f"{told.text} {reply.text}".strip()
        records, changes = (*told.records, *reply.records), (*told.changes, *reply.changes)
        return replace(reply, records=records, changes=changes, text=text)

    async def _reminded(self, reading: Reading, answering: Answering) -> Reply | None:
        """Handle reminders, and the rest of the message as usual."""
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
        kinds = (*self.kept, *PRIVATE) if answering.memory else self.kept
        desk = Desk(kinds, reading, answering.records, answering.conversation)
        picked = await desk.picked() or await desk.recalled() or await desk.pointed() or await desk.amended()
        return reply_of((picked,)) if picked is not None else await self._asked(reading, desk, answering)

    async def _asked(self, reading: Reading, desk: Desk, answering: Answering) -> Reply:
        """Apply changes, pass on and decline what cannot be done; keep and answer the rest of the message."""
        requests = [one for one in requests_in(reading) if not self.does(one)]
        settled = await desk.settled(requests)
        left = [one for place, one in enumerate(requests) if place not in settled]
        passed = passed_on(left, reading, answering)
        left = [one for one in left if one not in passed.requests]
        read_out = [requests[place].sentence for place, one in settled.items() if not one.beside]
        read_out += passed.sentences
        rest = reading.without(read_out) if read_out else reading
        done = list(settled.values())
        if (bill := await desk.paid(rest.sentences)) is not None and not any(one.beside for one in done):
            done.append(bill)
        if (settled or passed.tellings) and all(is_courtesy(one) or is_reason(one) for one in rest.sentences):
            return with_passed(reply_of(done), passed, reading.language)
        unmet = undone(left)
        reply = await (self._declined(rest, unmet, answering) if unmet else self._understood(rest, answering))
        return with_passed(reply_of(done, beside=reply), passed, reading.language)

    async def _declined(self, reading: Reading, unmet: Sequence[Unmet], answering: Answering) -> Reply:
        """Keep and answer the rest of the message; say what is not done.

        Events are kept without a reminder.
        """
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
        """Keep what is stated and answer what is asked.

        If the message refers back, about the earlier turn.
        """
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
        return reading if answering.household else replace(reading, language=answering.usual)

    async def _asked_or_told(self, reading: Reading, answering: Answering) -> Reply:
        told = told_beside(self, reading) if answering.household else ()
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
        """Keep what was told beside a question, and answer it from all that is then known."""
        kept = Reply((), "")
        if told:
            rest = alone(told, whole)
            kept = await self._told(rest, answering)
        known = (*as_records(kept.records, lookup), *await rows_of(answering.records, lookup))
        rows = sorted(known, key=lambda row: (row.occurred_on, row.seq), reverse=True)
        said = [
            kept.text,
            answer := await self._with_quotes(self.answer(asked, rows), asked, lookup, answering),
            await reminders_ahead(asked, answering, self.agenda(asked)),
            await self._in_the_calendar(asked, answering, rows),
        ]
        ahead = any(said[2:])
        beside = kept_beside(asked, told, whole, answering)
        alone_asked = not told and not beside
        shown = listing_of(asked, self.listed(asked, rows), among=ahead) if alone_asked else None
        found = not isinstance(answer, Nothing) or ahead
        claims = claims_of(asked, rows) if answering.claims and found else ()
        text = " ".join(part for part in said if part) + left_out_text(beside, whole.language)
        records = (*kept.records, *notes_of(beside, whole))
        return replace(kept, records=records, text=text, question=shown, found=found, claims=claims)

    async def _in_the_calendar(self, asked: Reading, answering: Answering, rows: Sequence[Record]) -> str:
        """Return the calendar's events in the period of a question about the future, minus these records."""
        known = [row.record_id for row in rows]
        return await calendar_ahead(asked, answering, self.agenda(asked), told=known)

    async def _with_quotes(self, answer: str, asked: Reading, lookup: Lookup, answering: Answering) -> str:
        """Return the answer; if it misses the question, add what was told in its words, of any kind."""
        if is_settled(answer, asked):
            return answer
        told = replace(lookup, kinds=quoted_kinds(self.kept))
        return with_quotes(answer, asked, await rows_of(answering.records, told))

    def _stated_by(self, reading: Reading) -> tuple[RecordDraft, ...]:
        return self.compose(reading, household=True)

    async def _told_in_part(
        self, reading: Reading, unsure: Sequence[Sentence], answering: Answering
    ) -> Reply:
        """Keep what is doubtful only in its own words, and the rest as usual."""
        rest = reading.without(unsure)
        whole = all(is_courtesy(sentence) for sentence in rest.sentences)
        notes = as_written(unsure, reading, whole=whole)
        text = as_written_text(notes, reading)
        if whole:
            return Reply(notes, text)
        told = await self._told(rest, answering)
        return replace(told, records=(*told.records, *notes), text=f"{told.text} {text}")

    async def _alarmed(self, alarm: Alarm, reading: Reading, answering: Answering) -> Reply:
        """Say whom to call, before anything else; then the facts of the message, if any. It is no note."""
        reading = replace(reading, language=alarm.language)
        told = await self._told(reading, answering)
        said = alarm_text(alarm, reading)
        stated = any(draft.kind not in UNREAD for draft in told.records)
        return Reply(told.records, f"{said} {told.text}") if stated else Reply((), said)

    def _about(self, drafts: Sequence[RecordDraft]) -> str | None:
        """Return the one person whom the facts are about, for a butler that tells people apart."""
        named = {draft.party for draft in drafts} if self.tells_people_apart else set()
        return next(iter(named)) if len(named) == 1 else None

    async def _told(self, reading: Reading, answering: Answering) -> Reply:
        """Keep what the message states, and say it back."""
        reading, found = composed(self, reading, household=answering.household)
        drafts = found[:MOST_FACTS]
        noted = len(drafts)
        compared = self.compared_with(drafts, reading) if answering.household else None
        known = await rows_of(answering.records, compared) if compared is not None else ()
        drafts = self.settled(drafts, known)
        text = self.acknowledge(drafts, known, reading, household=answering.household)
        rest = overlooked(self, drafts, text, reading) if answering.household else ()
        left = doubt(drafts, reading) + left_out_text(rest, reading.language)
        told = text if self.keeps_sums else _QUOTED.sub("", text)
        text += left + (unsaid_sums(drafts, told + left, reading) if answering.household else "")
        drafts = (*drafts, *notes_of(rest, reading, self._about(drafts)))
        if answering.household:
            text += (
                once_text(drafts, reading)
                + span_text(drafts, reading)
                + unopened(drafts, reading, answering.files)
            )
        more = beyond(noted, self.stated(reading, found), reading)
        return Reply((*drafts, more), f"{more.title} {text}") if more else Reply(drafts, text)
