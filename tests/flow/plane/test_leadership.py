"""Two operators as processes, with the chart's rights: the one that works is killed, the other goes on."""

from __future__ import annotations

import signal
from typing import Any

import httpx

from bench.operator.household import SYSTEM
from tests.support.plane_site import OWN, Operator, Site, until

LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases/butlers-operator"
TAKEOVER_S = 30.0


def butler(name: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name}
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "metadata": metadata, "spec": spec}


async def holder(site: Site) -> str:
    found = await site.find(LEASE) or {"spec": {}}
    return str(found["spec"].get("holderIdentity") or "")


async def healthy(operator: Operator) -> bool:
    async with httpx.AsyncClient(trust_env=False) as http:
        try:
            return (await http.get(f"{operator.health}/healthz")).status_code == 200
        except httpx.HTTPError:
            return False


async def leads(operator: Operator) -> bool:
    async with httpx.AsyncClient(trust_env=False) as http:
        return "butlers_operator_leader 1.0" in (await http.get(f"{operator.metrics}/metrics")).text


async def test_the_other_of_two_operators_takes_over_and_the_household_goes_on(site: Site) -> None:
    lease = {"BUTLERS_LEASE": "butlers-operator"}
    with site.operator("first", **lease) as first:
        await until(lambda: healthy(first), "the first is up", within_s=180)
        with site.operator("second", **lease) as second:
            await until(lambda: healthy(second), "the second is up", within_s=180)
            await site.have(f"{OWN}/butlers", butler("switchboard", role="switchboard", replicas=0))
            await until(lambda: site.deployed("Butler", "switchboard"), "deployed", within_s=60)
            assert await holder(site) == "first"
            assert (await leads(first), await leads(second)) == (True, False)
            assert "applied" not in second.log

            first.process.send_signal(signal.SIGKILL)
            await site.have(
                f"{OWN}/butlers", butler("garden", role="specialist", profile="general", replicas=0)
            )
            await until(lambda: site.deployed("Butler", "garden"), "taken over", within_s=TAKEOVER_S)
            assert await holder(site) == "second"

            with site.operator("third", **lease) as third:
                await until(lambda: healthy(third), "the third is up", within_s=180)
                second.process.terminate()

                async def handed_over() -> bool:
                    return await holder(site) == "third"

                async def told() -> bool:
                    return "lease_released" in second.log

                await until(handed_over, "a clean end hands over", within_s=TAKEOVER_S)
                await until(told, "it says so", within_s=TAKEOVER_S)
