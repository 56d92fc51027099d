"""When an error budget burns, what becomes tight by it, and when it is let go (MSG-15, docs/adr/0073)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from butler_contracts.errors import ErrorClass, OverloadRejected, TargetUnavailable
from butler_kit.service_levels import Count, Level, Measured, Sli, State, burning, decided
from butler_messenger.admission.limits import RateLimited
from butler_messenger.delivery.calls import ChannelRules
from butler_messenger.delivery.decisions import DeadLetter, Retry, RetryPolicy, after_call
from butler_messenger.delivery.outcomes import Failure, Refused
from butler_messenger.service_levels.objectives import ACTING, Objective, Policy
from butler_messenger.service_levels.tally import Tally, Told
from butler_messenger.settings import SloSettings
from tests.unit.messenger.test_settings import said

NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
POLICY = Policy(SloSettings().targets())
SUCCESS = Sli(Objective.SUCCESS)
FIVE_MINUTES, HALF_AN_HOUR, HOUR, SIX_HOURS = 300.0, 1800.0, 3600.0, 21_600.0
TIGHT = Level(State.TIGHT, changed_at=NOW, burning_at=NOW, cause="success")
QUIET: Measured = {}


def lately(events: int, bad: int, sli: Sli = SUCCESS) -> Measured:
    """All of it happened within the last five minutes."""
    return {sli: dict.fromkeys(POLICY.windows_s, Count(events, bad))}


def seen(*, short: Count, hour: Count, half: Count | None = None, six: Count | None = None) -> Measured:
    return {
        SUCCESS: {FIVE_MINUTES: short, HALF_AN_HOUR: half or short, HOUR: hour, SIX_HOURS: six or hour},
    }


@pytest.mark.spec("MSG-15")
def test_a_fifth_that_fails_within_minutes_makes_a_channel_tight_and_says_why() -> None:
    level = decided(Level(), lately(100, 20), POLICY, NOW)
    assert (level.state, level.changed_at, level.cause) == (State.TIGHT, NOW, "success")
    assert level.burn == pytest.approx(20)


@pytest.mark.spec("MSG-15")
@pytest.mark.parametrize(
    "measured",
    [
        pytest.param(seen(short=Count(50, 1), hour=Count(100, 20)), id="it is over"),
        pytest.param(seen(short=Count(10, 5), hour=Count(1000, 20)), id="an hour of it is nothing"),
        pytest.param(seen(short=Count(0, 0), hour=Count(100, 90)), id="nothing happens any more"),
        pytest.param(lately(100, 5), id="slower than the slow pair"),
        pytest.param(QUIET, id="nothing was ever delivered"),
    ],
)
def test_one_window_alone_concludes_nothing(measured: Measured) -> None:
    assert decided(Level(), measured, POLICY, NOW).state is State.KEPT


@pytest.mark.spec("MSG-15")
def test_a_slower_burn_that_lasts_is_seen_over_six_hours() -> None:
    slow = seen(
        short=Count(20, 1), half=Count(100, 7), hour=Count(200, 14), six=Count(1000, 70)
    )  # 7 %: not 14.4 times too fast, but 6
    assert burning(slow, POLICY) == SUCCESS
    over = seen(short=Count(20, 0), half=Count(100, 1), hour=Count(200, 14), six=Count(1000, 70))
    assert burning(over, POLICY) is None


@pytest.mark.spec("MSG-15")
@given(st.integers(0, 3), st.integers(0, 500), st.sampled_from(sorted(ACTING)))
def test_three_failures_in_a_quiet_house_never_make_it_tight(
    bad: int, others: int, objective: Objective
) -> None:
    for least in (POLICY, Policy(POLICY.targets, minimum_events=10, minimum_failures=4)):
        assert burning(lately(bad + others, bad, Sli(objective)), least) is None


@pytest.mark.parametrize("objective", [one for one in Objective if one not in ACTING])
def test_what_is_only_told_tightens_nothing(objective: Objective) -> None:
    assert burning(lately(100, 100, Sli(objective)), POLICY) is None


@pytest.mark.parametrize("objective", sorted(ACTING))
def test_each_objective_that_acts_makes_a_channel_tight(objective: Objective) -> None:
    level = decided(Level(), lately(100, 100, Sli(objective)), POLICY, NOW)
    assert (level.state, level.cause) == (State.TIGHT, objective.value)


def test_a_reply_that_is_late_is_told_from_a_send_that_is() -> None:
    late = Sli(Objective.LATENCY, "reply")
    assert decided(Level(), lately(100, 100, late), POLICY, NOW).cause == "latency/reply"


@pytest.mark.spec("MSG-15")
def test_it_is_let_go_by_itself_when_nothing_burnt_for_a_while() -> None:
    wait = timedelta(seconds=POLICY.release_after_s)
    almost = decided(TIGHT, QUIET, POLICY, NOW + wait - timedelta(seconds=1))
    assert (almost.state, almost.released_at(POLICY)) == (State.TIGHT, NOW + wait)
    over = decided(almost, QUIET, POLICY, NOW + wait)
    assert (over.state, over.changed_at, over.cause) == (State.KEPT, NOW + wait, "")
    # What happened before is still within the long windows: it does not begin again by that.
    assert (
        decided(over, seen(short=Count(20, 0), hour=Count(100, 20)), POLICY, NOW + wait).state is State.KEPT
    )


@pytest.mark.spec("MSG-15")
def test_a_single_failure_is_too_little_to_begin_with_and_enough_to_go_on() -> None:
    later = NOW + timedelta(seconds=800)
    one = seen(short=Count(3, 1), hour=Count(3, 1))
    assert decided(Level(), one, POLICY, later).state is State.KEPT
    assert decided(TIGHT, one, POLICY, later).burning_at == later


@pytest.mark.spec("MSG-15")
def test_an_operator_lets_it_go_and_what_was_before_counts_no_more() -> None:
    freed = TIGHT.let_go(NOW)
    assert (freed.state, freed.counted_from, freed.cause, freed.burning_at) == (State.KEPT, NOW, "", None)
    later = NOW + timedelta(minutes=5)
    assert decided(freed, lately(100, 20), POLICY, later).state is State.TIGHT
    assert decided(freed, lately(100, 20), POLICY, later).counted_from == NOW


def test_a_house_that_wants_none_of_it_is_only_told() -> None:
    none = Policy(POLICY.targets, tightens=False)
    level = decided(Level(), lately(100, 50), none, NOW)
    assert level.state is State.KEPT
    assert level.burn == pytest.approx(50)
    assert decided(TIGHT, lately(100, 50), none, NOW).state is State.KEPT


COUNTS = st.integers(0, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


class Lives(RuleBasedStateMachine):
    """An account over hours, with whatever figures, and an operator who lets go now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.level = Level()
        self.measured: Measured = QUIET
        self.quiet_since: datetime | None = None

    @rule(counts=st.lists(COUNTS, min_size=4, max_size=4), minutes=st.integers(1, 40))
    def something_happens(self, counts: list[tuple[int, int]], minutes: int) -> None:
        self.now += timedelta(minutes=minutes)
        self.measured = {SUCCESS: dict(zip(POLICY.windows_s, (Count(*one) for one in counts), strict=True))}
        before, self.quiet_since = self.level, None
        self.level = decided(self.level, self.measured, POLICY, self.now)
        if before.state is State.KEPT and self.level.state is State.TIGHT:
            assert burning(self.measured, POLICY) is not None

    @rule(minutes=st.integers(1, 40))
    def nothing_happens(self, minutes: int) -> None:
        self.quiet_since = self.quiet_since or self.now
        self.now += timedelta(minutes=minutes)
        self.measured = QUIET
        self.level = decided(self.level, QUIET, POLICY, self.now)

    @precondition(lambda self: self.level.state is State.TIGHT)
    @rule()
    def an_operator_lets_go(self) -> None:
        self.level = self.level.let_go(self.now)
        assert self.level.state is State.KEPT

    @invariant()
    def it_ends_when_all_is_quiet(self) -> None:
        if self.quiet_since is not None and (self.now - self.quiet_since).total_seconds() >= (
            POLICY.release_after_s
        ):
            assert self.level.state is State.KEPT

    @invariant()
    def a_tight_one_says_why_and_until_when(self) -> None:
        tight = self.level.state is State.TIGHT
        assert bool(self.level.cause) is tight
        assert (self.level.released_at(POLICY) is not None) is tight


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=40, stateful_step_count=15, deadline=None)


PASSING = Refused(Failure(ErrorClass.TARGET_UNAVAILABLE, "busy", retryable=True))
RULES = ChannelRules(RetryPolicy(jitter=0), tight_factor=4)


def next_try(intent: str, used: int, *, tight: bool) -> Retry | DeadLetter:
    decision = after_call(
        PASSING,
        intent=intent,
        attempts_used=used,
        tries=used,
        policy=RULES.policy_for(intent, tight=tight),
        guarantee="at_most_once",
        draw=0.5,
    )
    assert isinstance(decision, Retry | DeadLetter)
    return decision


def pause_s(intent: str, used: int, *, tight: bool) -> float:
    decision = next_try(intent, used, tight=tight)
    assert isinstance(decision, Retry)
    return decision.delay_s


@pytest.mark.spec("MSG-15")
def test_a_tight_channel_tries_sends_as_often_only_later_and_replies_as_ever() -> None:
    assert [pause_s("send", used, tight=False) for used in (1, 2)] == [2, 4]
    assert [pause_s("send", used, tight=True) for used in (1, 2)] == [8, 16]
    assert [pause_s("reply", used, tight=True) for used in (1, 2)] == [2, 4]
    assert isinstance(next_try("send", 3, tight=True), DeadLetter)
    patient = ChannelRules(RetryPolicy(max_delay_s=6, jitter=0), tight_factor=100)
    assert patient.policy_for("send", tight=True).max_delay_s == 6


def test_a_manifest_says_how_good_deliveries_are_to_be() -> None:
    usual = said().service_level_policy()
    assert usual == Policy(SloSettings().targets())
    own: dict[str, Any] = {
        "slo": {
            "success": 0.9,
            "tightens": False,
            "fast": {"longSeconds": 1800, "burn": 10},
            "sendShare": 0.2,
        },
        "channels": {"telegram": {"replyWithinSeconds": 5}},
    }
    config = said(**own)
    policy = config.service_level_policy()
    assert (policy.targets[Objective.SUCCESS], policy.targets[Objective.ONCE]) == (0.9, 0.999)
    assert (policy.tightens, policy.fast.long_s, policy.fast.short_s, policy.fast.burn) == (
        False,
        1800,
        300,
        10,
    )
    assert (policy.within_s["telegram", "reply"], policy.within_s["telegram", "send"]) == (5, 60)
    assert config.admission_limits().rates.tight_share == 0.2


def test_refusals_are_counted_by_whose_fault_they_are_and_nothing_is_lost_of_them() -> None:
    tally = Tally()
    for _ in range(5):
        tally.asked("telegram")
    for error in (
        RateLimited("recipient", retry_after_s=1),
        RateLimited("tight", retry_after_s=1),
        OverloadRejected("full"),
        TargetUnavailable("away"),
    ):
        tally.refused("telegram", error)
    taken = tally.taken()
    assert taken == {"telegram": Told(asked=5, limited=1, crowded=1, tightened=1)}
    assert tally.taken() == {}
    tally.asked("telegram")
    tally.put_back(taken)
    assert tally.taken() == {"telegram": Told(asked=6, limited=1, crowded=1, tightened=1)}
