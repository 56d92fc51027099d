"""Turns the settings of `butler.toml` into the policies that the stages apply (D76)."""

from __future__ import annotations

from butler_contracts.ingest import PolicyTier
from butler_contracts.triage import RuleType, TriageAction, TriageRule
from butler_switchboard.dispatch.breaker import BreakerPolicy
from butler_switchboard.dispatch.clocks import Clocks, OwnTimeouts, Timeouts
from butler_switchboard.dispatch.model import JoinPolicy, PolicyInForce
from butler_switchboard.dispatch.retry import Patience, RetryPolicy
from butler_switchboard.dispatch.tiers import TierPolicy
from butler_switchboard.ingress.overflow import OverflowPolicy, TierLimit
from butler_switchboard.operations.retention import RetentionPolicy
from butler_switchboard.rollouts.trial import Rollout, Version
from butler_switchboard.routing.policy import RuleRoute
from butler_switchboard.routing.prompt import prompt_version
from butler_switchboard.service_levels.objectives import Objective, Policy
from butler_switchboard.settings import (
    DispatchConfig,
    RetentionConfig,
    RoutingTiers,
    SloSettings,
    SwitchboardBuffer,
    SwitchboardConfig,
    SwitchboardRouting,
    TierBacklog,
    TierDispatch,
    TierRouting,
)

__all__ = [
    "backlog_limits",
    "breaker_policy",
    "clocks_of",
    "models_of",
    "retention_policy",
    "retry_policy",
    "rollout_of",
    "rule_routes",
    "rules_told",
    "service_level_policy",
    "tier_policies",
    "triage_rules",
]


def clocks_of(config: SwitchboardConfig) -> Clocks:
    dispatch, known = config.dispatch, Timeouts()
    usual = Timeouts(
        dispatch.accept_timeout_s or known.accept_s,
        dispatch.run_timeout_s or known.run_s,
    )
    own = {
        name: OwnTimeouts(target.accept_timeout_s, target.run_timeout_s)
        for name, target in dispatch.targets.items()
    }
    return Clocks(usual, own, {PolicyTier(name): _timeouts_of(tier) for name, tier in dispatch.tiers})


def _timeouts_of(tier: TierDispatch) -> OwnTimeouts:
    return OwnTimeouts(tier.accept_timeout_s, tier.run_timeout_s, tier.queue_wait_s)


def retry_policy(dispatch: DispatchConfig) -> RetryPolicy:
    retries = dispatch.retries
    return RetryPolicy(
        max_attempts=retries.max_attempts,
        base_delay_s=retries.base_delay_s,
        max_delay_s=retries.max_delay_s,
        tiers={tier: _patience(dispatch, tier) for tier in PolicyTier},
    )


def breaker_policy(dispatch: DispatchConfig) -> BreakerPolicy:
    return BreakerPolicy(failure_threshold=dispatch.circuit.failures, recovery_s=dispatch.circuit.reset_s)


def tier_policies(config: SwitchboardConfig) -> dict[PolicyTier, TierPolicy]:
    """Return how each tier is routed and joined; a tier inherits what it leaves out (SWB-34.1)."""
    return {tier: _tier_policy(config, tier) for tier in PolicyTier}


def _tier_policy(config: SwitchboardConfig, tier: PolicyTier) -> TierPolicy:
    routing, runtime = config.routing, config.runtime
    own: TierRouting = getattr(routing.tiers, tier.value)
    joined: TierDispatch = getattr(config.dispatch.tiers, tier.value)
    session_s = min(own.session_timeout_s or routing.session_timeout_s, runtime.timeout_s)
    return TierPolicy(
        model=own.model or runtime.asked_model,
        session_timeout_s=session_s,
        join=JoinPolicy(joined.join),
        in_force=_in_force(config, tier, session_s),
    )


def _in_force(config: SwitchboardConfig, tier: PolicyTier, session_s: float) -> PolicyInForce:
    timeouts = clocks_of(config).of("", tier)
    policy = retry_policy(config.dispatch)
    patience = policy.patience(tier)
    return PolicyInForce(
        session_timeout_s=session_s,
        accept_timeout_s=timeouts.accept_s,
        run_timeout_s=timeouts.run_s,
        patience_s=patience.tries_s,
        circuit_patience_s=patience.circuit_s,
        max_attempts=patience.max_attempts or policy.max_attempts,
    )


def models_of(tiers: RoutingTiers) -> tuple[str, ...]:
    """Return the models that tiers name, each once."""
    return tuple(dict.fromkeys(tier.model for _, tier in tiers if tier.model is not None))


def rollout_of(config: SwitchboardConfig) -> Rollout | None:
    """Return the candidate tried beside the usual version; None if none is named or both are equal."""
    routing, asked, known = config.routing, config.runtime.canary, config.runtime.asked_model
    if asked is None or known is None:
        return None
    own, tried = routing.instructions or "", asked.instructions or routing.instructions or ""
    usual, candidate = (
        Version(known, prompt_version(own)),
        Version(asked.model or known, prompt_version(tried)),
    )
    if candidate == usual:
        return None
    return Rollout(
        usual=usual,
        candidate=candidate,
        instructions=tried,
        percent=asked.percent,
        minimum=asked.minimum_decisions,
        significance=asked.significance,
        attempt=asked.attempt,
    )


def triage_rules(routing: SwitchboardRouting) -> tuple[TriageRule, ...]:
    return tuple(
        TriageRule(
            rule_id=f"routing.rules[{index}]",
            priority=rule.priority,
            type=RuleType(rule.type),
            value=rule.value,
            action=TriageAction(rule.action),
            target=rule.target or next(iter(rule.targets), None),
        )
        for index, rule in enumerate(routing.rules)
    )


def rule_routes(routing: SwitchboardRouting) -> dict[str, RuleRoute]:
    """Return what rules with several targets demand, by the rule's id."""
    return {
        f"routing.rules[{index}]": RuleRoute(rule.targets, rule.order, rule.join)
        for index, rule in enumerate(routing.rules)
        if len(rule.targets) > 1
    }


def rules_told(routing: SwitchboardRouting) -> tuple[TriageRule, ...]:
    """Return the rules by which connectors skip without asking; none if thread affinity is on (CNX-05.1)."""
    return () if routing.thread_affinity else triage_rules(routing)


def retention_policy(config: RetentionConfig) -> RetentionPolicy:
    return RetentionPolicy(
        inbox_days=None if config.keep_inbox else config.inbox_days,
        dedupe_days=config.dedupe_days,
        session_days=config.session_days,
        history_days=config.history_days,
        dead_letter_days=config.dead_letter_days,
        dead_letter_max=config.dead_letter_max,
    )


def service_level_policy(slo: SloSettings) -> Policy:
    """Return how good the message plane is to be (SWB-41.1)."""
    return Policy(
        targets=slo.targets(),
        within_s={
            Objective.ACCEPT: slo.accept_within_s,
            Objective.COMPLETE: slo.complete_within_s,
            Objective.INTERACTIVE: slo.interactive_within_s,
        },
        **slo.burn_settings(),
    )


def backlog_limits(buffer: SwitchboardBuffer) -> dict[PolicyTier, TierLimit]:
    """Return how much of each tier may wait; high priority is deferred whatever is configured (D79)."""
    tiers = buffer.tiers
    return {
        PolicyTier.DEFAULT: _limit(buffer, tiers.default),
        PolicyTier.INTERACTIVE: _limit(buffer, tiers.interactive),
        PolicyTier.HIGH_PRIORITY: TierLimit(tiers.high_priority.max_backlog, OverflowPolicy.DEFER),
    }


def _limit(buffer: SwitchboardBuffer, tier: TierBacklog) -> TierLimit:
    return TierLimit(tier.max_backlog, OverflowPolicy(tier.overflow or buffer.overflow))


def _patience(dispatch: DispatchConfig, tier: PolicyTier) -> Patience:
    own = getattr(dispatch.tiers, tier.value)
    return Patience(
        tries_s=own.patience_s,
        circuit_s=own.circuit_patience_s or dispatch.circuit.patience_s,
        max_attempts=own.max_attempts,
    )
