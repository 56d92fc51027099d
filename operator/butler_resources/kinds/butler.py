"""The custom resource `Butler`: one Switchboard, one Messenger, and the specialists of a household.

Invariant: a block that belongs to one role is refused on any other, so that a setting never has no effect
(SWB-24, MSR-01, CON-2.9). Defaults are those of the specification; ports and triggers come from the profile.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic.alias_generators import to_camel

from butler_resources.kinds.base import (
    Environment,
    Metadata,
    Moment,
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
from butler_resources.kinds.delivery import Delivery, Modules
from butler_resources.kinds.names import API_VERSION
from butler_resources.kinds.rules import Rule, unchanged
from butler_resources.kinds.statuses import ButlerStatus

__all__ = ["Butler", "ButlerSpec", "Profile", "Role", "Rollups", "Routing", "RoutingRule", "Runtime"]

Role = Literal["switchboard", "messenger", "specialist"]
Profile = Literal["general", "relationship", "health", "finance", "travel"]
Capability = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*([._-][a-z0-9]+)*$", max_length=80)]

FIXED_NAMES: Final = ("switchboard", "messenger")
"""Tokens, schemas and `trusted_route_callers` name these two; a household has one of each."""

RESERVED_NAMES: Final = (*FIXED_NAMES, "shared", "public", "operator", "dashboard")
LONGEST_NAME: Final = 40
"""Of Butlers and Connectors: room for prefixes and pod suffixes in the names of children."""
ONLY_FOR: Final = {
    "profile": "specialist",
    "triggers": "specialist",
    "buffer": "switchboard",
    "routing": "switchboard",
    "rollups": "switchboard",
    "delivery": "messenger",
    "contacts_from": "messenger",
    "modules": "messenger",
}


class Runtime(ResourceModel):
    """Which runtime family runs a butler's sessions, and how many at once (SWB-24.1, CON-4.2, D28)."""

    family: Literal["rules", "codex", "claude-code", "opencode"] = Field(
        default="rules", description="rules runs in the process itself; the others are command line programs."
    )
    model: ShortText | None = Field(default=None, description="Model name for the family; rules takes none.")
    max_concurrent_sessions: int | None = Field(
        default=None, ge=1, le=64, description="Sessions at the same time; by default that of the role."
    )
    timeout_seconds: int = Field(
        default=120, ge=1, le=3600, description="Longest run of one session, in seconds."
    )
    fallback: Literal["rules"] | None = Field(
        default=None, description="Family to use when the chosen one is not installed; without it: not ready."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="self.family != 'rules' || !has(self.model)",
            message="family rules takes no model; remove `model` or choose another family",
            holds=lambda runtime: runtime.family != "rules" or runtime.model is None,
            path=".model",
        ),
    )


class Buffer(ResourceModel):
    """The durable buffer's size and pace (SWB-06, SWB-07, SWB-24.3)."""

    queue_capacity: int = Field(
        default=100, ge=1, le=100_000, description="Messages of each tier kept in memory."
    )
    worker_count: int = Field(
        default=3, ge=1, le=64, description="Messages that are routed at the same time."
    )
    scanner_interval_seconds: int = Field(
        default=30, ge=1, le=3600, description="Seconds between scans for messages that were left behind."
    )
    scanner_grace_seconds: int = Field(
        default=10, ge=1, le=3600, description="Age in seconds from which a scan picks a message up."
    )
    scanner_batch_size: int = Field(
        default=50, ge=1, le=1000, description="Messages that one scan picks up at most."
    )
    max_consecutive_same_tier: int = Field(
        default=10,
        ge=1,
        le=1000,
        description="Messages of one tier in a row before a lower tier gets its turn.",
    )
    overflow: Literal["reject", "defer", "shed"] = Field(
        default="reject", description="What happens when all tiers are full (SWB-14.1, D5)."
    )


class RoutingRule(ResourceModel):
    """One deterministic triage rule; the lowest priority number that matches wins (CNX-05.2, CNX-05.3)."""

    priority: int = Field(ge=0, le=10_000, description="Order of evaluation, lowest first.")
    type: Literal["sender_domain", "sender_address", "header_condition", "label_match"] = Field(
        description="What of the message is compared with `value`."
    )
    value: ShortText = Field(
        description="Compared with; for a header `Name present`, `Name equals X` or `Name contains X`."
    )
    action: Literal["route_to", "low_priority_queue", "pass_through", "metadata_only", "skip"] = Field(
        description="What happens to a message that matches."
    )
    target: ShortText | None = Field(
        default=None, description="Specialist that gets the message; goes with action route_to."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="(self.action == 'route_to') == has(self.target)",
            message="`target` names the butler of action route_to: expected both or neither",
            holds=lambda rule: (rule.action == "route_to") == (rule.target is not None),
        ),
    )


class Routing(ResourceModel):
    """Policy before the model (SWB-28), and what proves that a mail is a member's (D22)."""

    rules: tuple[RoutingRule, ...] = Field(
        default=(),
        max_length=500,
        description="Triage rules, lowest priority number first.",
        json_schema_extra={"x-kubernetes-list-type": "atomic"},
    )
    trusted_authserv_ids: TextSet = Field(
        default=(),
        max_length=20,
        description="Names at the head of your mail server's Authentication-Results; without one every mail is a "
        "stranger's.",
    )
    trusted_endpoints: TextSet = Field(
        default=(),
        max_length=20,
        description="Connector identities of mailboxes that accept only the household's mail.",
    )
    cost_per_thousand_messages_cents: int = Field(
        default=0,
        ge=0,
        le=10_000_000,
        description="What a thousand messages cost, in cents; backfills count it against their daily cap.",
    )


class Rollups(ResourceModel):
    """What computes connector statistics; the rows are the same either way (SWB-22, SWB-25, D40)."""

    engine: Literal["sql", "spark"] = Field(
        default="sql",
        description="sql: Switchboard itself, in PostgreSQL. spark: jobs of the Spark image, run by the spark-operator "
        "where its kinds are installed, else by CronJobs.",
    )


class Quarantine(ResourceModel):
    """A hold written in the manifest, removed only by editing the manifest (D4, D30)."""

    reason: ShortText = Field(description="Why, in a few words; shown to everyone who asks.")
    until: Moment | None = Field(default=None, description="End of the hold, RFC 3339 with an offset.")

    def holds(self, now: datetime) -> bool:
        """Whether the hold is in force at `now`."""
        return self.until is None or now < self.until


class Eligibility(ResourceModel):
    """What the manifest says about taking part in routing."""

    quarantine: Quarantine | None = Field(
        default=None, description="Keeps the butler out of routing for as long as this block is here."
    )


def _only_for(field: str, role: str) -> Rule:
    name = to_camel(field)
    given = f"has(self.{name})"
    if field == "triggers":
        given += f" && size(self.{name}) > 0"
    return Rule(
        cel=f"self.role == '{role}' || !({given})",
        message=f"`{name}` belongs to role {role}; remove it or change `role`",
        holds=lambda spec: spec.role == role or getattr(spec, field) in (None, ()),
        path=f".{name}",
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
        description="What a specialist knows about: brings port, triggers and capabilities. Role specialist needs it.",
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
    timezone: TimeZone = Field(
        default="UTC",
        description="IANA time zone, such as Europe/Berlin, in which `today` and `this month` are understood.",
    )
    runtime: Runtime = Field(
        default_factory=Runtime, description="Which program runs its sessions, and how many at once."
    )
    buffer: Buffer | None = Field(
        default=None, description="Switchboard only: size and pace of the buffer between intake and routing."
    )
    routing: Routing | None = Field(
        default=None,
        description="Switchboard only: rules that are tried before the model, and whose mail is trusted.",
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
    modules: Modules | None = Field(default=None, description="Messenger only: the channels it delivers to.")
    env: Environment = Field(
        default=(),
        max_length=50,
        description="Further environment variables of its process, each from a secret.",
    )
    database: SecretSource | None = Field(
        default=None, description="Secret with the URL of an external database; by default the place's own."
    )
    eligibility: Eligibility = Field(
        default_factory=Eligibility, description="What this manifest says about routing to it."
    )
    suspend: bool = Field(default=False, description="true stops it and keeps everything it has stored.")

    RULES: ClassVar[tuple[Rule, ...]] = (
        unchanged("role", "delete the butler and create another"),
        *(_only_for(field, role) for field, role in ONLY_FOR.items()),
        Rule(
            cel="self.role != 'specialist' || has(self.profile)",
            message="a specialist needs `profile`: general, relationship, health, finance or travel",
            holds=lambda spec: spec.role != "specialist" or spec.profile is not None,
        ),
    )


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
    if butler.spec.database is not None:
        return butler.spec.database.secret_ref
    return SecretRef(name=f"database-{butler.name}", key="url")
