"""Switchboard's signing key and its rotation: the state is the Secret itself, each call takes one step (D2). Pure.

    steady ──due or asked──► published ──known everywhere──► switched ──last token over──► steady
             next.pem made   trust has both                  signing.pem = next.pem        previous.jwk gone

Invariant: every key that a replica may still sign with is in `SigningPlan.keys`. A key in use is never overwritten
unless its successor was in the trust document for the propagation time; a key that cannot be read is left to a
person.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from butler_kit.auth.jwks import ISSUER_SWITCHBOARD, parse_jwks
from butler_kit.auth.keys import parse_private_key, public_jwk
from butler_operator.trust.document import keys_since, known_keys
from butler_operator.trust.rotation import ROTATE, Rotation, moment_of
from butler_resources.kinds.names import LABEL_MANAGED_BY, LABEL_PART_OF, MANAGED_BY, PART_OF
from butler_resources.render.cluster.names import SIGNING_SECRET

__all__ = ["CURRENT", "NEXT", "PREVIOUS", "SIGNING_SINCE", "SigningPlan", "Step", "plan_signing"]

CURRENT: Final = "signing.pem"
NEXT: Final = "next.pem"
PREVIOUS: Final = "previous.jwk"
SIGNING_SINCE: Final = "butlers.dev/signing-since"
ROTATED_FOR: Final = "butlers.dev/rotated-for"
RETRY: Final = timedelta(minutes=1)
Body = Mapping[str, Any]
Jwk = dict[str, Any]


class Step(StrEnum):
    """What this call did."""

    CREATED = "created"
    PUBLISHED = "published"
    SWITCHED = "switched"
    RETIRED = "retired"
    WAITING = "waiting"
    BROKEN = "broken"


@dataclass(frozen=True)
class SigningPlan:
    """`secret` is the whole manifest, private keys included: never log it. None leaves the Secret alone.

    `keys` are the public keys that receivers have to know from now on; `look_again_at` is when the next step is due.
    """

    secret: dict[str, Any] | None
    keys: tuple[Jwk, ...]
    step: Step
    look_again_at: datetime
    problem: str | None = None


@dataclass(frozen=True)
class _Keys:
    """The readable contents of the Secret."""

    current: bytes
    since: datetime
    next: bytes | None = None
    previous: Jwk | None = None
    rotated_for: str | None = None

    def public(self) -> tuple[Jwk, ...]:
        own = [_public(pem) for pem in (self.current, self.next) if pem is not None]
        return (*own, *([self.previous] if self.previous is not None else []))


def plan_signing(
    observed: Body | None,
    trust: Body | None,
    *,
    namespace: str,
    now: datetime,
    new_key: Callable[[], bytes],
    rotation: Rotation,
) -> SigningPlan:
    """Plan the next step for Secret `switchboard-signing` in `namespace`.

    `observed` is that Secret and `trust` the ConfigMap `butlers-trust` as they are, None if absent. `new_key` returns
    a new private key (PEM).
    """
    wish = _annotations(observed).get(ROTATE)
    pem = _data(observed, CURRENT)
    if not pem:
        fresh = _Keys(new_key(), now, rotated_for=wish)
        return _planned(fresh, Step.CREATED, namespace, look_again_at=now + rotation.interval)
    if _unreadable(pem):
        # The keys that receivers know stay known: some replica may hold a good copy of this one.
        left = tuple(known_keys(trust).values())
        said = f"Secret {SIGNING_SECRET}: {CURRENT} {_unreadable(pem)}; delete the Secret and it is made anew"
        return SigningPlan(None, left, Step.BROKEN, now + RETRY, said)
    keys = _keys_of(observed, pem, now)
    after, step, look_again_at = _step(keys, trust, wish=wish, now=now, new_key=new_key, rotation=rotation)
    return _planned(after, step, namespace, look_again_at=look_again_at)


def _step(
    keys: _Keys,
    trust: Body | None,
    *,
    wish: str | None,
    now: datetime,
    new_key: Callable[[], bytes],
    rotation: Rotation,
) -> tuple[_Keys, Step, datetime]:
    if keys.next is not None:
        known_since = moment_of(_since(trust, _public(keys.next)["kid"]), now)
        due = rotation.switches_at(known_since or now)
        if known_since is None or now < due:
            return keys, Step.WAITING, due
        switched = replace(keys, current=keys.next, next=None, previous=_public(keys.current), since=now)
        return switched, Step.SWITCHED, rotation.retires_at(now)
    if keys.previous is not None:
        due = rotation.retires_at(keys.since)
        if now < due:
            return keys, Step.WAITING, due
        return replace(keys, previous=None), Step.RETIRED, keys.since + rotation.interval
    due = keys.since + rotation.interval
    if now < due and wish in (None, keys.rotated_for):
        return keys, Step.WAITING, due
    return replace(keys, next=new_key(), rotated_for=wish), Step.PUBLISHED, rotation.switches_at(now)


def _keys_of(observed: Body | None, current: bytes, now: datetime) -> _Keys:
    noted = _annotations(observed)
    following = _data(observed, NEXT)
    return _Keys(
        current=current,
        since=moment_of(noted.get(SIGNING_SINCE), now) or now,
        next=following if following and not _unreadable(following) else None,
        previous=_jwk(_data(observed, PREVIOUS)),
        rotated_for=noted.get(ROTATED_FOR),
    )


def _planned(keys: _Keys, step: Step, namespace: str, *, look_again_at: datetime) -> SigningPlan:
    data = {CURRENT: keys.current}
    if keys.next is not None:
        data[NEXT] = keys.next
    if keys.previous is not None:
        data[PREVIOUS] = json.dumps(keys.previous, sort_keys=True).encode()
    noted = {SIGNING_SINCE: keys.since.isoformat()}
    if keys.rotated_for is not None:
        noted[ROTATED_FOR] = keys.rotated_for
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": SIGNING_SECRET,
            "namespace": namespace,
            "labels": {LABEL_PART_OF: PART_OF, LABEL_MANAGED_BY: MANAGED_BY},
            "annotations": noted,
        },
        "type": "Opaque",
        "data": {name: b64encode(content).decode() for name, content in data.items()},
    }
    return SigningPlan(secret, keys.public(), step, look_again_at)


def _annotations(observed: Body | None) -> Mapping[str, str]:
    return (observed or {}).get("metadata", {}).get("annotations") or {}


def _data(observed: Body | None, name: str) -> bytes | None:
    """Return a value of the Secret; text that is not base64 stays as it is, to be refused as a key."""
    text = ((observed or {}).get("data") or {}).get(name)
    if not isinstance(text, str):
        return None
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return text.encode()


def _unreadable(pem: bytes) -> str | None:
    try:
        parse_private_key(pem)
    except ValueError as error:
        return str(error)
    return None


def _public(pem: bytes) -> Jwk:
    return dict(public_jwk(parse_private_key(pem), ISSUER_SWITCHBOARD))


def _jwk(content: bytes | None) -> Jwk | None:
    """Return the previous key; None if it is missing or damaged."""
    try:
        key: Jwk = json.loads(content or b"")
        (found,) = parse_jwks(json.dumps({"keys": [key]}).encode()).values()
    except ValueError:
        return None
    return key if found.issuer == ISSUER_SWITCHBOARD else None


def _since(trust: Body | None, kid: str) -> object:
    return keys_since(trust).get(kid)
