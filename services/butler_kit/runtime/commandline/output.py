"""What a session's output reports while its program runs: usage, words, and that a limit is reached.

Invariant: usage is on the session's account as soon as it is reported, so that a session ended from outside is settled
with it; a program is ended where it would go on past its turns or past a budget.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from butler_contracts.budgets import Bound
from butler_kit.runtime.budget import Account, Tokens
from butler_kit.runtime.commandline.told import (
    Amiss,
    CarriedOut,
    CommandLine,
    Heard,
    Summed,
    Took,
    TooLong,
    Wrote,
)
from butler_kit.runtime.transcript import Unrecorded

__all__ = ["Output", "Tally"]


@dataclass
class Tally:
    """The usage of a session by what its program reported (pure)."""

    _unnamed: Tokens = field(default_factory=Tokens)
    _answers: dict[str, Tokens] = field(default_factory=dict)
    _sum: Tokens = field(default_factory=Tokens)

    def took(self, took: Took) -> None:
        """Count a report of one answer."""
        if took.answer is None:
            self._unnamed += took.tokens
            return
        before = self._answers.get(took.answer, Tokens())
        self._answers[took.answer] = Tokens(
            max(before.input, took.tokens.input), max(before.output, took.tokens.output)
        )

    def summed(self, tokens: Tokens) -> None:
        """Count a report of all answers, which replaces those of single ones; a sum of nothing is none."""
        if tokens.total:
            self._sum = tokens

    @property
    def used(self) -> Tokens:
        """The usage so far."""
        return self._sum if self._sum.total else sum(self._answers.values(), self._unnamed)


@dataclass
class Output:
    """What a session's output has reported so far; past `turns` or a budget of `account` it sets `over`."""

    of: CommandLine
    turns: int
    over: asyncio.Event
    recorder: Unrecorded
    account: Account
    amiss: Amiss | None = None
    too_long: bool = False
    used_up: Bound | None = None
    """The budget past which the program would have gone on."""
    _tally: Tally = field(default_factory=Tally)
    _calls: frozenset[str] = frozenset()
    """Calls that are not carried out yet."""

    async def line(self, text: str) -> None:
        """Process one line; one that is no JSON object is ignored."""
        said = _object(text)
        heard = self.of.read(said) if said is not None else None
        if isinstance(heard, Wrote):
            self.recorder.wrote(heard.text)
            heard = heard.took
        if heard is not None:
            self._count(heard)
            self._end(heard)

    def _count(self, heard: Heard) -> None:
        if isinstance(heard, Took):
            self._tally.took(heard)
        elif isinstance(heard, Summed):
            self._tally.summed(heard.tokens)
        elif isinstance(heard, Amiss | TooLong):
            self._tally.summed(heard.took)
        self.account.reported(self._tally.used)

    def _end(self, heard: Heard) -> None:
        if isinstance(heard, Amiss):
            self.amiss = heard
        elif isinstance(heard, TooLong):
            self.too_long = True
        elif isinstance(heard, CarriedOut):
            self._calls -= heard.calls
            self._bound()
        elif isinstance(heard, Took):
            self._calls |= heard.calls
            self._turn(wants_more=heard.wants_more)

    def _turn(self, *, wants_more: bool) -> None:
        if not wants_more:
            return
        self.turns -= 1
        if self.turns <= 0:
            self.too_long = True
            self.over.set()
        self._bound()

    def _bound(self) -> None:
        if self._calls or self.used_up is not None:
            return
        self.used_up = self.account.meter.used_up
        if self.used_up is not None:
            self.over.set()


def _object(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
