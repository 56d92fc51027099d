"""The block `pod` of Butlers and Connectors: what a team says about pods, never what keeps them safe.

Invariant: security contexts, selectors, our own mounts, tokens and the host's namespaces have no field here. What is
not said is the place's; what the API server alone can judge (`affinity`, a missing class) becomes a condition.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import ObjectName, ResourceModel, each_once
from butler_resources.kinds.disruption import DisruptionBudget
from butler_resources.kinds.extra_volumes import ExtraVolume, VolumeMount
from butler_resources.kinds.key_maps import OURS, UNSAFE, Annotations, Labels, keys_formed, keys_free
from butler_resources.kinds.quantities import Quantity, amount
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.scheduling import Affinity, Spread, Toleration

__all__ = [
    "LEAST_GRACE_S",
    "ButlerPod",
    "ConnectorPod",
    "HouseholdPod",
    "PodSettings",
    "ResourceNeeds",
]

LEAST_GRACE_S: Final = 45
"""A drain in good order; less would cut off work that is being done."""
Amounts = dict[Annotated[str, StringConstraints(max_length=100)], Quantity]


def _names_differ(volumes: tuple[ExtraVolume, ...]) -> tuple[ExtraVolume, ...]:
    each_once(tuple(volume.name for volume in volumes))
    return volumes


def _paths_differ(mounts: tuple[VolumeMount, ...]) -> tuple[VolumeMount, ...]:
    each_once(tuple(mount.mount_path for mount in mounts))
    return mounts


def _keys_differ(spreads: tuple[Spread, ...]) -> tuple[Spread, ...]:
    each_once(tuple(spread.topology_key for spread in spreads))
    return spreads


def _by(key: str) -> dict[str, object]:
    return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key]}


Image = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][-a-zA-Z0-9._:/@]*$", max_length=500)]
Tolerations = Annotated[
    tuple[Toleration, ...], Field(max_length=20, json_schema_extra={"x-kubernetes-list-type": "atomic"})
]
Spreads = Annotated[
    tuple[Spread, ...],
    Field(max_length=5, json_schema_extra=_by("topologyKey")),
    AfterValidator(_keys_differ),
]
PullSecrets = Annotated[
    tuple[ObjectName, ...],
    Field(max_length=10, json_schema_extra={"x-kubernetes-list-type": "set"}),
    AfterValidator(each_once),
]
Volumes = Annotated[
    tuple[ExtraVolume, ...],
    Field(max_length=20, json_schema_extra=_by("name")),
    AfterValidator(_names_differ),
]
Mounts = Annotated[
    tuple[VolumeMount, ...],
    Field(max_length=20, json_schema_extra=_by("mountPath")),
    AfterValidator(_paths_differ),
]


def _fits(needs: ResourceNeeds) -> bool:
    return all(
        amount(asked) <= amount(needs.limits[name])
        for name, asked in needs.requests.items()
        if name in needs.limits
    )


class ResourceNeeds(ResourceModel):
    """What a container asks for, and where it ends."""

    requests: Amounts = Field(
        default_factory=dict,
        max_length=10,
        description="Kept free for it on its node: cpu, memory, and others.",
    )
    limits: Amounts = Field(
        default_factory=dict,
        max_length=10,
        description="Most that it gets: past `memory` it is ended, past `cpu` it waits.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!has(self.requests) || !has(self.limits) || self.requests.all(name, !(name in self.limits) || "
            "quantity(string(self.requests[name])).compareTo(quantity(string(self.limits[name]))) <= 0)",
            message="a request is larger than its limit; choose a limit that is at least as large",
            holds=_fits,
        ),
    )


class PodSettings(ResourceModel):
    """What may be said of any pod. Maps and lists with keys are merged with the place's, other lists replace it."""

    resources: ResourceNeeds | None = Field(
        default=None, description="Requests and limits; each one that is not said is the place's."
    )
    node_selector: Labels | None = Field(
        default=None, max_length=20, description="Labels of the nodes that the pods may run on."
    )
    tolerations: Tolerations | None = Field(
        default=None, description="Taints they bear; an empty list bears none of the place's."
    )
    affinity: Affinity | None = Field(
        default=None, description="Nodes and pods to be near or far, as in a pod of Kubernetes."
    )
    topology_spread_constraints: Spreads | None = Field(
        default=None,
        description="Spread of its own pods; by default over nodes and zones where there are several.",
    )
    priority_class_name: ObjectName | None = Field(
        default=None, description="PriorityClass: how late the pods are evicted."
    )
    labels: Labels | None = Field(default=None, max_length=20, description="Further labels of the pods.")
    annotations: Annotations | None = Field(
        default=None, max_length=30, description="Further annotations of the pods, such as a mesh's."
    )
    service_account_annotations: Annotations | None = Field(
        default=None,
        max_length=10,
        description="Annotations of their ServiceAccount, such as a cloud's role; no pod is replaced for them.",
    )
    image: Image | None = Field(
        default=None, description="Image of the pods instead of the place's, with its tag or digest."
    )
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = Field(
        default=None, description="When the image is pulled."
    )
    image_pull_secrets: PullSecrets | None = Field(
        default=None, description="Secrets of registries; the node alone reads them."
    )
    volumes: Volumes | None = Field(
        default=None,
        description="Further volumes, for `volumeMounts`; one of the place's with the same name is replaced.",
    )
    volume_mounts: Mounts | None = Field(default=None, description="Where its containers see these volumes.")
    termination_grace_period_seconds: int | None = Field(
        default=None,
        ge=LEAST_GRACE_S,
        le=3600,
        description=f"Seconds that a pod has to end in good order; by default {LEAST_GRACE_S}.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        *(keys_formed(field) for field in ("node_selector", "labels", "annotations")),
        keys_formed("service_account_annotations"),
        keys_free("labels", OURS),
        keys_free("annotations", OURS + UNSAFE),
        keys_free("service_account_annotations", OURS),
        Rule(
            cel="!has(self.volumeMounts) || (has(self.volumes) && self.volumeMounts.all(mount, "
            "self.volumes.exists(volume, volume.name == mount.name)))",
            message="an entry of `volumeMounts` names no volume; give one of that name in `volumes`",
            holds=lambda pod: (
                {mount.name for mount in pod.volume_mounts or ()} <= {one.name for one in pod.volumes or ()}
            ),
            path=".volumeMounts",
        ),
    )


class ButlerService(ResourceModel):
    """The address of a butler."""

    annotations: Annotations = Field(
        default_factory=dict, max_length=20, description="Further annotations of its Service."
    )


class ConnectorService(ButlerService):
    """The address of a webhook."""

    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = Field(
        default="ClusterIP", description="How submitters outside of the cluster reach it."
    )


class HouseholdPod(PodSettings):
    """What a place says of all pods of a household; a resource may say otherwise."""

    disruption_budget: DisruptionBudget | None = Field(
        default=None, description="How many pods a drain may take at once; by default one."
    )


class ButlerPod(HouseholdPod):
    """The pods of a butler, their budget and their address."""

    service: ButlerService | None = Field(default=None, description="Its Service.")


class ConnectorPod(PodSettings):
    """The pod of a connector, and the address of a webhook."""

    service: ConnectorService | None = Field(default=None, description="Type webhook only: its Service.")
