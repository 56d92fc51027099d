"""Pod settings in Kubernetes' form; `kinds/pod.py` documents what each of them means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.extra_volumes import ExtraVolume, Item
from butler_resources.kinds.pod import LEAST_GRACE_S, ResourceNeeds
from butler_resources.kinds.quantities import canonical
from butler_resources.render.cluster.names import selector_of
from butler_resources.render.cluster.place import Place

__all__ = ["GROUP_READS", "extra_mounts", "extra_volumes", "grace_s", "needs", "scheduling", "spread"]

PREFIX: Final = "extra-"
"""Prefix of a manifest's volumes, so that none has the name of one of ours."""
GROUP_READS: Final = 0o440
Manifest = dict[str, Any]


def needs(place: Place) -> Manifest:
    """A container's `resources`."""
    wanted = place.pod.resources or ResourceNeeds()
    made = {"requests": wanted.requests, "limits": wanted.limits}
    return {
        key: {name: canonical(value) for name, value in found.items()} for key, found in made.items() if found
    }


def grace_s(place: Place) -> int:
    """How long a pod may take to end."""
    return place.pod.termination_grace_period_seconds or LEAST_GRACE_S


def scheduling(place: Place) -> Manifest:
    """Where a pod may run, and how late it is evicted."""
    pod = place.pod
    wanted: Manifest = {
        "imagePullSecrets": [{"name": name} for name in _pull_secrets(place)],
        "nodeSelector": dict(pod.node_selector or {}),
        "tolerations": [_said(toleration) for toleration in pod.tolerations or ()],
        "affinity": _said(pod.affinity) if pod.affinity is not None else {},
        "priorityClassName": pod.priority_class_name,
    }
    return {key: value for key, value in wanted.items() if value}


def _pull_secrets(place: Place) -> list[str]:
    """The installation's, for a butler's init step, then those of the pods' own image."""
    return list(dict.fromkeys((*place.image_pull_secrets, *(place.pod.image_pull_secrets or ()))))


def spread(resource: Butler | Connector, place: Place) -> list[Manifest]:
    """Spread pods over nodes and zones where there are several, unless manifest or place says otherwise."""
    said = place.pod.topology_spread_constraints
    if said is not None:
        return [_constraint(resource, **_said(one, defaults=True)) for one in said]
    if isinstance(resource, Connector) and resource.spec.replicas < 2:
        return []
    return [_constraint(resource, topologyKey=key) for key in NODES_AND_ZONES]


NODES_AND_ZONES: Final = ("kubernetes.io/hostname", "topology.kubernetes.io/zone")


def _constraint(resource: Butler | Connector, **said: Any) -> Manifest:
    return {
        "maxSkew": 1,
        "topologyKey": "",
        "whenUnsatisfiable": "ScheduleAnyway",
        **said,
        "labelSelector": {"matchLabels": selector_of(resource)},
        "matchLabelKeys": ["pod-template-hash"],
    }


def extra_volumes(place: Place) -> list[Manifest]:
    """The further volumes of a pod."""
    return [{"name": f"{PREFIX}{volume.name}"} | _source(volume) for volume in place.pod.volumes or ()]


def extra_mounts(place: Place) -> list[Manifest]:
    """Return the mounts of the further volumes."""
    writable = {volume.name for volume in place.pod.volumes or () if volume.empty_dir is not None}
    return [
        {"name": f"{PREFIX}{mount.name}", "mountPath": mount.mount_path}
        | ({} if mount.name in writable else {"readOnly": True})
        for mount in place.pod.volume_mounts or ()
    ]


def _source(volume: ExtraVolume) -> Manifest:
    if volume.empty_dir is not None:
        limit = {"sizeLimit": canonical(volume.empty_dir.size_limit)}
        return {"emptyDir": _said(volume.empty_dir) | limit}
    if volume.secret is not None:
        secret = {"secretName": volume.secret.secret_name, "items": _items(volume.secret.items)}
        return {"secret": secret | {"defaultMode": GROUP_READS}}
    if volume.projected is not None:
        sources = [_said(source) for source in volume.projected.sources]
        return {"projected": {"sources": sources, "defaultMode": GROUP_READS}}
    if volume.csi is not None:
        return {"csi": _said(volume.csi) | {"readOnly": True}}
    return {"configMap": _said(volume.config_map)}


def _items(items: tuple[Item, ...]) -> list[Manifest]:
    return [_said(item) for item in items]


def _said(model: Any, *, defaults: bool = False) -> Manifest:
    """Return a manifest's settings with Kubernetes' own keys."""
    made: Mapping[str, Any] = model.model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude_defaults=not defaults
    )
    return dict(made)
