"""Merge a manifest's pod settings over the place's: the place as this one resource sees it.

Invariant: maps and lists with keys are merged, and the manifest's entry wins; any other setting is the manifest's if
it has one. An inherited request or limit yields to one in the manifest, so that no merge asks for more than its own
limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.pod import HouseholdPod, PodSettings, ResourceNeeds
from butler_resources.kinds.quantities import Quantity, amount
from butler_resources.kinds.scheduling import Affinity
from butler_resources.render.cluster.place import Place

__all__ = ["merged", "settled"]

MAPS: Final = ("node_selector", "labels", "annotations", "service_account_annotations")
KEYED: Final[Mapping[str, Callable[[Any], str]]] = {
    "volumes": lambda volume: str(volume.name),
    "volume_mounts": lambda mount: str(mount.mount_path),
}
Entry = TypeVar("Entry")


def settled(resource: Butler | Connector, place: Place) -> Place:
    """Return `place` with the pod settings of `resource` in it."""
    own = resource.spec.pod
    return place if own is None else replace(place, pod=merged(own, place.pod))


def merged(own: PodSettings, place: HouseholdPod) -> HouseholdPod:
    """Return the settings `own` merged over those of the `place`."""
    fields: dict[str, Any] = {}
    for name in HouseholdPod.model_fields:
        said, inherited = getattr(own, name, None), getattr(place, name)
        fields[name] = inherited if said is None else _over(name, said, inherited)
    return HouseholdPod.model_construct(**fields)


def _over(name: str, said: Any, inherited: Any) -> Any:
    if inherited is None:
        return said
    if name in MAPS:
        return {**inherited, **said}
    if name in KEYED:
        return _by_key(KEYED[name], inherited, said)
    if name == "resources":
        return _needs(said, inherited)
    if name == "affinity":
        return Affinity.model_construct(**{**_given(inherited), **_given(said)})
    return said


def _by_key(
    key: Callable[[Entry], str], inherited: Iterable[Entry], said: Iterable[Entry]
) -> tuple[Entry, ...]:
    return tuple({key(entry): entry for entry in (*inherited, *said)}.values())


def _given(affinity: Affinity) -> dict[str, Any]:
    return {name: getattr(affinity, name) for name in affinity.model_fields_set}


def _needs(said: ResourceNeeds, inherited: ResourceNeeds) -> ResourceNeeds:
    requests: dict[str, Quantity] = {**inherited.requests, **said.requests}
    limits: dict[str, Quantity] = {**inherited.limits, **said.limits}
    for name in requests.keys() & limits.keys():
        if amount(requests[name]) <= amount(limits[name]):
            continue
        if name in said.requests:
            limits[name] = requests[name]
        else:
            requests[name] = limits[name]
    return ResourceNeeds(requests=requests, limits=limits)
