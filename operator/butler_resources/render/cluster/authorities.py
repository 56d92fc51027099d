"""The household's own certificate authorities in a pod: one file, mounted for every container that speaks TLS."""

from __future__ import annotations

from typing import Any, Final

from butler_resources.kinds import Butler, Connector
from butler_resources.render.ca_bundle import bundle_of
from butler_resources.render.cluster.place import Paths, Place
from butler_resources.render.cluster.pod import Mount

__all__ = ["authorities_entries", "authorities_file", "authorities_mounts"]

FILE: Final = "ca.crt"
GROUP_READS: Final = 0o440


def authorities_file(resource: Butler | Connector, place: Place) -> str | None:
    """Where the pods of `resource` find the bundle; None without one."""
    return None if bundle_of(resource, place.household) is None else f"{Paths.AUTHORITIES}/{FILE}"


def authorities_mounts(resource: Butler | Connector, place: Place) -> tuple[Mount, ...]:
    """The bundle's mount, or none."""
    ref = bundle_of(resource, place.household)
    if ref is None:
        return ()
    items = [{"key": ref.key, "path": FILE}]
    source: dict[str, Any] = (
        {"configMap": {"name": ref.name, "items": items}}
        if ref.secret is None
        else {"secret": {"secretName": ref.name, "defaultMode": GROUP_READS, "items": items}}
    )
    return (Mount("authorities", Paths.AUTHORITIES, source),)


def authorities_entries(resource: Butler | Connector, place: Place) -> list[dict[str, str]]:
    """`env` of a container whose environment holds nothing else of ours."""
    file = authorities_file(resource, place)
    return [] if file is None else [{"name": "BUTLERS_CA_FILE", "value": file}]
