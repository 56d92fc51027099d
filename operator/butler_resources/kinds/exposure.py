"""How a webhook is reached from outside: its Service, an Ingress, an HTTPRoute, and whom the network lets in.

Invariant: what is not written is not rendered, and nothing opens a webhook that its manifest does not name.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import DnsName, ObjectName, ResourceModel, each_once
from butler_resources.kinds.rules import Rule

__all__ = ["SERVED_PATH", "GatewayRef", "Peer", "WebhookIngress", "WebhookRoute", "WebhookService"]

SERVED_PATH: Final = "/v1"
"""Below it is everything that a webhook serves."""

HostName = Annotated[
    str,
    StringConstraints(
        pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$", max_length=253
    ),
]
HostNames = Annotated[
    tuple[HostName, ...],
    Field(min_length=1, max_length=16, json_schema_extra={"x-kubernetes-list-type": "set"}),
    AfterValidator(each_once),
]
MetadataKey = Annotated[str, StringConstraints(max_length=317)]
LabelValue = Annotated[str, StringConstraints(max_length=63)]
Labels = Annotated[dict[MetadataKey, LabelValue], Field(min_length=1, max_length=10)]
Annotations = Annotated[
    dict[MetadataKey, Annotated[str, StringConstraints(max_length=4000)]], Field(max_length=20)
]
UrlPath = Annotated[str, StringConstraints(pattern=r"^/[-A-Za-z0-9._~/]*$", max_length=200)]

NO_SNIPPETS: Final = Rule(
    cel="!has(self.annotations) || self.annotations.all(key, !key.contains('snippet'))",
    message="a `snippet` annotation injects configuration into the controller; remove that annotation",
    holds=lambda part: not any("snippet" in key for key in part.annotations or {}),
    path=".annotations",
)
"""A controller's snippet reads whatever the controller may: more than whoever writes a Connector."""


class WebhookService(ResourceModel):
    """Service of the webhook."""

    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = Field(
        default="ClusterIP", description="Type of the Service. ClusterIP is enough behind an Ingress."
    )
    annotations: Annotations | None = Field(
        default=None, description="Annotations of the Service, such as those for a cloud load balancer."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (NO_SNIPPETS,)


class WebhookIngress(ResourceModel):
    """Ingress of the webhook."""

    host: HostName = Field(description="Host name of the webhook, such as butlers.example.org.")
    class_name: ObjectName | None = Field(
        default=None, description="IngressClass. Defaults to the default class of the cluster."
    )
    path: UrlPath = Field(
        default=SERVED_PATH,
        description="Path prefix to forward. The webhook serves /v1; the controller must strip anything before it, by "
        "an annotation.",
    )
    tls_secret_name: ObjectName | None = Field(
        default=None,
        description="Secret with the certificate, created by cert-manager. Without one: plain HTTP.",
    )
    annotations: Annotations | None = Field(
        default=None, description="Annotations of the Ingress, such as cert-manager.io/cluster-issuer."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (NO_SNIPPETS,)


class GatewayRef(ResourceModel):
    """A Gateway that accepts the route."""

    name: ObjectName = Field(description="Name of the Gateway.")
    namespace: DnsName | None = Field(
        default=None, description="Namespace of the Gateway. Defaults to the Connector's."
    )
    section_name: ObjectName | None = Field(
        default=None, description="Listener of the Gateway. Defaults to all."
    )


class WebhookRoute(ResourceModel):
    """HTTPRoute (Gateway API) of the webhook."""

    parent_refs: Annotated[
        tuple[GatewayRef, ...],
        Field(min_length=1, max_length=8, json_schema_extra={"x-kubernetes-list-type": "atomic"}),
    ] = Field(description="Gateways to attach the route to.")
    hostnames: HostNames = Field(description="Host names of the webhook.")


class Peer(ResourceModel):
    """Pods that may connect to the webhook. If both fields are set, both must match."""

    namespace_labels: Labels | None = Field(
        default=None, description="Labels of the pods' namespace, such as kubernetes.io/metadata.name."
    )
    pod_labels: Labels | None = Field(
        default=None, description="Labels of the pods. Without `namespaceLabels`, pods of the same namespace."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.namespaceLabels) || has(self.podLabels)",
            message="a peer needs `namespaceLabels`, `podLabels` or both",
            holds=lambda peer: peer.namespace_labels is not None or peer.pod_labels is not None,
        ),
    )
