"""Names, labels and addresses on a cluster, defined here only.

Invariant: no two resources share a child. A Butler's children are `butler-NAME`, a Connector's
`connector-NAME`, and no such name is also one of the chart's, which begin with `butlers-`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.names import (
    KIND_LABEL,
    LABEL_COMPONENT,
    LABEL_INSTANCE,
    LABEL_MANAGED_BY,
    LABEL_NAME,
    LABEL_PART_OF,
    MANAGED_BY,
    NAME_LABEL,
    PART_OF,
)
from butler_resources.render.profiles import defaults_of

__all__ = [
    "CONFIG_HASH",
    "READER",
    "SIGNING_SECRET",
    "TOKEN_AUDIENCE",
    "TRUST_CONFIGMAP",
    "child_name",
    "labels_of",
    "metadata_of",
    "selector_of",
    "service_hosts",
    "service_port",
    "service_url",
    "subject_of",
    "switchboard_url",
]

TRUST_CONFIGMAP: Final = "butlers-trust"
SIGNING_SECRET: Final = "switchboard-signing"  # noqa: S105 - the name of a secret
TOKEN_AUDIENCE: Final = "butlers.dev/switchboard"  # noqa: S105 - who a token is for
CONFIG_HASH: Final = "butlers.dev/config-hash"
READER: Final = "butlers-reader"
"""ServiceAccount whose token `kubectl butler` reads with; the chart makes it in the namespaces that it knows."""
SWITCHBOARD_PORT: Final = 40100


def child_name(resource: Butler | Connector) -> str:
    """The name of every child of `resource`."""
    return f"{_kind(resource)}-{resource.name}"


def selector_of(resource: Butler | Connector) -> dict[str, str]:
    """The labels that select exactly the pods of `resource`; a Deployment can never change them."""
    return {
        LABEL_NAME: _kind(resource),
        LABEL_INSTANCE: resource.name,
    }


def labels_of(resource: Butler | Connector) -> dict[str, str]:
    """The labels of every child of `resource` and of its pods."""
    component = resource.spec.role if isinstance(resource, Butler) else resource.spec.type
    return selector_of(resource) | {
        LABEL_COMPONENT: component,
        LABEL_PART_OF: PART_OF,
        LABEL_MANAGED_BY: MANAGED_BY,
        KIND_LABEL: resource.kind,
        NAME_LABEL: resource.name,
    }


def metadata_of(resource: Butler | Connector, namespace: str, owner: Mapping[str, str]) -> dict[str, Any]:
    """The metadata of a child; deleting its owner deletes it."""
    return {
        "name": child_name(resource),
        "namespace": namespace,
        "labels": labels_of(resource),
        "ownerReferences": [
            {
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": owner["name"],
                "uid": owner["uid"],
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }


def service_port(butler: Butler) -> int:
    """The port of the butler's Service.

    It is that of the role or profile, whatever the process's `spec.port`: an address that others know must not
    move when one manifest changes.
    """
    return defaults_of(butler).port


def service_url(butler: Butler, namespace: str) -> str:
    """Return the URL of `butler` inside the cluster, without a path."""
    return f"http://{child_name(butler)}.{namespace}.svc:{service_port(butler)}"


def service_hosts(butler: Butler, namespace: str) -> tuple[str, ...]:
    """Return the host names of the butler's Service, from the shortest to the full one."""
    name = child_name(butler)
    return name, f"{name}.{namespace}", f"{name}.{namespace}.svc", f"{name}.{namespace}.svc.cluster.local"


def switchboard_url(name: str, namespace: str) -> str:
    """MCP endpoint of the Switchboard of that name."""
    return f"http://butler-{name}.{namespace}.svc:{SWITCHBOARD_PORT}/mcp"


def subject_of(resource: Butler | Connector, namespace: str) -> str:
    """Return the subject of the projected tokens of the resource's pods."""
    return f"system:serviceaccount:{namespace}:{child_name(resource)}"


def _kind(resource: Butler | Connector) -> str:
    return resource.kind.lower()
