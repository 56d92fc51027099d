"""Services: a butler's address, and a webhook's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.pod import ConnectorService
from butler_resources.render.cluster.names import metadata_of, selector_of, service_port
from butler_resources.render.cluster.place import Place

__all__ = ["health_port", "render_butler_service", "render_webhook_service", "webhook_port"]

HEALTH_PORT: Final = 40190
WEBHOOK_PORT: Final = 40191
AFFINITY_S: Final = 10_800


def render_butler_service(butler: Butler, place: Place, owner: Mapping[str, str]) -> dict[str, Any]:
    """The butler's address."""
    service = _service(butler, place, owner, name="http", port=service_port(butler))
    if butler.spec.role == "switchboard":
        # A client of /sse posts its messages to the replica that holds its stream.
        service["spec"] |= {
            "sessionAffinity": "ClientIP",
            "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": AFFINITY_S}},
        }
    return service


def render_webhook_service(connector: Connector, place: Place, owner: Mapping[str, str]) -> dict[str, Any]:
    """The address that submitters post to."""
    service = _service(connector, place, owner, name="webhook", port=webhook_port(connector))
    wanted = None if connector.spec.webhook is None else connector.spec.webhook.service
    if wanted is not None:
        service["spec"]["type"] = wanted.type
        if wanted.annotations:
            service["metadata"]["annotations"] = dict(wanted.annotations)
    return service


def webhook_port(connector: Connector) -> int:
    """The port of a connector of type webhook."""
    webhook = connector.spec.webhook
    return WEBHOOK_PORT if webhook is None or webhook.port is None else webhook.port


def health_port(connector: Connector) -> int:
    """Return the port of a connector's health pages: never the one that its manifest uses for posts."""
    return WEBHOOK_PORT if webhook_port(connector) == HEALTH_PORT else HEALTH_PORT


def _service(
    resource: Butler | Connector, place: Place, owner: Mapping[str, str], *, name: str, port: int
) -> dict[str, Any]:
    said = resource.spec.pod.service if resource.spec.pod is not None else None
    metadata = metadata_of(resource, place.namespace, owner)
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata | ({"annotations": dict(said.annotations)} if said and said.annotations else {}),
        "spec": {
            "type": said.type if isinstance(said, ConnectorService) else "ClusterIP",
            "selector": selector_of(resource),
            "ports": [
                {"name": name, "port": port, "targetPort": name, "protocol": "TCP", "appProtocol": "http"}
            ],
        },
    }
