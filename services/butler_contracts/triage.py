"""Deterministic rules that decide before any model does (pure; CNX-05.2, CNX-05.3, D10, D26).

Rules are tried by priority, the first match wins; without a match the message passes through in full. A rule that
cannot be evaluated counts as no match: triage fails open, so no message is ever lost to a rule. Switchboard decides by
them, and tells them to its connectors, which submit nothing that a rule skips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from butler_contracts.ingest import IngestEnvelopeV1, IngestionTier

__all__ = [
    "RuleType",
    "TriageAction",
    "TriageDecision",
    "TriageRule",
    "ingestion_tier_for",
    "mail_headers",
    "rules_in",
    "rules_to_wire",
    "triage",
]


class RuleType(StrEnum):
    SENDER_DOMAIN = "sender_domain"
    SENDER_ADDRESS = "sender_address"
    HEADER_CONDITION = "header_condition"
    LABEL_MATCH = "label_match"


class TriageAction(StrEnum):
    ROUTE_TO = "route_to"
    LOW_PRIORITY_QUEUE = "low_priority_queue"
    PASS_THROUGH = "pass_through"  # noqa: S105 - an action's name
    METADATA_ONLY = "metadata_only"
    SKIP = "skip"


@dataclass(frozen=True)
class TriageRule:
    """A line of `routing.rules`; `value`: a domain, address, label, or `HEADER present|equals|contains [X]`."""

    rule_id: str
    priority: int
    type: RuleType
    value: str
    action: TriageAction
    target: str | None = None


@dataclass(frozen=True)
class TriageDecision:
    action: TriageAction
    target: str | None = None
    rule_id: str | None = None
    rule_type: str | None = None
    """A `RuleType`, or what else decided before the rules."""


_RULES: Final = TypeAdapter(list[TriageRule])
PASS_THROUGH = TriageDecision(TriageAction.PASS_THROUGH)


def triage(envelope: IngestEnvelopeV1, rules: Sequence[TriageRule]) -> TriageDecision:
    """The decision of the first rule that matches, by ascending priority then id."""
    headers = mail_headers(envelope)
    for rule in sorted(rules, key=lambda item: (item.priority, item.rule_id)):
        if _matches(rule, envelope, headers):
            return TriageDecision(rule.action, rule.target, rule.rule_id, rule.type.value)
    return PASS_THROUGH


def mail_headers(envelope: IngestEnvelopeV1) -> dict[str, list[str]]:
    """Header lines by lower-case name, topmost first; empty for other channels and malformed payloads."""
    raw = envelope.payload.raw or {}
    headers = raw.get("headers")
    if not isinstance(headers, Mapping):
        return {}
    found: dict[str, list[str]] = {}
    for name, values in headers.items():
        lines = values if isinstance(values, list) else [values]
        found.setdefault(str(name).lower(), []).extend(str(line) for line in lines)
    return found


def ingestion_tier_for(action: TriageAction, asked: IngestionTier) -> IngestionTier:
    """Tier 2 only by an explicit rule or the connector's own wish; everything else is kept in full (CNX-05.3).

    What a rule skips and is submitted all the same, by a connector that did not know the rule yet, is not kept either.
    """
    less = action in (TriageAction.METADATA_ONLY, TriageAction.SKIP)
    return IngestionTier.METADATA if less else asked


def rules_to_wire(rules: Sequence[TriageRule]) -> list[dict[str, Any]]:
    """The rules for connectors; none when none of them skips."""
    if not any(rule.action is TriageAction.SKIP for rule in rules):
        return []
    wire: list[dict[str, Any]] = _RULES.dump_python(list(rules), mode="json")
    return wire


def rules_in(answer: Mapping[str, Any]) -> list[TriageRule]:
    """The rules in an answer to a heartbeat; none when one is not understood, for it might spare what another skips."""
    try:
        return _RULES.validate_python(answer.get("rules", []))
    except ValidationError:
        return []


def _matches(rule: TriageRule, envelope: IngestEnvelopeV1, headers: Mapping[str, Sequence[str]]) -> bool:
    sender = envelope.sender.identity.strip().lower()
    value = rule.value.strip()
    match rule.type:
        case RuleType.SENDER_ADDRESS:
            return sender == value.lower()
        case RuleType.SENDER_DOMAIN:
            return _domain_matches(sender.rpartition("@")[2], value.lower().lstrip("@."))
        case RuleType.HEADER_CONDITION:
            return _header_matches(value, headers)
        case RuleType.LABEL_MATCH:
            return value in _labels(envelope)


def _domain_matches(domain: str, wanted: str) -> bool:
    return bool(wanted) and (domain == wanted or domain.endswith(f".{wanted}"))


def _header_matches(condition: str, headers: Mapping[str, Sequence[str]]) -> bool:
    name, _, rest = condition.partition(" ")
    operation, _, wanted = rest.strip().partition(" ")
    lines = [line.strip().lower() for line in headers.get(name.lower(), [])]
    wanted = wanted.strip().lower()
    if operation == "present":
        return bool(lines)
    if operation == "equals":
        return wanted in lines
    return operation == "contains" and bool(wanted) and any(wanted in line for line in lines)


def _labels(envelope: IngestEnvelopeV1) -> frozenset[str]:
    labels = (envelope.payload.raw or {}).get("labels", [])
    return frozenset(str(label) for label in labels) if isinstance(labels, list) else frozenset()
