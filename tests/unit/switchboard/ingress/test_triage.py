"""Deterministic rules: first match wins, no match passes through, a broken rule never loses a message."""

from __future__ import annotations

import pytest

from butler_contracts.ingest import IngestionTier
from butler_contracts.triage import (
    PASS_THROUGH,
    RuleType,
    TriageAction,
    TriageRule,
    ingestion_tier_for,
    triage,
)
from tests.support.switchboard import mail, telegram


def rule(
    kind: str, value: str, *, action: str = "route_to", priority: int = 10, rule_id: str = "r"
) -> TriageRule:
    target = "finance" if action == "route_to" else None
    return TriageRule(rule_id, priority, RuleType(kind), value, TriageAction(action), target)


BILL = mail(
    "<1@x>",
    sender="Billing@Shop.Example.com",
    headers={"List-Id": ["<Bills.example.com>"], "X-Kind": ["Bill"]},
)


@pytest.mark.parametrize(
    ("kind", "value", "matches"),
    [
        ("sender_domain", "shop.example.com", True),
        ("sender_domain", "example.com", True),
        ("sender_domain", "ample.com", False),
        ("sender_domain", "", False),
        ("sender_address", "billing@shop.example.com", True),
        ("sender_address", "shop.example.com", False),
        ("header_condition", "List-Id present", True),
        ("header_condition", "X-None present", False),
        ("header_condition", "X-Kind equals bill", True),
        ("header_condition", "X-Kind equals bil", False),
        ("header_condition", "list-id contains bills.", True),
        ("header_condition", "list-id contains ", False),
        ("header_condition", "nonsense", False),
    ],
)
def test_each_rule_type_matches_what_it_says(kind: str, value: str, matches: bool):
    assert (triage(BILL, [rule(kind, value)]) != PASS_THROUGH) is matches


def test_rules_are_tried_by_priority_and_the_first_match_wins():
    rules = [
        rule("sender_domain", "example.com", action="skip", priority=20, rule_id="late"),
        rule("sender_domain", "example.com", action="metadata_only", priority=5, rule_id="early"),
    ]
    assert triage(BILL, rules).rule_id == "early"


def test_without_a_match_the_message_passes_through_in_full():
    decision = triage(BILL, [rule("sender_domain", "other.example")])
    assert decision == PASS_THROUGH
    assert ingestion_tier_for(decision.action, IngestionTier.FULL) is IngestionTier.FULL


def test_a_label_rule_reads_the_labels_of_the_provider():
    assert triage(telegram(1), [rule("label_match", "CATEGORY_UPDATES")]) == PASS_THROUGH


@pytest.mark.spec("CNX-05.3")
@pytest.mark.parametrize(
    ("action", "tier"),
    [
        ("route_to", "full"),
        ("low_priority_queue", "full"),
        ("pass_through", "full"),
        ("metadata_only", "metadata"),
        ("skip", "metadata"),
    ],
)
def test_each_action_has_its_ingestion_tier(action: str, tier: str):
    assert ingestion_tier_for(TriageAction(action), IngestionTier.FULL).value == tier
