"""The day on which `v1alpha2` comes, and the way back, rehearsed on a real API server (ADR 0069).

The operator of the next release is this one, reading and writing the other version. Nothing may be made anew, nobody's
rights or rules may depend on the version, and the steps are those of docs/guides/api-versions.md.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from bench.operator.household import NAMESPACE
from tests.flow.plane.next_version import NEW, OLD, definitions, next_operator, store, stored_versions
from tests.flow.plane.test_ownership import GARDEN, TELEGRAM, resource
from tests.support.plane_site import HOME, Site, until

Body = dict[str, Any]
CHILDREN = (
    f"/apis/apps/v1/{HOME}/deployments",
    f"/api/v1/{HOME}/services",
    f"/api/v1/{HOME}/configmaps",
    f"/api/v1/{HOME}/serviceaccounts",
    f"/api/v1/{HOME}/persistentvolumeclaims",
    f"/apis/networking.k8s.io/v1/{HOME}/networkpolicies",
)
COLLECTOR_LOOKS_S = 45.0
"""The garbage collector looks every 30 s which versions there are; what is deleted meanwhile it may not have seen."""
GARDENS = f"{CHILDREN[0]}/butler-garden"
DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/butlers.butlers.dev"


def own(version: str) -> str:
    return f"/apis/butlers.dev/{version}/{HOME}"


async def household(site: Site) -> None:
    await site.have(f"{own(OLD)}/butlers", resource("Butler", "switchboard", role="switchboard", replicas=0))
    await site.have(f"{own(OLD)}/butlers", GARDEN)
    await site.have(f"{own(OLD)}/connectors", TELEGRAM)
    for kind, name in (("Butler", "switchboard"), ("Butler", "garden"), ("Connector", "telegram")):
        await until(partial(site.deployed, kind, name), f"{name} deployed", within_s=180)


async def children(site: Site) -> dict[str, Body]:
    """Everything of the household that the operator made, by kind and name."""
    found = {}
    for path in CHILDREN:
        answer = (await site.http.get(path)).raise_for_status().json()
        for one in answer["items"]:
            if "butlers.dev/kind" in one["metadata"].get("labels", {}):
                found[f"{path.rpartition('/')[2]}/{one['metadata']['name']}"] = one
    return found


async def identities(site: Site) -> dict[str, tuple[str, Body]]:
    """Uid and spec: what is made anew has another of the one, what replaces pods another of the other."""
    return {key: (one["metadata"]["uid"], one.get("spec", {})) for key, one in (await children(site)).items()}


async def serves(site: Site, *versions: str) -> None:
    """Until the API server has read the definitions."""

    async def said() -> bool:
        answers = [(await site.http.get(f"{own(version)}/butlers")).status_code for version in (OLD, NEW)]
        return answers == [200 if version in versions else 404 for version in (OLD, NEW)]

    await until(said, f"{versions} served")


async def label_taken(site: Site, version: str, words: str) -> None:
    """Garden is changed as `version` has it, until the operator has seen that."""
    path = f"{own(version)}/butlers/garden"
    merge = {"Content-Type": "application/merge-patch+json"}
    answer = await site.http.patch(path, json={"spec": {"pod": {"labels": {"said": words}}}}, headers=merge)
    assert answer.is_success, answer.text

    async def rolled() -> bool:
        deployment = await site.find(GARDENS) or {"spec": {"template": {"metadata": {"labels": {}}}}}
        return bool(deployment["spec"]["template"]["metadata"]["labels"].get("said") == words)

    await until(rolled, f"{words} in garden's pods", within_s=180)


async def owned_as(site: Site, version: str) -> None:
    """Until every child names its owner by that version; else nobody would tidy up once the other is gone."""

    async def all_of_them() -> bool:
        references = [one["metadata"]["ownerReferences"][0] for one in (await children(site)).values()]
        return bool(references) and {one["apiVersion"] for one in references} == {f"butlers.dev/{version}"}

    await until(all_of_them, f"children of owners in {version}", within_s=120)


async def refused_to_lose(site: Site) -> None:
    """A version in which something is stored cannot be dropped."""
    merge = {"Content-Type": "application/merge-patch+json"}
    (only, *_) = definitions(served=(OLD,), stored=OLD)
    answer = await site.http.patch(
        DEFINITION, json={"spec": {"versions": only["spec"]["versions"]}}, headers=merge
    )
    assert answer.status_code == 422, answer.text
    assert "storedVersions" in answer.text


async def test_the_next_version_comes_and_goes_and_nothing_is_made_anew(site: Site, tmp_path: Path) -> None:
    with site.operator("operator-now"):
        await household(site)
        before = await identities(site)
        site.plane.apply(definitions(served=(OLD, NEW), stored=OLD))
        await serves(site, OLD, NEW)
        early = store(site.plane, NEW)
        assert early.returncode == 1
        assert "stores v1alpha1: apply definitions that store v1alpha2 first" in early.stderr
        assert await identities(site) == before
        await label_taken(site, NEW, "in-the-new-version")
    here = str(next_operator(tmp_path / "next"))
    before = await identities(site)
    site.plane.apply(definitions(served=(OLD, NEW), stored=NEW))
    with site.operator("operator-next", PYTHONPATH=here):
        await everything_stored(site, NEW)
        await owned_as(site, NEW)
        assert await identities(site) == before
        await refused_to_lose(site)
        await label_taken(site, OLD, "in-the-old-version")
        before = await identities(site)
        site.plane.apply(definitions(served=(NEW,), stored=NEW))
        await serves(site, NEW)
        await label_taken(site, NEW, "with-the-new-one-alone")
    before = await identities(site)
    site.plane.apply(definitions(served=(OLD, NEW), stored=OLD))
    await serves(site, OLD, NEW)
    with site.operator("operator-back"):
        await everything_stored(site, OLD)
        await owned_as(site, OLD)
        site.plane.apply(definitions(served=(OLD,), stored=OLD))
        await serves(site, OLD)
        assert await identities(site) == before
        await asyncio.sleep(COLLECTOR_LOOKS_S)
        answer = await site.http.delete(f"{own(OLD)}/butlers/garden")
        assert answer.is_success, answer.text

        async def tidied() -> bool:
            return await site.find(GARDENS) is None

        await until(tidied, "garden's children gone", within_s=180)


async def everything_stored(site: Site, version: str) -> None:
    """The guide's command, typed until nothing of an older version is left in etcd."""

    async def moved() -> bool:
        done = store(site.plane, version)
        assert done.returncode == 0, done.stderr
        assert "butlers: 2 stored as" in done.stdout
        found = await stored_versions(site.plane)
        assert {key.rsplit("/", 1)[0] for key in found} >= {
            f"/registry/butlers.dev/{plural}/{NAMESPACE}" for plural in ("butlers", "connectors")
        }
        return set(found.values()) == {f"butlers.dev/{version}"}

    await until(moved, f"everything stored as {version}")
