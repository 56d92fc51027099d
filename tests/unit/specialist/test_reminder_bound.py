"""For one person so many reminders wait and no more; whoever asks for another is told."""

from __future__ import annotations

import pytest

from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.model import MOST_WAITING, Asker
from tests.golden.specialist.conversations import MemoryRecords
from tests.unit.specialist.test_standing import TUESDAY, Waiting, reminder

GENERAL: Profile = load_profile("general")
ASKED = "Remind me tomorrow at 9 of the bins"


async def said(text: str, waiting: int, *, in_group: bool = False) -> Reply:
    """The answer to a person for whom so many wait; in a group those are in their own chat."""
    everything = Waiting(*[reminder(f"thing {n}") for n in range(waiting)])
    answering = Answering(
        TUESDAY,
        True,
        MemoryRecords(),
        reminders=Waiting() if in_group else everything,
        own_reminders=everything,
        asker=Asker(None, "telegram", "1001"),
        reachable=True,
        in_group=in_group,
    )
    return await GENERAL.respond(text, answering)


@pytest.mark.spec("CON-5")
async def test_the_last_that_fits_is_set_and_one_more_is_refused_with_what_to_do() -> None:
    fits = await said(ASKED, MOST_WAITING - 1)
    assert len(fits.reminders) == 1
    refused = await said(ASKED, MOST_WAITING)
    assert refused.reminders == ()
    assert refused.text == (
        "500 reminders are waiting for you, and I keep no more. Stop some of them first, then tell me again."
    )


async def test_those_of_the_own_chat_count_in_a_group_too() -> None:
    assert (await said(ASKED, MOST_WAITING, in_group=True)).reminders == ()


async def test_whoever_has_that_many_can_still_stop_them() -> None:
    stopped = await said("stop all reminders", MOST_WAITING)
    assert stopped.reminder_stops
