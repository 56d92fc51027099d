"""Counts what one session has used and bounds its next question before it is asked (pure).

Invariant: the usage and the worst case of the open question together never exceed the session's budget. A token is at
least a byte of what is sent, so bytes bound tokens whatever the model's tokenizer; once a model has reported how many
it read, only what came since is counted in bytes. A question without a complete answer is charged in full.

A program that asks by itself is one open question until it reports; from then on its reports are the usage, which
`used_up` compares with the budget. It may be exceeded by what the program asks before it is ended (ADR 0119).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from butler_contracts.budgets import Bound
from butler_kit.runtime.budget.exhausted import BudgetExhausted
from butler_kit.runtime.budget.terms import Price, SessionBudget

__all__ = ["Meter", "Question", "Tokens"]

_FRAME: Final = 1_024
"""Tokens that a provider may add to what is sent: roles, how to call tools."""
_MORE_FRAME: Final = 128
_LEAST_ANSWER: Final = 256
"""Tokens; an answer with fewer cannot call a tool."""
_MOST_TOLD: Final = 10**9
"""More than any model reads: a larger figure of a server is not believed."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The usage of a question, as the model's server reports it."""

    input: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output

    def __add__(self, more: Tokens) -> Tokens:
        return Tokens(self.input + more.input, self.output + more.output)


@dataclass(frozen=True, slots=True)
class Question:
    """The most that one question can take; of a program, its first question, and what all of them may cost."""

    worst: Tokens
    worst_microcents: int


class Meter:
    """The meter of one session."""

    def __init__(self, budget: SessionBudget, price: Price) -> None:
        self._budget = budget
        self._price = price
        self._used = self._before = Tokens()
        self._unreported = 0
        self._last: tuple[int, int] | None = None
        self._open: tuple[Question, int] | None = None
        self._answers = self._calls = 0
        self.questions = 0

    @property
    def most_turns(self) -> int | None:
        """How many answers of the model the owner lets a session have."""
        return self._budget.turns

    @property
    def used(self) -> Tokens:
        """The usage of all questions, an open one not counted."""
        return self._used

    @property
    def microcents(self) -> int:
        """The cost of `used`, and what was reserved for programs that reported nothing."""
        return self._price.of(self._used.input, self._used.output) + self._unreported

    @property
    def used_up(self) -> Bound | None:
        """The budget of the session that is used up or exceeded."""
        tokens, microcents = self._budget.tokens, self._budget.microcents
        if tokens is not None and self._used.total >= tokens:
            return Bound.SESSION_TOKENS
        if microcents is not None and self.microcents >= microcents:
            return Bound.SESSION_CENTS
        return None

    def question(self, size_bytes: int, *, most: int) -> Question:
        """Open the next question of `size_bytes`, whose answer has at most `most` tokens. Raises `BudgetExhausted`."""
        if self._budget.turns is not None and self._answers >= self._budget.turns:
            raise BudgetExhausted(Bound.SESSION_TURNS)
        read = self._read_at_most(size_bytes)
        worst = Tokens(read, min(most, *self._rooms(read, most)))
        opened = Question(worst, self._price.of(worst.input, worst.output))
        self._open = (opened, size_bytes)
        self.questions += 1
        return opened

    def program(self, size_bytes: int, *, most: int, worst_microcents: int) -> Question:
        """Open a program whose first question is of `size_bytes`; its session may cost `worst_microcents` in all.

        Raises as `question`.
        """
        self._before, spent = self._used, self.microcents
        first = self.question(size_bytes, most=most)
        opened = replace(first, worst_microcents=max(first.worst_microcents, worst_microcents - spent))
        self._open = (opened, size_bytes)
        return opened

    def reported(self, total: Tokens) -> None:
        """Take what the open program has used since its start, in place of what it reported before."""
        if total.total == 0:
            return
        if self._open is not None:
            self._open = None
            self._answers += 1
        self._used = self._before + Tokens(_told(total.input), _told(total.output))

    def answered(self, told: Tokens | None) -> None:
        """Close the open question; if the server does not report its usage, the worst case is charged."""
        if self._open is None:
            return
        (question, size_bytes), self._open = self._open, None
        self._answers += 1
        if told is None or told.total == 0:
            self._charge(question)
            return
        known = Tokens(_told(told.input), _told(told.output))
        self._last = (known.input, size_bytes)
        self._used += known

    def unanswered(self, *, billed: bool) -> None:
        """Close the open question without a complete answer. `billed`: it may have to be paid for anyway."""
        if self._open is None:
            return
        (question, _), self._open = self._open, None
        if billed:
            self._charge(question)

    def calling(self) -> None:
        """Count a call that the model makes. Raises `BudgetExhausted`."""
        if self._budget.tool_calls is not None and self._calls >= self._budget.tool_calls:
            raise BudgetExhausted(Bound.SESSION_TOOL_CALLS)
        self._calls += 1

    def _read_at_most(self, size_bytes: int) -> int:
        if self._last is None:
            return size_bytes + _FRAME
        tokens, then = self._last
        return tokens + max(0, size_bytes - then) + _MORE_FRAME

    def _rooms(self, read: int, most: int) -> tuple[int, int]:
        """Return how long the answer may be by each budget."""
        tokens = cents = most
        if self._budget.tokens is not None:
            tokens = self._budget.tokens - self._used.total - read
            _enough(tokens, most, Bound.SESSION_TOKENS)
        if self._budget.microcents is not None:
            left = self._budget.microcents - self.microcents - self._price.input * read
            cents = left // self._price.output if self._price.output else (most if left >= 0 else -1)
            _enough(cents, most, Bound.SESSION_CENTS)
        return tokens, cents

    def _charge(self, question: Question) -> None:
        self._used += question.worst
        self._unreported += question.worst_microcents - self._price.of(
            question.worst.input, question.worst.output
        )


def _enough(room: int, most: int, bound: Bound) -> None:
    if room < min(most, _LEAST_ANSWER):
        raise BudgetExhausted(bound)


def _told(tokens: int) -> int:
    return min(max(tokens, 0), _MOST_TOLD)
