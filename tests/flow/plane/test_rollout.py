"""A bad image and a good one, with the real Deployment controller and its deadline; the test is the kubelet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx

from tests.flow.plane.test_ownership import DEPLOYMENTS, resource
from tests.support.plane_site import HOME, OWN, Site, until

OLD, BAD, GOOD = "butlers:1", "butlers:nope", "butlers:2"
PODS = f"/api/v1/{HOME}/pods"
TOKEN = {"tokenSecretRef": {"name": "source", "key": "value"}}
EVERYBODY = {
    "butler-switchboard": ("Butler", "switchboard"),
    "butler-finance": ("Butler", "finance"),
    "connector-posts": ("Connector", "posts"),
    "connector-telegram": ("Connector", "telegram"),
}
MANIFESTS = (
    resource("Butler", "switchboard", role="switchboard"),
    resource("Butler", "finance", role="specialist", profile="finance"),
    resource("Connector", "posts", type="webhook", endpointIdentity="webhook:home", webhook=TOKEN),
    resource("Connector", "telegram", type="telegram_bot", endpointIdentity="telegram:bot:home", telegramBot=TOKEN),
)  # fmt: skip


def reported(pod: dict[str, Any]) -> dict[str, Any]:
    """What a kubelet says of a pod: it is ready, unless its image is the bad one."""
    container = pod["spec"]["containers"][0]
    ready = container["image"] != BAD
    waits = {"waiting": {"reason": "ErrImagePull", "message": "not found"}}
    state = {"running": {}} if ready else waits
    status = {"name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0}
    word = "True" if ready else "False"
    conditions = [{"type": type_, "status": word} for type_ in ("ContainersReady", "Ready")]
    return {
        "phase": "Running" if ready else "Pending",
        "conditions": conditions,
        "containerStatuses": [{**status, "ready": ready, "state": state}],
    }


@asynccontextmanager
async def kubelet(site: Site) -> AsyncIterator[None]:
    """Reports every pod that has no report yet; a busy API server's missing answer is asked for again."""

    async def report() -> None:
        for pod in (await site.http.get(PODS)).raise_for_status().json()["items"]:
            if not pod["status"].get("containerStatuses"):
                path = f"{PODS}/{pod['metadata']['name']}/status"
                headers = {"Content-Type": "application/merge-patch+json"}
                await site.http.patch(path, json={"status": reported(pod)}, headers=headers)

    async def go_on_reporting() -> None:
        while True:
            with suppress(httpx.HTTPError):
                await report()
            await asyncio.sleep(0.2)

    task = asyncio.create_task(go_on_reporting())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def images(site: Site) -> dict[str, str]:
    found = {name: await site.find(f"{DEPLOYMENTS}/{name}") for name in EVERYBODY}
    return {
        name: one["spec"]["template"]["spec"]["containers"][0]["image"] for name, one in found.items() if one
    }


async def generations(site: Site) -> dict[str, int]:
    found = {name: await site.find(f"{DEPLOYMENTS}/{name}") for name in EVERYBODY}
    return {name: one["metadata"]["generation"] for name, one in found.items() if one}


def everybody(site: Site, image: str) -> Callable[[], Awaitable[bool]]:
    """Whether all have the image and are settled with it."""

    async def look() -> bool:
        said = [await site.condition(*who, "Progressing") for who in EVERYBODY.values()]
        settled = all(one.get("reason") == "RolledOut" for one in said)
        return settled and await images(site) == dict.fromkeys(EVERYBODY, image)

    return look


async def test_a_bad_image_is_stalled_at_one_butler_and_a_good_one_goes_through(site: Site) -> None:
    async with kubelet(site):
        with site.operator("operator-old", BUTLERS_IMAGE=OLD):
            for body in MANIFESTS:
                await site.have(f"{OWN}/{body['kind'].lower()}s", body)
            await until(everybody(site, OLD), "everybody runs", within_s=240)
            before = await generations(site)

        with site.operator("operator-bad", BUTLERS_IMAGE=BAD, BUTLERS_PROGRESS_DEADLINE_SECONDS="10"):

            async def stalled() -> bool:
                said = await site.condition("Butler", "switchboard", "Stalled")
                return (said.get("status"), said.get("reason")) == ("True", "ImagePullFailed")

            await until(stalled, "Switchboard is stalled", within_s=120)
            assert await images(site) == dict.fromkeys(EVERYBODY, OLD) | {"butler-switchboard": BAD}
            for kind, name in EVERYBODY.values():
                assert (await site.condition(kind, name, "Ready"))["status"] == "True"
            waits = await site.condition("Connector", "telegram", "Progressing")
            assert (waits["status"], waits["reason"]) == ("True", "WaitingForCanary")

        with site.operator("operator-back", BUTLERS_IMAGE=OLD):
            await until(everybody(site, OLD), "everybody is as before", within_s=240)
            after = await generations(site)
        assert {name for name in EVERYBODY if after[name] != before[name]} == {"butler-switchboard"}

        with site.operator("operator-good", BUTLERS_IMAGE=GOOD):
            await until(everybody(site, GOOD), "everybody has the good image", within_s=180)
