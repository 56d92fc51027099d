"""One session's account: a reservation before it begins, a note before each question, settlement at its end.

Invariant: a process may die at any await. Before the reservation nothing is set aside; after it, everything is
released once its time is over, except what the open question may cost: that was recorded before it was asked. A
program that asks by itself may cost all that is left of the reservation until it reports.
"""

from __future__ import annotations

from butler_contracts.budgets import Asking, Reservation, Spent
from butler_kit.runtime.budget.exhausted import BudgetExhausted
from butler_kit.runtime.budget.ledger import Ledger, LedgerAway
from butler_kit.runtime.budget.meter import Meter, Question, Tokens
from butler_kit.runtime.budget.terms import Price, Terms
from butler_kit.runtime.family import SessionJob

__all__ = ["Account"]

_GRACE_S = 30.0
"""How much longer than its session a reservation lasts."""


class Account:
    """The account of one session; without a `ledger` only the session's own budget applies."""

    def __init__(self, job: SessionJob, terms: Terms, ledger: Ledger | None) -> None:
        self._job = job
        self._terms = terms
        self._ledger = ledger
        self._id = job.account_id or job.session_id
        self._reserves = ledger is not None and terms.days.any
        self._model = job.model or ""
        self._listed: Price | None = None
        self._listed_microcents = 0
        self.meter = Meter(terms.session, terms.price)

    async def open(self) -> None:
        """Reserve the session's cost, if days have a budget. Raises `BudgetExhausted`, `LedgerAway`."""
        if self._ledger is None or not self._reserves:
            return
        wanted = Reservation(
            session_id=self._id,
            person=self._job.person,
            request_id=self._job.request_id,
            worst_microcents=self._terms.worst_microcents,
            lasts_s=self._job.deadline_s + _GRACE_S,
            limits=self._terms.days,
        )
        bound = await self._ledger.reserve(wanted)
        if bound is not None:
            self._reserves = False
            raise BudgetExhausted(bound)

    async def question(self, model: str, size_bytes: int, *, most: int, listed: Price | None = None) -> int:
        """Note the next question before it is asked; return its answer's token limit. Raises as `open`.

        `listed` is what a public list says that the model costs: for display where the owner gave no price, never for a
        budget.
        """
        self._model, self._listed = model, listed
        before = self.meter.microcents
        return await self._noted(before, self.meter.question(size_bytes, most=most))

    async def program(self, model: str, size_bytes: int, *, most: int) -> int:
        """Note a program before it is started; return the token limit of its answers. Raises as `open`."""
        self._model, self._listed = model, None
        before, worst = self.meter.microcents, self._terms.worst_microcents
        return await self._noted(before, self.meter.program(size_bytes, most=most, worst_microcents=worst))

    async def _noted(self, before: int, question: Question) -> int:
        if self._ledger is not None and self._reserves:
            try:
                asked = question.worst_microcents
                noted = await self._ledger.asking(
                    Asking(session_id=self._id, spent_microcents=before, asked_microcents=asked)
                )
            except BaseException:
                self.meter.unanswered(billed=False)
                raise
            if not noted:
                self.meter.unanswered(billed=False)
                raise LedgerAway("the session was given up, its time was over")
        return question.worst.output

    def answered(self, told: Tokens | None) -> None:
        """Record a complete answer."""
        before = self.meter.used
        self.meter.answered(told)
        self._list(before)

    def reported(self, total: Tokens) -> None:
        """Record what the program has used since its start."""
        self.meter.reported(total)

    def unanswered(self, *, billed: bool) -> None:
        """Record that no complete answer came, or no report of the program."""
        before = self.meter.used
        self.meter.unanswered(billed=billed)
        self._list(before)

    def _list(self, before: Tokens) -> None:
        if self._listed is not None:
            used = self.meter.used
            self._listed_microcents += self._listed.of(used.input - before.input, used.output - before.output)

    def spent(self) -> Spent | None:
        """Return what to settle at the end; None if nothing was asked or reserved."""
        self.unanswered(billed=True)  # an open question, where the session was ended from outside
        if self._ledger is None or not (self._reserves or self.meter.questions):
            return None
        used = self.meter.used
        return Spent(
            session_id=self._id,
            person=self._job.person,
            request_id=self._job.request_id,
            model=self._model or "unknown",
            questions=self.meter.questions,
            input_tokens=used.input,
            output_tokens=used.output,
            microcents=self.meter.microcents if self._terms.priced else self._listed_microcents,
            priced=self._terms.priced,
        )
