"""What happens to a message of a full tier: by the tier's policy, and by its source's share."""

from __future__ import annotations

from collections import Counter

import pytest

from butler_contracts.ingest import PolicyTier
from butler_kit.config import parse_config
from butler_switchboard.ingress.overflow import (
    LIMITS,
    Load,
    Overflow,
    OverflowPolicy,
    TierLimit,
    on_overflow,
)
from butler_switchboard.policies import backlog_limits
from butler_switchboard.settings import SwitchboardBuffer, SwitchboardConfig

POLICIES = list(OverflowPolicy)


def full(waiting: int = 10, *, own: int | None = None, sources: int = 1, default: int = 10) -> Load:
    return Load(waiting=waiting, own=waiting if own is None else own, sources=sources, default=default)


@pytest.mark.parametrize("tier", list(PolicyTier))
@pytest.mark.parametrize("policy", POLICIES)
def test_a_tier_with_room_accepts_everything(tier: PolicyTier, policy: OverflowPolicy):
    assert on_overflow(tier, TierLimit(10, policy), full(9)) is Overflow.ACCEPT


@pytest.mark.parametrize("tier", [PolicyTier.DEFAULT, PolicyTier.INTERACTIVE])
@pytest.mark.parametrize("policy", POLICIES)
def test_a_full_tier_follows_its_policy(tier: PolicyTier, policy: OverflowPolicy):
    assert on_overflow(tier, TierLimit(10, policy), full()) == Overflow(policy.value)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("waiting", [10, 20, 1_000_000])
def test_high_priority_is_deferred_and_never_refused(policy: OverflowPolicy, waiting: int):
    assert on_overflow(PolicyTier.HIGH_PRIORITY, TierLimit(10, policy), full(waiting)) is Overflow.DEFER


def test_with_nothing_to_let_go_shedding_is_a_refusal():
    limit = TierLimit(10, OverflowPolicy.SHED)
    assert on_overflow(PolicyTier.INTERACTIVE, limit, full(default=0)) is Overflow.REJECT


@pytest.mark.parametrize("policy", POLICIES)
def test_no_flood_of_one_source_keeps_another_out_and_no_number_of_sources_grows_without_bound(
    policy: OverflowPolicy,
):
    limit, held = TierLimit(100, policy), Counter({"flood": 100})
    refused = Counter[str]()
    for turn in range(5_000):
        source = f"source {turn % 40}" if turn % 2 else "flood"
        load = full(held.total(), own=held[source], sources=len({*held, source}), default=0)
        if on_overflow(PolicyTier.DEFAULT, limit, load) is Overflow.ACCEPT:
            held[source] += 1
        else:
            refused[source] += 1
    assert held["flood"] == 100
    assert min(held[f"source {number}"] for number in (1, 3, 5)) > 0
    assert held.total() <= 200


def test_the_limits_are_those_that_are_shipped_and_those_that_are_configured():
    assert backlog_limits(SwitchboardBuffer()) == LIMITS
    assert [LIMITS[tier].max_backlog for tier in PolicyTier] == [
        {"default": 10_000, "interactive": 1_000, "high_priority": 10_000}[tier.value] for tier in PolicyTier
    ]
    said = parse_config(
        '[butler]\nrole = "switchboard"\n[buffer]\noverflow = "defer"\n'
        '[buffer.tiers.default]\noverflow = "shed"\n[buffer.tiers.interactive]\nmax_backlog = 7\n',
        "butler.toml",
        SwitchboardConfig,
        {},
    )
    limits = backlog_limits(said.buffer)
    assert limits[PolicyTier.DEFAULT] == TierLimit(10_000, OverflowPolicy.SHED)
    assert limits[PolicyTier.INTERACTIVE] == TierLimit(7, OverflowPolicy.DEFER)
