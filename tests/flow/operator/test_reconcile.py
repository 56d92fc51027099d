"""What the operator makes of Butlers and Connectors, and how it keeps it so, against an emulated API server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kmock

from tests.support.cluster_resources import (
    api_connector,
    butler,
    database_secret,
    messenger,
    pod,
    rolled_out,
    secret,
    switchboard,
)

Start = Callable[..., Any]
CHILDREN = ("Deployment", "Service", "ServiceAccount", "ConfigMap", "NetworkPolicy")


def _household(home: Any) -> None:
    home.api.have(database_secret())
    home.api.have(switchboard())
    home.api.have(butler("finance"))


async def test_a_butler_becomes_pods_and_tells_how_they_are(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(home.has("Butler", "finance", "Ready", "False", "PodsNotReady"))
        for kind in CHILDREN:
            assert "butler-finance" in home.api.names(kind), kind
        assert "butlers-default-deny" in home.api.names("NetworkPolicy")
        owner = home.api.find("Deployment", "butler-finance")["metadata"]["ownerReferences"][0]
        assert owner["uid"] == home.api.find("Butler", "finance")["metadata"]["uid"]

        home.api.have(pod("Butler", "finance"))
        home.api.edit("Deployment", "butler-finance", rolled_out)
        await home.until(home.has("Butler", "finance", "Ready", "True"))
        status = home.api.find("Butler", "finance")["status"]
        assert (status["observedGeneration"], status["readyReplicas"], status["replicas"]) == (1, 1, 1)
        runs = home.api.find("Deployment", "butler-finance")["spec"]["template"]["spec"]["containers"][0]
        assert runs["image"].endswith(f":{status['version']}"), "told in the same write as Ready"
        await home.until(home.has("Butler", "finance", "Eligible", "True", "Active"))
        assert home.has("Butler", "finance", "Reconciling", "False", "Settled")()
        await home.until(lambda: home.registry.evidence.get("finance", {}).get("ready"))
        await home.until(lambda: [event["reason"] for event in home.api.events()].count("Ready") == 1)
        assert not [event for event in home.api.events() if event["type"] == "Warning"]
        assert all(event["regarding"]["kind"] == "Butler" for event in home.api.events())


async def test_an_idle_household_is_never_written(start: Start) -> None:
    async with start(resync_s=1) as home:
        _household(home)
        home.api.have(secret("webhook", token="t"))
        home.api.have(api_connector())
        await home.until(home.has("Connector", "api", "Deployed", "True"))
        await home.until(home.has("Butler", "finance", "Eligible", "True"))
        await home.until(lambda: home.api.condition("Connector", "api", "Online"))
        await home.settled()
        home.api.writes.clear()
        rounds = home.runtime.metrics.value("butlers.operator.reconcile", kind="Butler", outcome="ok")
        done = lambda: home.runtime.metrics.value("butlers.operator.reconcile", kind="Butler", outcome="ok")  # noqa: E731
        await home.until(lambda: done() >= rounds + 4)
        assert home.api.writes == []


async def test_what_anybody_changes_or_deletes_comes_back(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
        home.api.remove("Service", "butler-finance")
        await home.until(lambda: home.api.find("Service", "butler-finance"))

        def meddle(body: Any) -> None:
            body["spec"] = {**body["spec"], "replicas": 7}

        home.api.edit("Deployment", "butler-finance", meddle)
        await home.until(lambda: home.api.find("Deployment", "butler-finance")["spec"]["replicas"] == 1)

        def unlabel(body: Any) -> None:
            body["metadata"] = {**body["metadata"], "labels": {}}

        home.api.edit("ConfigMap", "butler-finance", unlabel)
        await home.until(lambda: home.api.find("ConfigMap", "butler-finance")["metadata"]["labels"])
        home.api.remove("NetworkPolicy", "butlers-default-deny")
        await home.until(lambda: home.api.find("NetworkPolicy", "butlers-default-deny"))


async def test_a_bad_spec_is_a_condition_and_is_not_tried_again(start: Start) -> None:
    async with start() as home:
        _household(home)
        home.api.have(butler("travel", profile="travel", runtime={"family": "rules", "model": "x"}))
        await home.until(home.has("Butler", "travel", "Accepted", "False", "InvalidSpec"))
        found = home.api.condition("Butler", "travel", "Accepted")
        assert "takes no model" in found["message"]
        assert home.has("Butler", "travel", "Ready", "False", "InvalidSpec")()
        assert home.api.condition("Butler", "travel", "Ready")["message"] == f"Accepted: {found['message']}"
        assert home.has("Butler", "travel", "Stalled", "True", "InvalidSpec")()
        await home.settled()
        assert home.api.find("Deployment", "butler-travel") is None
        assert home.runtime.metrics.value("butlers.operator.reconcile", kind="Butler", outcome="error") == 0

        home.api.have(butler("travel", profile="travel"))
        await home.until(home.has("Butler", "travel", "Deployed", "True"))
        assert home.has("Butler", "travel", "Stalled", "False")()


async def test_a_runtime_that_a_messenger_could_never_have_is_said_and_heals_with_the_manifest(
    start: Start,
) -> None:
    async with start() as home:
        _household(home)
        home.api.have(secret("contacts", list="- {name: Ann, role: owner}"))
        body = messenger("contacts", "list")
        body["spec"]["runtime"] = {"family": "codex", "model": "gpt-5.3-codex-spark"}
        home.api.have(body)
        await home.until(home.has("Butler", "messenger", "Ready", "False", "RuntimeUnavailable"))
        assert home.has("Butler", "messenger", "Accepted", "False", "RuntimeUnavailable")()
        assert home.has("Butler", "messenger", "Stalled", "True", "RuntimeUnavailable")()
        said = home.api.condition("Butler", "messenger", "Accepted")["message"]
        assert said.startswith("spec.runtime.family: codex is not available here")
        assert "set spec.runtime.fallback to rules" in said
        assert home.api.find("Deployment", "butler-messenger") is None
        home.api.edit("Butler", "messenger", lambda body: body["spec"]["runtime"].update(fallback="rules"))
        await home.until(home.has("Butler", "messenger", "Deployed", "True"))


async def test_pods_that_run_stay_as_they_are_when_the_manifest_asks_for_a_family_that_is_not_there(
    start: Start,
) -> None:
    async with start() as home:
        _household(home)
        home.api.have(secret("contacts", list="- {name: Ann, role: owner}"))
        home.api.have(messenger("contacts", "list"))
        await home.until(home.has("Butler", "messenger", "Deployed", "True"))
        before = home.api.find("Deployment", "butler-messenger")["spec"]
        changed = messenger("contacts", "list")
        changed["spec"] |= {"runtime": {"family": "codex"}, "timezone": "Europe/Berlin"}
        home.api.have(changed)
        await home.until(home.has("Butler", "messenger", "Accepted", "False", "RuntimeUnavailable"))
        await home.settled()
        assert home.api.find("Deployment", "butler-messenger")["spec"] == before


async def test_what_is_missing_is_named_and_heals_by_itself(start: Start) -> None:
    async with start() as home:
        home.api.have(api_connector())
        await home.until(home.has("Connector", "api", "ResolvedRefs", "False", "SwitchboardNotFound"))
        home.api.have(switchboard())
        await home.until(home.has("Butler", "switchboard", "ResolvedRefs", "False", "DatabaseUnavailable"))
        await home.until(home.has("Connector", "api", "ResolvedRefs", "False", "SecretNotFound"))
        home.api.have(secret("webhook", other="x"))
        await home.until(home.has("Connector", "api", "ResolvedRefs", "False", "SecretKeyNotFound"))
        home.api.have(secret("webhook", token="x"))
        home.api.have(database_secret())
        await home.until(home.has("Connector", "api", "Deployed", "True"))
        await home.until(home.has("Butler", "switchboard", "Deployed", "True"))


async def test_contacts_without_an_owner_are_named_and_heal(start: Start) -> None:
    async with start() as home:
        _household(home)
        home.api.have(secret("contacts", list="- {name: Ann, role: member}"))
        home.api.have(messenger("contacts", "list"))
        await home.until(home.has("Butler", "messenger", "ResolvedRefs", "False", "OwnerMissing"))
        assert "Ann" not in str(home.api.find("Butler", "messenger")["status"])
        home.api.have(secret("contacts", list="- {name: Ann, role: owner}"))
        await home.until(home.has("Butler", "messenger", "Deployed", "True"))


async def test_a_switchboard_to_which_nobody_brings_contacts_says_so_until_there_is_a_messenger(
    start: Start,
) -> None:
    async with start() as home:
        _household(home)
        await home.until(home.has("Butler", "switchboard", "Ready", "False", "PodsNotReady"))
        ended = {"exitCode": 0, "message": '{"role_isolation": true, "applied": []}'}
        prepared = {"name": "provision", "state": {"terminated": ended}}
        home.api.have(pod("Butler", "switchboard", ready=False, initContainerStatuses=[prepared]))
        await home.until(home.has("Butler", "switchboard", "Ready", "False", "MessengerMissing"))
        assert home.has("Butler", "switchboard", "Stalled", "False")()

        home.api.have(secret("contacts", list="- {name: Ann, role: owner}"))
        home.api.have(messenger("contacts", "list"))
        await home.until(home.has("Butler", "switchboard", "Ready", "False", "PodsNotReady"))


async def test_changed_contacts_replace_no_pod_and_wrong_ones_are_named(start: Start) -> None:
    """Messenger follows the mounted file; what it cannot use it leaves alone, and the status says so."""
    async with start(resync_s=1) as home:
        _household(home)
        home.api.have(secret("contacts", list="- {name: Ann, role: owner}"))
        home.api.have(messenger("contacts", "list"))
        await home.until(home.has("Butler", "messenger", "Deployed", "True"))
        before = home.api.find("Deployment", "butler-messenger")["spec"]
        home.api.have(secret("contacts", list="- {name: Ann, role: member}"))
        await home.until(home.has("Butler", "messenger", "ResolvedRefs", "False", "OwnerMissing"))
        home.api.have(secret("contacts", list="- {name: Ann, role: owner}\n- {name: Ben, role: member}"))
        await home.until(home.has("Butler", "messenger", "ResolvedRefs", "True"))
        await home.settled()
        assert home.api.find("Deployment", "butler-messenger")["spec"] == before


async def test_a_changed_secret_or_manifest_replaces_the_pods(start: Start) -> None:
    async with start(resync_s=1) as home:
        _household(home)
        home.api.have(secret("webhook", token="one"))
        home.api.have(api_connector())
        await home.until(home.has("Connector", "api", "Deployed", "True"))

        def template() -> Any:
            return home.api.find("Deployment", "connector-api")["spec"]["template"]

        before = template()
        home.api.have(secret("webhook", token="two"))
        await home.until(lambda: template() != before)
        before = home.api.find("Deployment", "butler-finance")["spec"]["template"]
        home.api.have(butler("finance", timezone="Europe/Berlin"))
        await home.until(
            lambda: (
                home.api.find("Deployment", "butler-finance")["spec"]["template"] != before
                and home.api.find("Butler", "finance")["status"]["observedGeneration"] == 2
            )
        )


async def test_an_object_of_somebody_else_is_left_alone(start: Start) -> None:
    async with start() as home:
        theirs = {"kind": "Service", "metadata": {"name": "butler-finance"}, "spec": {"ports": []}}
        home.api.have(theirs)
        _household(home)
        await home.until(home.has("Butler", "finance", "Deployed", "False", "OwnershipConflict"))
        assert home.api.find("Service", "butler-finance")["spec"] == {"ports": []}
        await home.until(lambda: any(e["reason"] == "OwnershipConflict" for e in home.api.events()))
        home.api.remove("Service", "butler-finance")
        await home.until(home.has("Butler", "finance", "Deployed", "True"))


async def test_what_is_no_longer_desired_is_deleted(start: Start) -> None:
    async with start() as home:
        _household(home)
        home.api.have(butler("finance", replicas=2))
        await home.until(lambda: home.api.find("PodDisruptionBudget", "butler-finance"))
        home.api.have(butler("finance", replicas=1))
        await home.until(lambda: home.api.find("PodDisruptionBudget", "butler-finance") is None)
        home.api.remove("Butler", "finance")
        await home.until(lambda: home.api.find("Deployment", "butler-finance") is None)
        home.api.remove("Butler", "switchboard")
        await home.until(lambda: home.api.find("NetworkPolicy", "butlers-default-deny") is None)


async def test_a_paused_butler_is_left_alone(start: Start) -> None:
    async with start() as home:
        _household(home)
        await home.until(home.has("Butler", "finance", "Deployed", "True"))

        def pause(value: str) -> Callable[[Any], None]:
            def change(body: Any) -> None:
                body["metadata"] = {**body["metadata"], "annotations": {"butlers.dev/paused": value}}

            return change

        home.api.edit("Butler", "finance", pause("true"))
        await home.until(home.has("Butler", "finance", "Reconciling", "False", "Paused"))
        home.api.remove("Service", "butler-finance")
        await home.settled()
        assert home.api.find("Service", "butler-finance") is None
        home.api.edit("Butler", "finance", pause("false"))
        await home.until(lambda: home.api.find("Service", "butler-finance"))


async def test_a_restart_of_the_operator_writes_nothing_again(start: Start) -> None:
    async with start() as home:
        _household(home)
        home.api.have(pod("Butler", "finance"))
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
        home.api.edit("Deployment", "butler-finance", rolled_out)
        await home.until(home.has("Butler", "finance", "Ready", "True"))
        await home.until(home.has("Butler", "finance", "Eligible", "True"))
        await home.settled()
    home.api.writes.clear()
    async with start() as again:
        await again.until(lambda: ("POST", "/evidence") in again.registry.calls[-4:])
        await again.until(
            lambda: (
                again.runtime.metrics.value("butlers.operator.reconcile", kind="Butler", outcome="ok") >= 2
            )
        )
        await again.settled()
        assert again.api.writes == []


async def test_an_outage_of_the_api_is_tried_again_and_a_refusal_is_told(start: Start) -> None:
    async with start() as home:

        def outage(request: kmock.Request) -> kmock.KubernetesError | None:
            if request.method.value == "PATCH" and "deployments" in str(request.url):
                return kmock.KubernetesError(status=503, message="not now")
            return None

        home.api.outage = outage
        _household(home)
        errors = lambda: home.runtime.metrics.value(  # noqa: E731
            "butlers.operator.errors", kind="Butler", error="ClusterUnavailable"
        )
        await home.until(lambda: errors() >= 2)

        def refusal(request: kmock.Request) -> kmock.KubernetesError | None:
            if request.method.value == "PATCH" and "deployments" in str(request.url):
                return kmock.KubernetesError(status=403, reason="Forbidden", message="exceeded quota: pods")
            return None

        home.api.outage = refusal
        await home.until(home.has("Butler", "finance", "Deployed", "False", "ApplyFailed"))
        assert "exceeded quota" in home.api.condition("Butler", "finance", "Deployed")["message"]
        home.api.outage = lambda request: None
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
