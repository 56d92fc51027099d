"""What the operator keeps once in a household's namespace: trust, the signing key, the policies (D2, CNX-16)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from butler_operator.control import household as household_module
from tests.support.cluster_resources import database_secret, pod, switchboard

Start = Callable[..., Any]


async def test_trust_and_signing_key_are_made_and_kept(start: Start) -> None:
    async with start(resync_s=1) as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        await home.until(lambda: home.api.find("ConfigMap", "butlers-trust"))
        trust = home.api.find("ConfigMap", "butlers-trust")["data"]
        issuers = sorted(key["iss"] for key in json.loads(trust["jwks.json"])["keys"])
        assert issuers == ["butlers.dev/switchboard", "https://cluster.example"]
        subjects = json.loads(trust["subjects.json"])["subjects"]
        assert subjects["system:serviceaccount:home:butlers-reader"] == {"role": "dashboard"}
        secret = home.api.find("Secret", "switchboard-signing")
        assert "signing.pem" in secret["data"]
        await home.settled()
        home.api.writes.clear()
        rounds = home.runtime.metrics.value("butlers.operator.reconcile", kind="Household", outcome="ok")
        await home.until(
            lambda: (
                home.runtime.metrics.value("butlers.operator.reconcile", kind="Household", outcome="ok")
                >= rounds + 3
            )
        )
        assert home.api.writes == []

        home.api.remove("Secret", "switchboard-signing")
        await home.until(lambda: home.api.find("Secret", "switchboard-signing"))
        await home.until(lambda: home.api.find("ConfigMap", "butlers-trust")["data"] != trust)

        home.api.remove("Butler", "switchboard")
        await home.until(lambda: home.api.find("ConfigMap", "butlers-trust") is None)
        await home.until(lambda: home.api.find("Secret", "switchboard-signing") is None)


async def test_the_people_of_the_place_are_operators_and_nobody_else_is(start: Start, tmp_path: Path) -> None:
    place = tmp_path / "place.json"
    place.write_text(json.dumps({"dashboard_operators": ["butlers-person-ada"], "operator_namespace": "sys"}))
    async with start(place_file=place) as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        await home.until(lambda: home.api.find("ConfigMap", "butlers-trust"))
        subjects = json.loads(home.api.find("ConfigMap", "butlers-trust")["data"]["subjects.json"])[
            "subjects"
        ]
        operators = {name for name, standing in subjects.items() if standing == {"role": "operator"}}
        accounts = {
            "home:butlers-person-ada",
            f"{home.runtime.place('home').operator_namespace}:butlers-operator",
        }
        assert operators == {f"system:serviceaccount:{account}" for account in accounts}


async def test_a_deny_list_reaches_the_document_and_wakes_the_pods(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(household_module, "POLL_S", 0.5)
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(pod("Butler", "switchboard"))
        await home.until(lambda: home.api.find("ConfigMap", "butlers-trust"))
        denied = json.dumps({"tokens": ["stolen"], "subjects": {}})
        home.api.have(
            {"kind": "ConfigMap", "metadata": {"name": "butlers-revoked"}, "data": {"revoked.json": denied}}
        )
        await home.until(
            lambda: home.api.find("ConfigMap", "butlers-trust")["data"]["revoked.json"] == denied
        )
        changed = home.api.find("ConfigMap", "butlers-trust")["metadata"]["annotations"][
            "butlers.dev/trust-changed-at"
        ]
        await home.until(
            lambda: (
                home.api.find("Pod", "butler-switchboard-1")["metadata"]
                .get("annotations", {})
                .get("butlers.dev/trust-changed-at")
                == changed
            )
        )


async def test_a_deny_list_under_another_key_changes_nothing_and_an_event_names_the_right_one(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(household_module, "POLL_S", 0.5)
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        await home.until(lambda: home.api.find("ConfigMap", "butlers-trust"))
        denied = json.dumps({"tokens": ["stolen"], "subjects": {}})
        revoked = {"kind": "ConfigMap", "metadata": {"name": "butlers-revoked"}}
        home.api.have({**revoked, "data": {"revoked.json": denied}})
        await home.until(
            lambda: home.api.find("ConfigMap", "butlers-trust")["data"]["revoked.json"] == denied
        )
        home.api.have({**revoked, "data": {"revoke.json": denied}})
        await home.until(
            lambda: any("has no key revoked.json" in event["note"] for event in home.api.events())
        )
        assert home.api.find("ConfigMap", "butlers-trust")["data"]["revoked.json"] == denied
