"""An exhausted budget as an error: terminal, of its own kind, in words (pure; SWB-33.1)."""

from __future__ import annotations

from typing import Final

from butler_contracts.budgets import Bound
from butler_contracts.errors import ButlerError, OverloadRejected
from butler_kit.runtime.family import RuntimeUnavailable, SessionJob

__all__ = ["BudgetExhausted", "out_of_time"]

_WORDS: Final = {
    Bound.SESSION_SECONDS: "the time that one message may take is used up",
    Bound.SESSION_TURNS: "the model answered as often as one message may need, and was not done",
    Bound.SESSION_TOOL_CALLS: "the model called as many tools as one message may need, and was not done",
    Bound.SESSION_TOKENS: "the tokens that one message may take do not suffice",
    Bound.SESSION_CENTS: "what one message may cost does not suffice",
    Bound.DAY_CENTS: "what may be spent in a day is spent or set aside",
    Bound.DAY_SESSIONS: "as many messages as a day may have were worked on",
    Bound.PERSON_DAY_CENTS: "what may be spent for one person in a day is spent or set aside",
}


class BudgetExhausted(OverloadRejected):
    """A budget of the household's owner is used up. A retry does not help; a day's renews the next day."""

    default_retryable = False

    def __init__(self, bound: Bound) -> None:
        super().__init__(_WORDS[bound], details={"original_class": bound.value})
        self.bound = bound


def out_of_time(job: SessionJob, otherwise: str) -> ButlerError:
    """Return why a running model had to stop: the owner's budget of seconds, or no answer in time."""
    if job.seconds_budgeted:
        return BudgetExhausted(Bound.SESSION_SECONDS)
    return RuntimeUnavailable(otherwise, details={"original_class": "no_answer"})
