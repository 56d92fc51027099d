"""The custom resource `Butler`: one Switchboard, one Messenger, and the specialists of a household.

Invariant: a block that belongs to one role is refused on any other, so that a setting never has no effect
(SWB-24, MSR-01, CON-2.9). Defaults are those of the specification; ports and triggers come from the profile.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import (
    Environment,
    Metadata,
    Port,
    ResourceModel,
    SecretRef,
    SecretSource,
    ShortText,
    TextSet,
    TimeZone,
    each_once,
    name_rules,
)
from butler_resources.kinds.budget import Budget, budget_rules
from butler_resources.kinds.buffer import Buffer
from butler_resources.kinds.ca_bundle import CaBundleRef
from butler_resources.kinds.canary import CANARIES
from butler_resources.kinds.database import ButlerDatabase
from butler_resources.kinds.delivery import Delivery
from butler_resources.kinds.dispatch import Dispatch
from butler_resources.kinds.eligibility import Eligibility
from butler_resources.kinds.household import Household
from butler_resources.kinds.instructions import ConfigMapKeyRef, Instructions, InstructionsSource
from butler_resources.kinds.modules import Modules
from butler_resources.kinds.names import API_VERSION
from butler_resources.kinds.own_butler import own_butler_rules
from butler_resources.kinds.pod import ButlerPod
from butler_resources.kinds.privacy import Privacy, privacy_rules
from butler_resources.kinds.retention import Retention
from butler_resources.kinds.roles import role_rules
from butler_resources.kinds.routing import TIER_MODELS, Routing
from butler_resources.kinds.rules import Rule, unchanged
from butler_resources.kinds.runtime import Runtime
from butler_resources.kinds.schedules import Schedules, schedule_rules
from butler_resources.kinds.statuses import ButlerStatus
from butler_resources.kinds.telemetry import Telemetry
from butler_resources.kinds.tools import ToolServers

__all__ = ["Butler", "ButlerSpec", "Profile", "Role", "Rollups", "Runtime"]

Role = Literal["switchboard", "messenger", "specialist"]
Profile = Literal["general", "relationship", "health", "finance", "travel"]
Capability = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*([._-][a-z0-9]+)*$", max_length=80)]
Callers = Annotated[
    tuple[ShortText, ...],
    Field(max_length=20, json_schema_extra={"x-kubernetes-list-type": "set"}),
    AfterValidator(each_once),
]

FIXED_NAMES: Final = ("switchboard", "messenger")
"""Tokens, schemas and `trusted_route_callers` name these two; a household has one of each."""

RESERVED_NAMES: Final = (*FIXED_NAMES, "shared", "public", "operator", "dashboard")
LONGEST_NAME: Final = 40
"""Of Butlers and Connectors: room for prefixes and pod suffixes in the names of children."""


class Rollups(ResourceModel):
    """What computes connector statistics; the rows are the same either way (SWB-22, SWB-25, D40)."""

    engine: Literal["sql", "spark"] = Field(
        default="sql",
        description="sql: Switchboard itself, in PostgreSQL. spark: jobs of the Spark image, run by the spark-operator "
        "where its kinds are installed, else by CronJobs.",
    )


def _fixed_name(role: str) -> Rule:
    return Rule(
        cel=f"self.spec.role != '{role}' || self.metadata.name == '{role}'",
        message=f"the butler with role {role} is called {role}: set metadata.name to {role}",
        holds=lambda butler: butler.spec.role != role or butler.name == role,
    )


class ButlerSpec(ResourceModel):
    """The desired state of one butler."""

    role: Role = Field(
        description="switchboard takes messages in and routes them, messenger delivers answers, a specialist "
        "does the work. A household has one switchboard and one messenger. Immutable."
    )
    profile: Profile | None = Field(
        default=None,
        description="What a specialist knows about: brings port, triggers and capabilities. Role specialist needs it, "
        "or `instructions`.",
    )
    instructions: Instructions | None = Field(
        default=None,
        description="Specialists whose runtime asks a model: what it is told of its work, beside its profile or, with "
        "`triggers`, in place of one.",
    )
    instructions_from: InstructionsSource | None = Field(
        default=None, description="The same from a ConfigMap; give this or `instructions`."
    )
    tools: ToolServers = Field(
        default=(),
        max_length=8,
        description="Specialists whose runtime asks a model: MCP servers whose tools it may use.",
    )
    port: Port | None = Field(
        default=None, description="TCP port it listens on; by default that of its role or profile."
    )
    replicas: int = Field(
        default=1, ge=0, le=50, description="Pods on a cluster (0 stops it); always one process locally."
    )
    triggers: TextSet = Field(
        default=(),
        max_length=50,
        description="Subjects of messages that go to a specialist, such as invoices; by default the profile's.",
    )
    capabilities: Annotated[
        tuple[Capability, ...],
        AfterValidator(each_once),
        Field(json_schema_extra={"x-kubernetes-list-type": "set"}),
    ] = Field(
        default=(),
        max_length=50,
        description="What it can do, as names such as tax.de; by default the profile's.",
    )
    required_information: TextSet = Field(
        default=(),
        max_length=50,
        description="Specialists only: what a message must say for its work to be done, such as the amount; "
        "routing reads it.",
    )
    arbitration_priority: int | None = Field(
        default=None,
        ge=-100,
        le=100,
        description="Specialists only: whose answer counts where two butlers that are asked the same contradict each "
        "other, the highest; by default 0. Of equal ones the first by name counts; what another has is told.",
    )
    description: ShortText | None = Field(
        default=None,
        description="What it is for, in a sentence that routing reads; by default that of its role or profile.",
    )
    household: Household | None = Field(
        default=None, description="Switchboard only: what holds for every butler that does not say otherwise."
    )
    timezone: TimeZone | None = Field(
        default=None,
        description="IANA time zone, such as Europe/Berlin, in which `today` and `this month` are understood; by "
        "default the household's.",
    )
    trusted_callers: Callers | None = Field(
        default=None,
        description="Who may hand it work by route.execute, by name; an empty list refuses all. By default "
        "switchboard alone (MSG-13.1).",
    )
    runtime: Runtime = Field(
        default_factory=Runtime, description="Which program runs its sessions, and how many at once."
    )
    budget: Budget | None = Field(
        default=None,
        description="What its sessions may take and cost, of a session, of a day, of a person and day.",
    )
    buffer: Buffer | None = Field(
        default=None, description="Size and pace of its queue between taking work and doing it."
    )
    routing: Routing | None = Field(
        default=None,
        description="Switchboard only: rules that are tried before the model, and whose mail is trusted.",
    )
    dispatch: Dispatch | None = Field(
        default=None,
        description="Switchboard only: how long other butlers may take, when they are tried again or left alone.",
    )
    retention: Retention | None = Field(
        default=None, description="Switchboard only: how long messages, sessions and records are kept."
    )
    schedules: Schedules = Field(
        default=(),
        max_length=50,
        description="What is done by the clock: prompts of a specialist or the Switchboard, jobs of the Switchboard. "
        "Its statistics and sweep run without being named; an entry of the same name changes when.",
    )
    rollups: Rollups | None = Field(
        default=None,
        description="Switchboard only: what computes the connectors' statistics; by default PostgreSQL.",
    )
    delivery: Delivery | None = Field(
        default=None, description="Messenger only: who may be written to, how much at once, for how long."
    )
    contacts_from: SecretSource | None = Field(
        default=None, description="Messenger only: the secret with the household's contacts (D49)."
    )
    modules: Modules | None = Field(
        default=None,
        description="Messenger: the channels it delivers to, the calendar, and what waits for an approval first. "
        "Specialist: memory, and whether its appointments go into the calendar.",
    )
    privacy: Privacy | None = Field(
        default=None,
        description="Specialists only: which kinds of its records are the household's and which their teller's alone; "
        "by default as its profile has it.",
    )
    telemetry: Telemetry | None = Field(default=None, description="What it logs, and where its spans go.")
    ca_bundle_ref: CaBundleRef | None = Field(
        default=None,
        description="Certificate authorities that it trusts besides the system's; by default the household's.",
    )
    env: Environment = Field(
        default=(),
        max_length=50,
        description="Further environment variables of its process, each from a secret.",
    )
    pod: ButlerPod | None = Field(
        default=None,
        description="What a team says about its pods on a cluster; `butlers up` has none and passes it over.",
    )
    database: ButlerDatabase | None = Field(
        default=None, description="Where its tables are, and what becomes of them when it is deleted."
    )
    eligibility: Eligibility = Field(
        default_factory=Eligibility, description="What this manifest says about routing to it."
    )
    suspend: bool = Field(default=False, description="true stops it and keeps everything it has stored.")

    RULES: ClassVar[tuple[Rule, ...]] = (
        unchanged("role", "delete the butler and create another"),
        *role_rules(),
        *budget_rules(),
        TIER_MODELS,
        *CANARIES,
        *schedule_rules(),
        Rule(
            cel="self.role != 'messenger' || !has(self.runtime.history)",
            message="a messenger reads no threads; remove `runtime.history`",
            holds=lambda spec: spec.role != "messenger" or spec.runtime.history is None,
            path=".runtime.history",
        ),
        *own_butler_rules(),
        *privacy_rules(),
        Rule(
            cel="self.role == 'specialist' || !has(self.database) || self.database.reclaimPolicy != 'delete'",
            message="switchboard and messenger keep what the whole household said; remove `database.reclaimPolicy`",
            holds=lambda spec: (
                spec.role == "specialist" or spec.database is None or spec.database.reclaim_policy != "delete"
            ),
            path=".database",
        ),
    )

    @property
    def instructions_ref(self) -> ConfigMapKeyRef | None:
        """The ConfigMap with its instructions, where they are in one."""
        return None if self.instructions_from is None else self.instructions_from.config_map_ref

    @property
    def instructed(self) -> bool:
        """Whether its model is told something of its own, wherever that stands."""
        return self.instructions is not None or self.instructions_from is not None

    @property
    def external_database(self) -> SecretRef | None:
        """Secret with the URL of a database that is not the place's."""
        return self.database.secret_ref if self.database is not None else None


class Butler(ResourceModel):
    """One process that takes part in the household."""

    api_version: Literal["butlers.dev/v1alpha1"] = Field(default=API_VERSION, description="API version.")
    kind: Literal["Butler"] = Field(default="Butler", description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    spec: ButlerSpec = Field(
        description="What this butler is and how it runs. A block that belongs to another role is refused."
    )
    status: ButlerStatus | None = Field(
        default=None, description="What the operator saw: conditions, pods, standing in the registry."
    )

    @property
    def name(self) -> str:
        """The name by which tokens, schemas and routes know it."""
        return self.metadata.name

    RULES: ClassVar[tuple[Rule, ...]] = (
        *name_rules(LONGEST_NAME),
        *(_fixed_name(role) for role in FIXED_NAMES),
        Rule(
            cel=f"self.spec.role != 'specialist' || !(self.metadata.name in {list(RESERVED_NAMES)})",
            message=f"the names {', '.join(RESERVED_NAMES)} are reserved; choose another metadata.name",
            holds=lambda butler: butler.spec.role != "specialist" or butler.name not in RESERVED_NAMES,
        ),
    )


def database_secret(butler: Butler) -> SecretRef:
    """Where the butler's database URL is: the manifest's secret, else the one its place makes."""
    if butler.spec.external_database is not None:
        return butler.spec.external_database
    return SecretRef(name=f"database-{butler.name}", key="url")
