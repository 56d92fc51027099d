"""The secrets a resource's pods read, whose changes must reach the pods, and those its manifest names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import BaseModel

from butler_resources.kinds import Butler, Connector, SecretRef
from butler_resources.kinds.ca_bundle import CaBundleRef
from butler_resources.kinds.connector import ConnectorSpec
from butler_resources.kinds.extra_volumes import secrets_of
from butler_resources.kinds.household import Household
from butler_resources.render.ca_bundle import bundle_of
from butler_resources.render.cluster.place import Place
from butler_resources.render.cluster.podsettings import settled
from butler_resources.render.modules_toml import attachments_token, calendar_secret
from butler_resources.render.thinking import canary_key, model_key, tool_tokens

__all__ = ["Named", "dispensable", "named", "references"]


class Named(NamedTuple):
    """A reference and the field of the manifest that has it."""

    path: str
    ref: SecretRef


def named(resource: Butler | Connector, household: Household | None = None) -> tuple[Named, ...]:
    """Return every reference to a secret in the manifest, whichever field has it, in field order.

    With `household`, also the references that the resource inherits from it.
    """
    bundle = bundle_of(resource, household or Household())
    inherited = bundle is not None and resource.spec.ca_bundle_ref is None
    return (
        *_walk("spec", resource.spec),
        *(_walk("the household's caBundleRef", bundle) if inherited else ()),
    )


def _walk(path: str, value: object) -> Iterator[Named]:
    if isinstance(value, SecretRef):
        yield Named(path, value)
    elif isinstance(value, CaBundleRef):
        if value.secret_ref is not None:
            yield Named(path, value.secret_ref)
    elif isinstance(value, BaseModel):
        for name, info in type(value).model_fields.items():
            yield from _walk(f"{path}.{info.alias or name}", getattr(value, name))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _walk(f"{path}.{key}", one)
    elif isinstance(value, tuple | list):
        for number, one in enumerate(value):
            yield from _walk(f"{path}[{number}]", one)


def references(resource: Butler | Connector, place: Place | None = None) -> tuple[SecretRef, ...]:
    """Return the secrets that `resource` names, each once, in a fixed order.

    With `place`, also the place's own database secret, for a Butler that names none, those of its volumes, and the
    household's own authorities.
    """
    found = _of_butler(resource, place) if isinstance(resource, Butler) else _of_connector(resource.spec)
    bundle = bundle_of(resource, Household() if place is None else place.household)
    authorities = () if bundle is None or bundle.secret_ref is None else (bundle.secret_ref,)
    env = (entry.secret_ref for entry in resource.spec.env)
    return tuple(dict.fromkeys((*found, *authorities, *env, *_of_volumes(resource, place))))


def dispensable(resource: Butler | Connector) -> tuple[SecretRef, ...]:
    """Return those of `references` without which the pods run all the same.

    These are the tokens of tool servers and of stores of files and the calendar's secret, which they do without, and
    a model's key where rules stand in (D28), or the usual runtime for one that is tried.
    """
    if not isinstance(resource, Butler):
        return ()
    key, needed = model_key(resource), resource.spec.runtime.fallback is None
    found = (
        *tool_tokens(resource).values(),
        calendar_secret(resource),
        attachments_token(resource),
        None if needed else key,
        canary_key(resource),
    )
    return tuple(one for one in found if one is not None and not (needed and one == key))


def _of_volumes(resource: Butler | Connector, place: Place | None) -> Iterator[SecretRef]:
    """Yield the secrets in the further volumes of its pods, the place's among them."""
    pod = resource.spec.pod if place is None else settled(resource, place).pod
    for volume in (pod.volumes if pod is not None else None) or ():
        yield from secrets_of(volume)


def _of_butler(butler: Butler, place: Place | None) -> Iterator[SecretRef]:
    spec = butler.spec
    if spec.external_database is not None:
        yield spec.external_database
    elif place is not None:
        yield place.database
    if spec.contacts_from is not None:
        yield spec.contacts_from.secret_ref
    if spec.modules is not None and spec.modules.telegram is not None:
        yield spec.modules.telegram.bot.token_secret_ref
    if spec.modules is not None and spec.modules.email is not None:
        yield spec.modules.email.bot.password_secret_ref
    if (secret := calendar_secret(butler)) is not None:
        yield secret
    if (token := attachments_token(butler)) is not None:
        yield token
    if (key := model_key(butler)) is not None:
        yield key
    if (key := canary_key(butler)) is not None:
        yield key
    yield from tool_tokens(butler).values()


def _of_connector(spec: ConnectorSpec) -> Iterator[SecretRef]:
    if spec.telegram_bot is not None:
        yield spec.telegram_bot.token_secret_ref
    if spec.imap is not None:
        yield spec.imap.password_secret_ref
    if spec.webhook is not None:
        yield spec.webhook.token_secret_ref
