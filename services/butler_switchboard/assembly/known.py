"""The values that a Switchboard has before its database is open."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from butler_kit.auth import SubjectDirectory
from butler_kit.auth.signer import TokenSigner
from butler_kit.runtime.thinking import Thinking
from butler_kit.telemetry import Metrics
from butler_kit.time import Clock, new_uuid7
from butler_switchboard.dispatch.breaker import BreakerPolicy
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.registry.subjects import DeclaredSubjects
from butler_switchboard.rollouts.trial import Rollout
from butler_switchboard.routing.rules.program import RulesSessions
from butler_switchboard.service_levels.counting import CountedMetrics
from butler_switchboard.settings import SwitchboardConfig

__all__ = ["Known"]


@dataclass(frozen=True, slots=True)
class Known:
    """The values known before the database is open: configuration, clocks, keys, event sinks."""

    config: SwitchboardConfig
    clock: Clock
    metrics: Metrics
    events: CountedMetrics
    signer: TokenSigner
    rules: RulesSessions
    thinking: Thinking
    retry: RetryPolicy
    breaker: BreakerPolicy
    subjects: DeclaredSubjects
    household: SubjectDirectory
    on_trial: Thinking | None = None
    """The runtime that is tried beside `thinking`."""
    rollout: Rollout | None = None
    replica: str | None = None

    def new_id(self) -> UUID:
        return new_uuid7(self.clock.now())
