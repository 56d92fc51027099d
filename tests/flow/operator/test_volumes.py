"""A connector's volume grows, or says why not, and nothing else waits for it; against an emulated API server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kmock

from tests.support.cluster_resources import api_connector, database_secret, secret, switchboard

Start = Callable[..., Any]
CLAIM = ("PersistentVolumeClaim", "connector-mail")


def _mail(**storage: str) -> dict[str, Any]:
    connector = api_connector("mail", "imap:a", storage=storage)
    connector["spec"] |= {
        "type": "imap",
        "imap": {"host": "h", "username": "u", "passwordSecretRef": {"name": "mail", "key": "p"}},
    }
    del connector["spec"]["webhook"]
    return connector


def _sized(size: str) -> Callable[[dict[str, Any]], None]:
    return lambda body: body["spec"].update(storage={"size": size})


async def test_a_larger_size_grows_the_volume_that_is_there_and_replaces_no_pod(start: Start) -> None:
    async with start() as home:
        for given in (database_secret(), secret("mail", p="x"), switchboard(), _mail(size="64Mi")):
            home.api.have(given)
        await home.until(home.has("Connector", "mail", "StorageCurrent", "True", "AsAsked"))
        await home.until(home.has("Connector", "mail", "Deployed", "True"))
        before, template = home.api.find(*CLAIM), home.api.find("Deployment", "connector-mail")["spec"]

        home.api.edit("Connector", "mail", _sized("1Gi"))
        await home.until(lambda: home.api.find(*CLAIM)["spec"]["resources"]["requests"]["storage"] == "1Gi")
        await home.settled()
        assert home.has("Connector", "mail", "StorageCurrent", "True", "AsAsked")()
        assert home.api.find(*CLAIM)["metadata"]["uid"] == before["metadata"]["uid"]
        assert home.api.find("Deployment", "connector-mail")["spec"] == template

        home.api.edit("Connector", "mail", lambda body: body["spec"].update(storage={"size": "64Mi"}))
        await home.until(home.has("Connector", "mail", "StorageCurrent", "False", "SizeFixed"))
        assert home.api.find(*CLAIM)["spec"]["resources"]["requests"]["storage"] == "1Gi"


async def test_a_volume_that_may_not_grow_says_so_and_the_connector_goes_on(start: Start) -> None:
    async with start(resync_s=1) as home:
        for given in (database_secret(), secret("mail", p="x"), switchboard(), _mail(size="64Mi")):
            home.api.have(given)
        await home.until(home.has("Connector", "mail", "StorageCurrent", "True"))

        def refusal(request: kmock.Request) -> kmock.KubernetesError | None:
            if request.method.value == "PATCH" and "persistentvolumeclaims" in str(request.url):
                return kmock.KubernetesError(
                    status=403, reason="Forbidden", message="the class must support resize"
                )
            return None

        home.api.outage = refusal
        home.api.edit("Connector", "mail", _sized("1Gi"))
        await home.until(home.has("Connector", "mail", "StorageCurrent", "False", "GrowthRefused"))
        message = home.api.condition("Connector", "mail", "StorageCurrent")["message"]
        assert "the class must support resize" in message
        assert "allowVolumeExpansion" in message
        await home.until(home.has("Connector", "mail", "Deployed", "True"))

        home.api.outage = lambda request: None
        await home.until(home.has("Connector", "mail", "StorageCurrent", "True", "AsAsked"))
