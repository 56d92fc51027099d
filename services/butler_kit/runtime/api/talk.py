"""What a session needs of a model, whoever speaks to it: questions, the calls in its answers, and what came of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from butler_kit.runtime.family import SessionJob

__all__ = ["Outcome", "Proposed", "Talk", "TalkOpener"]


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


class Talk(Protocol):
    """One conversation; a question that fails leaves it as it was."""

    async def ask(self, *, timeout_s: float) -> tuple[Proposed, ...]:
        """The calls in the model's next answer; raises `ModelFault`."""

    def tell(self, outcomes: Sequence[Outcome]) -> None:
        """Add what became of the calls of the last answer."""


TalkOpener = Callable[[SessionJob, str], Awaitable[Talk]]
"""A conversation about a job with the model of that name; raises `ModelFault`."""
