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
    message="a `snippet` puts configuration of its own into the controller; remove that annotation",
    holds=lambda part: not any("snippet" in key for key in part.annotations or {}),
    path=".annotations",
)
"""A controller's snippet reads whatever the controller may: more than whoever writes a Connector."""


class WebhookService(ResourceModel):
    """The webhook's Service."""

    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = Field(
        default="ClusterIP", description="How the Service is reached; behind an Ingress ClusterIP is enough."
    )
    annotations: Annotations | None = Field(
        default=None, description="Annotations of the Service, such as a cloud's for its load balancer."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (NO_SNIPPETS,)


class WebhookIngress(ResourceModel):
    """An Ingress for the webhook."""

    host: HostName = Field(description="Name under which it is reached, such as butlers.example.org.")
    class_name: ObjectName | None = Field(
        default=None, description="IngressClass; by default the cluster's own default class."
    )
    path: UrlPath = Field(
        default=SERVED_PATH,
        description="What begins so is passed on. The webhook serves /v1; anything in front of that has to be taken "
        "off by the controller, by an annotation.",
    )
    tls_secret_name: ObjectName | None = Field(
        default=None,
        description="Secret with the certificate; cert-manager makes it. Without one: plain HTTP.",
    )
    annotations: Annotations | None = Field(
        default=None, description="Annotations of the Ingress, such as cert-manager.io/cluster-issuer."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (NO_SNIPPETS,)


class GatewayRef(ResourceModel):
    """A Gateway that takes the route."""

    name: ObjectName = Field(description="Name of the Gateway.")
    namespace: DnsName | None = Field(default=None, description="Its namespace; by default the Connector's.")
    section_name: ObjectName | None = Field(default=None, description="One listener of it; by default all.")


class WebhookRoute(ResourceModel):
    """An HTTPRoute of the Gateway API for the webhook."""

    parent_refs: Annotated[
        tuple[GatewayRef, ...],
        Field(min_length=1, max_length=8, json_schema_extra={"x-kubernetes-list-type": "atomic"}),
    ] = Field(description="Gateways that take it.")
    hostnames: HostNames = Field(description="Names under which it is reached.")


class Peer(ResourceModel):
    """Pods that may reach the webhook; both labels given: pods so labelled in namespaces so labelled."""

    namespace_labels: Labels | None = Field(
        default=None, description="Labels of their namespace, such as kubernetes.io/metadata.name."
    )
    pod_labels: Labels | None = Field(
        default=None, description="Labels of the pods; without `namespaceLabels` those of the same namespace."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.namespaceLabels) || has(self.podLabels)",
            message="says of nobody that they may come; give `namespaceLabels`, `podLabels` or both",
            holds=lambda peer: peer.namespace_labels is not None or peer.pod_labels is not None,
        ),
    )
