"""The volumes of a household's pods: secrets as files, each for the one container that needs it.

A directory is mounted whole, never one file of it (`subPath`), because only a whole mount follows changes.
"""

from __future__ import annotations

from typing import Any, Final

from butler_resources.kinds import Butler, Connector, SecretRef
from butler_resources.kinds.instructions import ConfigMapKeyRef
from butler_resources.render.cluster.names import SIGNING_SECRET, TOKEN_AUDIENCE, TRUST_CONFIGMAP, child_name
from butler_resources.render.cluster.place import Paths, Place
from butler_resources.render.cluster.pod import Mount
from butler_resources.render.cluster.podparts import GROUP_READS

__all__ = [
    "INSTRUCTIONS_FILE",
    "admin_mount",
    "checkpoint_mount",
    "config_mount",
    "contacts_mount",
    "database_mount",
    "instructions_mount",
    "signing_mount",
    "token_mount",
    "trust_mount",
]

TOKEN_LIFE_S: Final = 3_600
INSTRUCTIONS_FILE: Final = "instructions.md"


def config_mount(butler: Butler) -> Mount:
    """`butler.toml`."""
    return Mount("config", Paths.CONFIG, {"configMap": {"name": child_name(butler)}})


def trust_mount() -> Mount:
    """Who may vouch for callers, which subjects are known, what is revoked."""
    return Mount("trust", Paths.TRUST, {"configMap": {"name": TRUST_CONFIGMAP}})


def token_mount() -> Mount:
    """The pod's own token, valid at Switchboard only."""
    token = {"audience": TOKEN_AUDIENCE, "expirationSeconds": TOKEN_LIFE_S, "path": "switchboard"}
    source = {"projected": {"sources": [{"serviceAccountToken": token}], "defaultMode": GROUP_READS}}
    return Mount("token", Paths.TOKENS, source)


def signing_mount() -> Mount:
    """Switchboard's private key."""
    return Mount("signing", Paths.SIGNING, _secret(SIGNING_SECRET))


def contacts_mount(ref: SecretRef) -> Mount:
    """The household's contacts."""
    return Mount("contacts", Paths.CONTACTS, _secret(ref.name, key=ref.key, file="contacts.yaml"))


def instructions_mount(ref: ConfigMapKeyRef) -> Mount:
    """The instructions for the butler's model."""
    items = [{"key": ref.key, "path": INSTRUCTIONS_FILE}]
    return Mount("instructions", Paths.INSTRUCTIONS, {"configMap": {"name": ref.name, "items": items}})


def admin_mount(butler: Butler, place: Place) -> Mount:
    """The database administrator's URL: for the init step alone."""
    ref = butler.spec.external_database or place.database
    return Mount("database-admin", Paths.ADMIN, _secret(ref.name, key=ref.key, file="url"))


def database_mount(*, writable: bool) -> Mount:
    """The butler's own database URL, from the init step to the service; never on a disk."""
    source = {"emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}
    return Mount("database", Paths.DATABASE, source, writable=writable)


def checkpoint_mount(connector: Connector) -> Mount:
    """The connector's checkpoint, and the refusals noted beside it."""
    source = {"persistentVolumeClaim": {"claimName": child_name(connector)}}
    return Mount("checkpoint", Paths.CHECKPOINT, source, writable=True)


def _secret(name: str, *, key: str | None = None, file: str = "") -> dict[str, Any]:
    items = {} if key is None else {"items": [{"key": key, "path": file}]}
    return {"secret": {"secretName": name, "defaultMode": GROUP_READS} | items}
