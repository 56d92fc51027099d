"""How long a branch may stay silent, before and after its target began."""

from __future__ import annotations

import pytest

from butler_contracts.errors import ErrorClass
from butler_contracts.ingest import PolicyTier, SourceChannel
from butler_kit.config import parse_config
from butler_switchboard.dispatch.clocks import (
    Clocks,
    OwnTimeouts,
    Timeouts,
    accepted_deadline,
    queue_wait_s,
    started_deadline,
)
from butler_switchboard.dispatch.decide import Expire, next_step
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.policies import clocks_of
from butler_switchboard.settings import SwitchboardConfig
from tests.unit.switchboard.dispatch.build import NOW, branch, plan, request, seconds

CLOCKS = Clocks(Timeouts(), {"finance": OwnTimeouts(5.0, 40.0)})


@pytest.mark.spec("SWB-13.1")
def test_a_branch_that_never_begins_or_never_ends_is_a_timeout_at_its_deadline():
    run_s = CLOCKS.of("finance", PolicyTier.DEFAULT).run_s
    queued = accepted_deadline(NOW, queue_wait=900.0, run_s=run_s)
    running = started_deadline(NOW, run_s)
    assert (queued, running) == (NOW + seconds(940), NOW + seconds(40))
    for state, deadline in (("accepted", queued), ("started", running)):
        silent = request(plan("finance"), branch(1, "finance", state, deadline_at=deadline))

        def step(now, silent=silent):
            return next_step(silent, now=now, policy=RetryPolicy(), presence={})

        assert not isinstance(step(deadline - seconds(1)), Expire)
        expired = step(deadline)
        assert isinstance(expired, Expire)
        assert expired.expired[0][1].error_class is ErrorClass.TIMEOUT


def test_only_what_nobody_waits_for_may_queue_for_a_day():
    assert queue_wait_s(SourceChannel.TELEGRAM, PolicyTier.DEFAULT) == 900
    assert queue_wait_s(SourceChannel.EMAIL, PolicyTier.INTERACTIVE) == 900
    assert queue_wait_s(SourceChannel.EMAIL, PolicyTier.DEFAULT) == 86_400


def test_a_target_has_its_own_time_outs_or_those_of_all():
    said = parse_config(
        '[butler]\nrole = "switchboard"\n\n'
        "[dispatch]\naccept_timeout_s = 2\nrun_timeout_s = 60\n[dispatch.targets.finance]\nrun_timeout_s = 300\n",
        "butler.toml",
        SwitchboardConfig,
        {},
    )
    clocks = clocks_of(said)
    assert clocks.of("finance", PolicyTier.DEFAULT) == Timeouts(accept_s=2, run_s=300)
    assert clocks.of("health", PolicyTier.INTERACTIVE) == Timeouts(accept_s=2, run_s=60)


@pytest.mark.spec("SWB-34.1")
def test_a_tier_has_its_own_time_outs_and_a_target_s_count_first():
    said = parse_config(
        '[butler]\nrole = "switchboard"\n\n'
        "[dispatch]\naccept_timeout_s = 2\nrun_timeout_s = 60\n"
        "[dispatch.tiers.interactive]\naccept_timeout_s = 1\nrun_timeout_s = 20\nqueue_wait_s = 30\n"
        "[dispatch.targets.finance]\nrun_timeout_s = 300\n",
        "butler.toml",
        SwitchboardConfig,
        {},
    )
    clocks = clocks_of(said)
    assert clocks.of("health", PolicyTier.INTERACTIVE) == Timeouts(accept_s=1, run_s=20, queue_wait_s=30)
    assert clocks.of("finance", PolicyTier.INTERACTIVE) == Timeouts(accept_s=1, run_s=300, queue_wait_s=30)
    assert clocks.of("health", PolicyTier.DEFAULT) == Timeouts(accept_s=2, run_s=60)
    deadlines = clocks.started_deadlines("health", NOW)
    assert deadlines[PolicyTier.INTERACTIVE] == NOW + seconds(20)
    assert deadlines[PolicyTier.DEFAULT] == NOW + seconds(60)
