"""Deployments: a butler's pods with their init step, and a connector's pods."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.names import INPUTS_HASH_ANNOTATION
from butler_resources.render.cluster.authorities import authorities_entries, authorities_mounts
from butler_resources.render.cluster.environment import butler_environment, connector_environment
from butler_resources.render.cluster.names import CONFIG_HASH, metadata_of, selector_of
from butler_resources.render.cluster.place import Paths, Place
from butler_resources.render.cluster.pod import PRE_STOP_S, Mount, container, pod_template, probes
from butler_resources.render.cluster.pvc import keeps_checkpoint
from butler_resources.render.cluster.service import health_port, webhook_port
from butler_resources.render.cluster.volumes import (
    admin_mount,
    checkpoint_mount,
    config_mount,
    contacts_mount,
    database_mount,
    instructions_mount,
    signing_mount,
    token_mount,
    trust_mount,
)
from butler_resources.render.profiles import default_port

__all__ = ["render_butler_deployment", "render_connector_deployment"]

PROGRAM_OF_ROLE: Final = {
    "switchboard": "butler_switchboard",
    "messenger": "butler_messenger",
    "specialist": "butler_specialist",
}
CONFIG_FILE: Final = f"{Paths.CONFIG}/butler.toml"
ONE_MORE: Final = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
"""The old pod serves until the new one is ready."""
PRE_STOP: Final[Mapping[str, Any]] = {"preStop": {"sleep": {"seconds": PRE_STOP_S}}}


def render_butler_deployment(
    butler: Butler,
    place: Place,
    *,
    owner: Mapping[str, str],
    inputs: Mapping[str, str],
    config: Mapping[str, str],
) -> dict[str, Any]:
    """Return the Deployment of `butler`; a change of `inputs` or `config` (file → text) replaces its pods."""
    mounts = [*_service_mounts(butler), *authorities_mounts(butler, place)]
    admin = admin_mount(butler, place)
    template = pod_template(
        butler,
        place,
        annotations={CONFIG_HASH: _hash(config), INPUTS_HASH_ANNOTATION: _hash(inputs)},
        init_containers=[_provision(butler, place, admin, uid=owner["uid"])],
        containers=[_service(butler, place, mounts)],
        mounts=[*mounts, admin],
    )
    replicas = 0 if butler.spec.suspend else butler.spec.replicas
    return _deployment(butler, place, owner, replicas=replicas, strategy=ONE_MORE, template=template)


def render_connector_deployment(
    connector: Connector, place: Place, *, owner: Mapping[str, str], inputs: Mapping[str, str]
) -> dict[str, Any]:
    """Return the Deployment of `connector`: one pod, unless Switchboard says which of several reads the source.

    A webhook only takes what is posted to it; a pod that keeps a file must have ended before another begins.
    """
    mounts = [token_mount(), *authorities_mounts(connector, place)]
    if keeps_checkpoint(connector):
        mounts.append(checkpoint_mount(connector))
    ports, lifecycle = [_port("http", health_port(connector))], {}
    if connector.spec.webhook is not None:
        ports.append(_port("webhook", webhook_port(connector)))
        lifecycle = {"lifecycle": dict(PRE_STOP)}
    process = container(
        "connector",
        place,
        command=["python", "-m", "butler_connectors"],
        mounts=mounts,
        env=connector_environment(connector, place),
        ports=ports,
        **lifecycle,
        **probes("http"),
    )
    template = pod_template(
        connector,
        place,
        annotations={INPUTS_HASH_ANNOTATION: _hash(inputs)},
        containers=[process],
        mounts=mounts,
    )
    replicas = 0 if connector.spec.suspend else connector.spec.replicas
    strategy = {"type": "Recreate"} if keeps_checkpoint(connector) else ONE_MORE
    return _deployment(connector, place, owner, replicas=replicas, strategy=strategy, template=template)


def _service_mounts(butler: Butler) -> list[Mount]:
    mounts = [config_mount(butler), trust_mount(), database_mount(writable=False)]
    # Switchboard needs no token for itself, and nobody else signs.
    mounts.append(signing_mount() if butler.spec.role == "switchboard" else token_mount())
    if butler.spec.contacts_from is not None:
        mounts.append(contacts_mount(butler.spec.contacts_from.secret_ref))
    if (instructions := butler.spec.instructions_ref) is not None:
        mounts.append(instructions_mount(instructions))
    return mounts


def _service(butler: Butler, place: Place, mounts: list[Mount]) -> dict[str, Any]:
    return container(
        "butler",
        place,
        command=["python", "-m", PROGRAM_OF_ROLE[butler.spec.role], "--config", CONFIG_FILE],
        mounts=mounts,
        env=butler_environment(butler, place),
        ports=[_port("http", default_port(butler))],
        lifecycle=dict(PRE_STOP),
        **probes("http"),
    )


def _provision(butler: Butler, place: Place, admin: Mount, *, uid: str) -> dict[str, Any]:
    """Prepare the butler's part of the database before its service starts; many runs at once do no harm.

    It reads the administrator's URL, so its program is the installation's, whatever image the manifest names, and no
    file that the pod's process may leave in `/tmp` is taken for a module (`-P`, `-s`).
    """
    command = [
        *("python", "-P", "-s", "-m", "butler_provision"),
        *("--config", CONFIG_FILE),
        *("--admin-url-file", f"{Paths.ADMIN}/url"),
        *("--url-file", f"{Paths.DATABASE}/url"),
        *("--termination-log", "/dev/termination-log"),
        *("--uid", uid),
    ]
    if butler.spec.role == "switchboard":
        for gone in place.departures:
            command += ["--drop" if gone.drop else "--retain", f"{gone.butler}={gone.uid}"]
    mounts = [
        config_mount(butler),
        admin,
        database_mount(writable=True),
        *authorities_mounts(butler, place),
    ]
    entries = authorities_entries(butler, place)
    env = {"env": entries} if entries else {}
    ours = {"image": place.image, "imagePullPolicy": place.image_pull_policy}
    return container("provision", place, command=command, mounts=mounts, **ours, **env)


def _deployment(
    resource: Butler | Connector,
    place: Place,
    owner: Mapping[str, str],
    *,
    replicas: int,
    strategy: Mapping[str, Any],
    template: Mapping[str, Any],
) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata_of(resource, place.namespace, owner),
        "spec": {
            "replicas": replicas,
            "revisionHistoryLimit": 3,
            "progressDeadlineSeconds": place.progress_deadline_s,
            "selector": {"matchLabels": selector_of(resource)},
            "strategy": dict(strategy),
            "template": dict(template),
        },
    }


def _port(name: str, number: int) -> dict[str, Any]:
    return {"name": name, "containerPort": number, "protocol": "TCP"}


def _hash(parts: Mapping[str, str]) -> str:
    """Return a short hash, the same for the same parts in any order."""
    text = json.dumps(dict(parts), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
