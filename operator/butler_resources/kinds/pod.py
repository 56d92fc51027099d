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
    "ImagePrefix",
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
ImagePrefix = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][-a-zA-Z0-9._:/@]*[/:@]$", max_length=300)]
"""A registry or a folder in it (`…/`), or a repository (`…:`, `…@`); without its end it would be a part of a name."""
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
    """Resource requests and limits of a container."""

    requests: Amounts = Field(
        default_factory=dict,
        max_length=10,
        description="Resources reserved on its node: cpu, memory, and others.",
    )
    limits: Amounts = Field(
        default_factory=dict,
        max_length=10,
        description="Maximum resources: over `memory` it is killed, over `cpu` it is throttled.",
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
    """Settings of any pod. Maps and keyed lists are merged with the installation's, other lists replace them."""

    resources: ResourceNeeds | None = Field(
        default=None, description="Requests and limits. Each value defaults to the installation's."
    )
    node_selector: Labels | None = Field(
        default=None, max_length=20, description="Labels of the nodes that the pods may run on."
    )
    tolerations: Tolerations | None = Field(
        default=None, description="Taints that the pods tolerate. An empty list removes the installation's."
    )
    affinity: Affinity | None = Field(
        default=None, description="Affinity to nodes and pods, as in a Kubernetes pod."
    )
    topology_spread_constraints: Spreads | None = Field(
        default=None,
        description="Spread of its own pods. Defaults to nodes and zones, where there are several.",
    )
    priority_class_name: ObjectName | None = Field(default=None, description="PriorityClass of the pods.")
    labels: Labels | None = Field(default=None, max_length=20, description="Additional labels of the pods.")
    annotations: Annotations | None = Field(
        default=None,
        max_length=30,
        description="Additional annotations of the pods, such as those of a service mesh.",
    )
    service_account_annotations: Annotations | None = Field(
        default=None,
        max_length=10,
        description="Annotations of their ServiceAccount, such as a cloud role. A change replaces no pods.",
    )
    image: Image | None = Field(
        default=None,
        description="Image of the process, with tag or digest, instead of the installation's. It has to be one that "
        "the installation allows (`household.allowedImages`); a Switchboard has none of its own.",
    )
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = Field(
        default=None, description="When to pull the image."
    )
    image_pull_secrets: PullSecrets | None = Field(
        default=None, description="Secrets of registries, besides the installation's. Read only by the node."
    )
    volumes: Volumes | None = Field(
        default=None,
        description="Additional volumes, for `volumeMounts`. They replace the installation's volumes of the same name.",
    )
    volume_mounts: Mounts | None = Field(
        default=None, description="Mounts of these volumes in its containers."
    )
    termination_grace_period_seconds: int | None = Field(
        default=None,
        ge=LEAST_GRACE_S,
        le=3600,
        description=f"Seconds for a pod to shut down gracefully. Defaults to {LEAST_GRACE_S}.",
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
            message="an entry of `volumeMounts` names an unknown volume; give one of that name in `volumes`",
            holds=lambda pod: (
                {mount.name for mount in pod.volume_mounts or ()} <= {one.name for one in pod.volumes or ()}
            ),
            path=".volumeMounts",
        ),
    )


class ButlerService(ResourceModel):
    """Service of a butler."""

    annotations: Annotations = Field(
        default_factory=dict, max_length=20, description="Additional annotations of its Service."
    )


class ConnectorService(ButlerService):
    """Service of a webhook."""

    type: Literal["ClusterIP", "NodePort", "LoadBalancer"] = Field(
        default="ClusterIP", description="How submitters outside the cluster reach it."
    )


class HouseholdPod(PodSettings):
    """Settings of all pods of a household. A resource may override them."""

    disruption_budget: DisruptionBudget | None = Field(
        default=None, description="How many pods a drain may evict at once. Defaults to one."
    )


class ButlerPod(HouseholdPod):
    """Pods of a butler, their disruption budget and Service."""

    service: ButlerService | None = Field(default=None, description="Service of the butler.")


class ConnectorPod(PodSettings):
    """Pods of a connector, and the Service of a webhook."""

    service: ConnectorService | None = Field(default=None, description="Type webhook only: its Service.")
