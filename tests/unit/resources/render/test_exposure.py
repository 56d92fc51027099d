"""A webhook from outside: what its manifest asks for is what is made, and nothing is opened that it does not name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from butler_operator.reconcile.published import published
from butler_resources.kinds import Connector, ManifestError, parse_object
from butler_resources.render.cluster import render_connector
from butler_resources.render.cluster.exposure import published_at
from tests.support.cluster_resources import api_connector
from tests.support.kubernetes_schemas import check_object
from tests.unit.resources.render.households import PLACE

OWNER = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Connector", "name": "api", "uid": "u"}
TOKEN = {"tokenSecretRef": {"name": "webhook", "key": "token"}}
INGRESS = {
    "className": "nginx",
    "host": "butlers.example.org",
    "tlsSecretName": "butlers-tls",
    "annotations": {"cert-manager.io/cluster-issuer": "letsencrypt"},
}
ROUTE = {"parentRefs": [{"name": "public", "namespace": "gateways"}], "hostnames": ["butlers.example.org"]}


def connector(**webhook: Any) -> Connector:
    return parse_object(Connector, api_connector(webhook={**TOKEN, **webhook}))


def made(kind: str, *, gateway_api: bool = True, **webhook: Any) -> dict[str, Any] | None:
    place = replace(PLACE, gateway_api=gateway_api)
    objects = render_connector(connector(**webhook), place, owner=OWNER, inputs={})
    return next((one for one in objects if one["kind"] == kind), None)


def test_a_webhook_that_asks_for_nothing_is_reached_inside_the_cluster_only() -> None:
    assert made("Ingress") is None
    assert made("HTTPRoute") is None
    service = made("Service")
    assert service is not None
    assert service["spec"]["type"] == "ClusterIP"
    assert published_at(connector().spec.webhook) is None


def test_an_ingress_leads_to_the_service_with_the_certificate_that_was_named() -> None:
    ingress = made("Ingress", ingress=INGRESS)
    assert ingress is not None
    check_object(ingress)
    assert ingress["metadata"]["annotations"] == INGRESS["annotations"]
    assert ingress["metadata"]["ownerReferences"][0]["uid"] == "u"
    spec = ingress["spec"]
    assert spec["ingressClassName"] == "nginx"
    assert spec["tls"] == [{"hosts": ["butlers.example.org"], "secretName": "butlers-tls"}]
    (path,) = spec["rules"][0]["http"]["paths"]
    assert (path["path"], path["pathType"]) == ("/v1", "Prefix")
    assert path["backend"]["service"] == {"name": "connector-api", "port": {"name": "webhook"}}


def test_a_route_is_made_only_where_the_cluster_has_the_kind() -> None:
    route = made("HTTPRoute", httpRoute=ROUTE)
    assert route is not None
    assert route["spec"]["parentRefs"] == [{"name": "public", "namespace": "gateways"}]
    (rule,) = route["spec"]["rules"]
    assert rule["backendRefs"] == [{"name": "connector-api", "port": 40191}]
    assert made("HTTPRoute", httpRoute=ROUTE, gateway_api=False) is None


def test_the_service_has_the_type_and_annotations_that_were_named() -> None:
    service = made("Service", service={"type": "LoadBalancer", "annotations": {"lb.example.org/size": "s"}})
    assert service is not None
    assert service["spec"]["type"] == "LoadBalancer"
    assert service["metadata"]["annotations"] == {"lb.example.org/size": "s"}


def test_only_the_peers_that_were_named_reach_it() -> None:
    controller = {"kubernetes.io/metadata.name": "ingress-nginx"}
    policy = made(
        "NetworkPolicy", allowFrom=[{"namespaceLabels": controller}, {"podLabels": {"app": "door"}}]
    )
    open_to_all = made("NetworkPolicy")
    assert policy is not None
    assert open_to_all is not None
    check_object(policy)
    (rule,) = [rule for rule in policy["spec"]["ingress"] if rule["ports"][0]["port"] == "webhook"]
    assert rule["from"] == [
        {"namespaceSelector": {"matchLabels": controller}},
        {"podSelector": {"matchLabels": {"app": "door"}}},
    ]
    (rule,) = [rule for rule in open_to_all["spec"]["ingress"] if rule["ports"][0]["port"] == "webhook"]
    assert "from" not in rule


@pytest.mark.parametrize(
    ("webhook", "words"),
    [
        ({"ingress": {**INGRESS, "annotations": {"nginx/server-snippet": "x"}}}, "remove that annotation"),
        ({"service": {"annotations": {"a/configuration-snippet": "x"}}}, "remove that annotation"),
        ({"allowFrom": [{}]}, "a peer needs `namespaceLabels`"),
        ({"ingress": {"host": "Mars/Olympus"}}, "host"),
        ({"ingress": {"host": "a.example.org", "path": "v1"}}, "path"),
        ({"httpRoute": {"parentRefs": [], "hostnames": ["a.example.org"]}}, "parentRefs"),
    ],
)
def test_what_would_open_more_than_a_webhook_is_refused_in_words(webhook: Any, words: str) -> None:
    with pytest.raises(ManifestError, match=words):
        connector(**webhook)


@pytest.mark.parametrize(
    ("webhook", "url"),
    [
        ({"ingress": INGRESS}, "https://butlers.example.org/v1/messages"),
        ({"ingress": {"host": "a.example.org", "path": "/"}}, "http://a.example.org/v1/messages"),
        (
            {"ingress": {"host": "a.example.org", "path": "/house/v1"}},
            "http://a.example.org/house/v1/messages",
        ),
        ({"httpRoute": ROUTE}, "https://butlers.example.org/v1/messages"),
    ],
)
def test_the_url_is_where_people_post(webhook: Any, url: str) -> None:
    assert published_at(connector(**webhook).spec.webhook) == url


def test_what_a_gateway_says_of_the_route_is_told() -> None:
    webhook = connector(httpRoute=ROUTE).spec.webhook
    assert webhook is not None

    def told(*conditions: dict[str, str], gateway_api: bool = True) -> tuple[str, str]:
        route = {"status": {"parents": [{"conditions": list(conditions)}]}}
        found = published(webhook, route, gateway_api=gateway_api)
        assert found is not None
        return found.status, found.reason

    assert told(gateway_api=False) == ("False", "GatewayApiMissing")
    assert told() == ("Unknown", "Pending")
    assert told({"type": "Accepted", "status": "True"}) == ("True", "Published")
    refused = {"type": "Accepted", "status": "False", "message": "no listener has this name"}
    assert told(refused) == ("False", "RouteRefused")
