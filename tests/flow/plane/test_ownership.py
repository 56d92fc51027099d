"""Orphans and other people's objects, with the real garbage collector, field managers and preconditions."""

from __future__ import annotations

from typing import Any

from tests.support.plane_site import HOME, OWN, Site, until

DEPLOYMENTS = f"/apis/apps/v1/{HOME}/deployments"
CLAIMS = f"/api/v1/{HOME}/persistentvolumeclaims"
CONFIG_MAPS = f"/api/v1/{HOME}/configmaps"
LABELLED = {"app.kubernetes.io/managed-by": "butlers-operator"}
ORPHAN = {"propagationPolicy": "Orphan"}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}


def resource(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


GARDEN = resource("Butler", "garden", role="specialist", profile="general", replicas=0)
TELEGRAM = resource(
    "Connector", "telegram", type="telegram_bot", endpointIdentity="telegram:bot:home", suspend=True,
    telegramBot={"tokenSecretRef": {"name": "source", "key": "value"}},
)  # fmt: skip


async def orphan(site: Site, plural: str, name: str) -> None:
    """`kubectl delete --cascade=orphan`, until it is gone."""
    answer = await site.http.request("DELETE", f"{OWN}/{plural}/{name}", json=ORPHAN)
    assert answer.status_code == 200, answer.text

    async def gone() -> bool:
        return await site.find(f"{OWN}/{plural}/{name}") is None

    await until(gone, f"{name} gone")


async def test_orphans_are_adopted_and_neither_pods_nor_volume_are_made_anew(site: Site) -> None:
    with site.operator("operator-one"):
        await site.have(f"{OWN}/butlers", resource("Butler", "switchboard", role="switchboard", replicas=0))
        await site.have(f"{OWN}/butlers", GARDEN)
        await site.have(f"{OWN}/connectors", TELEGRAM)
        await until(lambda: site.deployed("Butler", "garden"), "garden deployed", within_s=180)
        await until(lambda: site.deployed("Connector", "telegram"), "telegram deployed")
        deployment = await site.find(f"{DEPLOYMENTS}/butler-garden")
        claim = await site.find(f"{CLAIMS}/connector-telegram")
        assert deployment
        assert claim
        await orphan(site, "butlers", "garden")
        await orphan(site, "connectors", "telegram")
        left = await site.find(f"{CLAIMS}/connector-telegram")
        assert left
        assert not left["metadata"].get("ownerReferences")

        garden = await site.have(f"{OWN}/butlers", GARDEN)
        telegram = await site.have(f"{OWN}/connectors", TELEGRAM)
        await until(lambda: site.deployed("Butler", "garden"), "garden deployed again")
        await until(lambda: site.deployed("Connector", "telegram"), "telegram deployed again")
        for path, before, owner in (
            (f"{DEPLOYMENTS}/butler-garden", deployment, garden),
            (f"{CLAIMS}/connector-telegram", claim, telegram),
        ):
            now = await site.find(path)
            assert now
            assert now["metadata"]["uid"] == before["metadata"]["uid"]
            [was] = before["metadata"]["ownerReferences"]
            told = str(before["spec"]).replace(was["uid"], owner["metadata"]["uid"])
            assert str(now["spec"]) == told, "only whose data it is has changed"
            assert [one["uid"] for one in now["metadata"]["ownerReferences"]] == [owner["metadata"]["uid"]]

        answer = await site.http.delete(f"{OWN}/connectors/telegram")
        assert answer.status_code == 200

        async def collected() -> bool:
            found = await site.find(f"{CLAIMS}/connector-telegram")
            return found is None or "deletionTimestamp" in found["metadata"]

        await until(collected, "the adopted volume goes with its new connector")


async def test_somebody_elses_objects_stay_and_keep_a_resource_from_being_made_by_halves(site: Site) -> None:
    await site.have(CONFIG_MAPS, {"metadata": {"name": "butler-garden"}, "data": {"butler.toml": "theirs"}})
    await site.have(CLAIMS, {"metadata": {"name": "my-data", "labels": LABELLED}, "spec": CLAIM})
    with site.operator("operator-one"):
        await site.have(f"{OWN}/butlers", resource("Butler", "switchboard", role="switchboard", replicas=0))
        await site.have(f"{OWN}/butlers", GARDEN)

        async def refused() -> bool:
            found = await site.condition("Butler", "garden", "Deployed")
            return found.get("reason") == "OwnershipConflict"

        await until(refused, "the conflict is told", within_s=180)
        await until(lambda: site.deployed("Butler", "switchboard"), "switchboard deployed")
        assert await site.find(f"{DEPLOYMENTS}/butler-garden") is None
        theirs = await site.find(f"{CONFIG_MAPS}/butler-garden")
        assert theirs
        assert theirs["data"] == {"butler.toml": "theirs"}

        await site.http.delete(f"{CONFIG_MAPS}/butler-garden")
        await until(lambda: site.deployed("Butler", "garden"), "garden deployed")
        data = await site.find(f"{CLAIMS}/my-data")
        assert data
        assert "deletionTimestamp" not in data["metadata"]
