"""What Switchboard's `butler.toml` may say beyond the common sections (SWB-13, SWB-14, SWB-24, D9, D22, D77, D79)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from butler_kit.config import BufferConfig, ButlerConfig, RoutingConfig, RuntimeConfig, Section
from butler_kit.config.budget import PriceConfig
from butler_kit.config.models import BaseUrl, Provider, RuntimeFamily, demand_model
from butler_kit.config.service_levels import Share, SloConfig
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD
from butler_switchboard.schedules.names import NATIVE
from butler_switchboard.service_levels.objectives import Objective

__all__ = [
    "BufferTiers",
    "CanaryConfig",
    "CircuitConfig",
    "DispatchConfig",
    "DispatchTiers",
    "RetentionConfig",
    "RetriesConfig",
    "RollupsConfig",
    "RoutingTiers",
    "SloSettings",
    "SwitchboardBuffer",
    "SwitchboardConfig",
    "SwitchboardRouting",
    "TargetDispatch",
    "TierBacklog",
    "TierDispatch",
    "TierRouting",
]

Name = Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,62}$")]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Backlog = Annotated[int, Field(ge=1, le=1_000_000)]
Days = Annotated[int, Field(ge=1, le=3_650)]
ModelName = Annotated[str, Field(min_length=1, max_length=253)]
Instructions = Annotated[str, Field(min_length=1, max_length=4_000)]


class TierRouting(Section):
    """`[routing.tiers.NAME]`: by which model one policy tier is routed, and how long that may take (SWB-34.1)."""

    model: ModelName | None = None
    """Without it `[runtime] model`."""
    session_timeout_s: Seconds | None = None
    """Without it `[routing] session_timeout_s`."""


class RoutingTiers(Section):
    """`[routing.tiers]`."""

    default: TierRouting = TierRouting()
    interactive: TierRouting = TierRouting()
    high_priority: TierRouting = TierRouting()


class CanaryConfig(Section):
    """`[runtime.canary]`: what a share of the threads is routed with until it is certainly worse (SWB-36.1).

    With `family` the candidate has a runtime of its own, with its own server, key and price (ADR 0117).
    """

    family: RuntimeFamily | None = None
    provider: Provider | None = None
    base_url: BaseUrl | None = None
    api_key_env: str | None = None
    price: PriceConfig | None = None
    model: ModelName | None = None
    """Without it `[runtime] model`, or that of the family."""
    instructions: Instructions | None = None
    """Without them `[routing] instructions`."""
    percent: Annotated[int, Field(ge=1, le=90)] = 10
    minimum_decisions: Annotated[int, Field(ge=10, le=10_000)] = 30
    significance: Annotated[float, Field(ge=0.000_001, le=0.05)] = 0.001
    attempt: Annotated[int, Field(ge=1, le=1_000)] = 1
    """Raised to try a candidate once more that was given up."""

    @model_validator(mode="after")
    def _names_a_candidate(self) -> Self:
        if self.family is None and self.model is None and self.instructions is None:
            raise ValueError(
                "[runtime.canary] names nothing to try: give it a family, a model or instructions"
            )
        of_family = (self.provider, self.base_url, self.api_key_env, self.price)
        if self.family is None and any(one is not None for one in of_family):
            raise ValueError("[runtime.canary] has a server or price of its own; that needs a family")
        of_model = (*of_family, self.model, self.instructions)
        if self.family == "rules" and any(one is not None for one in of_model):
            raise ValueError("[runtime.canary] of family 'rules' takes no model")
        return self

    @model_validator(mode="after")
    def _says_whom_to_ask(self) -> Self:
        if self.family is not None:
            demand_model(
                self.family, self.provider, self.model, self.base_url, keyed=self.api_key_env is not None
            )
        return self


class SwitchboardRuntime(RuntimeConfig):
    """`[runtime]`, and what is tried beside it."""

    canary: CanaryConfig | None = None

    @property
    def on_trial(self) -> RuntimeConfig | None:
        """The runtime that is tried: its own family, server, model and price, and the bounds of the usual one."""
        canary = self.canary
        if canary is None or canary.family is None:
            return None
        own = {
            name: getattr(canary, name) for name in ("provider", "base_url", "api_key_env", "model", "price")
        }
        bounds = {name: getattr(self, name) for name in ("max_turns", "max_tool_calls", "timeout_s")}
        return RuntimeConfig(family=canary.family, **own, **bounds)

    @property
    def asking(self) -> tuple[RuntimeConfig, ...]:
        """The runtimes that ask a model, the usual one first."""
        return (*super().asking, *(self.on_trial.asking if self.on_trial is not None else ()))

    @model_validator(mode="after")
    def _tries_another_one(self) -> Self:
        tried = self.on_trial
        if tried is not None and (tried.family, tried.provider, tried.base_url) == (
            self.family,
            self.provider,
            self.base_url,
        ):
            raise ValueError(
                "[runtime.canary] family names the usual runtime; leave it out to try a model or instructions there"
            )
        return self


class SwitchboardRouting(RoutingConfig):
    """`[routing]`: triage rules, what proves a sender, when a specialist is sure enough."""

    confidence_threshold: Annotated[float, Field(ge=0, le=1)] = DEFAULT_THRESHOLD
    session_timeout_s: Seconds = 30.0
    patience_s: Seconds = 120.0
    """How long a message waits for any butler to be there before it ends in an error."""
    new_request_on_conflict: tuple[str, ...] = ()
    tiers: RoutingTiers = RoutingTiers()
    instructions: Instructions | None = None
    """What the owner adds to the instructions of the model that routes."""
    thread_affinity: bool = False
    """Whether a mail goes to the butler of its thread, before any rule (CNX-05.1)."""
    learn: bool = False
    """Whether the household's own corrections decide where messages like them go (D71, ADR 0111)."""
    relationship_extraction: bool = False
    """Whether what members say of people is found and kept (SWB-26.1, ADR 0085)."""
    cost_per_thousand_messages_cents: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    """What routing and answering cost; backfills count it against their daily cap (SWB-20.2)."""


class RetriesConfig(Section):
    """`[dispatch.retries]`: pauses double from `base_delay_s` to `max_delay_s` (SWB-13.2)."""

    base_delay_s: Seconds = 0.5
    max_delay_s: Seconds = 30.0
    max_attempts: Annotated[int, Field(ge=1, le=20)] = 3
    """How often a target may answer with a retryable error before that is final. Silence is bounded by time alone."""


class CircuitConfig(Section):
    """`[dispatch.circuit]`: when a target is left alone, and for how long (SWB-13.3, D77)."""

    failures: Annotated[int, Field(ge=1, le=1_000)] = 5
    """Calls, or runs, that fail in a row and open the circuit; calls only when they have failed for 5 s."""
    reset_s: Seconds = 4.0
    """Longest pause before the next call that is let through; the first ones are 1 and 2 s. Below 5, so that a person
    who waits for an answer is still told within 5 s whether the target is back."""
    patience_s: Seconds = 900.0
    """How long what is not interactive waits for an open circuit: longer than a cluster needs to replace a node."""


class TierDispatch(Section):
    """`[dispatch.tiers.NAME]`: how one policy tier is treated; what it leaves out is as above (SWB-34.1, D77)."""

    patience_s: Seconds = 900.0
    """How long a target that does not accept is tried, from the first failed try; by time, never by count."""
    circuit_patience_s: Seconds | None = None
    """The same while its circuit is open; without it `[dispatch.circuit] patience_s`."""
    max_attempts: Annotated[int, Field(ge=1, le=20)] | None = None
    accept_timeout_s: Seconds | None = None
    run_timeout_s: Seconds | None = None
    """Without them those of `[dispatch]`; a target's own count first."""
    queue_wait_s: Seconds | None = None
    """How long a part may wait at its target; 900 where somebody waits for the answer, else 86,400."""
    join: Literal["all", "any"] = "all"
    """What a message of several parts needs to be done: each of them, or one."""


class InteractiveDispatch(TierDispatch):
    """Somebody waits for the answer: an open circuit is told within 5 s (D77)."""

    patience_s: Seconds = 60.0
    circuit_patience_s: Seconds | None = 4.0


class DispatchTiers(Section):
    """`[dispatch.tiers]`."""

    default: TierDispatch = TierDispatch()
    interactive: InteractiveDispatch = InteractiveDispatch()
    high_priority: TierDispatch = TierDispatch()


class TargetDispatch(Section):
    """`[dispatch.targets.NAME]`: the time-outs of one butler (SWB-05.4, SWB-13.1)."""

    accept_timeout_s: Seconds | None = None
    run_timeout_s: Seconds | None = None


class DispatchConfig(Section):
    """`[dispatch]`: how long a target may take, when it is tried again, when it is left alone (SWB-13, D17, D77)."""

    accept_timeout_s: Seconds | None = None
    """Seconds for a target's acknowledgement; 5."""
    run_timeout_s: Seconds | None = None
    """Seconds from the start of a run to its answer; 120."""
    retries: RetriesConfig = RetriesConfig()
    circuit: CircuitConfig = CircuitConfig()
    tiers: DispatchTiers = DispatchTiers()
    targets: dict[Name, TargetDispatch] = Field(default_factory=dict)


class TierBacklog(Section):
    """`[buffer.tiers.NAME]`: how many unfinished messages a tier may have, and what happens past that (D79)."""

    max_backlog: Backlog = 10_000
    overflow: Literal["reject", "defer", "shed"] | None = None
    """Without it `[buffer] overflow`."""


class InteractiveBacklog(TierBacklog):
    """People wait: fewer of them, and by default a refusal at once rather than a long wait."""

    max_backlog: Backlog = 1_000


class UrgentBacklog(Section):
    """Deferred, never refused (D5, D79): it has no `overflow`."""

    max_backlog: Backlog = 10_000


class BufferTiers(Section):
    """`[buffer.tiers]`."""

    default: TierBacklog = TierBacklog()
    interactive: InteractiveBacklog = InteractiveBacklog()
    high_priority: UrgentBacklog = UrgentBacklog()


class SwitchboardBuffer(BufferConfig):
    """`[buffer]`: the lanes in memory, and how much may wait in the database (SWB-14, D79)."""

    tiers: BufferTiers = BufferTiers()


class RetentionConfig(Section):
    """`[retention]`: days that data lives; `keep_inbox` is the override of SWB-02.2."""

    keep_inbox: bool = False
    inbox_days: Days = 31
    dedupe_days: Days = 45
    session_days: Days = 90
    history_days: Days = 365
    dead_letter_days: Days = 90
    dead_letter_max: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000


class RollupsConfig(Section):
    """`[rollups]`: who computes statistics, Switchboard itself or jobs on Spark (D40)."""

    engine: Literal["sql", "spark"] = "sql"


class SloSettings(SloConfig):
    """`[slo]`: how good the message plane is to be, and what follows when it is not (SWB-41.1, docs/adr/0113).

    The first four are shares of events that are to be good; what they leave over is the error budget. `tightens` says
    whether a burning one holds back what nobody waits for.
    """

    accept: Share = 0.99
    complete: Share = 0.95
    success: Share = 0.99
    interactive: Share = 0.95
    accept_within_s: Annotated[float, Field(ge=0.001, le=60, allow_inf_nan=False)] = 0.25
    """Until when a submission is to be answered (CON-5)."""
    complete_within_s: Annotated[float, Field(ge=1, le=86_400, allow_inf_nan=False)] = 300.0
    interactive_within_s: Annotated[float, Field(ge=1, le=86_400, allow_inf_nan=False)] = 60.0
    """The same for requests of somebody who waits for the answer."""
    default_share: Annotated[float, Field(ge=0.1, le=1, allow_inf_nan=False)] = 0.5
    """Of the backlog of tier default, what it may have while the level is tight."""

    def targets(self) -> dict[str, float]:
        """The share of good events of every objective."""
        return {objective: getattr(self, objective.value) for objective in Objective}


class SwitchboardConfig(ButlerConfig):
    """A whole `butler.toml` of role `switchboard`."""

    runtime: SwitchboardRuntime = SwitchboardRuntime()
    buffer: SwitchboardBuffer = SwitchboardBuffer()
    routing: SwitchboardRouting = SwitchboardRouting()
    dispatch: DispatchConfig = DispatchConfig()
    retention: RetentionConfig = RetentionConfig()
    rollups: RollupsConfig = RollupsConfig()
    slo: SloSettings = SloSettings()

    @model_validator(mode="after")
    def _asks_models_that_it_has(self) -> Self:
        if not self.runtime.asks_a_model:
            for tier, routing in self.routing.tiers:
                if routing.model is not None:
                    raise ValueError(
                        f"[routing.tiers.{tier}] names a model; that needs a runtime.family that asks one"
                    )
            own, canary = self.routing.instructions, self.runtime.canary
            tries_a_model = bool(self.runtime.asking)
            if (own is not None or canary is not None) and not tries_a_model:
                raise ValueError(
                    "[routing] instructions and [runtime.canary] need a runtime.family that asks a model"
                )
        return self

    @model_validator(mode="after")
    def _can_run_its_schedules(self) -> Self:
        for entry in self.butler.schedule:
            if entry.dispatch_mode == "prompt" and self.runtime.family == "rules":
                raise ValueError(
                    f"schedule '{entry.name}' has a prompt, which the runtime family 'rules' cannot read; choose "
                    "another runtime.family or give it a job"
                )
            if entry.dispatch_mode == "job" and entry.job not in NATIVE:
                raise ValueError(
                    f"schedule '{entry.name}' names no job that is there; expected one of {', '.join(NATIVE)}"
                )
        return self
