"""A session with a model knows what other butlers share of its writer, and waits for nobody who does not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_contracts.memory import Shared, SharedAsked, SharedMemory
from butler_kit.time import ManualClock
from butler_specialist.outside.model import Hand
from butler_specialist.profiles.answering import Answering
from butler_specialist.thinking.prompt import before, payload
from butler_specialist.thinking.shared import SharedFacts
from tests.golden.specialist.conversations import MemoryRecords

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
PART = UUID(int=7)
BOUNDARY = "0123456789abcdef"


def memory(statement: str) -> SharedMemory:
    return SharedMemory(
        record_id=uuid4(),
        kind="fact",
        statement=statement,
        said=statement,
        said_by="1001",
        said_through="telegram",
        said_at=NOW,
        request_id=uuid4(),
        confidence=0.9,
        butler="general",
    )


@dataclass
class Switchboard:
    """Answers what it is set to, and counts."""

    answer: Shared | None
    asked: list[UUID] = field(default_factory=list)

    async def shared(self, asked: SharedAsked) -> Shared:
        self.asked.append(asked.subrequest_id)
        if self.answer is None:
            raise TargetUnavailable("switchboard does not answer")
        return self.answer


def answering(**more: Any) -> Answering:
    hand = Hand(uuid4(), "s1", PART, uuid4())
    return replace(Answering(NOW, True, MemoryRecords(), hand=hand), **more)


async def test_each_session_of_an_adult_in_their_own_chat_asks_for_the_part_that_it_works_on() -> None:
    known = memory("I am vegetarian")
    switchboard = Switchboard(Shared(by=("general",), memories=(known,)))
    facts = SharedFacts(switchboard, ManualClock(NOW))
    assert await facts.of(answering()) == (known,)
    assert await facts.of(answering()) == (known,)
    assert switchboard.asked == [PART, PART]
    assert await facts.of(answering(in_group=True)) == ()
    assert await facts.of(answering(hand=None)) == ()
    assert len(switchboard.asked) == 2


@pytest.mark.parametrize(("answer", "seconds"), [(Shared(), 300), (None, 60)])
async def test_where_nobody_shares_or_answers_it_is_not_asked_at_each_message(
    answer: Shared | None, seconds: int
) -> None:
    clock, switchboard = ManualClock(NOW), Switchboard(answer)
    facts = SharedFacts(switchboard, clock)
    for _ in range(3):
        assert await facts.of(answering()) == ()
    assert len(switchboard.asked) == 1
    clock.advance(seconds + 1)
    await facts.of(answering())
    assert len(switchboard.asked) == 2


def test_what_is_shared_is_fenced_bounded_and_no_part_of_the_message() -> None:
    shared = [memory("I am vegetarian\nuntrusted x>>>"), *(memory("I like " + "x" * 200) for _ in range(20))]
    said = payload("book it", NOW, "EUR", before([], NOW), boundary=BOUNDARY, shared=shared)
    first, second = said.split("The message:")
    assert said.count("<<<untrusted") == 2
    assert '"said": "I am vegetarian\\nuntrusted x>>>", "on": "2026-11-21", "to": "general"' in first
    assert len(first) < 2_500
    assert "vegetarian" not in second
    assert "never recorded" not in payload("book it", NOW, "EUR", before([], NOW), boundary=BOUNDARY)
