"""Handles what a message asks to be taken back, changed or ticked off, and picks from what was asked back.

The records and the earlier messages are read only for a message that needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from butler_kit.wording.amends import amend_in
from butler_kit.wording.folding import fold
from butler_specialist.changes.amend import amend, amend_rows
from butler_specialist.changes.case import Case
from butler_specialist.changes.correct import correct, put_right
from butler_specialist.changes.named import fitting, named_in
from butler_specialist.changes.over import ended, over
from butler_specialist.changes.pointed import last_listing, pointed, points_at_a_list
from butler_specialist.changes.recalled import recalled
from butler_specialist.changes.settled import Settled
from butler_specialist.changes.take_back import take_back, withdraw
from butler_specialist.changes.tick import finish, paid, tick
from butler_specialist.changes.wording import Words
from butler_specialist.locale import noop
from butler_specialist.questions.recognise import asks
from butler_specialist.store.earlier import Conversation, Earlier
from butler_specialist.store.model import Question, Record, RecordReader
from butler_specialist.understanding.course_ends import ended_in
from butler_specialist.understanding.negations import says_not
from butler_specialist.understanding.picks import NONE, most_words, picked
from butler_specialist.understanding.reading import Reading, read
from butler_specialist.understanding.recalls import recalls
from butler_specialist.understanding.requests import Request, Wish, requests_in
from butler_specialist.understanding.sentence import Sentence
from butler_specialist.understanding.told_words import PAID

__all__ = ["Desk"]

_MOST_PICKED: Final = 6
"""The most words of an answer that picks an entry."""
_SETTLED: Final[Mapping[Wish, Callable[[Case], Settled | None]]] = MappingProxyType(
    {Wish.TAKE_BACK: take_back, Wish.CHANGE: correct, Wish.TICK: tick, Wish.OVER: over}
)
_APPLIED: Final[Mapping[Wish, Callable[[Case, Sequence[Record]], Settled]]] = MappingProxyType(
    {Wish.TAKE_BACK: withdraw, Wish.CHANGE: put_right, Wish.TICK: finish, Wish.OVER: ended}
)


class Desk:
    """One message's requests about the entries of `kinds`."""

    def __init__(
        self, kinds: Sequence[str], reading: Reading, records: RecordReader, conversation: Conversation
    ) -> None:
        self._kinds = kinds
        self._reading = reading
        self._records = records
        self._conversation = conversation

    async def picked(self) -> Settled | None:
        """Apply the reply to a question that was asked back.

        None if the message is no reply or nothing was asked.
        """
        text = self._reading.text
        if not 0 < most_words(text) <= _MOST_PICKED or "\n" in text.strip():
            return None
        last = next(iter(_of_the_thread(await self._conversation.earlier())), None)
        if last is None or last.question is None or last.question.shown or not last.fresh:
            return None
        rows = await self._candidates(last.question)
        return self._pick(last.question, rows)

    async def recalled(self) -> Settled | None:
        """Return what was recorded last, if that is all that the message asks."""
        if not recalls(self._reading.folded.strip()):
            return None
        earlier = _of_the_thread(await self._conversation.earlier())
        return recalled(earlier, Words(self._reading.text, self._reading.usual))

    async def pointed(self) -> Settled | None:
        """Handle a message that means a listed entry by its place; None for any other."""
        request = next(iter(requests_in(self._reading)), None)
        alone = request is not None and len(self._reading.sentences) == 1
        if request is None or not alone or request.wish not in _APPLIED or asks(request.sentence):
            return None
        if points_at_a_list(request.sentence) is None:
            return None
        earlier = _of_the_thread(await self._conversation.earlier())
        case = Case(request, self._reading, (), earlier, Words(self._reading.text, self._reading.usual))
        listing = last_listing(case)
        if listing is None:
            return None
        known = {row.record_id: row for row in await self._conversation.records(listing.candidates)}
        rows = await self._records.find(self._kinds)
        return pointed(replace(case, rows=rows), listing, [known.get(one) for one in listing.candidates])

    async def amended(self) -> Settled | None:
        """Handle a message that only corrects what was said last; None for any other."""
        meant = None if self._reading.subject else amend_in(self._reading.text, fold)
        if meant is None or ended_in(self._reading.text):
            return None
        if not meant.wrong and any(says_not(one) for one in self._reading.sentences):
            return None
        earlier = _of_the_thread(await self._conversation.earlier())
        rows = await self._records.find(self._kinds) if earlier else ()
        return amend(self._amending(rows, earlier, self._reading), meant)

    def _amending(self, rows: Sequence[Record], earlier: Sequence[Earlier], reading: Reading) -> Case:
        """Return a whole message as a request; its answer is in the language of the conversation."""
        before = next(iter(earlier), None)
        words = Words(f"{reading.text}\n{before.text if before else ''}", reading.usual)
        request = Request(Sentence(reading.text, reading.today), Wish.CHANGE)
        return Case(request, reading, rows, earlier, words)

    async def settled(self, requests: Sequence[Request]) -> dict[int, Settled]:
        """Return the result of each request, by its place; those that ask for none of this are left out."""
        if not any(one.wish in _SETTLED for one in requests):
            return {}
        rows = await self._records.find(self._kinds)
        earlier = _of_the_thread(await self._conversation.earlier())
        found: dict[int, Settled] = {}
        for place, request in enumerate(requests):
            decide = _SETTLED.get(request.wish) if not (request.told and asks(request.sentence)) else None
            case = Case(request, self._reading, rows, earlier, Words(self._reading.text, self._reading.usual))
            settled = decide(case) if decide is not None else None
            if settled is not None:
                found[place] = _once(settled, found.values(), case)
        return found

    async def paid(self, sentences: Sequence[Sentence]) -> Settled | None:
        """Close the open bill that a sum of the message was paid for."""
        if "bill" not in self._kinds:
            return None
        told = [one for one in sentences if one.has(PAID) and (one.amounts or one.unmarked)]
        if not told:
            return None
        rows = await self._records.find(("bill",))
        for sentence in told if rows else ():
            case = Case(
                Request(sentence, Wish.TICK, told=True),
                self._reading,
                rows,
                (),
                Words(self._reading.text, self._reading.usual),
            )
            if (settled := paid(case)) is not None:
                return settled
        return None

    async def _candidates(self, question: Question) -> list[Record]:
        known = {row.record_id: row for row in await self._conversation.records(question.candidates)}
        return [known[one] for one in question.candidates if one in known and not known[one].withdrawn]

    def _pick(self, question: Question, rows: Sequence[Record]) -> Settled | None:
        text = self._reading.text
        asked = read(question.text, question.moment.astimezone(self._reading.moment.tzinfo))
        words = Words(question.text, self._reading.usual)
        if NONE.match(self._reading.folded.strip()):
            return Settled(words.tell(noop("Nothing is changed.")))
        chosen = [rows[place] for place in picked(text, len(rows))] or self._named(rows)
        request = next(iter(requests_in(asked)), None)
        meant = amend_in(question.text, fold) if chosen else None
        if meant is not None and not meant.takes_back:
            return amend_rows(self._amending(rows, (), asked), meant, chosen)
        if not chosen or request is None or request.wish not in _APPLIED:
            return None
        return _APPLIED[request.wish](Case(request, asked, rows, (), words), chosen)

    def _named(self, rows: Sequence[Record]) -> list[Record]:
        """Return the one row that the words fit."""
        [sentence, *more] = self._reading.sentences
        if more or asks(sentence) or requests_in(self._reading):
            return []
        sums = tuple(amount.value for amount in sentence.amounts)
        found = fitting(named_in(sentence, days=sentence.days, sums=sums), rows, self._reading.today)
        return list(found.rows) if found.exact and len(found.rows) == 1 else []


def _of_the_thread(earlier: Sequence[Earlier]) -> Sequence[Earlier]:
    """Return the messages of this thread, or all of them in a new thread."""
    return [one for one in earlier if one.in_thread] or earlier


def _once(settled: Settled, before: Iterable[Settled], case: Case) -> Settled:
    """Return the result, unless it changes an entry that the message already changed."""
    changed = {change.record_id for one in before for change in one.changes}
    if not any(change.record_id in changed for change in settled.changes):
        return settled
    said = noop("Not done: “{asked}”. Please send it as a message of its own.")
    return Settled(case.words.tell(said, asked=case.asked))
