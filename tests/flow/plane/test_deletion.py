"""Namespaces and definitions are deleted for real, with the rights that the chart gives and takes (ADR 0044)."""

from __future__ import annotations

from typing import Any

from bench.operator.household import NAMESPACE, SYSTEM
from tests.flow.plane.test_ownership import GARDEN, resource
from tests.support.plane_site import HOME, OWN, Operator, Site, until

GONE_S = 180.0
"""Seven seconds alone; the promise of 60 is held where nothing runs beside it (tests/e2e/charts/test_namespaces.py)."""
SWITCHBOARD = resource("Butler", "switchboard", role="switchboard", replicas=0)
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
KINDS = ("butlers", "connectors", "backfilljobs", "butleroperations")
CABIN = "/apis/butlers.dev/v1alpha1/namespaces/cabin/butlers"


async def household(site: Site) -> None:
    await site.have(f"{OWN}/butlers", SWITCHBOARD)
    await site.have(f"{OWN}/butlers", GARDEN)
    await until(lambda: site.deployed("Butler", "garden"), "garden deployed", within_s=180)


async def gone(site: Site, path: str) -> None:
    answer = await site.http.delete(path)
    assert answer.is_success, answer.text

    async def absent() -> bool:
        return await site.find(path) is None

    await until(absent, f"{path} gone", within_s=GONE_S)


async def more_namespaces(site: Site) -> None:
    """`locked` without any right of the operator's, `cabin` with all of them."""
    for name in ("locked", "cabin"):
        await site.have("/api/v1/namespaces", {"metadata": {"name": name}})
    binding = {
        "metadata": {"name": "all"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"kind": "ServiceAccount", "name": "butlers-operator", "namespace": SYSTEM}],
    }
    await site.have("/apis/rbac.authorization.k8s.io/v1/namespaces/cabin/rolebindings", binding)


async def watched(site: Site, operator: Operator, namespace: str, value: int) -> None:
    wanted = f'butlers_operator_namespace_watched{{namespace="{namespace}"}} {value}.0'

    async def said() -> bool:
        return wanted in (await site.http.get(f"{operator.metrics}/metrics")).text

    await until(said, wanted, within_s=180)


async def test_one_namespace_is_forbidden_another_is_deleted_and_the_third_is_served(site: Site) -> None:
    await more_namespaces(site)
    with site.operator("operator-one", BUTLERS_NAMESPACES=f"locked,{NAMESPACE},cabin,never") as operator:
        await household(site)
        for namespace, value in (("locked", 0), ("never", 0), (NAMESPACE, 1), ("cabin", 1)):
            await watched(site, operator, namespace, value)
        await gone(site, f"/api/v1/{HOME}")
        await watched(site, operator, NAMESPACE, 0)
        await site.have(CABIN, SWITCHBOARD)

        async def looked_at() -> Any:
            return ((await site.find(f"{CABIN}/switchboard")) or {}).get("status")

        await until(looked_at, "the third one's status")
        assert operator.process.poll() is None


async def test_definitions_go_while_resources_are_there_and_the_operator_waits_for_them(site: Site) -> None:
    with site.operator("operator-one") as operator:
        await household(site)
        for plural in KINDS:
            await gone(site, f"{DEFINITIONS}/{plural}.butlers.dev")
        await watched(site, operator, NAMESPACE, 0)
        assert operator.process.poll() is None
    await gone(site, f"/api/v1/{HOME}")


async def test_a_namespace_with_a_household_goes_while_the_operator_is_away(site: Site) -> None:
    with site.operator("operator-one"):
        await household(site)
    await gone(site, f"/api/v1/{HOME}")
