"""Conditions: what the operator tells about a resource, in words that `kubectl wait` and kstatus understand.

Stages go `Accepted → ResolvedRefs → Deployed → Ready`; after the first that is False the later ones are
False with reason `Blocked`, but `Ready`, the summary: it has the reason and words of the first. Invariant: types and
reasons are public constants, only ever added to.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from butler_resources.kinds.base import ResourceModel

__all__ = ["Condition", "ConditionStatus", "ConditionType", "Conditions", "Reason"]

ConditionStatus = Literal["True", "False", "Unknown"]


class ConditionType(StrEnum):
    """The facts that are told; each is True when its name is true."""

    ACCEPTED = "Accepted"
    """The manifest itself can work."""
    RESOLVED_REFS = "ResolvedRefs"
    """Everything it refers to exists: secrets, keys, the Switchboard, the connector."""
    DEPLOYED = "Deployed"
    """The children are written as desired."""
    READY = "Ready"
    """Summary: it is as its manifest asks: as many pods as wanted serve, none while it is suspended. Whether it gets
    work is `Eligible` of a Butler; whether messages come is `Online` and `SourceReachable` of a Connector."""
    ELIGIBLE = "Eligible"
    """Butler: Switchboard may route to it; the reason says why not."""
    ONLINE = "Online"
    """Connector: Switchboard hears its heartbeats."""
    SOURCE_REACHABLE = "SourceReachable"
    """Connector: it can read its source, by its own word in its last heartbeat."""
    CHANNELS_REACHABLE = "ChannelsReachable"
    """Butler messenger: the provider of every channel takes its credentials, by its own word."""
    RUNTIME_AVAILABLE = "RuntimeAvailable"
    """Butler switchboard of another runtime family than rules: that family can be had, by its own word."""
    TOOLS_REACHABLE = "ToolsReachable"
    """Butler specialist with `tools`: every server answers and has the tools that are allowed, by its own word."""
    ROLE_ISOLATION = "RoleIsolation"
    """Butler: it has a database role of its own; False where roles cannot be created."""
    ROLLUPS_CURRENT = "RollupsCurrent"
    """Butler switchboard: its connectors' statistics are computed up to the last closed hour and day."""
    ROLLED_UP = "RolledUp"
    """BackfillJob: the statistics of the hours that it changed have been computed again by Spark."""
    SENDERS_PROVEN = "SendersProven"
    """Butler switchboard: there is a way to prove that a mail is a member's, for every mailbox that is read."""
    PUBLISHED = "Published"
    """Connector of type webhook with `ingress` or `httpRoute`: it is reached from outside; the message has the URL."""
    STORAGE_CURRENT = "StorageCurrent"
    """Connector: the volume of its checkpoint has the size and class that are asked for."""
    RECONCILING = "Reconciling"
    """kstatus: a change is on its way."""
    STALLED = "Stalled"
    """kstatus: it cannot go on without a person."""
    PROGRESSING = "Progressing"
    """BackfillJob: a connector is working on it. Butler, Connector: its pods are as asked for, or are becoming so."""
    COMPLETE = "Complete"
    """BackfillJob, ButlerOperation: it has ended well."""
    FAILED = "Failed"
    """BackfillJob, ButlerOperation: it has ended badly; the message says why."""
    COST_CAPPED = "CostCapped"
    """BackfillJob: the day's spend reached the cap; set suspend to true and to false to go on."""
    CONNECTOR_OFFLINE = "ConnectorOffline"
    """BackfillJob: the connector that has to do it is not online."""


class Reason(StrEnum):
    """Why a condition is as it is."""

    # Good standing, for any type.
    ACCEPTED = "Accepted"
    """The manifest can work."""
    RESOLVED = "Resolved"
    """Every reference was found."""
    DEPLOYED = "Deployed"
    """Every child is as desired."""
    READY = "Ready"
    """Everything needed is there."""
    SETTLED = "Settled"
    """Nothing is left to do, or nothing is stuck."""

    # Stages.
    BLOCKED = "Blocked"
    """An earlier stage is not True; the message names it."""
    PENDING = "Pending"
    """Not looked at yet."""
    INVALID_SPEC = "InvalidSpec"
    """The manifest breaks a rule; the message says what to change."""
    NAME_TAKEN = "NameTaken"
    """A resource of another kind has the name already, or another connector the endpoint."""
    PAUSED = "Paused"
    """The annotation butlers.dev/paused keeps the operator away."""
    SUSPENDED = "Suspended"
    """spec.suspend is true: nothing runs, as asked."""
    DELETING = "Deleting"
    """The resource is being deleted."""

    # References.
    SECRET_NOT_FOUND = "SecretNotFound"  # noqa: S105 - a reason
    """A Secret that the manifest names does not exist."""
    SECRET_KEY_NOT_FOUND = "SecretKeyNotFound"  # noqa: S105 - a reason
    """The Secret exists but lacks the key."""
    SECRET_NOT_SHARED = "SecretNotShared"  # noqa: S105 - a reason
    """The Secret is not labelled for the household, or is the operator's own; what runs stays as it is."""
    SWITCHBOARD_NOT_FOUND = "SwitchboardNotFound"
    """No Butler with role switchboard of the name that is referred to."""
    SWITCHBOARD_UNREACHABLE = "SwitchboardUnreachable"
    """Switchboard does not answer; states of the registry are as last heard."""
    CONNECTOR_NOT_FOUND = "ConnectorNotFound"
    """No Connector of the name that is referred to."""
    DATABASE_UNAVAILABLE = "DatabaseUnavailable"
    """The database does not answer, or the Secret with its address is missing."""
    OWNER_MISSING = "OwnerMissing"
    """The contacts name no owner, or more than one (D49)."""
    CONTACTS_INVALID = "ContactsInvalid"
    """The contacts cannot be read; the message says where."""
    CA_BUNDLE_NOT_FOUND = "CaBundleNotFound"
    """The ConfigMap with the household's own certificate authorities, or its key, does not exist."""
    CA_BUNDLE_INVALID = "CaBundleInvalid"
    """It holds no certificates that can be used; the message says what it holds."""
    INSTRUCTIONS_NOT_FOUND = "InstructionsNotFound"
    """The ConfigMap with the butler's instructions, or its key, does not exist."""
    INSTRUCTIONS_INVALID = "InstructionsInvalid"
    """They are empty or too long; the message says which."""
    RUNTIME_UNAVAILABLE = "RuntimeUnavailable"
    """The runtime family is not available (D28): it is not there at all, or its model cannot be had now."""
    TOOLS_UNAVAILABLE = "ToolsUnavailable"
    """A tool server is away, refuses the token or lacks a tool; the butler works without it and says so."""

    # Children.
    APPLYING = "Applying"
    """Children are being written or rolled out."""
    APPLY_FAILED = "ApplyFailed"
    """The API server refused a child; the message has its words."""
    OWNERSHIP_CONFLICT = "OwnershipConflict"
    """Objects with children's names belong to somebody else; no child is written until they are gone."""
    ROLLED_OUT = "RolledOut"
    """The pods are as asked for."""
    ROLLING_OUT = "RollingOut"
    """New pods are starting; the old ones serve where there may be two."""
    WAITING_FOR_CANARY = "WaitingForCanary"
    """Another resource tries the new image first; the message names it."""
    PROGRESS_DEADLINE_EXCEEDED = "ProgressDeadlineExceeded"
    """No new pod has become ready in time."""
    PODS_NOT_READY = "PodsNotReady"
    """Fewer pods are ready than wanted."""
    CRASH_LOOP = "CrashLoop"
    """Pods end again and again."""
    IMAGE_PULL_FAILED = "ImagePullFailed"
    """The image cannot be fetched."""
    SCALED_TO_ZERO = "ScaledToZero"
    """spec.replicas is 0: nothing runs, as asked."""

    # Volumes.
    AS_ASKED = "AsAsked"
    """The volume is as it is asked for."""
    GROWING = "Growing"
    """The volume is asked to grow, and the cluster has not done it yet."""
    GROWTH_REFUSED = "GrowthRefused"
    """The API server refuses to grow the volume; the message has its words."""
    SIZE_FIXED = "SizeFixed"
    """A smaller volume is asked for than there is."""
    CLASS_FIXED = "ClassFixed"
    """Another class is asked for than the volume has."""

    # The registry's word (D30).
    ACTIVE = "Active"
    """Switchboard routes to it."""
    STALE = "Stale"
    """No sign of life lately."""
    QUARANTINED = "Quarantined"
    """Held out of routing; the message names the reason."""
    NOT_DECLARED = "NotDeclared"
    """Switchboard does not know it yet."""
    NOT_ROUTED = "NotRouted"
    """Switchboard and Messenger are never targets of routing."""
    HEARTBEATS = "Heartbeats"
    """Its heartbeats arrive."""
    HEARTBEAT_MISSED = "HeartbeatMissed"
    """The last heartbeat is too old."""
    NEVER_SEEN = "NeverSeen"
    """No heartbeat yet."""

    # What a connector says of its source, and Messenger of its channels.
    REACHED = "Reached"
    """It answers, or nothing is known against it."""
    UNAUTHORIZED = "Unauthorized"
    """It refuses the token or the password; the message says which to check."""
    UNREACHABLE = "Unreachable"
    """It cannot be reached, or does not answer in time."""
    SOURCE_TAKEN = "SourceTaken"
    """Another process reads the same source."""
    SLOWED_DOWN = "SlowedDown"
    """It asks for a pause."""
    FAILING = "Failing"
    """It answers, and does not do what it is asked; the message has the words."""

    # Its runtime, by Switchboard's own word.
    AVAILABLE = "Available"
    """It can be had, or nothing is known against it."""

    # A webhook from outside.
    PUBLISHED = "Published"
    """The Ingress is there, or a Gateway has taken the HTTPRoute."""
    GATEWAY_API_MISSING = "GatewayApiMissing"
    """The manifest asks for an HTTPRoute, and the cluster has no such kind."""
    ROUTE_REFUSED = "RouteRefused"
    """A Gateway refuses the HTTPRoute; the message has its words."""

    # Database roles (D51).
    OWN_ROLE = "OwnRole"
    """The butler has its own role and schema."""
    SHARED_ROLE = "SharedRole"
    """Roles cannot be created here: all butlers share one."""

    # Who wrote a mail (D22).
    TRUSTED_SERVER = "TrustedServer"
    """A mail server is named whose verdicts count, or no mailbox needs one."""
    NO_TRUSTED_SERVER = "NoTrustedServer"
    """None is named: every mail is a stranger's; the message says what to set."""

    # Statistics (SWB-22, D40).
    CURRENT = "Current"
    """Every closed hour and day is computed."""
    LAGGING = "Lagging"
    """More than two closed hours or days wait; the message says which."""
    RUN_FAILED = "RunFailed"
    """The last run of a job failed; the message says which and why."""
    RUN_STUCK = "RunStuck"
    """A run was submitted and did not begin; it is deleted, so that the next one can."""

    # BackfillJob and ButlerOperation.
    WAITING_FOR_CONNECTOR = "WaitingForConnector"
    """The connector has not taken the job yet."""
    RUNNING = "Running"
    """Being worked on."""
    COMPLETED = "Completed"
    """Done."""
    CANCELLED = "Cancelled"
    """Given up on request."""
    COST_CAP_REACHED = "CostCapReached"
    """The day's spend has reached dailyCostCapCents."""
    WITHIN_COST_CAP = "WithinCostCap"
    """The day's spend is below the cap."""
    CONNECTOR_IS_ONLINE = "ConnectorIsOnline"
    """The connector's heartbeats arrive."""
    CONNECTOR_IS_OFFLINE = "ConnectorIsOffline"
    """They do not; the job waits."""
    NOT_SUPPORTED = "NotSupported"
    """The connector's source cannot do this; the message says why."""
    CONNECTOR_ERROR = "ConnectorError"
    """The connector gave up; the message has its words."""
    REFUSED = "Refused"
    """Switchboard or Messenger refused; the message has their words."""
    EXPIRED = "Expired"
    """Not executed before expiresAfterSeconds had passed."""
    INTERNAL_ERROR = "InternalError"
    """The operator met an unexpected failure and tries again."""


class Condition(ResourceModel):
    """One fact about the resource, in Kubernetes' own shape (metav1.Condition)."""

    type: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]*$", max_length=64)] = Field(
        description="What is told: Ready, Accepted and so on."
    )
    status: ConditionStatus = Field(description="True, False, or Unknown.")
    observed_generation: int | None = Field(
        default=None, ge=0, le=2**62, description="Generation of the manifest that this is about."
    )
    last_transition_time: AwareDatetime = Field(description="When `status` last changed.")
    reason: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]*$", max_length=64)] = Field(
        description="Why, in one word that scripts can rely on."
    )
    message: Annotated[str, StringConstraints(max_length=4000)] = Field(
        default="", description="Why, in words for a person."
    )


Conditions = Annotated[
    tuple[Condition, ...],
    Field(
        max_length=32,
        json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]},
    ),
]
