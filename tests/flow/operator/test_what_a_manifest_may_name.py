"""Whoever writes a household's manifests gets no code into its pods, and none of its secrets that are not for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.cluster_resources import (
    api_connector,
    butler,
    database_secret,
    secret,
    switchboard,
    unshared,
)

Start = Callable[..., Any]


async def test_a_variable_that_names_other_code_is_a_condition_and_what_runs_stays(start: Start) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(secret("extra", path="/tmp/other"))
        home.api.have(switchboard())
        home.api.have(butler("finance"))
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
        before = home.api.find("Deployment", "butler-finance")["spec"]

        named = [{"name": "PYTHONPATH", "secretRef": {"name": "extra", "key": "path"}}]
        home.api.have(butler("finance", env=named))

        await home.until(home.has("Butler", "finance", "Accepted", "False", "InvalidSpec"))
        assert "which code a pod runs" in home.api.condition("Butler", "finance", "Accepted")["message"]
        await home.settled()
        assert home.api.find("Deployment", "butler-finance")["spec"] == before


async def test_an_image_that_the_installation_does_not_allow_runs_nowhere_and_what_runs_stays(
    start: Start, tmp_path: Path
) -> None:
    place = tmp_path / "place.json"
    place.write_text(json.dumps({"allowed_images": ["registry.example/team/"]}))
    async with start(place_file=place) as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(butler("finance"))
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
        before = home.api.find("Deployment", "butler-finance")["spec"]

        home.api.have(butler("finance", pod={"image": "x.test/evil:1"}))
        await home.until(home.has("Butler", "finance", "ResolvedRefs", "False", "ImageNotAllowed"))
        found = home.api.condition("Butler", "finance", "Ready")
        assert (found["status"], found["reason"]) == ("False", "ImageNotAllowed")
        await home.settled()
        assert home.api.find("Deployment", "butler-finance")["spec"] == before

        home.api.have(butler("finance", pod={"image": "registry.example/team/butlers:1"}))
        await home.until(lambda: _images(home, "finance")[1] == "registry.example/team/butlers:1")
        assert _images(home, "finance")[0] == "localhost/butlers:dev", "what reads the administrator's URL"


def _images(home: Any, name: str) -> tuple[str, str]:
    """Images of a butler's init step and of its process."""
    pod = home.api.find("Deployment", f"butler-{name}")["spec"]["template"]["spec"]
    return pod["initContainers"][0]["image"], pod["containers"][0]["image"]


async def test_a_secret_that_is_not_shared_is_mounted_nowhere_until_it_is_labelled(start: Start) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(unshared("webhook", token="of-somebody-else"))
        home.api.have(api_connector())
        await home.until(home.has("Connector", "api", "ResolvedRefs", "False", "SecretNotShared"))
        found = home.api.condition("Connector", "api", "Ready")
        assert (found["status"], found["reason"]) == ("False", "SecretNotShared")
        assert (
            "kubectl label secret webhook --namespace=home butlers.dev/usable-by=household"
            in found["message"]
        )
        await home.settled()
        assert home.api.find("Deployment", "connector-api") is None

        home.api.have(secret("webhook", token="of-somebody-else"))
        await home.until(home.has("Connector", "api", "Deployed", "True"))


async def test_who_names_the_operator_s_own_secrets_gets_none_of_them(start: Start) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        for name in ("butlers-postgresql", "switchboard-signing"):
            stolen = {"webhook": {"tokenSecretRef": {"name": name, "key": "uri"}}}
            home.api.have(api_connector(f"thief-{name}", f"api:{name}", **stolen))
            await home.until(
                home.has("Connector", f"thief-{name}", "ResolvedRefs", "False", "SecretNotShared")
            )
        await home.settled()
        assert not [name for name in home.api.names("Deployment") if "thief" in name]


async def test_pods_from_before_the_label_run_on_as_they_are(start: Start) -> None:
    """An upgrade of the operator: what was made for an unlabelled Secret stays, and the status says what to do."""
    async with start(resync_s=1) as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(secret("webhook", token="t"))
        home.api.have(api_connector())
        await home.until(home.has("Connector", "api", "Deployed", "True"))
        await home.until(home.has("Butler", "switchboard", "Deployed", "True"))
        before = home.api.find("Deployment", "connector-api")["spec"]
        children = {kind: home.api.names(kind) for kind in ("Deployment", "Service", "NetworkPolicy")}

        home.api.have(unshared("webhook", token="t"))
        await home.until(home.has("Connector", "api", "ResolvedRefs", "False", "SecretNotShared"))
        home.api.have(api_connector(maxTier="default"))
        await home.until(lambda: home.api.find("Connector", "api")["status"]["observedGeneration"] == 2)
        await home.settled()
        assert home.api.find("Deployment", "connector-api")["spec"] == before
        assert {kind: home.api.names(kind) for kind in children} == children

        home.api.have(secret("webhook", token="t"))
        await home.until(home.has("Connector", "api", "ResolvedRefs", "True"))
