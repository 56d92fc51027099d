"""What a session asks back is taken by its own tools, whichever question it is."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from butler_kit.runtime import ToolBelt
from butler_specialist.store.model import Question, Shown
from butler_specialist.work.ledger import ask_args, question_from
from butler_specialist.work.session import ASK, TOOLS
from tests.golden.specialist.conversations import BERLIN, Butlers

NOW = datetime(2026, 11, 22, 12, tzinfo=BERLIN)


@pytest.mark.parametrize(
    "text",
    ["remind me to phone mum", "lass mich nicht vergessen, Oma anzurufen", "fais-moi penser à acheter des piles",
     "recuérdame comprar pan"],
)  # fmt: skip
async def test_when_is_asked_and_the_question_is_kept(text: str) -> None:
    reply = await Butlers(reachable=True).tell("general", text, NOW)
    assert reply.question is not None
    belt = ToolBelt(TOOLS)
    await belt.call(ASK, ask_args(reply.question))
    assert question_from(dict(belt.ledger[0].args)) == reply.question


async def test_a_question_with_candidates_is_kept_with_them() -> None:
    asked = Question("cancel the dentist", datetime(2026, 11, 22, tzinfo=UTC), (uuid4(), uuid4()))
    belt = ToolBelt(TOOLS)
    await belt.call(ASK, ask_args(asked))
    assert question_from(dict(belt.ledger[0].args)) == asked


@pytest.mark.parametrize("shown", ["whole", "part", "among"])
async def test_a_list_that_was_shown_is_kept_in_its_order(shown: Shown) -> None:
    belt = ToolBelt(TOOLS)
    listed = Question("what is on?", datetime(2026, 11, 22, tzinfo=UTC), (uuid4(), uuid4()), shown)
    await belt.call(ASK, ask_args(listed))
    assert question_from(dict(belt.ledger[0].args)) == listed
