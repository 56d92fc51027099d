"""The environment of a container: the same as under `butlers up`, in Kubernetes' form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from butler_resources.kinds import Butler, Connector, SecretRef
from butler_resources.render.butler_env import render_butler_env
from butler_resources.render.cluster.authorities import authorities_file
from butler_resources.render.cluster.names import service_hosts, switchboard_url
from butler_resources.render.cluster.place import Paths, Place
from butler_resources.render.cluster.pvc import keeps_checkpoint
from butler_resources.render.cluster.service import health_port, webhook_port
from butler_resources.render.cluster.volumes import INSTRUCTIONS_FILE
from butler_resources.render.connector_env import render_connector_env
from butler_resources.render.environment import Environment, IfThere, Surroundings

__all__ = ["butler_environment", "connector_environment", "literal"]

SWITCHBOARD: Final = "switchboard"
_REPLICA: Final[dict[str, Any]] = {
    "name": "BUTLERS_REPLICA",
    "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}},
}


def butler_environment(butler: Butler, place: Place) -> list[dict[str, Any]]:
    """`env` of a butler's container.

    BUTLERS_REPLICA is the pod's UID. A UID is never reused, and the kubelet restarts a container only after the
    runtime has reported the end of the previous one, so no two live processes ever share it. A restarted
    container therefore takes back at once what it held. (A pod's name would do in a Deployment too, but not
    where names are reused.)
    """
    surroundings = replace(
        _surroundings(place, switchboard=SWITCHBOARD, connector=None),
        names=service_hosts(butler, place.namespace),
        ca_file=authorities_file(butler, place),
    )
    env = render_butler_env(butler, surroundings)
    return [_REPLICA, *_entries(env)]


def connector_environment(connector: Connector, place: Place) -> list[dict[str, Any]]:
    """`env` of a connector's container."""
    surroundings = _surroundings(place, switchboard=connector.spec.switchboard_ref, connector=connector)
    env = render_connector_env(
        connector, surroundings, health_port=health_port(connector), webhook_port=webhook_port(connector)
    )
    if connector.spec.checkpoint == "file":
        return list(_entries(env))
    return [_REPLICA, *_entries(env)]


def _surroundings(place: Place, *, switchboard: str, connector: Connector | None) -> Surroundings:
    resumes = connector is not None and keeps_checkpoint(connector)
    return Surroundings(
        switchboard_url=switchboard_url(switchboard, place.namespace),
        jwks_file=f"{Paths.TRUST}/jwks.json",
        subjects_file=f"{Paths.TRUST}/subjects.json",
        revoked_file=f"{Paths.TRUST}/revoked.json",
        token_file=f"{Paths.TOKENS}/switchboard",
        host="0.0.0.0",  # noqa: S104 - inside a pod; NetworkPolicies say who reaches it
        database_url_file=f"{Paths.DATABASE}/url",
        signing_key_file=f"{Paths.SIGNING}/signing.pem",
        contacts_file=f"{Paths.CONTACTS}/contacts.yaml",
        instructions_file=f"{Paths.INSTRUCTIONS}/{INSTRUCTIONS_FILE}",
        cursor_file=f"{Paths.CHECKPOINT}/cursor.json" if resumes else None,
        collector=place.household.collector,
        log_level=place.log_level,
        log_format=place.log_format,
        ca_file=None if connector is None else authorities_file(connector, place),
    )


def _entries(env: Environment) -> Iterator[dict[str, Any]]:
    """Yield the entries, without empty values: they count as unset, and the API server would drop them."""
    for name, value in env.items():
        if isinstance(value, SecretRef | IfThere):
            ref, optional = (value, {}) if isinstance(value, SecretRef) else (value.ref, {"optional": True})
            reference = {"secretKeyRef": {"name": ref.name, "key": ref.key, **optional}}
            yield {"name": name, "valueFrom": reference}
        elif value:
            yield {"name": name, "value": literal(value)}


def literal(value: str) -> str:
    """Escape `value` for the kubelet, which reads `$(NAME)` as a variable and `$$` as one dollar."""
    return value.replace("$", "$$")
