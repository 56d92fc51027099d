"""What rendering needs to know about the target cluster, besides the resource that is rendered.

Invariant: references and names only, never the value of a secret; the same place and resource always give the
same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from butler_resources.kinds import Household, SecretRef
from butler_resources.kinds.names import LABEL_COMPONENT, LABEL_PART_OF, PART_OF
from butler_resources.kinds.pod import HouseholdPod, ImagePrefix, ResourceNeeds

__all__ = ["Departure", "Paths", "Place", "SparkPlace"]


def _usual_needs() -> HouseholdPod:
    """Return the default pod settings, without a CPU limit, because throttling helps nobody here."""
    needs = ResourceNeeds(requests={"cpu": "50m", "memory": "128Mi"}, limits={"memory": "512Mi"})
    return HouseholdPod(resources=needs)


@dataclass(frozen=True)
class SparkPlace:
    """How the pods of statistics on Spark are made."""

    image: str = "localhost/butlers-spark:dev"
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] = "IfNotPresent"
    cpu: str = "100m"
    """Requested by a driver; it may use more."""
    memory_mb: int = 1024
    """Heap of a driver or an executor, in MiB; Python and Java's other memory come on top."""
    run_as: int | None = 185
    """User and group, for which the image has a name; None leaves the choice to the cluster."""
    executor_account: str | None = None
    """ServiceAccount that may make executors in the household's namespace; without one drivers work alone."""
    executors: int = 1
    """Executors of a large backfill's job."""


@dataclass(frozen=True)
class Departure:
    """A butler that was deleted, and whether its data goes too."""

    butler: str
    uid: str
    drop: bool = False


@dataclass(frozen=True)
class Place:
    """One namespace with a household in it, and how its pods are to be made."""

    namespace: str
    image: str
    """Image of the services and the connectors, and always of what prepares the database."""
    operator_namespace: str
    """Namespace of the operator's own pod."""
    operator_pods: Mapping[str, str] = field(
        default_factory=lambda: {
            LABEL_COMPONENT: "operator",
            LABEL_PART_OF: PART_OF,
        }
    )
    """Labels of the operator's own pod."""
    dashboard_pods: Mapping[str, str] = field(default_factory=dict)
    """Labels of the dashboard's pods in this namespace, where people act; if empty, nobody acts there."""
    dashboard_operators: Sequence[str] = ()
    """ServiceAccounts of this namespace whose tokens are an operator's, one per person (D80)."""
    database: SecretRef = field(default_factory=lambda: SecretRef(name="butlers-postgresql", key="uri"))
    """URL of the database's administrator; only init containers see it."""
    database_port: int = 5432
    database_pods: Mapping[str, str] = field(default_factory=dict)
    """Labels of the database's pods in this namespace; if empty, it is elsewhere and reached by port."""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] = "IfNotPresent"
    image_pull_secrets: Sequence[str] = ()
    allowed_images: Sequence[ImagePrefix] = ()
    """What a manifest's own image may begin with; a manifest may name no other but `image`."""
    run_as: int | None = 65532
    """User and group of every process; None leaves the choice to the cluster (OpenShift)."""
    pod: HouseholdPod = field(default_factory=_usual_needs)
    """Settings of every pod whose manifest sets nothing else."""
    storage_class: str | None = None
    """Class of the connectors' volumes; None takes the cluster's default."""
    storage_size: str = "64Mi"
    extra_egress_ports: Sequence[int] = ()
    """TCP ports that every pod of the household may also reach: a proxy, a collector, a model's provider."""
    spark: SparkPlace = field(default_factory=SparkPlace)
    metrics_namespace: str | None = None
    """Namespace whose pods may read /metrics; None allows nobody."""
    progress_deadline_s: int = 600
    """A rollout without a new ready pod for this long is stalled."""
    by_label: bool = False
    """Whether only its label selected the namespace, so that the chart could render nothing into it."""
    gateway_api: bool = False
    """Whether the cluster has HTTPRoutes."""
    log_level: str = "info"
    log_format: str = "json"
    household: Household = field(default_factory=Household)
    """The namespace's Switchboard's settings for all of its butlers (D83)."""
    departures: Sequence[Departure] = ()
    """Butlers whose part of the database Switchboard's next pod closes or drops, until the name is back."""


class Paths:
    """Where a pod of the household finds its files."""

    CONFIG: Final = "/etc/butlers/config"
    TRUST: Final = "/etc/butlers/trust"
    SIGNING: Final = "/etc/butlers/signing"
    CONTACTS: Final = "/etc/butlers/contacts"
    INSTRUCTIONS: Final = "/etc/butlers/instructions"
    AUTHORITIES: Final = "/etc/butlers/authorities"
    TOKENS: Final = "/var/run/butlers/tokens"
    DATABASE: Final = "/run/butlers/database"
    ADMIN: Final = "/run/butlers/admin"
    CHECKPOINT: Final = "/var/lib/butlers"
    SCRATCH: Final = "/tmp"  # noqa: S108 - an own volume of the pod
