"""What counts for the service levels of messages, when they are missed, and what makes room then (docs/adr/0113)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.errors import ErrorClass
from butler_contracts.ingest import PolicyTier
from butler_contracts.keys import dedupe_key
from butler_contracts.triage import PASS_THROUGH
from butler_kit.config import parse_config
from butler_kit.service_levels import Count, Level, Measured, Sli, State, decided
from butler_kit.telemetry import BUFFER, SWITCHBOARD, Metrics
from butler_kit.time import new_uuid7
from butler_switchboard.ingress.context import Decisions, admission_row
from butler_switchboard.ingress.overflow import Load, Overflow, OverflowPolicy, TierLimit, on_overflow
from butler_switchboard.ingress.rows import AdmissionRow
from butler_switchboard.ingress.senders import SenderDecision
from butler_switchboard.policies import service_level_policy
from butler_switchboard.service_levels.counting import CountedMetrics
from butler_switchboard.service_levels.objectives import Objective, Policy
from butler_switchboard.service_levels.tally import Tally
from butler_switchboard.settings import SloSettings, SwitchboardConfig
from tests.support.switchboard import telegram

NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
POLICY = service_level_policy(SloSettings())


def a_row() -> AdmissionRow:
    envelope = telegram(1)
    sender = SenderDecision("household", "allow", False, "test")
    decisions = Decisions(dedupe_key(envelope), sender, PASS_THROUGH, PolicyTier.INTERACTIVE)
    return admission_row(envelope, new_uuid7(NOW), decisions)


@pytest.fixture
def events() -> CountedMetrics:
    return CountedMetrics(Metrics((*SWITCHBOARD, *BUFFER)), Tally(POLICY.within_s))


@pytest.mark.spec("SWB-41.1")
def test_each_indicator_counts_its_events_and_the_bad_ones(events: CountedMetrics) -> None:
    for seconds in (0.02, 0.25, 0.26):
        events.accepted(a_row(), strategy="connector_api", duplicate=False, seconds=seconds)
    events.ended("finance", "ok", 1.5)
    events.ended("health", "timeout", None)
    events.concluded("telegram", "parsed", seconds=59, interactive=True)
    events.concluded("telegram", "errored", seconds=61, interactive=True)
    events.concluded("email", "parsed", seconds=301, interactive=False)
    assert events.tally.taken() == {
        "accept": Count(3, 1),
        "success": Count(2, 1),
        "complete": Count(3, 1),
        "interactive": Count(2, 1),
    }
    assert events.metrics.value("butlers.switchboard.subroute_result", target="finance", outcome="ok") == 1


@pytest.mark.spec("SWB-41.1")
def test_what_somebody_had_done_again_counts_for_no_level(events: CountedMetrics) -> None:
    events.ended("finance", "timeout", 86_400.0, again=True)
    events.ended_untimed("parsed")
    assert events.tally.taken() == {}


def test_a_part_at_fault_itself_and_a_message_of_a_backfill_count_for_no_level(
    events: CountedMetrics,
) -> None:
    events.ended("finance", ErrorClass.VALIDATION_ERROR.value, 1.0)
    of_history = a_row()._replace(backfill_job_id=new_uuid7(NOW))
    events.accepted(of_history, strategy="connector_api", duplicate=False, seconds=9.0)
    assert events.tally.taken() == {}


def test_what_could_not_be_stored_is_counted_again() -> None:
    tally = Tally()
    tally.accepted(9)
    taken = tally.taken()
    assert tally.taken() == {}
    tally.accepted(0.01)
    tally.put_back(taken)
    assert tally.taken() == {"accept": Count(2, 1)}


def lately(events: int, bad: int, objective: Objective = Objective.SUCCESS) -> Measured:
    return {Sli(objective): dict.fromkeys(POLICY.windows_s, Count(events, bad))}


@pytest.mark.parametrize("objective", list(Objective))
def test_each_objective_makes_it_tight_and_says_so(objective: Objective) -> None:
    level = decided(Level(), lately(100, 100, objective), POLICY, NOW)
    assert (level.state, level.cause) == (State.TIGHT, objective.value)


@given(st.integers(0, 3), st.integers(0, 500), st.sampled_from(list(Objective)))
def test_three_bad_ones_in_a_quiet_house_never_make_it_tight(
    bad: int, others: int, objective: Objective
) -> None:
    least = Policy(POLICY.targets, minimum_events=10, minimum_failures=4)
    assert decided(Level(), lately(bad + others, bad, objective), least, NOW).state is State.KEPT


def test_a_manifest_says_how_good_messages_are_to_be() -> None:
    assert Policy(SloSettings().targets()) == POLICY
    said = parse_config(
        '[butler]\nrole = "switchboard"\n'
        "[slo]\nsuccess = 0.9\naccept_within_s = 0.2\ntightens = false\n[slo.fast]\nlong_s = 1800.0\n",
        "butler.toml",
        SwitchboardConfig,
        {},
    )
    policy = service_level_policy(said.slo)
    assert (policy.targets[Objective.SUCCESS], policy.targets[Objective.ACCEPT]) == (0.9, 0.99)
    assert (policy.within_s[Objective.ACCEPT], policy.within_s[Objective.COMPLETE]) == (0.2, 300)
    assert (policy.tightens, policy.fast.long_s, policy.fast.short_s) == (False, 1800, 300)


def load_of(waiting: int, *, own: int, sources: int) -> Load:
    return Load(waiting=waiting, own=own, sources=sources, default=waiting)


LOADS = st.integers(0, 300).flatmap(
    lambda waiting: st.builds(
        load_of, st.just(waiting), own=st.integers(0, waiting), sources=st.integers(1, 10)
    )
)
POLICIES = st.sampled_from(list(OverflowPolicy))


@given(LOADS, POLICIES, st.floats(0.1, 1))
def test_the_tiers_of_people_are_treated_as_ever_while_it_is_tight(
    load: Load, policy: OverflowPolicy, share: float
) -> None:
    limit = TierLimit(100, policy)
    for tier in (PolicyTier.INTERACTIVE, PolicyTier.HIGH_PRIORITY):
        assert on_overflow(tier, limit, load, share=share) is on_overflow(tier, limit, load)


@given(LOADS, POLICIES, st.floats(0.1, 0.99))
def test_tier_default_has_less_room_while_it_is_tight_and_nothing_is_shed_or_let_in_for_it(
    load: Load, policy: OverflowPolicy, share: float
) -> None:
    limit = TierLimit(100, policy)
    usual, tight = (on_overflow(PolicyTier.DEFAULT, limit, load, share=part) for part in (1.0, share))
    assert tight in (usual, Overflow.TIGHT)
    assert usual.refuses <= tight.refuses
    if tight is Overflow.TIGHT:
        assert load.waiting >= 100 * share


@pytest.mark.parametrize("policy", list(OverflowPolicy))
def test_a_source_below_its_share_gets_in_while_it_is_tight(policy: OverflowPolicy) -> None:
    limit = TierLimit(100, policy)
    flood, small = load_of(60, own=58, sources=2), load_of(60, own=2, sources=2)
    assert on_overflow(PolicyTier.DEFAULT, limit, flood, share=0.5) is Overflow.TIGHT
    assert on_overflow(PolicyTier.DEFAULT, limit, small, share=0.5) is Overflow.ACCEPT
    assert on_overflow(PolicyTier.DEFAULT, limit, flood) is Overflow.ACCEPT
