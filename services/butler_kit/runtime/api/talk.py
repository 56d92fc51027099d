"""What a session needs of a model, whoever speaks to it: questions, the calls in its answers, and what came of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from butler_kit.runtime.budget import Price, Tokens
from butler_kit.runtime.family import SessionJob

__all__ = ["Outcome", "Proposed", "Said", "Talk", "TalkOpener"]


@dataclass(frozen=True)
class Proposed:
    """A call that the model wishes for; `args` is None when they are no JSON object."""

    call_id: str
    tool: str
    args: Mapping[str, Any] | None


@dataclass(frozen=True)
class Outcome:
    """What became of a call, in the words that the model reads."""

    call: Proposed
    text: str


@dataclass(frozen=True)
class Said:
    """An answer: the calls in it, its words beside them, and what it took, where the model's server says so."""

    calls: tuple[Proposed, ...]
    took: Tokens | None = None
    text: str = ""


class Talk(Protocol):
    """One conversation; a question that fails leaves it as it was."""

    @property
    def size_bytes(self) -> int:
        """How much the next question sends."""

    async def ask(self, *, timeout_s: float, answer_tokens: int) -> Said:
        """The model's next answer, of at most so many tokens; raises `ModelFault`."""

    def listed_price(self, at: datetime) -> Price | None:
        """What a public list says that the model costs at that time; None where the owner says it, or no list does."""

    def tell(self, outcomes: Sequence[Outcome]) -> None:
        """Add what became of the calls of the last answer."""


TalkOpener = Callable[[SessionJob, str], Awaitable[Talk]]
"""A conversation about a job with the model of that name; raises `ModelFault`."""
