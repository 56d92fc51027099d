"""Objects that somebody else made, orphans of a deleted resource, and what a label alone does not allow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.cluster_resources import butler, database_secret, secret, switchboard

Start = Callable[..., Any]
CHILDREN = ("Deployment", "Service", "ServiceAccount", "ConfigMap", "NetworkPolicy")
LABELLED = {"app.kubernetes.io/managed-by": "butlers-operator"}
TELEGRAM = {
    "apiVersion": "butlers.dev/v1alpha1",
    "kind": "Connector",
    "metadata": {"name": "telegram"},
    "spec": {
        "type": "telegram_bot",
        "endpointIdentity": "telegram:bot:home",
        "telegramBot": {"tokenSecretRef": {"name": "bot", "key": "token"}},
    },
}
CLAIM = "PersistentVolumeClaim"


def config_map(name: str, **metadata: Any) -> Any:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {}}


def claim(name: str, **metadata: Any) -> Any:
    spec = {"accessModes": ["ReadWriteOnce"]}
    return {"apiVersion": "v1", "kind": CLAIM, "metadata": {"name": name, **metadata}, "spec": spec}


async def orphan(home: Any, kind: str, name: str) -> None:
    """`kubectl delete --cascade=orphan`: the garbage collector takes the owner from its children, then lets it go.

    The watch of the owner tells last, as it may.
    """
    # A watch that begins late would tell of what happened before it, a status that is still to be written of the end.
    await home.until(lambda: home.api.is_watched(kind))
    await home.settled()
    uid = home.api.find(kind, name)["metadata"]["uid"]

    def keep(body: Any) -> None:
        body["metadata"]["finalizers"] = [*body["metadata"].get("finalizers", []), "orphan"]

    def disown(body: Any) -> None:
        body["metadata"]["ownerReferences"] = []

    def let_go(body: Any) -> None:
        body["metadata"]["finalizers"] = [
            found for found in body["metadata"]["finalizers"] if found != "orphan"
        ]

    with home.api.unwatched():
        home.api.edit(kind, name, keep)
        home.api.remove(kind, name)
    for child, _, called in list(home.api.store):
        references = home.api.find(child, called)["metadata"].get("ownerReferences") or []
        if any(reference["uid"] == uid for reference in references):
            home.api.edit(child, called, disown)
    await home.until(
        lambda: home.runtime.metrics.value("butlers.operator.errors", kind=kind, error="ClusterConflict")
    )
    home.api.edit(kind, name, let_go)


async def test_a_butler_that_is_deleted_without_its_children_and_applied_again_adopts_them(
    start: Start,
) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(butler("garden", profile="general"))
        await home.until(home.has("Butler", "garden", "Deployed", "True"))
        before = {kind: home.api.find(kind, "butler-garden")["metadata"] for kind in CHILDREN}
        spec = home.api.find("Deployment", "butler-garden")["spec"]
        was = home.api.find("Butler", "garden")["metadata"]["uid"]
        await orphan(home, "Butler", "garden")
        await home.until(lambda: home.api.find("Butler", "garden") is None)
        await home.settled()
        assert all("butler-garden" in home.api.names(kind) for kind in CHILDREN), "nobody deletes them"

        home.api.have(butler("garden", profile="general"))
        await home.until(home.has("Butler", "garden", "Deployed", "True"))
        uid = home.api.find("Butler", "garden")["metadata"]["uid"]
        for kind in CHILDREN:
            metadata = home.api.find(kind, "butler-garden")["metadata"]
            assert metadata["uid"] == before[kind]["uid"], "it is the same object"
            assert [entry["uid"] for entry in metadata["ownerReferences"]] == [uid]
        now = home.api.find("Deployment", "butler-garden")["spec"]
        assert str(now) == str(spec).replace(was, uid), "only whose data it is has changed"
        await home.settled()
        home.api.remove("Butler", "garden")
        await home.until(lambda: home.api.find("Deployment", "butler-garden") is None)


async def test_an_orphaned_volume_with_a_checkpoint_is_adopted(start: Start) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(secret("bot", token="t"))
        home.api.have(TELEGRAM)
        await home.until(home.has("Connector", "telegram", "Deployed", "True"))
        volume = home.api.find(CLAIM, "connector-telegram")["metadata"]["uid"]
        await orphan(home, "Connector", "telegram")
        await home.until(lambda: home.api.find("Connector", "telegram") is None)
        home.api.have(TELEGRAM)
        await home.until(home.has("Connector", "telegram", "Deployed", "True"))
        found = home.api.find(CLAIM, "connector-telegram")["metadata"]
        assert found["uid"] == volume
        owner = home.api.find("Connector", "telegram")["metadata"]["uid"]
        assert [entry["uid"] for entry in found["ownerReferences"]] == [owner]


async def test_a_foreign_object_keeps_all_of_a_resource_from_being_made_and_all_are_named(
    start: Start,
) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(config_map("butler-orchid"))
        marked = {**LABELLED, "butlers.dev/kind": "Butler", "butlers.dev/name": "orchid"}
        home.api.have(
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "butler-orchid", "labels": marked}}
        )
        home.api.have(butler("orchid", profile="general"))
        await home.until(home.has("Butler", "orchid", "Deployed", "False", "OwnershipConflict"))
        await home.settled()
        said = home.api.condition("Butler", "orchid", "Deployed")["message"]
        assert "ConfigMap butler-orchid" in said
        assert "Service butler-orchid" in said
        for kind in ("Deployment", "ServiceAccount", "NetworkPolicy"):
            assert "butler-orchid" not in home.api.names(kind)

        home.api.remove("Service", "butler-orchid")
        home.api.remove("ConfigMap", "butler-orchid")
        await home.until(home.has("Butler", "orchid", "Deployed", "True"))


async def test_a_label_alone_lets_nothing_be_deleted(start: Start) -> None:
    async with start(resync_s=1) as home:
        home.api.have(database_secret())
        home.api.have(claim("my-data", labels=LABELLED))
        home.api.have(config_map("notes", labels=LABELLED))
        home.api.have(switchboard())
        await home.until(home.has("Butler", "switchboard", "Deployed", "True"))
        home.api.edit(CLAIM, "my-data", lambda body: body["metadata"].update(annotations={"seen": "1"}))
        await home.settled()
        home.api.remove("Butler", "switchboard")
        await home.until(lambda: home.api.find("ConfigMap", "butlers-trust") is None)
        await home.settled()
        assert home.api.find(CLAIM, "my-data")
        assert home.api.find("ConfigMap", "notes")


async def test_a_households_object_of_somebody_else_is_told_and_outlives_the_household(start: Start) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(config_map("butlers-trust", labels=LABELLED))
        home.api.have(secret("switchboard-signing", theirs="x"))
        home.api.have(switchboard())
        await home.until(lambda: "OwnershipConflict" in {event["reason"] for event in home.api.events()})
        await home.settled()
        assert "butlers-default-deny" not in home.api.names("NetworkPolicy")
        home.api.remove("Butler", "switchboard")
        await home.until(lambda: home.api.find("Butler", "switchboard") is None)
        await home.settled()
        assert home.api.find("ConfigMap", "butlers-trust")
        assert home.api.find("Secret", "switchboard-signing")["data"]["theirs"]
