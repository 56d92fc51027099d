"""The schema of `butler.toml`: frozen sections that every butler shares (SWB-24, MSR-01.1, MSG-11, CON-4).

Services extend a section by subclassing it and naming it again in their own `ButlerConfig`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from butler_contracts.currencies import known_currency
from butler_contracts.language import Language
from butler_contracts.model_urls import KEY_IN_CLEAR, PRICE_UNKNOWN, is_ones_own, key_in_clear
from butler_contracts.person_settings import QuietHoursV1, WallTime, is_time_zone
from butler_kit.config.budget import BudgetConfig, PriceConfig
from butler_kit.config.modules import ModulesConfig
from butler_kit.config.section import Section
from butler_kit.wording.standing import LONGEST_LEAD, Topic

__all__ = [
    "CONFIG_VERSION",
    "BufferConfig",
    "ButlerConfig",
    "ButlerSection",
    "DeliveryConfig",
    "HistoryConfig",
    "Role",
    "RoutingConfig",
    "RoutingRule",
    "RuntimeConfig",
    "RuntimeFamily",
    "ScheduleConfig",
    "Section",
    "SecurityConfig",
    "TimeZone",
]

CONFIG_VERSION: Final = 1
"""The newest layout this program reads; changes within it are additive only."""

Name = Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,62}$")]
Identifier = Annotated[str, Field(pattern="^[a-z_][a-z0-9_]{0,62}$")]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Role = Literal["switchboard", "messenger", "specialist"]
RuntimeFamily = Literal["rules", "api", "codex", "claude-code", "opencode"]
Provider = Literal["openai", "anthropic"]
BaseUrl = Annotated[str, Field(pattern=r"^https?://[^\s/?#]+[^\s?#]*$", max_length=500)]
Transcripts = Literal["none", "redacted"]
CODEX_MODEL: Final = "gpt-5.3-codex-spark"


def _known_time_zone(value: str) -> str:
    if not is_time_zone(value):
        raise ValueError("not an IANA time zone such as 'Europe/Amsterdam'")
    return value


TimeZone = Annotated[str, AfterValidator(_known_time_zone)]


class SecurityConfig(Section):
    """`[butler.security]`: who may call `route.execute` (MSG-13.1); an empty list refuses all."""

    trusted_route_callers: tuple[str, ...] = ("switchboard",)


class ScheduleConfig(Section):
    """`[[butler.schedule]]`: a cron line that runs a native `job` or sends a `prompt` (SWB-25)."""

    name: Name
    cron: str
    timezone: TimeZone | None = None
    """In which the cron line is meant; the butler's own by default."""
    dispatch_mode: Literal["job", "prompt"] = "job"
    job: str | None = None
    prompt: str | None = None

    @field_validator("cron")
    @classmethod
    def _cron_is_valid(cls, value: str) -> str:
        from datetime import UTC, datetime

        from cronsim import CronSim, CronSimError

        try:
            CronSim(value, datetime(2026, 1, 1, tzinfo=UTC))
        except CronSimError as error:
            raise ValueError(f"not a cron expression ({error}); five fields such as '5 * * * *'") from None
        return value

    @model_validator(mode="after")
    def _says_what_to_run(self) -> Self:
        if getattr(self, self.dispatch_mode) is None:
            raise ValueError(f"dispatch_mode '{self.dispatch_mode}' needs the key '{self.dispatch_mode}'")
        return self


class ButlerSection(Section):
    """`[butler]`: who this process is; what is left out follows from role and profile (`defaults`)."""

    name: Name
    role: Role
    profile: Name | None = None
    instructions: Annotated[str, Field(min_length=1, max_length=8_000)] | None = None
    """What a specialist's model is told of its work, beside its profile or in place of one (D58)."""
    instructions_file_env: str | None = None
    """Variable with the name of the file that says it instead."""
    port: Annotated[int, Field(ge=0, le=65535)]
    """0 lets the system choose a free port."""
    description: Annotated[str, Field(min_length=1)]
    db_schema: Annotated[Identifier, Field(alias="schema")]
    triggers: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    required_information: tuple[str, ...] = ()
    """What a message must say for the work to be done; routing reads it (SWB-09.1)."""
    timezone: TimeZone = "UTC"
    currency: Annotated[str, AfterValidator(known_currency)] | None = None
    """Of a sum that names none, for a specialist; the household's (D83)."""
    quiet_hours: QuietHoursV1 | None = None
    """In which nothing is told that can wait; the household's (D83)."""
    language: Language = "en"
    """Of what is said of its own accord; the household's (D83)."""
    remind_of: tuple[Topic, ...] = ()
    """Of which of their records a specialist reminds everybody who did not say otherwise; the household's."""
    remind_before: dict[Topic, tuple[Annotated[int, Field(ge=0, le=LONGEST_LEAD)], ...]] = Field(
        default_factory=dict
    )
    """How many days before, by topic, who did not say otherwise; the household's."""
    digest_at: WallTime | None = None
    """When Switchboard tells each member what is on today; the household's (D83)."""
    security: SecurityConfig = SecurityConfig()
    schedule: tuple[ScheduleConfig, ...] = ()

    @property
    def instructed(self) -> bool:
        """Whether its model has instructions of its own, here or in a file."""
        return self.instructions is not None or self.instructions_file_env is not None


class HistoryConfig(Section):
    """`[runtime.history]`: what a model is told of the thread of a message (SWB-03.8, SWB-03.9, D24, D25).

    Of a chat the last `messages` or those of the last `minutes`, whichever is more; of a chat or mail at most `tokens`
    (0: none).
    """

    messages: Annotated[int, Field(ge=0, le=200)] = 30
    minutes: Annotated[int, Field(ge=0, le=1_440)] = 15
    tokens: Annotated[int, Field(ge=0, le=50_000)] = 50_000


class RuntimeConfig(Section):
    """`[runtime]`: the session family and how many sessions may run at once (CON-4.2, D28, D57)."""

    family: RuntimeFamily = "rules"
    provider: Provider | None = None
    """The protocol that family `api` speaks, whoever serves it."""
    base_url: BaseUrl | None = None
    api_key_env: str | None = None
    """Need not be set: a missing key is a state of the runtime, not an error of the file (D28)."""
    model: str | None = None
    fallback_models: Annotated[tuple[str, ...], Field(max_length=5)] = ()
    max_turns: Annotated[int, Field(ge=1, le=32)] = 6
    max_tool_calls: Annotated[int, Field(ge=1, le=64)] = 16
    max_concurrent_sessions: Annotated[int, Field(ge=1, le=64)] = 1
    timeout_s: Seconds = 120.0
    fallback: Literal["rules"] | None = None
    history: HistoryConfig = HistoryConfig()
    transcripts: Transcripts = "none"
    """What is kept of a session's words: nothing, or what its model read and wrote, without secrets (D62)."""
    price: PriceConfig | None = None
    """Without one a server of the household's own network costs nothing, and of any other the cost is unknown."""

    @property
    def asks_a_model(self) -> bool:
        """Whether its sessions think with a model, over HTTP or through a command line."""
        return self.family != "rules"

    @property
    def asking(self) -> tuple[RuntimeConfig, ...]:
        """The runtimes of this butler that ask a model."""
        return (self,) if self.asks_a_model else ()

    @property
    def keeps_words(self) -> bool:
        """Whether the words of its sessions are kept."""
        return self.transcripts != "none"

    @property
    def asked_model(self) -> str | None:
        """The model to ask; codex has a default where none is named (SWB-24.1)."""
        return model_asked(self.family, self.model)

    @property
    def known_price(self) -> PriceConfig | None:
        """The price of tokens, where it is known."""
        if self.price is None and self.base_url is not None and is_ones_own(self.base_url):
            return PriceConfig(input_cents_per_million=0, output_cents_per_million=0)
        return self.price

    @model_validator(mode="after")
    def _says_whom_to_ask(self) -> Self:
        demand_model(
            self.family, self.provider, self.model, self.base_url, keyed=self.api_key_env is not None
        )
        return self


def model_asked(family: RuntimeFamily, named: str | None) -> str | None:
    """Return the model that a family asks; codex has a default where none is named (SWB-24.1)."""
    return named or (CODEX_MODEL if family == "codex" else None)


def demand_model(
    family: RuntimeFamily, provider: str | None, model: str | None, base_url: str | None, *, keyed: bool
) -> None:
    """Raise `ValueError` if a family that asks a model does not know whom to ask, or its key would go in clear."""
    if family == "api" and (provider is None or model is None):
        raise ValueError("family 'api' needs provider (openai or anthropic) and model")
    if family != "rules" and model_asked(family, model) is None:
        raise ValueError(f"family '{family}' needs model, as the server to be asked knows it")
    if keyed and key_in_clear(base_url or ""):
        raise ValueError(KEY_IN_CLEAR)


class BufferConfig(Section):
    """`[buffer]`: the durable buffer's bounds (SWB-24.3, SWB-07, SWB-14.1, D5)."""

    queue_capacity: Annotated[int, Field(ge=1, le=100_000)] = 100
    worker_count: Annotated[int, Field(ge=1, le=256)] = 3
    scanner_interval_s: Seconds = 30.0
    scanner_grace_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10.0
    scanner_batch_size: Annotated[int, Field(ge=1, le=10_000)] = 50
    max_consecutive_same_tier: Annotated[int, Field(ge=1)] = 10
    overflow: Literal["reject", "defer", "shed"] = "reject"


class RoutingRule(Section):
    """`[[routing.rules]]`: one deterministic triage rule (CNX-05.2); lower `priority` is tried first."""

    priority: int = 100
    type: Literal["sender_domain", "sender_address", "header_condition", "label_match"]
    value: str
    action: str
    target: str | None = None
    targets: Annotated[tuple[str, ...], Field(max_length=16)] = ()
    """Butlers that each get the whole message, in this order, instead of one `target`."""
    order: Literal["parallel", "ordered", "conditional"] = "parallel"
    join: Literal["all", "any"] | None = None


class RoutingConfig(Section):
    """`[routing]`, Switchboard's: what is decided before the model is asked, and what proves a sender (D22)."""

    rules: tuple[RoutingRule, ...] = ()
    trusted_authserv_ids: tuple[str, ...] = ()
    trusted_endpoints: tuple[str, ...] = ()


class DeliveryConfig(Section):
    """`[delivery]`, Messenger's: who may be written to and how much may be under way (MSG-11.3, D18)."""

    allow_recipients: tuple[str, ...] = ()
    deny_recipients: tuple[str, ...] = ()
    max_in_flight: Annotated[int, Field(ge=1, le=100_000)] = 100
    expires_after_s: Seconds = 86_400.0


class ButlerConfig(Section):
    """A whole `butler.toml`. Load it with `load_config`, which also checks secrets and the environment."""

    config_version: int = CONFIG_VERSION
    butler: ButlerSection
    runtime: RuntimeConfig = RuntimeConfig()
    buffer: BufferConfig = BufferConfig()
    routing: RoutingConfig = RoutingConfig()
    delivery: DeliveryConfig = DeliveryConfig()
    budget: BudgetConfig = BudgetConfig()
    modules: ModulesConfig = ModulesConfig()

    @model_validator(mode="after")
    def _budget_can_be_kept(self) -> Self:
        asking = self.runtime.asking
        families = {one.family for one in asking}
        if self.budget.of_a_model and not asking:
            raise ValueError("[budget] bounds a model; of family rules only session.seconds")
        if self.budget.session.turns is not None and "codex" in families:
            raise ValueError("[budget.session] turns: codex does not report them")
        if self.budget.session.tokens is not None and "codex" in families:
            raise ValueError("[budget.session] tokens: codex does not report them before its end")
        if self.budget.ends_by_cents and "codex" in families:
            raise ValueError(
                "[budget.session] cents: codex reports its tokens at its end alone; set a day's cents too"
            )
        if self.budget.in_cents and any(one.known_price is None for one in asking):
            raise ValueError(PRICE_UNKNOWN)
        return self
