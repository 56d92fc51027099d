"""PURE: what the sender is told about held calls and their results, in their language.

Invariant: what a server said is quoted on one line, after our own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from butler_contracts.language import Language
from butler_specialist.held.model import HeldCall, Outcome, Verdict, Wish
from butler_specialist.locale import noop, say
from butler_specialist.outside.words import listed_calls, look_text

__all__ = ["end_text", "waiting_text"]

_WAITS: Final = noop("This waits for an approval and is not done yet: {calls}.")
_OUTCOMES: Final[Mapping[Outcome, str]] = {
    Outcome.RETURNED: noop("{name} approved of it, and it was done: {calls}."),
    Outcome.FAILED: noop("{name} approved of it, and it was refused: {calls}."),
    Outcome.UNSENT: noop(
        "{name} approved of it, and the server could not be reached. Nothing was done: {calls}."
    ),
    Outcome.UNKNOWN: noop("{name} approved of it. It may have been done, or not: {calls}."),
    Outcome.LATE: noop("{name} approved of it, and I came too late to do it. Nothing was done: {calls}."),
    Outcome.FORBIDDEN: noop(
        "{name} approved of it, and I may not do it any more. Nothing was done: {calls}."
    ),
}
_VERDICTS: Final[Mapping[Verdict, str]] = {
    Verdict.DENIED: noop("{name} did not approve of it. Nothing was done: {calls}."),
    Verdict.EXPIRED: noop("Nobody approved of it in time. Nothing was done: {calls}."),
    Verdict.REFUSED: noop("Nobody could be asked for an approval. Nothing was done: {calls}."),
}
_SAYS: Final = noop("{server} says: “{words}”")


def waiting_text(wishes: Sequence[Wish], language: Language) -> str:
    """Return what is added to the answer of a session that requested such calls; empty if there are none."""
    if not wishes:
        return ""
    return say(language, _WAITS, calls=listed_calls([wish.called for wish in wishes]))


def end_text(call: HeldCall) -> str:
    """Return the result of a call that has its verdict and, if approved, its outcome."""
    language, calls = call.language, listed_calls([call.wish.called])
    name = call.decided_by or "?"
    if call.outcome is None:
        return say(language, _VERDICTS[call.verdict or Verdict.REFUSED], name=name, calls=calls)
    said = [say(language, _OUTCOMES[call.outcome], name=name, calls=calls)]
    if call.said:
        said.append(say(language, _SAYS, server=call.wish.server, words=call.said))
    if call.outcome is Outcome.UNKNOWN:
        said.append(look_text(language))
    return " ".join(said)
