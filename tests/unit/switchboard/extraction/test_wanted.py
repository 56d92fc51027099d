"""Which messages are read for what they say of people: members' own, present words that a butler accepted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from butler_switchboard.dispatch.model import RequestState, Subroute, SubrouteState
from butler_switchboard.extraction.wanted import forgets, is_worth_reading, makes_private
from tests.unit.switchboard.dispatch.build import NOW, context, message, plan

ACCEPTED = Subroute(uuid4(), "s1", "general", 1, 1, SubrouteState.ERROR, accepted_at=NOW)
REFUSED = replace(ACCEPTED, accepted_at=None)
MESSAGE = replace(message(), envelope=message().envelope | {"control": {}})
STATE = RequestState(MESSAGE, plan("general"), (ACCEPTED,))


def changed(**said: Any) -> RequestState:
    return replace(STATE, message=replace(MESSAGE, **said))


def test_a_members_message_that_a_butler_accepted_is_read() -> None:
    assert is_worth_reading(STATE)
    assert is_worth_reading(replace(STATE, subroutes=(replace(REFUSED, state=SubrouteState.OK),)))
    assert not is_worth_reading(replace(STATE, subroutes=(REFUSED,)))
    assert not is_worth_reading(replace(STATE, plan=None))


@pytest.mark.parametrize(
    "said",
    [
        {"context": context(reply_policy="owner")},
        {"context": context().model_copy(update={"automatic": True})},
        {"envelope": MESSAGE.envelope | {"control": {"backfill_job_id": str(uuid4())}}},
        {"envelope": MESSAGE.envelope | {"event": {"pressed": "done:1"}}},
    ],
    ids=["a stranger's", "automatic", "history", "a press"],
)
def test_what_is_no_members_own_present_word_is_not(said: dict[str, Any]) -> None:
    assert not is_worth_reading(changed(**said))


@pytest.mark.parametrize(
    "text",
    [
        "forget everything you know about me",
        "Vergiss alles über mich",
        "Oublie tout de moi",
        "olvida todo lo que sabes de mí",
    ],
)
def test_who_asks_to_be_forgotten_is_in_every_language_and_a_member(text: str) -> None:
    assert forgets(changed(text=text))
    assert not forgets(changed(text=text, context=context(reply_policy="owner")))
    history = MESSAGE.envelope | {"control": {"backfill_job_id": str(uuid4())}}
    assert not forgets(changed(text=text, envelope=history))
    assert not forgets(STATE)


def test_an_edit_makes_private_what_a_member_wrote_before_and_wants_kept_private() -> None:
    said: dict[str, Any] = {"text": "Anna is pregnant, keep that between us", "supersedes": "4"}
    assert makes_private(changed(**said))
    assert not makes_private(changed(**said | {"supersedes": None}))
    assert not makes_private(changed(**said | {"text": "Anna is pregnant"}))
    assert not makes_private(changed(**said | {"context": context(reply_policy="owner")}))
