"""The judge: what one answer and the kept facts are worth to the writer of the message (pure).

Invariant: `useful` requires proof of everything that was wanted. What is unclear is not useful. The verdicts:

| useful | everything is kept and answered as a person would accept |
| honest | it says that it cannot, or did not understand, and does not claim to have kept it |
| partly | some of it is right, and the answer shows what is missing |
| wrong_fact | something false was kept and not refused, or said |
| silent_loss | something told was not kept, and nothing in the answer shows that |
| useless | none of these: the answer is beside the point, or there is none |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bench.useful.conversations import Message, Wanted
from bench.useful.facts import Fact, Moment, conflict, folded_pattern, holds, other_amount
from bench.useful.wording import (
    admits,
    breaks_off,
    claims,
    denies,
    echoes,
    language_of,
    refuses,
    shows,
    without_echo,
)

__all__ = ["VERDICTS", "Heard", "Kind", "Verdict", "judge"]

Kind = Literal["useful", "honest", "partly", "wrong_fact", "silent_loss", "useless"]
VERDICTS: Final[tuple[Kind, ...]] = ("useful", "honest", "partly", "useless", "silent_loss", "wrong_fact")
"""Best first."""
_HOURS: Final = re.compile(r"\b(\d{1,2}) ?h ?(\d\d)\b")
"""A time as written in French; the patterns use a colon."""


@dataclass(frozen=True)
class Heard:
    """Result of a message: the answers to its writer, what the owner was told, the facts now.

    `fresh` are the rows that are new or changed since the message, `known` are all rows.
    """

    answers: tuple[str, ...]
    owner_told: tuple[str, ...]
    fresh: tuple[Fact, ...]
    known: tuple[Fact, ...]
    moment: Moment


@dataclass(frozen=True)
class Verdict:
    """The verdict on one message; `own_language` is None if the answer's language is unclear."""

    kind: Kind
    reasons: tuple[str, ...] = ()
    own_language: bool | None = None


def judge(message: Message, heard: Heard, *, language: str, refused_before: bool = False) -> Verdict:
    """Return the verdict on one message, with the reasons against a better one.

    `refused_before`: an earlier message of the conversation was refused, so what would be false may now be true.
    """
    if message.silent:
        told = (*heard.answers, *heard.owner_told)
        return Verdict("useless", ("expected silence",)) if told else Verdict("useful")
    if message.owner:
        return _of_a_stranger(message, heard)
    kind, reasons = _Case(message, heard).verdict()
    if refused_before and message.answer and not message.kept:
        kind = _after_a_refusal(kind, heard)
    spoken = language_of("\n".join(heard.answers))
    return Verdict(kind, reasons, None if spoken is None else spoken == language)


def _after_a_refusal(kind: Kind, heard: Heard) -> Kind:
    """After a refusal, the fact is missing: saying so is honest, and saying what is there is no new error."""
    if kind in ("wrong_fact", "partly", "useless") and denies("\n".join(heard.answers)):
        return "honest"
    return "partly" if kind == "wrong_fact" else kind


def _of_a_stranger(message: Message, heard: Heard) -> Verdict:
    """Judge a stranger's message: the owner is told who wrote what, and the stranger nothing."""
    if heard.answers:
        return Verdict("wrong_fact", ("a stranger was answered",))
    if not heard.owner_told:
        return Verdict("silent_loss", ("the owner was not told",))
    missing = tuple(_missing(message.owner, "\n".join(heard.owner_told)))
    if not missing:
        return Verdict("useful")
    return Verdict("partly" if len(missing) < len(message.owner) else "useless", missing)


def _missing(patterns: Sequence[str], text: str) -> Iterator[str]:
    for pattern in patterns:
        if not folded_pattern(pattern).search(_HOURS.sub(r"\1:\2", text)):
            yield f"the answer lacks {pattern!r}"


def _hits(patterns: Sequence[str], text: str) -> list[str]:
    found = (re.search(pattern, text, re.IGNORECASE | re.DOTALL) for pattern in patterns)
    return [f"the answer says {hit[0][:60]!r}" for hit in found if hit is not None]


class _Case:
    """One message before the judge."""

    def __init__(self, message: Message, heard: Heard) -> None:
        self._message = message
        self._heard = heard
        self._said = message.say or message.subject or ""
        self._whole = "\n".join(heard.answers)
        self._answer = without_echo(self._whole, self._said)
        self._lost = [one for one in message.kept if not self._is_kept(one)]
        self._missing = list(_missing(message.answer, self._answer))
        self._unwelcome = [*_hits(message.unwelcome, self._answer), *self._shortfalls()]

    def verdict(self) -> tuple[Kind, tuple[str, ...]]:
        wrong = [*_hits(self._message.never, self._answer), *self._conflicts()]
        if wrong:
            return "wrong_fact", tuple(wrong)
        if self._message.refusal == "only":
            return self._where_only_a_refusal_is_right()
        against = (*(f"not kept: {_told(one)}" for one in self._lost), *self._missing, *self._unwelcome)
        if not self._answer.strip():
            return ("silent_loss" if self._lost else "useless"), (*against, "no answer")
        return self._weighed(), against

    def _weighed(self) -> Kind:
        """Rate an answer that says nothing false."""
        if not self._lost and not self._missing and not self._unwelcome:
            return "useful"
        if refuses(self._answer) and (self._message.has_media or not claims(self._answer)):
            return "honest"
        if self._lost:
            return self._of_a_loss()
        right = bool(self._message.kept) or len(self._missing) < len(self._message.answer)
        return "partly" if right and not (self._unwelcome and not self._message.kept) else "useless"

    def _shortfalls(self) -> Iterator[str]:
        """Yield defects that no wording of the answer makes up for."""
        if not self._message.kept:
            noted = any(fact.is_loose and not fact.is_done for fact in self._heard.fresh)
            yield from ["what was asked is kept as a note"] if noted else []
            return
        if not self._message.answer and admits(self._answer):
            yield "the answer says that something was not read"
        broken = (name for fact in self._heard.fresh for name in fact.names if breaks_off(name))
        yield from (f"kept as {name!r}" for name in broken)

    def _of_a_loss(self) -> Kind:
        """Rate a loss: a missing reminder is lost whatever was repeated; the answer may show what else is left out."""
        repeated = echoes(self._whole, self._said)
        silent = [one for one in self._lost if one.reminder or not (repeated or shows(self._whole, one))]
        return "silent_loss" if silent and not admits(self._answer) else "partly"

    def _where_only_a_refusal_is_right(self) -> tuple[Kind, tuple[str, ...]]:
        invented = [fact.kind for fact in self._heard.fresh if fact.numbers and not self._message.has_media]
        if invented:
            return "wrong_fact", (f"kept as {', '.join(invented)}",)
        if refuses(self._answer):
            return "honest", ()
        return "useless", ("expected to hear that it cannot be done",)

    def _is_kept(self, wanted: Wanted) -> bool:
        return any(holds(wanted, fact, self._heard.moment) for fact in self._heard.known)

    def _conflicts(self) -> list[str]:
        """Return contradictions, except in rows of wanted facts; none if the answer refuses and claims nothing."""
        if refuses(self._answer) and not claims(self._answer):
            return []
        moment, fresh = self._heard.moment, self._heard.fresh
        doubtful = [fact for fact in fresh if not any(holds(one, fact, moment) for one in self._message.kept)]
        alone = len(self._message.kept) == 1
        found = [conflict(wanted, fact, moment, alone=alone) for wanted in self._lost for fact in doubtful]
        found += [other_amount(self._message.kept, fact) for fact in doubtful]
        return list(dict.fromkeys(one for one in found if one is not None))


def _told(wanted: Wanted) -> str:
    given = wanted.model_dump(exclude_defaults=True, mode="json")
    shown = {
        key: value[0] if isinstance(value, list) and len(value) == 1 else value
        for key, value in given.items()
    }
    return " ".join(f"{key}={value}" for key, value in shown.items())
