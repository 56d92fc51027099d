"""Where pods may run, in the words of Kubernetes: tolerations, affinity, spread over nodes and zones.

What is compared with labels of pods is always the resource's own: nobody writes a selector that could go stale.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, JsonValue, StringConstraints

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.rules import Rule

__all__ = ["Affinity", "LabelKey", "LabelValue", "Spread", "Toleration"]

LabelKey = Annotated[str, StringConstraints(min_length=1, max_length=317)]
LabelValue = Annotated[
    str, StringConstraints(pattern=r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$", max_length=63)
]


def _passed_on(description: str) -> Any:
    opaque: dict[str, JsonValue] = {"x-kubernetes-preserve-unknown-fields": True}
    return Field(default=None, max_length=10, description=description, json_schema_extra=opaque)


class Toleration(ResourceModel):
    """A taint that the pods tolerate."""

    key: LabelKey | None = Field(
        default=None, description="Key of the taint. Without one, every taint matches."
    )
    operator: Literal["Exists", "Equal"] = Field(default="Equal", description="How `value` is compared.")
    value: LabelValue | None = Field(default=None, description="Value of the taint, for operator Equal.")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = Field(
        default=None, description="Effect of the taint. Without one, every effect matches."
    )
    toleration_seconds: int | None = Field(
        default=None,
        ge=0,
        le=86_400,
        description="Seconds to tolerate a NoExecute taint. Without it, forever.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.key) || self.operator == 'Exists'",
            message="a toleration without `key` needs `operator: Exists`",
            holds=lambda entry: entry.key is not None or entry.operator == "Exists",
        ),
        Rule(
            cel="self.operator != 'Exists' || !has(self.value)",
            message="`operator: Exists` compares no value; remove `value`",
            holds=lambda entry: entry.operator != "Exists" or entry.value is None,
        ),
        Rule(
            cel="!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')",
            message="`tolerationSeconds` needs `effect: NoExecute`",
            holds=lambda entry: entry.toleration_seconds is None or entry.effect == "NoExecute",
        ),
    )


class Affinity(ResourceModel):
    """Affinity to nodes and pods, as in a pod. The API server validates it when the pods are created."""

    node_affinity: dict[str, object] | None = _passed_on("`nodeAffinity` of a pod, passed on unchanged.")
    pod_affinity: dict[str, object] | None = _passed_on("`podAffinity` of a pod, passed on unchanged.")
    pod_anti_affinity: dict[str, object] | None = _passed_on(
        "`podAntiAffinity` of a pod, passed on unchanged."
    )


class Spread(ResourceModel):
    """How evenly to spread the pods of this resource over the values of a node label."""

    topology_key: LabelKey = Field(description="Label of nodes, such as topology.kubernetes.io/zone.")
    max_skew: int = Field(
        default=1, ge=1, le=50, description="Maximum difference in pods between two values."
    )
    when_unsatisfiable: Literal["ScheduleAnyway", "DoNotSchedule"] = Field(
        default="ScheduleAnyway", description="Whether a pod waits if the constraint cannot be met."
    )
    min_domains: int | None = Field(
        default=None, ge=1, le=50, description="Minimum number of values, for DoNotSchedule."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!has(self.minDomains) || self.whenUnsatisfiable == 'DoNotSchedule'",
            message="`minDomains` needs `whenUnsatisfiable: DoNotSchedule`",
            holds=lambda entry: entry.min_domains is None or entry.when_unsatisfiable == "DoNotSchedule",
        ),
    )
