"""The custom resource `Butler`: one Switchboard, one Messenger, and the specialists of a household.

Invariant: a block that belongs to one role is refused on any other, so that a setting never has no effect
(SWB-24, MSR-01, CON-2.9). Defaults are those of the specification; ports and triggers come from the profile.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import (
    NAME_PATH,
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
from butler_resources.kinds.service_levels import SwitchboardSlo
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
    """Engine that computes connector statistics. The results do not depend on it (SWB-22, SWB-25, D40)."""

    engine: Literal["sql", "spark"] = Field(
        default="sql",
        description="sql: Switchboard, in PostgreSQL. spark: jobs of the Spark image, run by the spark-operator if its "
        "CRDs are installed, otherwise by CronJobs.",
    )


def _fixed_name(role: str) -> Rule:
    return Rule(
        cel=f"self.spec.role != '{role}' || self.metadata.name == '{role}'",
        message=f"the butler with role {role} must be named {role}; set metadata.name to {role}",
        holds=lambda butler: butler.spec.role != role or butler.name == role,
        path=NAME_PATH,
    )


class ButlerSpec(ResourceModel):
    """The desired state of one butler."""

    role: Role = Field(
        description="switchboard receives and routes messages, messenger delivers answers, specialist does the work. A "
        "household has one switchboard and one messenger. Immutable."
    )
    profile: Profile | None = Field(
        default=None,
        description="Subject of a specialist. Sets its port, triggers and capabilities. Role specialist needs this or "
        "`instructions`.",
    )
    instructions: Instructions | None = Field(
        default=None,
        description="Specialists with a model: instructions for the model, in addition to the profile or, with "
        "`triggers`, instead of one.",
    )
    instructions_from: InstructionsSource | None = Field(
        default=None, description="Instructions from a ConfigMap. Mutually exclusive with `instructions`."
    )
    tools: ToolServers = Field(
        default=(),
        max_length=8,
        description="Specialists with a model: MCP servers whose tools the model may use.",
    )
    port: Port | None = Field(
        default=None, description="TCP port to listen on. Defaults to that of the role or profile."
    )
    replicas: int = Field(
        default=1,
        ge=0,
        le=50,
        description="Number of pods on a cluster (0 stops the butler). Always one process locally.",
    )
    triggers: TextSet = Field(
        default=(),
        max_length=50,
        description="Subjects of messages to route to a specialist, such as invoices. Defaults to the profile's.",
    )
    capabilities: Annotated[
        tuple[Capability, ...],
        AfterValidator(each_once),
        Field(json_schema_extra={"x-kubernetes-list-type": "set"}),
    ] = Field(
        default=(),
        max_length=50,
        description="Names of its capabilities, such as tax.de. Defaults to the profile's.",
    )
    required_information: TextSet = Field(
        default=(),
        max_length=50,
        description="Specialists only: information that a message must contain, such as the amount. Used by routing.",
    )
    arbitration_priority: int | None = Field(
        default=None,
        ge=-100,
        le=100,
        description="Specialists only: precedence when butlers give contradictory answers to the same question. The "
        "highest value counts, on a tie the first butler by name. The other answer is mentioned. Defaults to 0.",
    )
    description: ShortText | None = Field(
        default=None,
        description="Purpose of the butler in one sentence, used by routing. Defaults to that of the role or profile.",
    )
    household: Household | None = Field(
        default=None, description="Switchboard only: defaults for all butlers of the household."
    )
    timezone: TimeZone | None = Field(
        default=None,
        description="IANA time zone, such as Europe/Berlin, for interpreting `today` and `this month`. Defaults to the "
        "household's.",
    )
    trusted_callers: Callers | None = Field(
        default=None,
        description="Names of callers that may send it work by route.execute. An empty list refuses all. Defaults to "
        "switchboard (MSG-13.1).",
    )
    runtime: Runtime = Field(
        default_factory=Runtime, description="Runtime of its sessions, and how many run at once."
    )
    budget: Budget | None = Field(
        default=None,
        description="Limits on the cost and resources of sessions: per session, per day, and per person and day.",
    )
    buffer: Buffer | None = Field(
        default=None, description="Size and pace of the queue between accepting work and processing it."
    )
    routing: Routing | None = Field(
        default=None,
        description="Switchboard only: rules that apply before the model, and which mail to trust.",
    )
    dispatch: Dispatch | None = Field(
        default=None,
        description="Switchboard only: timeouts, retries and circuit breakers for calls to other butlers.",
    )
    retention: Retention | None = Field(
        default=None, description="Switchboard only: how long to keep messages, sessions and records."
    )
    schedules: Schedules = Field(
        default=(),
        max_length=50,
        description="Scheduled prompts of a specialist or the Switchboard, and native jobs of the Switchboard. Its "
        "statistics and sweep jobs run without an entry; an entry of the same name reschedules them.",
    )
    rollups: Rollups | None = Field(
        default=None,
        description="Switchboard only: engine that computes connector statistics. Defaults to PostgreSQL.",
    )
    slo: SwitchboardSlo | None = Field(
        default=None,
        description="Switchboard only: service level objectives of messages, and what is held back while they are "
        "missed (SWB-41).",
    )
    delivery: Delivery | None = Field(
        default=None,
        description="Messenger only: recipients, rate limits, retries and retention of deliveries.",
    )
    contacts_from: SecretSource | None = Field(
        default=None, description="Messenger only: secret with the household's contacts (D49)."
    )
    modules: Modules | None = Field(
        default=None,
        description="Messenger: delivery channels, the calendar, and what needs an approval. Specialist: memory, and "
        "whether its appointments go into the calendar.",
    )
    privacy: Privacy | None = Field(
        default=None,
        description="Specialists only: kinds of records that the household shares, and kinds that stay private to one "
        "person. Defaults to the profile's.",
    )
    telemetry: Telemetry | None = Field(default=None, description="Logging, and export of spans and metrics.")
    ca_bundle_ref: CaBundleRef | None = Field(
        default=None,
        description="Certificate authorities to trust in addition to the system's. Defaults to the household's.",
    )
    env: Environment = Field(
        default=(),
        max_length=50,
        description="Additional environment variables of the process, each from a secret.",
    )
    pod: ButlerPod | None = Field(
        default=None,
        description="Settings of its pods on a cluster. Ignored by `butlers up`.",
    )
    database: ButlerDatabase | None = Field(
        default=None,
        description="Location of its tables, and what happens to them when the butler is deleted.",
    )
    eligibility: Eligibility = Field(
        default_factory=Eligibility, description="Participation in routing, as set by this manifest."
    )
    suspend: bool = Field(default=False, description="true stops the butler and keeps all its data.")

    RULES: ClassVar[tuple[Rule, ...]] = (
        unchanged("role", "delete the butler and create another"),
        *role_rules(),
        *budget_rules(),
        TIER_MODELS,
        *CANARIES,
        *schedule_rules(),
        Rule(
            cel="self.role != 'messenger' || !has(self.runtime.transcripts)",
            message="messenger runs no sessions with a model; remove `runtime.transcripts`",
            holds=lambda spec: spec.role != "messenger" or spec.runtime.transcripts is None,
            path=".runtime.transcripts",
        ),
        Rule(
            cel="self.role != 'messenger' || !has(self.runtime.history)",
            message="messenger does not read threads; remove `runtime.history`",
            holds=lambda spec: spec.role != "messenger" or spec.runtime.history is None,
            path=".runtime.history",
        ),
        *own_butler_rules(),
        *privacy_rules(),
        Rule(
            cel="self.role == 'specialist' || !has(self.database) || self.database.reclaimPolicy != 'delete'",
            message="switchboard and messenger hold the data of the whole household; remove `database.reclaimPolicy`",
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
    """The Switchboard, the Messenger or a specialist of a household."""

    api_version: Literal["butlers.dev/v1alpha1"] = Field(default=API_VERSION, description="API version.")
    kind: Literal["Butler"] = Field(default="Butler", description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    spec: ButlerSpec = Field(
        description="Desired state of the butler. A block that belongs to another role is refused."
    )
    status: ButlerStatus | None = Field(
        default=None, description="Observed state: conditions, pods, and eligibility in the registry."
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
            path=NAME_PATH,
        ),
    )


def database_secret(butler: Butler) -> SecretRef:
    """Where the butler's database URL is: the manifest's secret, else the one its place makes."""
    if butler.spec.external_database is not None:
        return butler.spec.external_database
    return SecretRef(name=f"database-{butler.name}", key="url")
