"""Asking for a word and hearing it: what is recorded when, and what is said (ADR 0124)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.call_approvals import digest_of
from butler_contracts.errors import ButlerError, OverloadRejected, TargetUnavailable, ValidationFailed
from butler_contracts.request_approvals import approval_of
from butler_switchboard.dispatch.hearing import HeldParts
from butler_switchboard.dispatch.model import Held, PlannedTarget, RequestState, Word
from tests.unit.switchboard.dispatch.build import REQUEST, plan, request

HELD = Held((PlannedTarget(1, "s1", "finance", "words", away=True),), "Mara")
UNTIL = datetime(2026, 11, 24, 12, tzinfo=UTC)


class Double:
    """Everything around it; `answer` is what Messenger says, `at` the time."""

    def __init__(self, answer: str | ButlerError, *, age_s: float = 1.0) -> None:
        self.answer = answer
        self.noted: list[Held] = []
        self.settled: list[tuple[Word, str | None]] = []
        self.released: list[str | None] = []
        self.said: list[str] = []
        self.woken: list[UUID] = []
        self.audited: list[tuple[str, str]] = []
        self.fails: Any = None
        self._now = request(None).message.context.received_at + timedelta(seconds=age_s)
        self.parts = HeldParts(self, self, self, self, self, self, self.wake)  # type: ignore[arg-type]

    def now(self) -> datetime:
        return self._now

    def record(self, entry: Any) -> None:
        self.audited.append((entry.operation, entry.actor))

    async def call(self, name: str, tool: str, arguments: dict[str, Any], **_: Any) -> dict[str, Any]:
        if isinstance(self.answer, ButlerError):
            raise self.answer
        assert (name, tool, arguments["call_id"]) == (
            "messenger",
            "messenger_approval_ask",
            str(approval_of(REQUEST)),
        )
        return {
            "call_id": arguments["call_id"],
            "state": self.answer,
            "arguments_digest": digest_of(arguments["arguments"]),
            "expires_at": UNTIL.isoformat(),
            "decided_by": None if self.answer in ("waiting", "expired") else "Mara",
            "asked": ["Mara", "Ben"],
        }

    async def send(self, said: Any, *, purpose: str) -> Any:
        self.said.append(str(said.delivery.message))
        return SimpleNamespace(error=self.fails)

    async def note_asked(self, _: UUID, asked: Held, told: str) -> None:
        assert told == self.said[-1]
        self.noted.append(asked)

    async def settle(self, _: UUID, word: Word, said_by: str | None) -> bool:
        self.settled.append((word, said_by))
        return len(self.settled) == 1

    async def release(self, _: UUID, __: Held, said_by: str | None) -> bool:
        self.released.append(said_by)
        return True

    async def wake(self, request_id: UUID) -> None:
        self.woken.append(request_id)

    async def hear(self, held: Held = HELD) -> float | None:
        return await self.parts.hear(state(held), held)


def state(held: Held) -> RequestState:
    return request(plan(held=held))


async def test_the_writer_is_told_once_who_is_asked_and_that_is_recorded_after_it() -> None:
    double = Double("waiting")
    assert await double.hear() == 2.0
    [asked] = double.noted
    assert (asked.asked, asked.until) == (("Mara", "Ben"), UNTIL)
    [said] = double.said
    assert said.startswith("I have asked Mara, Ben.")
    assert double.audited == [("request.asked", "switchboard")]
    assert await double.hear(asked) == 2.0
    assert double.said == [said]


async def test_who_could_not_be_told_is_told_later() -> None:
    double = Double("waiting")
    double.fails = SimpleNamespace(retryable=True)
    assert await double.hear() == 5.0
    assert double.noted == []


@pytest.mark.parametrize(
    ("answer", "word", "by"), [("denied", Word.DENIED, "Mara"), ("expired", Word.EXPIRED, None)]
)
async def test_a_no_and_no_answer_are_recorded(answer: str, word: Word, by: str | None) -> None:
    double = Double(answer)
    assert await double.hear() is None
    assert double.settled == [(word, by)]
    assert double.released == []
    assert double.audited == [(f"request.{word}", by or "switchboard")]


async def test_a_yes_gives_it_to_the_butler() -> None:
    double = Double("approved")
    assert await double.hear() is None
    assert double.released == ["Mara"]
    assert double.audited == [("request.approved", "Mara")]


AWAY = TargetUnavailable("messenger cannot be reached", retryable=True)
FULL = OverloadRejected("500 calls wait for an approval", retry_after_s=600.0)
TOO_MANY = ValidationFailed("10 requests of this member wait already")


@pytest.mark.parametrize(
    ("failure", "age_s", "word"),
    [
        (AWAY, 60, None),
        (AWAY, 3_600, Word.UNASKED),
        (FULL, 30, None),
        (FULL, 61, Word.UNASKED),
        (TOO_MANY, 1, Word.UNASKED),
    ],
)
async def test_who_cannot_be_asked_in_time_is_not_waited_for(
    failure: ButlerError, age_s: float, word: Word | None
) -> None:
    double = Double(failure, age_s=age_s)
    assert (await double.hear() is None) is (word is not None)
    assert double.settled == ([] if word is None else [(word, None)])


async def test_once_somebody_is_asked_an_outage_of_messenger_ends_nothing_before_its_time() -> None:
    asked = replace(HELD, asked=("Mara",), until=UNTIL)
    assert await Double(AWAY, age_s=7_200).hear(asked) == 15.0
    late = Double(AWAY, age_s=(UNTIL - request(None).message.context.received_at).total_seconds() + 3_601)
    assert await late.hear(asked) is None
    assert late.settled == [(Word.EXPIRED, None)]
