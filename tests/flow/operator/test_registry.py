"""How the operator keeps Switchboard's registry and the resources in step (SWB-09, SWB-10, D3, D30)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from butler_operator.control import registry as registry_module
from butler_resources.kinds.names import FINALIZER
from tests.support.cluster_resources import (
    api_connector,
    butler,
    database_secret,
    messenger,
    pod,
    secret,
    switchboard,
)

Start = Callable[..., Any]


def _household(home: Any) -> None:
    home.api.have(database_secret())
    home.api.have(secret("webhook", token="t"))
    home.api.have(switchboard())
    home.api.have(butler("finance", triggers=["invoices"]))
    home.api.have(api_connector())


async def test_manifests_are_declared_and_a_change_is_told(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(lambda: "finance" in home.registry.declared and home.registry.bound)
        declared = home.registry.declared["finance"]
        assert declared["endpoint"] == "http://butler-finance.home.svc:40105/mcp"
        assert declared["triggers"] == ("invoices",)
        assert declared["subject"] == "system:serviceaccount:home:butler-finance"
        assert "switchboard" not in home.registry.declared
        assert home.registry.bound["webhook", "api:home"] == {
            "subject": "system:serviceaccount:home:connector-api",
            "max_tier": "interactive",
        }
        hold = {"quarantine": {"reason": "audit"}}
        home.api.have(butler("finance", triggers=["invoices", "taxes"], eligibility=hold))
        await home.until(lambda: home.registry.declared["finance"]["triggers"] == ("invoices", "taxes"))
        assert home.registry.declared["finance"]["manifest_hold"]["reason"] == "audit"
        puts = [call for call in home.registry.calls if call == ("PUT", "/butlers/finance")]
        assert len(puts) == 2


async def test_a_refused_declaration_holds_up_nothing_and_is_tried_again(start: Start) -> None:
    async with start() as home:
        home.registry.held.add(("webhook", "api:home"))
        _household(home)
        await home.until(home.has("Butler", "finance", "Eligible", "True"))
        assert not home.registry.bound
        home.registry.held.clear()
        await home.until(lambda: home.registry.bound)


async def test_the_registrys_word_is_mirrored(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(home.has("Butler", "finance", "Eligible", "True", "Active"))
        await home.until(home.has("Connector", "api", "Online", "False", "NeverSeen"))
        home.registry.states["finance"] = {
            "eligibility_state": "quarantined",
            "eligibility_reason": "operator_hold",
            "quarantine_reason": "wrong sums",
            "quarantine_origin": "operator",
        }
        home.registry.connectors["webhook", "api:home"] = {
            "connector_type": "webhook",
            "endpoint_identity": "api:home",
            "liveness": "online",
            "eligibility_state": "active",
        }
        await home.until(home.has("Butler", "finance", "Eligible", "False", "Quarantined"))
        assert "wrong sums" in home.api.condition("Butler", "finance", "Eligible")["message"]
        assert home.api.find("Butler", "finance")["status"]["eligibility"]["origin"] == "operator"
        await home.until(home.has("Connector", "api", "Online", "True", "Heartbeats"))
        assert home.api.find("Connector", "api")["status"]["liveness"]["state"] == "online"


async def test_pods_are_reported_as_evidence(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(lambda: home.registry.evidence.get("finance", {}).get("ready") is False)
        home.api.have(pod("Butler", "finance"))
        await home.until(lambda: home.registry.evidence["finance"]["ready"])
        back_off = {"name": "butler", "restartCount": 4, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
        crash = {**back_off, "lastState": {"terminated": {"exitCode": 1, "message": "no such table"}}}
        home.api.have(pod("Butler", "finance", ready=False, containerStatuses=[crash]))
        await home.until(lambda: home.registry.evidence["finance"]["crash_loop"])
        assert home.registry.evidence["finance"]["restarts"] == 4
        assert home.registry.evidence["finance"]["ready"] is False


async def test_a_silent_switchboard_is_told_after_a_while_and_heals(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry_module, "SILENCE_S", 0.6)
    async with start() as home:
        home.registry.down = True
        _household(home)
        await home.until(home.has("Butler", "finance", "Eligible", "Unknown", "SwitchboardUnreachable"))
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
        home.registry.down = False
        await home.until(home.has("Butler", "finance", "Eligible", "True", "Active"))


async def test_a_deletion_is_told_at_once(start: Start) -> None:
    async with start(beat_s=60) as home:
        _household(home)
        await home.until(lambda: "finance" in home.registry.declared and home.registry.bound)
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
        home.api.remove("Butler", "finance")
        home.api.remove("Connector", "api")
        await home.until(
            lambda: "finance" not in home.registry.declared and not home.registry.bound, within_s=30
        )


async def test_a_deletion_waits_for_nobody_and_switchboard_is_told_once_it_is_back(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(lambda: "finance" in home.registry.declared)
        home.registry.down = True
        home.api.remove("Butler", "finance")
        assert home.api.find("Butler", "finance") is None
        await home.settled()
        assert "finance" in home.registry.declared
        home.registry.down = False
        await home.until(lambda: "finance" not in home.registry.declared)


async def test_one_whose_deletion_somebody_else_holds_up_is_nobodys_already(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(lambda: "finance" in home.registry.declared)
        home.api.edit("Butler", "finance", _held_by("example.org/backup"))
        home.api.remove("Butler", "finance")
        await home.until(lambda: "finance" not in home.registry.declared)
        assert home.api.find("Butler", "finance") is not None


async def test_no_resource_carries_a_finalizer_of_ours(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(lambda: "finance" in home.registry.declared and home.registry.bound)
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
        assert not [body for body in home.api.store.values() if body["metadata"].get("finalizers")]


@pytest.mark.parametrize("paused", [True, False])
async def test_the_finalizer_of_an_earlier_version_is_taken_off(start: Start, paused: bool) -> None:
    async with start() as home:
        _household(home)
        home.api.have({**butler("old"), "metadata": {"name": "old", **_PAUSED[paused]}})
        home.api.edit("Butler", "old", _held_by(FINALIZER, "example.org/backup"))
        await home.until(
            lambda: home.api.find("Butler", "old")["metadata"]["finalizers"] == ["example.org/backup"]
        )


async def test_a_deletion_that_an_earlier_version_left_hanging_goes_on(start: Start, api: Any) -> None:
    cluster, _ = api
    cluster.have(switchboard())
    cluster.have({**butler("old"), "metadata": {"name": "old", "finalizers": [FINALIZER]}})
    cluster.remove("Butler", "old")
    assert cluster.find("Butler", "old") is not None
    async with start() as home:
        await home.until(lambda: home.api.find("Butler", "old") is None)


_PAUSED: dict[bool, dict[str, Any]] = {True: {"annotations": {"butlers.dev/paused": "true"}}, False: {}}


def _held_by(*finalizers: str) -> Callable[[Any], None]:
    def change(body: Any) -> None:
        body["metadata"] = {**body["metadata"], "finalizers": list(finalizers)}

    return change


async def test_what_a_connector_says_of_its_source_is_a_condition_and_an_event(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(home.has("Connector", "api", "Online", "False", "NeverSeen"))
        fault = {"kind": "unauthorized", "message": "the provider refuses the token"}
        beat = {"liveness": "online", "eligibility_state": "active", "state": "error"}
        source = {"connector_type": "webhook", "endpoint_identity": "api:home"}
        home.registry.connectors["webhook", "api:home"] = {
            **source, **beat, "capabilities": {"source_fault": fault},
        }  # fmt: skip
        await home.until(home.has("Connector", "api", "SourceReachable", "False", "Unauthorized"))
        ready = home.api.condition("Connector", "api", "Ready")
        assert ready["message"] == "SourceReachable: the provider refuses the token"
        assert home.has("Connector", "api", "Stalled", "True")()
        await home.until(lambda: [one["reason"] for one in home.api.events()].count("Unauthorized") == 1)


async def test_a_connector_whose_endpoint_is_taken_shows_no_life_and_takes_nothing(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(lambda: home.registry.bound)
        beat = {"liveness": "online", "eligibility_state": "active", "capabilities": {}}
        source = {"connector_type": "webhook", "endpoint_identity": "api:home"}
        home.registry.connectors["webhook", "api:home"] = {**source, **beat}
        await home.until(home.has("Connector", "api", "Online", "True"))
        second = api_connector("zz")
        second["metadata"]["creationTimestamp"] = "2026-12-31T12:00:00Z"
        home.api.have(second)
        await home.until(home.has("Connector", "zz", "ResolvedRefs", "False", "NameTaken"))
        await home.until(home.has("Connector", "zz", "Online", "False", "NeverSeen"))
        beats = len(home.registry.calls_to("/connectors"))
        await home.until(lambda: len(home.registry.calls_to("/connectors")) > beats + 2)
        assert "liveness" not in home.api.find("Connector", "zz")["status"]
        assert home.registry.bound["webhook", "api:home"]["subject"].endswith(":connector-api")


async def test_what_messenger_says_of_its_channels_is_a_condition_and_an_event(
    start: Start, tmp_path: Path
) -> None:
    async with start() as home:
        (tmp_path / "tokens" / "messenger").write_text("a-token")
        _household(home)
        home.api.have(secret("people", contacts=yaml.safe_dump([{"name": "Ana", "role": "owner"}])))
        body = messenger("people", "contacts")
        body["spec"]["modules"] = {
            "telegram": {"bot": {"tokenSecretRef": {"name": "webhook", "key": "token"}}},
        }  # fmt: skip
        home.api.have(body)
        await home.until(home.has("Butler", "messenger", "Eligible", "True"))
        assert home.api.condition("Butler", "messenger", "ChannelsReachable") is None
        fault = {"kind": "unauthorized", "message": "Telegram does not know the bot's token"}
        home.registry.channels = [{"channel": "telegram", "fault": fault}]
        await home.until(home.has("Butler", "messenger", "ChannelsReachable", "False", "Unauthorized"))
        await home.until(lambda: "Unauthorized" in [one["reason"] for one in home.api.events()])
        home.registry.channels = None
        await home.settled()
        assert home.has("Butler", "messenger", "ChannelsReachable", "False")(), "its last word is believed"
        home.registry.channels = [{"channel": "telegram", "fault": None}]
        await home.until(home.has("Butler", "messenger", "ChannelsReachable", "True", "Reached"))
