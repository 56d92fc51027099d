"""Expose a webhook to the outside: Ingress and HTTPRoute, and the URL that they publish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_resources.kinds import Connector
from butler_resources.kinds.connector import Webhook
from butler_resources.kinds.exposure import SERVED_PATH, GatewayRef
from butler_resources.render.cluster.names import child_name, metadata_of
from butler_resources.render.cluster.place import Place
from butler_resources.render.cluster.service import webhook_port

__all__ = ["GATEWAY_API", "published_at", "render_httproute", "render_ingress", "webhook_peers"]

GATEWAY_API: Final = "gateway.networking.k8s.io/v1"
Manifest = dict[str, Any]


def published_at(webhook: Webhook | None) -> str | None:
    """Return the public URL for posts; None if nothing publishes it. A Gateway is taken to terminate TLS."""
    if webhook is None:
        return None
    if (ingress := webhook.ingress) is not None:
        scheme = "http" if ingress.tls_secret_name is None else "https"
        before = ingress.path.rstrip("/").removesuffix(SERVED_PATH)
        return f"{scheme}://{ingress.host}{before}{SERVED_PATH}/messages"
    if webhook.http_route is not None:
        return f"https://{webhook.http_route.hostnames[0]}{SERVED_PATH}/messages"
    return None


def render_ingress(connector: Connector, place: Place, owner: Mapping[str, str]) -> Manifest | None:
    """The Ingress that the manifest asks for."""
    ingress = None if connector.spec.webhook is None else connector.spec.webhook.ingress
    if ingress is None:
        return None
    backend = {"service": {"name": child_name(connector), "port": {"name": "webhook"}}}
    path = {"path": ingress.path, "pathType": "Prefix", "backend": backend}
    spec: Manifest = {"rules": [{"host": ingress.host, "http": {"paths": [path]}}]}
    if ingress.class_name is not None:
        spec["ingressClassName"] = ingress.class_name
    if ingress.tls_secret_name is not None:
        spec["tls"] = [{"hosts": [ingress.host], "secretName": ingress.tls_secret_name}]
    metadata = metadata_of(connector, place.namespace, owner)
    if ingress.annotations:
        metadata["annotations"] = dict(ingress.annotations)
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": spec}


def render_httproute(connector: Connector, place: Place, owner: Mapping[str, str]) -> Manifest | None:
    """The HTTPRoute that the manifest asks for, where the cluster has that kind."""
    route = None if connector.spec.webhook is None else connector.spec.webhook.http_route
    if route is None or not place.gateway_api:
        return None
    return {
        "apiVersion": GATEWAY_API,
        "kind": "HTTPRoute",
        "metadata": metadata_of(connector, place.namespace, owner),
        "spec": {
            "parentRefs": [_parent(ref) for ref in route.parent_refs],
            "hostnames": list(route.hostnames),
            "rules": [
                {
                    "matches": [{"path": {"type": "PathPrefix", "value": SERVED_PATH}}],
                    "backendRefs": [{"name": child_name(connector), "port": webhook_port(connector)}],
                }
            ],
        },
    }


def _parent(ref: GatewayRef) -> dict[str, str]:
    wanted = {"name": ref.name, "namespace": ref.namespace, "sectionName": ref.section_name}
    return {key: value for key, value in wanted.items() if value is not None}


def webhook_peers(webhook: Webhook) -> list[Manifest]:
    """Return the NetworkPolicy peers that may reach the webhook; empty means everybody."""
    return [
        {
            name: {"matchLabels": dict(labels)}
            for name, labels in (
                ("namespaceSelector", peer.namespace_labels),
                ("podSelector", peer.pod_labels),
            )
            if labels is not None
        }
        for peer in webhook.allow_from
    ]
