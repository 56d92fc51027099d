"""A setting in a manifest reaches the pods that it is for, by a roll-out of these and of no others (D76, D83)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

from tests.support.cluster_resources import butler, database_secret, switchboard

Start = Callable[..., Any]


def configuration(home: Any, name: str) -> dict[str, Any]:
    """What a butler's pods read at their start."""
    found = home.api.find("ConfigMap", f"butler-{name}")
    return {} if found is None else tomllib.loads(found["data"]["butler.toml"])


def template(home: Any, name: str) -> Any:
    return home.api.find("Deployment", f"butler-{name}")["spec"]["template"]


async def test_a_changed_setting_replaces_the_pods_of_its_butler_and_no_others(start: Start) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(butler("finance"))
        for name in ("switchboard", "finance"):
            await home.until(home.has("Butler", name, "Deployed", "True"))
        before = {name: template(home, name) for name in ("switchboard", "finance")}
        home.api.have(switchboard(retention={"keepInbox": True}, routing={"confidenceThreshold": 0.9}))
        await home.until(lambda: template(home, "switchboard") != before["switchboard"])
        said = configuration(home, "switchboard")
        assert (said["retention"], said["routing"]) == ({"keep_inbox": True}, {"confidence_threshold": 0.9})
        await home.settled()
        assert template(home, "finance") == before["finance"]


async def test_the_household_s_zone_is_every_butler_s_that_has_none_of_its_own(start: Start) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(butler("finance"))
        home.api.have(butler("travel", profile="travel", timezone="Europe/Paris"))
        names = ("switchboard", "finance", "travel")
        for name in names:
            await home.until(home.has("Butler", name, "Deployed", "True"))
        zones = lambda: [configuration(home, name)["butler"]["timezone"] for name in names]  # noqa: E731
        assert zones() == ["UTC", "UTC", "Europe/Paris"]
        kept, replaced = template(home, "travel"), template(home, "finance")

        home.api.have(switchboard(household={"timezone": "Europe/Berlin"}))
        await home.until(lambda: zones() == ["Europe/Berlin", "Europe/Berlin", "Europe/Paris"])
        await home.until(lambda: template(home, "finance") != replaced)
        await home.settled()
        assert template(home, "travel") == kept

        home.api.have(switchboard(household={"timezone": "Europe/Rome"}, profile="finance"))
        await home.until(home.has("Butler", "switchboard", "Accepted", "False", "InvalidSpec"))
        home.api.have(butler("health", profile="health"))
        await home.until(home.has("Butler", "health", "Deployed", "True"))
        assert configuration(home, "health")["butler"]["timezone"] == "Europe/Berlin"


async def test_the_household_s_currency_is_told_to_its_specialists_and_replaces_their_pods_alone(
    start: Start,
) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard(household={"timezone": "Europe/Berlin"}))
        home.api.have(butler("finance"))
        for name in ("switchboard", "finance"):
            await home.until(home.has("Butler", name, "Deployed", "True"))
        assert "currency" not in configuration(home, "finance")["butler"]
        kept, replaced = template(home, "switchboard"), template(home, "finance")

        home.api.have(switchboard(household={"timezone": "Europe/Berlin", "currency": "CHF"}))
        await home.until(lambda: configuration(home, "finance")["butler"].get("currency") == "CHF")
        await home.until(lambda: template(home, "finance") != replaced)
        await home.settled()
        assert template(home, "switchboard") == kept
        assert "currency" not in configuration(home, "switchboard")["butler"]

        home.api.have(switchboard(household={"currency": "EURO"}))
        await home.until(home.has("Butler", "switchboard", "Accepted", "False", "InvalidSpec"))
        home.api.have(butler("health", profile="health"))
        await home.until(home.has("Butler", "health", "Deployed", "True"))
        assert configuration(home, "health")["butler"]["currency"] == "CHF"


async def test_a_household_without_a_switchboard_says_so_and_takes_its_settings_once_there_is_one(
    start: Start,
) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(butler("finance"))
        await home.until(home.has("Butler", "finance", "ResolvedRefs", "False", "SwitchboardNotFound"))
        home.api.have(switchboard(household={"currency": "CHF"}))
        await home.until(lambda: configuration(home, "finance").get("butler", {}).get("currency") == "CHF")


async def test_a_second_switchboard_is_refused_and_decides_nothing_for_the_household(start: Start) -> None:
    second = switchboard(household={"currency": "USD", "timezone": "America/New_York"})
    second["metadata"]["name"] = "another"
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(second)
        await home.until(home.has("Butler", "another", "Accepted", "False", "InvalidSpec"))
        home.api.have(switchboard(household={"currency": "CHF"}))
        home.api.have(butler("finance"))
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
        await home.settled()
        said = configuration(home, "finance")["butler"]
        assert (said["currency"], said["timezone"]) == ("CHF", "UTC")
