"""Resolve what a person names to targets of operations: `finance`, `butler/finance`, `connector/telegram`, ids.

Invariant: a bare name that means a Butler and a Connector is refused with both written out; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import click

from butler_cli.client.approvals import approval_of, rule_of
from butler_cli.client.dead_letters import target_of
from butler_cli.client.learned import learned_rule_of
from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household
from butler_cli.client.reading import find_request
from butler_cli.client.suppressions import suppression_of
from butler_cli.errors import UserError
from butler_kubectl.household import ClusterHousehold
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.refused import Role

__all__ = [
    "CHANNEL",
    "CIRCUIT",
    "NAMED",
    "SERVICE_LEVEL",
    "Wanted",
    "approvals_of",
    "by_id",
    "by_name",
    "by_selector",
    "chosen",
    "id_of",
    "learned_rules_of",
    "named",
    "requests_of",
    "rules_of",
    "suppressions_of",
]

NAMED: Final = "butlers.butlers.dev,connectors.butlers.dev"
"""Never the bare plural: on a cluster with older definitions it is the category of all kinds."""
_KINDS: Final = {
    "butler": "Butler", "butlers": "Butler", "btl": "Butler",
    "connector": "Connector", "connectors": "Connector", "btlconn": "Connector",
}  # fmt: skip
CIRCUIT: Final = "Circuit"
SERVICE_LEVEL: Final = "ServiceLevel"
CHANNEL: Final = "Channel"
APPROVAL: Final = "Approval"
APPROVAL_RULE: Final = "ApprovalRule"
SUPPRESSION: Final = "Suppression"
LEARNED_RULE: Final = "LearnedRule"
_ID_KINDS: Final = {"request": "Request", "dead-letter": "DeadLetter", "delivery": "Delivery"}
_OF_PATH: Final = {"dead-letters": "DeadLetter", "deliveries": "Delivery"}


@dataclass(frozen=True)
class Wanted:
    """A target of an operation: `key` is a name or an id."""

    kind: str
    key: str

    @property
    def document(self) -> dict[str, str]:
        """The form for `spec.target`."""
        named = self.kind in (CIRCUIT, SERVICE_LEVEL, CHANNEL, *_KINDS.values())
        return {"kind": self.kind, "name" if named else "id": self.key}

    @property
    def short(self) -> str:
        """The form that a person writes."""
        words = {
            kind: word
            for word, kind in {
                "butler": "Butler", "connector": "Connector", "circuit": CIRCUIT, "slo": SERVICE_LEVEL,
                "channel": CHANNEL, "approval": APPROVAL, "approval-rule": APPROVAL_RULE,
                "suppression": SUPPRESSION, "learned-rule": LEARNED_RULE, **_ID_KINDS,
            }.items()
        }  # fmt: skip
        return f"{words[self.kind]}/{self.key}"


def named(text: str) -> Wanted | None:
    """Parse `KIND/NAME`; None for a bare name. A usage error for another kind."""
    kind, slash, name = text.partition("/")
    if not slash:
        return None
    if kind.lower().removesuffix(".butlers.dev") not in _KINDS or not name:
        raise click.UsageError(f"{text!r} is neither butler/NAME nor connector/NAME.")
    return Wanted(_KINDS[kind.lower().removesuffix(".butlers.dev")], name)


def by_name(kubectl: Kubectl, texts: Sequence[str]) -> list[Wanted]:
    """Resolve the names; the cluster is asked only if one is bare. Raises `UserError`."""
    written = [named(text) for text in texts]
    known = [] if all(written) else _known(kubectl)
    return [
        one if one is not None else _only(kubectl, text, known)
        for text, one in zip(texts, written, strict=True)
    ]


def by_selector(kubectl: Kubectl, selector: str) -> list[Wanted]:
    """Return butlers and connectors with these labels. Raises `UserError`."""
    found = [_wanted(one) for one in kubectl.items(NAMED, f"--selector={selector}", role=Role.VIEW)]
    if not found:
        raise UserError(f"nothing in {kubectl.flags.where} has the labels {selector}")
    return found


def chosen(kubectl: Kubectl, names: Sequence[str], selector: str | None) -> list[Wanted]:
    """Return what names or labels choose; a usage error for both and for neither. Raises `UserError`."""
    if bool(names) == (selector is not None):
        raise click.UsageError("Name what is meant, or choose it by labels with -l.")
    return by_name(kubectl, names) if selector is None else by_selector(kubectl, selector)


def by_id(text: str) -> Wanted | None:
    """Parse `request/ID`, `dead-letter/ID` or `delivery/ID` with a whole id; None if it must be looked up."""
    kind, slash, own_id = text.partition("/")
    if slash and kind not in _ID_KINDS:
        raise click.UsageError(f"{text!r} is none of request/ID, dead-letter/ID, delivery/ID and ID.")
    try:
        return Wanted(_ID_KINDS[kind], str(UUID(own_id))) if slash else None
    except ValueError:
        return None


def id_of(household: Household, text: str) -> Wanted:
    """Return the one thing that an id, or its beginning, means. Raises `UserError`."""
    kind, _, own_id = text.rpartition("/")
    path = target_of(household, own_id).path
    plural, _, found = path.strip("/").partition("/")
    wanted = Wanted(_OF_PATH[plural], found)
    if kind in ("dead-letter", "delivery") and _ID_KINDS[kind] != wanted.kind:
        raise UserError(f"{text} is no {kind}; it means {wanted.short}")
    return wanted


def approvals_of(kubectl: Kubectl, texts: Sequence[str]) -> list[Wanted]:
    """Return these ids' approvals; the household is asked only if one is cut short. Raises `UserError`."""
    return _ids_of(kubectl, APPROVAL, [text.removeprefix("approval/") for text in texts], approval_of)


def rules_of(kubectl: Kubectl, texts: Sequence[str]) -> list[Wanted]:
    """Return these ids' rules; the household is asked only if one is cut short. Raises `UserError`."""
    return _ids_of(kubectl, APPROVAL_RULE, [text.removeprefix("approval-rule/") for text in texts], rule_of)


def suppressions_of(kubectl: Kubectl, texts: Sequence[str]) -> list[Wanted]:
    """Return these ids' suppressions; the household is asked only if one is cut short. Raises `UserError`."""
    written = [text.removeprefix("suppression/") for text in texts]
    return _ids_of(kubectl, SUPPRESSION, written, suppression_of)


def learned_rules_of(kubectl: Kubectl, texts: Sequence[str]) -> list[Wanted]:
    """Return these ids' learned rules; the household is asked only if one is cut short. Raises `UserError`."""
    written = [text.removeprefix("learned-rule/") for text in texts]
    return _ids_of(kubectl, LEARNED_RULE, written, learned_rule_of)


def requests_of(kubectl: Kubectl, texts: Sequence[str]) -> list[Wanted]:
    """Return these ids' requests; the household is asked only if one is cut short. Raises `UserError`."""
    return _ids_of(kubectl, "Request", [text.removeprefix("request/") for text in texts], _request_of)


def _request_of(household: Household, text: str) -> str:
    with OpsClient(household) as ops:
        return str(find_request(ops, text))


def _ids_of(
    kubectl: Kubectl, kind: str, texts: Sequence[str], find: Callable[[Household, str], str]
) -> list[Wanted]:
    written = [_whole_id(text) for text in texts]
    if not all(written):
        with ClusterHousehold(kubectl) as household:
            written = [one or find(household, text) for text, one in zip(texts, written, strict=True)]
    return [Wanted(kind, one) for one in written if one is not None]


def _whole_id(text: str) -> str | None:
    try:
        return str(UUID(text))
    except ValueError:
        return None


def _known(kubectl: Kubectl) -> list[Wanted]:
    return [_wanted(one) for one in kubectl.items(NAMED, role=Role.VIEW)]


def _wanted(found: dict[str, Any]) -> Wanted:
    return Wanted(str(found["kind"]), str(found["metadata"]["name"]))


def _only(kubectl: Kubectl, name: str, known: list[Wanted]) -> Wanted:
    found = [one for one in known if one.key == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(
            f"{name} is more than one thing here, name one: {' or '.join(one.short for one in found)}"
        )
    has = ", ".join(sorted(one.short for one in known)) or "none"
    raise UserError(f"no butler or connector {name!r} in {kubectl.flags.where}; it has {has}")
