"""Which modules are enabled at Switchboard, by whom they are carried out, and how they stand (SWB-24.2)."""

from __future__ import annotations

import pytest

from butler_contracts.calendar import CalendarWord
from butler_switchboard.modules.inventory import Module, inventory


def modules(
    capabilities: dict[str, tuple[str, ...]] | None = None, word: CalendarWord | None = None
) -> dict[str, Module]:
    return {one.name: one for one in inventory(capabilities or {}, word)}


@pytest.mark.spec("SWB-24.2")
def test_the_four_modules_of_the_seed_are_enabled_before_anybody_said_anything() -> None:
    found = modules()
    assert {name: one.enabled for name, one in found.items()} == {
        "calendar": True, "telegram": True, "email": True, "memory": True,
    }  # fmt: skip
    assert (found["calendar"].provider, found["calendar"].conflicts) == ("google", "suggest")


@pytest.mark.spec("SWB-24.2")
@pytest.mark.parametrize("channel", ["telegram", "email"])
def test_a_channel_is_there_by_its_bot_and_never_by_a_persons_own_account(channel: str) -> None:
    off, on = modules()[channel], modules({"messenger": (channel,), "general": (channel,)})[channel]
    assert off.scopes == on.scopes == {"bot": True, "user": False}
    assert (off.state, off.by, off.words) == ("off", (), f"messenger has no {channel} bot")
    assert (on.state, on.by) == ("well", ("messenger",))


@pytest.mark.spec("SWB-24.2")
def test_memory_is_carried_out_by_the_specialists_that_remember() -> None:
    assert modules()["memory"].state == "off"
    found = modules({"health": ("memory",), "general": ("route.execute", "memory"), "finance": ()})["memory"]
    assert (found.state, found.by) == ("well", ("general", "health"))


def test_the_calendar_is_what_messenger_says_of_it() -> None:
    word = CalendarWord(provider="caldav", conflicts="suggest", state="amiss", words="refused")
    found = modules({"messenger": ("calendar",)}, word)["calendar"]
    assert (found.provider, found.state, found.words, found.by) == (
        "caldav", "amiss", "refused", ("messenger",),
    )  # fmt: skip
