"""A household gets a new image: one butler tries it, the others wait, and a restart changes no turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.cluster_resources import (
    api_connector,
    butler,
    database_secret,
    pod,
    rolled_out,
    secret,
    switchboard,
)

Start = Callable[..., Any]
OLD, NEW, GOOD = "butlers:1", "butlers:2", "butlers:3"
DEPLOYMENTS = {
    "butler-switchboard": ("Butler", "switchboard"),
    "butler-finance": ("Butler", "finance"),
    "butler-health": ("Butler", "health"),
    "connector-api": ("Connector", "api"),
    "connector-mail": ("Connector", "mail"),
}


def _mail() -> dict[str, Any]:
    imap = {
        "host": "imap.example.org",
        "username": "home",
        "passwordSecretRef": {"name": "mail", "key": "word"},
    }
    mail = api_connector("mail", "imap:home@example.org", type="imap", imap=imap)
    del mail["spec"]["webhook"]
    return mail


def _household(home: Any) -> None:
    bodies = (
        database_secret(), secret("webhook", token="t"), secret("mail", word="w"), switchboard(),
        butler("finance"), butler("health", profile="health"), api_connector(), _mail(),
    )  # fmt: skip
    for body in bodies:
        home.api.have(body)


def _image(home: Any, name: str) -> str:
    found = home.api.find("Deployment", name)
    return str(found["spec"]["template"]["spec"]["containers"][0]["image"]) if found else ""


def _images(home: Any) -> dict[str, str]:
    return {name: _image(home, name) for name in DEPLOYMENTS}


def _becomes_ready(home: Any, name: str) -> None:
    """The kubelet's and the Deployment controller's part."""
    body = pod(*DEPLOYMENTS[name])
    body["spec"] = {"containers": [{"image": _image(home, name)}]}
    home.api.have(body)
    home.api.edit("Deployment", name, rolled_out)


async def _runs(start: Start) -> None:
    """Everybody is ready with the old image."""
    async with start(image=OLD) as home:
        _household(home)
        await home.until(lambda: set(_images(home).values()) == {OLD})
        for name, (kind, called) in DEPLOYMENTS.items():
            _becomes_ready(home, name)
            await home.until(home.has(kind, called, "Progressing", "True", "RolledOut"))
        await home.settled()


async def test_a_household_that_is_new_waits_for_nobody(start: Start) -> None:
    async with start(image=OLD) as home:
        _household(home)
        await home.until(lambda: set(_images(home).values()) == {OLD})


async def test_an_image_goes_from_one_to_the_next_and_the_wait_is_told(start: Start) -> None:
    await _runs(start)
    # Nobody looks again by itself so soon: who proves the image wakes those that wait for it.
    async with start(image=NEW, retry_s=300) as home:
        waits = lambda kind, name: home.has(kind, name, "Progressing", "True", "WaitingForCanary")  # noqa: E731
        await home.until(waits("Butler", "finance"))
        await home.until(waits("Connector", "mail"))
        await home.settled()
        assert _images(home) == dict.fromkeys(DEPLOYMENTS, OLD) | {"butler-switchboard": NEW}
        said = home.api.condition("Connector", "mail", "Progressing")["message"]
        assert said == "butlers:2 is tried by butler/switchboard first; until then butlers:1 goes on"
        written = home.api.condition("Connector", "mail", "Deployed")["message"]
        assert written.endswith("objects are as desired, the pods wait for their turn in a roll-out")
        assert home.has("Connector", "mail", "Ready", "True")()
        assert home.has("Connector", "mail", "Reconciling", "True", "WaitingForCanary")()

        _becomes_ready(home, "butler-switchboard")
        await home.until(lambda: _image(home, "butler-finance") == NEW)
        await home.settled()
        assert [_image(home, name) for name in ("butler-health", "connector-api", "connector-mail")] == [
            OLD
        ] * 3
        _becomes_ready(home, "butler-finance")
        await home.until(lambda: _image(home, "connector-api") == NEW)
        assert _image(home, "connector-mail") == OLD
        _becomes_ready(home, "connector-api")
        await home.until(lambda: set(_images(home).values()) == {NEW})


async def test_a_bad_image_stops_at_one_butler_and_the_way_back_touches_nobody_else(start: Start) -> None:
    await _runs(start)
    async with start(image=NEW) as home:
        await home.until(home.has("Connector", "mail", "Progressing", "True", "WaitingForCanary"))
        pulling = pod("Butler", "switchboard", ready=False)
        pulling["metadata"]["name"] += "-new"
        pulling["spec"] = {"containers": [{"image": NEW}]}
        state = {"waiting": {"reason": "ErrImagePull", "message": "not found"}}
        pulling["status"]["containerStatuses"] = [{"name": "butler", "image": NEW, "state": state}]
        home.api.have(pulling)
        await home.until(home.has("Butler", "switchboard", "Progressing", "False", "ImagePullFailed"))
        assert home.has("Butler", "switchboard", "Ready", "True")()
        assert home.has("Butler", "switchboard", "Stalled", "False")()

        def late(deployment: Any) -> None:
            said = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
            deployment["status"] |= {"observedGeneration": 99, "replicas": 2, "conditions": [said]}

        home.api.edit("Deployment", "butler-switchboard", late)
        await home.until(home.has("Butler", "switchboard", "Stalled", "True", "ImagePullFailed"))
        assert home.has("Butler", "switchboard", "Reconciling", "False")()
        warned = [event["reason"] for event in home.api.events() if event["type"] == "Warning"]
        assert warned == ["ImagePullFailed"]
        await home.settled()
        before = {name: home.api.condition(*who, "Progressing") for name, who in DEPLOYMENTS.items()}
        home.api.writes.clear()
    async with start(image=NEW, resync_s=1) as home:
        # Started anew in the middle: it comes to the same.
        looks = {"kind": "Connector", "outcome": "ok"}
        await home.until(lambda: home.runtime.metrics.value("butlers.operator.reconcile", **looks) >= 6)
        assert not [ident for verb, ident, _ in home.api.writes if verb in ("apply", "delete")]
        after = {name: home.api.condition(*who, "Progressing") for name, who in DEPLOYMENTS.items()}
        assert after == before
    async with start(image=OLD) as home:
        home.api.remove("Pod", "butler-switchboard-1-new")
        await home.until(lambda: _image(home, "butler-switchboard") == OLD)
        home.api.edit("Deployment", "butler-switchboard", rolled_out)
        for kind, name in DEPLOYMENTS.values():
            await home.until(home.has(kind, name, "Progressing", "True", "RolledOut"))
        applied = {ident for verb, ident, _ in home.api.writes if verb == "apply"}
        assert applied == {("Deployment", "home", "butler-switchboard")}


async def test_another_image_that_is_good_mends_it_without_anybodys_help(start: Start) -> None:
    await _runs(start)
    async with start(image=NEW) as home:
        await home.until(lambda: _image(home, "butler-switchboard") == NEW)
        await home.until(home.has("Connector", "mail", "Progressing", "True", "WaitingForCanary"))
        await home.settled()
    async with start(image=GOOD) as home:
        for name in ("butler-switchboard", "butler-finance", "connector-api"):
            await home.until(lambda name=name: _image(home, name) == GOOD)
            _becomes_ready(home, name)
        await home.until(lambda: set(_images(home).values()) == {GOOD})
        annotations = home.api.find("Deployment", "connector-mail")["metadata"]["annotations"]
        assert annotations["butlers.dev/last-ready-image"] == OLD


async def test_who_waits_still_gets_as_many_pods_as_are_wanted(start: Start) -> None:
    await _runs(start)
    async with start(image=NEW) as home:
        await home.until(home.has("Connector", "mail", "Progressing", "True", "WaitingForCanary"))
        home.api.edit("Butler", "health", lambda body: body["spec"].update(replicas=2))
        await home.until(lambda: home.api.find("Deployment", "butler-health")["spec"]["replicas"] == 2)
        assert _image(home, "butler-health") == OLD
        home.api.edit("Connector", "mail", lambda body: body["spec"].update(suspend=True))
        await home.until(lambda: home.api.find("Deployment", "connector-mail")["spec"]["replicas"] == 0)
