"""Money: which sums a message states, and the texts about them (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from butler_specialist.profiles.answering import Lookup
from butler_specialist.profiles.finance import facts, places, questions
from butler_specialist.profiles.finance.kinds import EXPENSE
from butler_specialist.profiles.finance.wording import noted_text
from butler_specialist.profiles.general.wording import found_text
from butler_specialist.profiles.listed import Listed
from butler_specialist.profiles.profile import Profile
from butler_specialist.questions.periods import month_of
from butler_specialist.questions.recognise import asks_when
from butler_specialist.questions.remembered import remembered
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.errand_words import TRANSFERS
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.requests import Request, Wish

__all__ = ["FinanceProfile"]


class FinanceProfile(Profile):
    """Receipts, invoices, bills and subscriptions."""

    name = "finance"
    kept = ("expense", "bill", "subscription", "refund", "income", "debt", "note")
    topics = ("bills",)
    keeps_sums = True
    triggers = ("receipts", "invoices", "bills", "subscriptions")

    def asked(self, reading: Reading) -> Lookup | None:
        """Return the lookup; a "when?" may be answered by a note: "the plumber comes on Thursday"."""
        found = questions.lookup(reading)
        if found is None or not asks_when(reading):
            return found
        return replace(found, kinds=(*found.kinds, "note"))

    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        sums = [row for row in rows if row.kind != "note"]
        noted = remembered(reading, [row for row in rows if row.kind == "note"])
        return (
            found_text(noted, reading)
            if noted and not remembered(reading, sums)
            else questions.answer(reading, sums)
        )

    def listed(self, reading: Reading, rows: Sequence[Record]) -> Listed:
        return questions.listed(reading, rows)

    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        return facts.facts_of(reading, household=household)

    def does(self, request: Request) -> bool:
        """Return whether it is a sum to split, which is noted whole, or one to pay, which is noted as due."""
        sums = request.sentence.amounts or request.sentence.unmarked
        sent = TRANSFERS.match(request.sentence.folded) is not None
        return request.wish in (Wish.SHARE, Wish.ARRANGE) and bool(sums) and not sent

    def stated(self, reading: Reading, drafts: Sequence[RecordDraft]) -> int:
        return facts.stated_by(reading, drafts)

    def used(self, sentence: Sentence, drafts: Sequence[RecordDraft], reading: Reading) -> bool:
        """Return whether the clause states a sum: each is a fact, so none has to be composed to know."""
        return facts.states_a_sum_of(sentence, reading)

    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        if "expense" in drafts[0].details:
            return places.recent(reading)
        days = [draft.occurred_on for draft in drafts if draft.kind == EXPENSE]
        if not days:
            return None
        month = month_of(days[0])
        return Lookup((EXPENSE,), month.start, month.end)

    def settled(self, drafts: Sequence[RecordDraft], rows: Sequence[Record]) -> tuple[RecordDraft, ...]:
        return tuple(places.placed(draft, rows) if "expense" in draft.details else draft for draft in drafts)

    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        return noted_text(drafts, rows, reading, household=household)
