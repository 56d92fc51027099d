"""A household's own certificate authorities on a cluster: what is no bundle is said, a new one rolls the pods."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from butler_resources.kinds.names import INPUTS_HASH_ANNOTATION
from tests.support.certificates import Authority
from tests.support.cluster_resources import api_connector, butler, database_secret, secret, switchboard

Start = Callable[..., Any]
NAME = "company-ca"


def bundle(text: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}, "data": {"ca.crt": text}}


def inputs(home: Any, name: str) -> str | None:
    deployment = home.api.find("Deployment", name)
    if deployment is None:
        return None
    found: str = deployment["spec"]["template"]["metadata"]["annotations"][INPUTS_HASH_ANNOTATION]
    return found


async def test_a_bundle_is_waited_for_in_words_and_a_changed_one_rolls_every_pod(
    start: Start, tmp_path: Path
) -> None:
    first, second = (Authority.make(tmp_path / name, name).file.read_text() for name in ("a", "b"))
    async with start(resync_s=1) as home:
        home.api.have(database_secret())
        home.api.have(secret("webhook", token="t"))
        home.api.have(switchboard(household={"caBundleRef": {"configMap": NAME}}))
        home.api.have(butler("finance"))
        home.api.have(api_connector())
        for kind, name in (("Butler", "finance"), ("Butler", "switchboard"), ("Connector", "api")):
            await home.until(home.has(kind, name, "ResolvedRefs", "False", "CaBundleNotFound"))
        said = home.api.condition("Connector", "api", "ResolvedRefs")["message"]
        assert said == f"caBundleRef: no ConfigMap {NAME} in this namespace; create it with key ca.crt"

        home.api.have(bundle("not a certificate"))
        await home.until(home.has("Butler", "finance", "ResolvedRefs", "False", "CaBundleInvalid"))
        assert home.api.find("Deployment", "butler-finance") is None

        home.api.edit("ConfigMap", NAME, lambda body: body["data"].update({"ca.crt": first}))
        for kind, name in (("Butler", "finance"), ("Butler", "switchboard"), ("Connector", "api")):
            await home.until(home.has(kind, name, "Deployed", "True"))
        before = {name: inputs(home, name) for name in ("butler-finance", "connector-api")}
        home.api.edit("ConfigMap", NAME, lambda body: body["data"].update({"ca.crt": second}))
        for name, known in before.items():
            await home.until(lambda name=name, known=known: inputs(home, name) not in (None, known))


async def test_a_household_that_gets_a_bundle_gives_it_to_its_connectors(
    start: Start, tmp_path: Path
) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(secret("webhook", token="t"))
        home.api.have(bundle(Authority.make(tmp_path).file.read_text()))
        home.api.have(switchboard())
        home.api.have(api_connector())
        await home.until(home.has("Connector", "api", "Deployed", "True"))
        home.api.edit(
            "Butler",
            "switchboard",
            lambda body: body["spec"].update({"household": {"caBundleRef": {"configMap": NAME}}}),
        )

        def mounted() -> bool:
            pod = home.api.find("Deployment", "connector-api")["spec"]["template"]["spec"]
            return any(volume["name"] == "authorities" for volume in pod["volumes"])

        await home.until(mounted)
