"""The common parts of statistics pods: Pod Security `restricted`, no token, the database URL from an init step.

The init container, which alone sees the administrator's URL, hands the job its own over a volume in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_resources.kinds import Butler
from butler_resources.render.cluster.authorities import authorities_entries, authorities_mounts
from butler_resources.render.cluster.names import child_name
from butler_resources.render.cluster.place import Paths, Place
from butler_resources.render.cluster.pod import Mount, container
from butler_resources.render.cluster.podparts import scheduling
from butler_resources.render.cluster.rollups.names import ROLLUPS
from butler_resources.render.cluster.volumes import admin_mount, database_mount

__all__ = ["APPS", "job_container", "pod_memory_mb", "pod_spec", "program"]

APPS: Final = "/opt/butlers/spark-apps/apps"
OVERHEAD_PERCENT: Final = 40
OVERHEAD_LEAST_MB: Final = 384
SCRATCH: Final = Mount("tmp", Paths.SCRATCH, {"emptyDir": {"sizeLimit": "2Gi"}}, writable=True)
"""Spark spills to disk here what does not fit into memory for a large span."""
END_S: Final = 30


def program(app: str) -> str:
    """Return the program's path in the image."""
    return f"{APPS}/{app}"


def pod_memory_mb(place: Place) -> int:
    """Return the heap plus the memory outside of it, as Spark itself counts for Python."""
    heap = place.spark.memory_mb
    return heap + max(heap * OVERHEAD_PERCENT // 100, OVERHEAD_LEAST_MB)


def job_container(name: str, switchboard: Butler, place: Place, **rest: Any) -> dict[str, Any]:
    """The container that computes; `rest` are further keys of it."""
    made = container(name, place, command=(), mounts=(database_mount(writable=False),), **rest)
    del made["command"]
    mounts = (database_mount(writable=False), *authorities_mounts(switchboard, place), SCRATCH)
    made["volumeMounts"] = [mount.mount() for mount in mounts]
    url = {"name": "BUTLERS_DATABASE_URL_FILE", "value": f"{Paths.DATABASE}/url"}
    image = {"image": place.spark.image, "imagePullPolicy": place.spark.image_pull_policy}
    return made | image | {"env": [url]}


def pod_spec(
    switchboard: Butler,
    place: Place,
    process: Mapping[str, Any],
    *,
    account: str = ROLLUPS,
    token: bool = False,
) -> dict[str, Any]:
    """The pod around `process`; `token` only for a driver that makes executors."""
    admin, address = admin_mount(switchboard, place), database_mount(writable=True)
    config = Mount("config", Paths.CONFIG, {"configMap": {"name": child_name(switchboard)}})
    command = [
        *("python", "-m", "butler_provision", "--only-url"),
        *("--config", f"{Paths.CONFIG}/butler.toml"),
        *("--admin-url-file", f"{Paths.ADMIN}/url"),
        *("--url-file", f"{Paths.DATABASE}/url"),
        *("--termination-log", "/dev/termination-log"),
    ]
    authorities = authorities_mounts(switchboard, place)
    entries = authorities_entries(switchboard, place)
    env = {"env": entries} if entries else {}
    init = container(
        "provision", place, command=command, mounts=[config, admin, address, *authorities], **env
    )
    return {
        "serviceAccountName": account,
        "automountServiceAccountToken": token,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": END_S,
        "securityContext": security(place),
        "initContainers": [init],
        "containers": [dict(process)],
        "volumes": [mount.volume() for mount in (config, admin, address, *authorities, SCRATCH)],
    } | scheduling(place)


def security(place: Place) -> dict[str, Any]:
    """Run as the image's own user: Java asks the system for the user's name, and only that user has one."""
    fixed: dict[str, Any] = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    user = place.spark.run_as
    if user is None:
        return fixed
    group = {"runAsUser": user, "runAsGroup": user, "fsGroup": user}
    return fixed | group | {"fsGroupChangePolicy": "OnRootMismatch"}
