"""A child, a guest and a group, from the contacts file to what each is told (D68, ADR 0100)."""

from __future__ import annotations

from pathlib import Path

from tests.flow.household.test_persons import answer, health, home, serving
from tests.flow.household.test_two_zones import writes
from tests.integration.specialist.household import Place
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running

__all__ = ["health", "home"]

ADA = '- {name: Ada Example, role: owner, identifiers: [{type: telegram, value: "1001"}]}\n'
BEN = "- {{name: Ben Example, {own}, identifiers: [{{type: telegram, value: '1002'}}]}}\n"
CHILD = "role: child, language: de, limits: {butlers: [general]}"
NEVER = 'role: child, limits: {hours: {start: "03:00", end: "03:01"}}'
FIRST = "role: child, limits: {askFirst: [health]}"


async def in_group(home: Household, running: Running, number: int, text: str) -> list[tuple[str, str | None]]:
    """What is told of it: whether in the group, and the words."""
    before = len(home.messenger.got)
    await running.accepted(telegram(number, text, sender="1001", chat="-5000"))
    await home.idle()
    contexts = [envelope.input.context for envelope in home.messenger.got[before:]]
    told = [context.notify_request for context in contexts if context and context.notify_request]
    return [(one.delivery.intent, one.delivery.message) for one in told if one.delivery.intent != "react"]


async def test_a_child_is_refused_kindly_in_their_language_and_the_butler_hears_nothing(
    home: Household, health: Place, tmp_path: Path
) -> None:
    await writes(home, tmp_path, ADA + BEN.format(own=CHILD))
    async with home.run() as running, serving(health, running):
        said = await answer(home, running, 1, "Blood pressure 141/91 just now", sender="1002")
        assert said.endswith(
            "Das ist etwas für Ada Example, frag bitte dort. Bei anderem helfe ich dir gern."
        )
        assert await health.records() == []
        assert await health.pool.fetchval("SELECT count(*) FROM route_inbox") == 0
        assert "141/91" in await answer(home, running, 2, "Blood pressure 141/91 just now")


async def test_outside_of_their_hours_and_for_what_needs_a_grown_up_they_are_told_so(
    home: Household, health: Place, tmp_path: Path
) -> None:
    await writes(home, tmp_path, ADA + BEN.format(own=NEVER))
    async with home.run() as running, serving(health, running):
        said = await answer(home, running, 1, "Blood pressure 141/91 just now", sender="1002")
        assert "I am here for you again at 03:00." in said
    await writes(home, tmp_path, ADA + BEN.format(own=FIRST))
    async with home.run() as running, serving(health, running):
        said = await answer(home, running, 2, "Blood pressure 141/91 just now", sender="1002")
        assert "Please talk to Ada Example about that first" in said
    assert await health.records() == []


async def test_in_a_group_what_is_ones_own_is_told_apart_and_the_group_is_told_that(
    home: Household, health: Place
) -> None:
    async with home.run() as running, serving(health, running):
        await answer(home, running, 1, "Blood pressure 141/91 just now")
        told = await in_group(home, running, 2, "What was my last blood pressure?")
    assert [intent for intent, _ in told] == ["send", "reply"]
    [apart, said] = [message or "" for _, message in told]
    assert "141/91" in apart
    assert "141/91" not in said
    assert said.endswith("That is between you and me.\n\nI have told you in our own chat.")


async def test_a_word_of_whose_it_is_goes_to_the_butler_that_was_told(home: Household, health: Place) -> None:
    async with home.run() as running, serving(health, running):
        said = "Keep this to yourself: my blood pressure is 141/91"
        assert "141/91" in await answer(home, running, 1, said)
        shared = await answer(home, running, 2, "share that with the family")
        assert shared.startswith("Everybody of the household may be told from now on")
        named = await answer(home, running, 3, "What was the last blood pressure of Ada?", sender="1002")
        assert "141/91" in named
        assert "141/91" in await answer(home, running, 4, "keep that to yourself")
        after = await answer(home, running, 5, "What was the last blood pressure of Ada?", sender="1002")
        assert after == "No blood pressure of Ada Example is recorded yet."
