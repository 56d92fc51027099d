"""A webhook's Ingress and HTTPRoute against an emulated API server: made, told, and gone when nobody asks any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.cluster_resources import api_connector, database_secret, secret, switchboard

Start = Callable[..., Any]
TOKEN = {"tokenSecretRef": {"name": "webhook", "key": "token"}}
INGRESS = {"ingress": {"host": "butlers.example.org", "tlsSecretName": "butlers-tls"}}
ROUTE = {"httpRoute": {"parentRefs": [{"name": "public"}], "hostnames": ["butlers.example.org"]}}
URL = "https://butlers.example.org/v1/messages"


def _household(home: Any, **webhook: Any) -> None:
    home.api.have(database_secret())
    home.api.have(secret("webhook", token="t"))
    home.api.have(switchboard())
    home.api.have(api_connector(webhook={**TOKEN, **webhook}))


def _asks_for(home: Any, **webhook: Any) -> None:
    home.api.edit("Connector", "api", lambda body: body["spec"].update({"webhook": {**TOKEN, **webhook}}))


async def test_an_ingress_comes_and_goes_with_the_manifest_and_the_url_is_in_the_status(start: Start) -> None:
    async with start() as home:
        _household(home, **INGRESS)
        await home.until(home.has("Connector", "api", "Published", "True", "Published"))
        assert home.api.find("Connector", "api")["status"]["webhook"] == {"url": URL}
        home.api.remove("Ingress", "connector-api")
        await home.until(lambda: home.api.find("Ingress", "connector-api"))
        _asks_for(home)
        await home.until(lambda: home.api.find("Ingress", "connector-api") is None)
        await home.until(lambda: "webhook" not in home.api.find("Connector", "api")["status"])


async def test_an_ingress_is_not_deleted_by_a_manifest_that_has_been_replaced(start: Start) -> None:
    async with start() as home:
        _household(home, **INGRESS)
        await home.until(home.has("Connector", "api", "Published", "True", "Published"))
        made = home.api.find("Ingress", "connector-api")
        _asks_for(home)
        await home.until(lambda: home.api.find("Ingress", "connector-api") is None)
        await home.until(lambda: home.api.is_watched("Connector"))
        await home.settled()
        home.api.writes.clear()
        home.api.asked.clear()
        with home.api.unwatched():
            _asks_for(home, **INGRESS)
        # The watch of Connectors is behind that of Ingresses: whoever worked before had made it already.
        again = home.api.have({**made, "metadata": {**made["metadata"], "uid": "made-meanwhile"}})
        judged = ("GET /apis/butlers.dev/v1alpha1/namespaces/home/connectors/api", "DELETE")
        await home.until(lambda: any(call.startswith(judged) for call in home.api.asked))
        await home.settled()
        assert [verb for verb, ident, _ in home.api.writes if verb == "delete" or ident[0] == "Ingress"] == []
        _asks_for(home, **INGRESS)
        await home.until(home.has("Connector", "api", "Published", "True", "Published"))
        assert home.api.find("Ingress", "connector-api")["metadata"]["uid"] == again["metadata"]["uid"]


async def test_a_route_waits_for_the_gateway_api_and_goes_when_nobody_asks_any_more(start: Start) -> None:
    async with start(resync_s=1) as home:
        _household(home, **ROUTE)
        await home.until(home.has("Connector", "api", "Published", "False", "GatewayApiMissing"))
        assert home.has("Connector", "api", "Deployed", "True")()
        home.api.install_gateway_api()
        await home.until(home.has("Connector", "api", "Published", "Unknown", "Pending"))
        assert home.api.find("HTTPRoute", "connector-api")["spec"]["hostnames"] == ["butlers.example.org"]

        def taken(body: Any) -> None:
            accepted = {"type": "Accepted", "status": "True", "reason": "Accepted"}
            body["status"] = {"parents": [{"parentRef": {"name": "public"}, "conditions": [accepted]}]}

        home.api.edit("HTTPRoute", "connector-api", taken)
        await home.until(home.has("Connector", "api", "Published", "True"))
        _asks_for(home)
        await home.until(lambda: home.api.find("HTTPRoute", "connector-api") is None)
