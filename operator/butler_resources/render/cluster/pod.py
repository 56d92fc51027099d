"""The common parts of every household pod: the restricted profile, probes, an orderly end.

Pod Security `restricted`: not root, no privilege escalation, no capabilities, the runtime's seccomp profile, a
read-only root file system. A pod gets no token for the API server and no variables about other Services.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.names import RESTARTED_AT_ANNOTATION
from butler_resources.render.cluster.names import child_name, labels_of
from butler_resources.render.cluster.place import Paths, Place
from butler_resources.render.cluster.podparts import (
    extra_mounts,
    extra_volumes,
    grace_s,
    needs,
    scheduling,
    spread,
)

__all__ = ["PRE_STOP_S", "Mount", "container", "pod_template", "probes"]

PRE_STOP_S: Final = 5
"""A Service drops a pod a moment after the pod is told to end; until then the pod goes on serving."""
PRIVILEGED_BELOW: Final = 1024
SCRATCH_LIMIT: Final = "64Mi"


@dataclass(frozen=True)
class Mount:
    """A volume and where the container that needs it sees it."""

    name: str
    path: str
    source: Mapping[str, Any]
    """The volume's own part, `{"secret": …}` for example."""
    writable: bool = False

    def volume(self) -> dict[str, Any]:
        """The pod's side."""
        return {"name": self.name, **self.source}

    def mount(self) -> dict[str, Any]:
        """The container's side."""
        reading = {} if self.writable else {"readOnly": True}
        return {"name": self.name, "mountPath": self.path} | reading


SCRATCH: Final = Mount("tmp", Paths.SCRATCH, {"emptyDir": {"sizeLimit": SCRATCH_LIMIT}}, writable=True)


def container(
    name: str, place: Place, *, command: Sequence[str], mounts: Sequence[Mount], **rest: Any
) -> dict[str, Any]:
    """One container; `rest` are further keys of it, or others in the place of these."""
    return {
        "name": name,
        "image": place.pod.image or place.image,
        "imagePullPolicy": place.pod.image_pull_policy or place.image_pull_policy,
        "command": list(command),
        "resources": needs(place),
        # The last output of a process that cannot start is in the pod's status, for people and for the operator.
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [mount.mount() for mount in (*mounts, SCRATCH)],
    } | rest


def probes(port: str) -> dict[str, Any]:
    """Return the probes of a named port. Liveness is the event loop alone: no restart mends a database."""
    return {
        "startupProbe": _probe("/healthz", port, every_s=2, failures=90),
        "readinessProbe": _probe("/readyz", port, every_s=5, failures=3),
        "livenessProbe": _probe("/healthz", port, every_s=10, failures=3),
    }


def _probe(path: str, port: str, *, every_s: int, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": path, "port": port},
        "periodSeconds": every_s,
        "timeoutSeconds": 5,
        "failureThreshold": failures,
    }


def pod_template(
    resource: Butler | Connector,
    place: Place,
    *,
    annotations: Mapping[str, str],
    containers: Sequence[Mapping[str, Any]],
    init_containers: Sequence[Mapping[str, Any]] = (),
    mounts: Sequence[Mount],
) -> dict[str, Any]:
    """Return the pod template of `resource`; `mounts` are the volumes of all its containers."""
    spec: dict[str, Any] = {
        "serviceAccountName": child_name(resource),
        "automountServiceAccountToken": False,
        # Otherwise a Service called connector-health sets CONNECTOR_HEALTH_PORT.
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": grace_s(place),
        "securityContext": _security(place) | _low_ports(containers),
        "containers": [_with_mounts(one, extra_mounts(place)) for one in containers],
        "volumes": [*(mount.volume() for mount in (*mounts, SCRATCH)), *extra_volumes(place)],
    }
    constraints = spread(resource, place)
    if constraints:
        spec["topologySpreadConstraints"] = constraints
    if init_containers:
        # What a process of the pod may write, the steps before it do not read: they run again in a pod that restarts.
        read = [mount for mount in extra_mounts(place) if mount.get("readOnly")]
        spec["initContainers"] = [_with_mounts(one, read) for one in init_containers]
    return {
        "metadata": {
            "labels": {**(place.pod.labels or {}), **labels_of(resource)},
            "annotations": {**(place.pod.annotations or {}), **annotations, **_restarted(resource)},
        },
        "spec": spec | scheduling(place),
    }


def _restarted(resource: Butler | Connector) -> dict[str, str]:
    asked = resource.metadata.annotations.get(RESTARTED_AT_ANNOTATION)
    return {} if asked is None else {RESTARTED_AT_ANNOTATION: asked}


def _with_mounts(one: Mapping[str, Any], mounts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {**one, "volumeMounts": [*one["volumeMounts"], *mounts]}


def _security(place: Place) -> dict[str, Any]:
    fixed: dict[str, Any] = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    if place.run_as is None:
        return fixed
    group = {"runAsUser": place.run_as, "runAsGroup": place.run_as, "fsGroup": place.run_as}
    return fixed | group | {"fsGroupChangePolicy": "OnRootMismatch"}


def _low_ports(containers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Let every process in the pod use a port below 1024, if a container listens on one."""
    lowest = min(port["containerPort"] for one in containers for port in one["ports"])
    sysctl = {"name": "net.ipv4.ip_unprivileged_port_start", "value": str(lowest)}
    return {"sysctls": [sysctl]} if lowest < PRIVILEGED_BELOW else {}
