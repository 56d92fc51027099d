"""Resolve a resource's references: `ResolvedRefs`, and the hashes that roll its pods.

A Secret is known here by digests only, keyed with its own uid, so that the value in an annotation cannot be found by
trying a list of passwords.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from butler_operator.reconcile.conditions import Condition, failed, passed
from butler_resources.kinds import ManifestError, SecretRef, parse_contacts
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.names import USABLE_BY_LABEL, USABLE_BY_US

__all__ = ["MISSING", "SecretFacts", "contacts_problem", "facts_of", "inputs_of", "refs_condition", "text_in"]


@dataclass(frozen=True)
class SecretFacts:
    """A Secret without its values: a digest for each key; `exists` False when there is none of that name."""

    exists: bool
    digests: Mapping[str, str] = field(default_factory=dict)
    shared: bool = False
    """Whether it is labelled for the household."""

    def has(self, key: str) -> bool:
        """Whether the key is there and not empty."""
        return bool(self.digests.get(key))


MISSING = SecretFacts(exists=False)


def facts_of(secret: Mapping[str, Any] | None) -> SecretFacts:
    """Return the facts of a Secret from the API; an empty value has no digest."""
    if secret is None:
        return MISSING
    salt = str(secret["metadata"].get("uid", "")).encode()
    data = secret.get("data") or {}
    shared = (secret["metadata"].get("labels") or {}).get(USABLE_BY_LABEL) == USABLE_BY_US
    return SecretFacts(True, {key: _digest(salt, value) for key, value in data.items()}, shared)


def _digest(salt: bytes, value: str) -> str:
    try:
        content = base64.b64decode(value)
    except (binascii.Error, ValueError):
        content = value.encode()
    return hmac.new(salt, content, hashlib.sha256).hexdigest()[:16] if content else ""


def refs_condition(
    refs: Iterable[SecretRef],
    secrets: Mapping[str, SecretFacts],
    *,
    database: SecretRef | None,
    switchboard: str | None,
    switchboards: Iterable[str],
    taken_by: str | None = None,
    refused: Condition | None = None,
) -> Condition:
    """Return `ResolvedRefs`: the first missing thing, or that everything was found.

    `database` is the reference among `refs` that leads to the database; `switchboard` the one that is needed, None
    for itself; `taken_by` another resource that already has the name or the endpoint; `refused` what the manifest
    may not name, reported before anything about its content.
    """
    type_ = ConditionType.RESOLVED_REFS
    if taken_by is not None:
        return failed(type_, Reason.NAME_TAKEN, taken_by)
    if switchboard is not None and switchboard not in switchboards:
        text = f"no Butler {switchboard} with role switchboard in this namespace; apply one"
        return failed(type_, Reason.SWITCHBOARD_NOT_FOUND, text)
    if refused is not None:
        return refused
    for ref in refs:
        facts = secrets.get(ref.name, MISSING)
        if not facts.exists:
            reason = Reason.DATABASE_UNAVAILABLE if ref == database else Reason.SECRET_NOT_FOUND
            return failed(
                type_, reason, f"no Secret {ref.name} in this namespace; create it with key {ref.key}"
            )
        if not facts.has(ref.key):
            known = ", ".join(sorted(key for key in facts.digests if facts.has(key))) or "none"
            text = f"Secret {ref.name} has no value for key {ref.key} (keys with one: {known})"
            return failed(type_, Reason.SECRET_KEY_NOT_FOUND, text)
    return passed(type_, Reason.RESOLVED, "every reference was found")


def inputs_of(refs: Iterable[SecretRef], secrets: Mapping[str, SecretFacts]) -> dict[str, str]:
    """Return a hash by `name/key` of every value that the pods read at start."""
    return {f"{ref.name}/{ref.key}": secrets[ref.name].digests[ref.key] for ref in refs}


def contacts_problem(text: str, ref: SecretRef) -> Condition | None:
    """Return the problem of the household's contacts without revealing their content, or None."""
    try:
        parse_contacts(text, where="")
    except ManifestError as error:
        no_owner = any("role owner" in problem.text for problem in error.problems)
        places = ", ".join(sorted({problem.path or "the list" for problem in error.problems})[:3])
        words = "name no owner, or more than one" if no_owner else f"cannot be used, see {places}"
        reason = Reason.OWNER_MISSING if no_owner else Reason.CONTACTS_INVALID
        return failed(
            ConditionType.RESOLVED_REFS, reason, f"the contacts in Secret {ref.name}, key {ref.key} {words}"
        )
    return None


def text_in(secret: Mapping[str, Any], key: str) -> str:
    """Return a value of a Secret as text, with replacement characters for what is not text."""
    try:
        return base64.b64decode((secret.get("data") or {}).get(key, "")).decode(errors="replace")
    except (binascii.Error, ValueError):
        return ""
