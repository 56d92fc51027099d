"""API paths of every kind that the operator reads or writes; a missing kind is a programming error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from butler_resources.kinds.names import GROUP, VERSION

__all__ = [
    "CHILD_KINDS",
    "OWN_KINDS",
    "POD",
    "ROUTE_KINDS",
    "RUN_KINDS",
    "SCHEDULE_KINDS",
    "ApiKind",
    "api_kind",
    "path_of",
]


@dataclass(frozen=True)
class ApiKind:
    """One kind as the API serves it; `group` is empty for the core."""

    group: str
    version: str
    kind: str
    plural: str

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def root(self) -> str:
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


OWN_KINDS: Final = (
    ApiKind(GROUP, VERSION, "Butler", "butlers"),
    ApiKind(GROUP, VERSION, "Connector", "connectors"),
    ApiKind(GROUP, VERSION, "BackfillJob", "backfilljobs"),
    ApiKind(GROUP, VERSION, "ButlerOperation", "butleroperations"),
)
CHILD_KINDS: Final = (
    ApiKind("apps", "v1", "Deployment", "deployments"),
    ApiKind("", "v1", "Service", "services"),
    ApiKind("", "v1", "ServiceAccount", "serviceaccounts"),
    ApiKind("", "v1", "ConfigMap", "configmaps"),
    ApiKind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
    ApiKind("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"),
    ApiKind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"),
    ApiKind("networking.k8s.io", "v1", "Ingress", "ingresses"),
)
"""Kinds the operator creates, in the order in which it creates and watches them; pods are only watched."""
ROUTE_KINDS: Final = (ApiKind("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes"),)
"""Created for webhooks where the cluster has the kind; read by name instead of watched."""
SCHEDULE_KINDS: Final = (
    ApiKind("batch", "v1", "CronJob", "cronjobs"),
    ApiKind("sparkoperator.k8s.io", "v1beta2", "ScheduledSparkApplication", "scheduledsparkapplications"),
)
"""Created for statistics; listed now and then instead of watched: the second may not be installed."""
RUN_KINDS: Final = (
    ApiKind("batch", "v1", "Job", "jobs"),
    ApiKind("sparkoperator.k8s.io", "v1beta2", "SparkApplication", "sparkapplications"),
)
"""The runs that the schedules create, in the same order."""
POD: Final = ApiKind("", "v1", "Pod", "pods")
_OTHERS: Final = (
    POD,
    ApiKind("", "v1", "Secret", "secrets"),
    ApiKind("events.k8s.io", "v1", "Event", "events"),
    ApiKind("coordination.k8s.io", "v1", "Lease", "leases"),
)
_BY_KIND: Final = {
    known.kind: known
    for known in (*OWN_KINDS, *CHILD_KINDS, *ROUTE_KINDS, *SCHEDULE_KINDS, *RUN_KINDS, *_OTHERS)
}


def api_kind(kind: str) -> ApiKind:
    """Return the kind of that name; `KeyError` for one that the operator does not use."""
    return _BY_KIND[kind]


def path_of(kind: str, namespace: str, name: str | None = None, *, subresource: str | None = None) -> str:
    """Return the path of one object, or of all in a namespace when `name` is None."""
    known = _BY_KIND[kind]
    parts = [known.root, "namespaces", namespace, known.plural]
    parts += [part for part in (name, subresource) if part is not None]
    return "/".join(parts)
