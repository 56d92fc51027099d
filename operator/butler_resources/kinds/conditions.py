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
    """Types of conditions. Each is True when its name is true."""

    ACCEPTED = "Accepted"
    """The manifest itself is valid."""
    RESOLVED_REFS = "ResolvedRefs"
    """All references exist: secrets, keys, the Switchboard, the connector."""
    DEPLOYED = "Deployed"
    """The child objects are as desired."""
    READY = "Ready"
    """Summary: as many pods as desired are ready, none while it is suspended. See `Eligible` of a Butler for routing,
    `Online` and `SourceReachable` of a Connector for incoming messages."""
    ELIGIBLE = "Eligible"
    """Butler: Switchboard may route to it; the reason says why not."""
    ONLINE = "Online"
    """Connector: Switchboard receives its heartbeats."""
    SOURCE_REACHABLE = "SourceReachable"
    """Connector: it can read its source, as reported in its last heartbeat."""
    CHANNELS_REACHABLE = "ChannelsReachable"
    """Butler messenger: the provider of every channel accepts its credentials, as it reports."""
    RUNTIME_AVAILABLE = "RuntimeAvailable"
    """Butler switchboard with a runtime family other than rules: the family is available, as it reports."""
    TOOLS_REACHABLE = "ToolsReachable"
    """Butler specialist with `tools`: every server answers and has the allowed tools, as it reports."""
    ROLE_ISOLATION = "RoleIsolation"
    """Butler: it has its own database role; False where roles cannot be created."""
    ROLLUPS_CURRENT = "RollupsCurrent"
    """Butler switchboard: connector statistics are computed up to the last complete hour and day."""
    ROLLED_UP = "RolledUp"
    """BackfillJob: Spark has recomputed the statistics of the hours that it changed."""
    SENDERS_PROVEN = "SendersProven"
    """Butler switchboard: mail from members can be verified, for every mailbox that is read."""
    PUBLISHED = "Published"
    """Connector of type webhook with `ingress` or `httpRoute`: reachable from outside; the message has the URL."""
    STORAGE_CURRENT = "StorageCurrent"
    """Connector: its checkpoint volume has the requested size and class."""
    RECONCILING = "Reconciling"
    """kstatus: a change is in progress."""
    STALLED = "Stalled"
    """kstatus: it needs manual intervention."""
    PROGRESSING = "Progressing"
    """BackfillJob: a connector is working on it. Butler, Connector: its rollout is complete or in progress."""
    COMPLETE = "Complete"
    """BackfillJob, ButlerOperation: it succeeded."""
    FAILED = "Failed"
    """BackfillJob, ButlerOperation: it failed; the message says why."""
    COST_CAPPED = "CostCapped"
    """BackfillJob: the day's spend reached the cap; set suspend to true and back to false to resume."""
    CONNECTOR_OFFLINE = "ConnectorOffline"
    """BackfillJob: its connector is not online."""


class Reason(StrEnum):
    """Reasons for the status of a condition."""

    # Good standing, for any type.
    ACCEPTED = "Accepted"
    """The manifest is valid."""
    RESOLVED = "Resolved"
    """Every reference was found."""
    DEPLOYED = "Deployed"
    """Every child object is as desired."""
    READY = "Ready"
    """Everything needed is available."""
    SETTLED = "Settled"
    """Nothing is left to do, or nothing is stuck."""

    # Stages.
    BLOCKED = "Blocked"
    """An earlier stage is not True; the message names it."""
    PENDING = "Pending"
    """Not checked yet."""
    INVALID_SPEC = "InvalidSpec"
    """The manifest breaks a rule; the message says what to change."""
    NAME_TAKEN = "NameTaken"
    """A resource of another kind already has the name, or another connector the endpoint."""
    PAUSED = "Paused"
    """The annotation butlers.dev/paused pauses the operator for it."""
    SUSPENDED = "Suspended"
    """spec.suspend is true; nothing runs."""
    DELETING = "Deleting"
    """The resource is being deleted."""

    # References.
    SECRET_NOT_FOUND = "SecretNotFound"  # noqa: S105 - a reason
    """A referenced Secret does not exist."""
    SECRET_KEY_NOT_FOUND = "SecretKeyNotFound"  # noqa: S105 - a reason
    """The Secret exists but lacks the key."""
    SECRET_NOT_SHARED = "SecretNotShared"  # noqa: S105 - a reason
    """The Secret lacks the household's label, or is the operator's own. Running pods are not changed."""
    IMAGE_NOT_ALLOWED = "ImageNotAllowed"
    """The installation does not allow the image in the manifest. Running pods are not changed."""
    SWITCHBOARD_NOT_FOUND = "SwitchboardNotFound"
    """The referenced Butler with role switchboard does not exist."""
    SWITCHBOARD_UNREACHABLE = "SwitchboardUnreachable"
    """Switchboard does not answer; registry states are as last reported."""
    CONNECTOR_NOT_FOUND = "ConnectorNotFound"
    """The referenced Connector does not exist."""
    DATABASE_UNAVAILABLE = "DatabaseUnavailable"
    """The database does not answer, or the Secret with its address is missing."""
    OWNER_MISSING = "OwnerMissing"
    """The contacts name no owner, or more than one (D49)."""
    CONTACTS_INVALID = "ContactsInvalid"
    """The contacts cannot be read; the message says where."""
    CA_BUNDLE_NOT_FOUND = "CaBundleNotFound"
    """The ConfigMap with the certificate authorities, or its key, does not exist."""
    CA_BUNDLE_INVALID = "CaBundleInvalid"
    """The CA bundle holds no usable certificates; the message says what it holds."""
    INSTRUCTIONS_NOT_FOUND = "InstructionsNotFound"
    """The ConfigMap with the butler's instructions, or its key, does not exist."""
    INSTRUCTIONS_INVALID = "InstructionsInvalid"
    """The instructions are empty or too long; the message says which."""
    RUNTIME_UNAVAILABLE = "RuntimeUnavailable"
    """The runtime family is not available (D28): it is not installed, or its model is unavailable."""
    TOOLS_UNAVAILABLE = "ToolsUnavailable"
    """A tool server is unavailable, refuses the token or lacks a tool. The butler works without it and says so."""

    # Children.
    APPLYING = "Applying"
    """Child objects are being applied or rolled out."""
    APPLY_FAILED = "ApplyFailed"
    """The API server refused a child object; the message has its answer."""
    OWNERSHIP_CONFLICT = "OwnershipConflict"
    """Objects with the names of child objects have another owner. Nothing is applied until they are gone."""
    ROLLED_OUT = "RolledOut"
    """The rollout is complete."""
    ROLLING_OUT = "RollingOut"
    """New pods are starting. Old pods keep serving where two may run."""
    WAITING_FOR_CANARY = "WaitingForCanary"
    """Another resource rolls out the new image first; the message names it."""
    PROGRESS_DEADLINE_EXCEEDED = "ProgressDeadlineExceeded"
    """No new pod became ready in time."""
    PODS_NOT_READY = "PodsNotReady"
    """Fewer pods are ready than wanted."""
    CRASH_LOOP = "CrashLoop"
    """Pods keep crashing."""
    IMAGE_PULL_FAILED = "ImagePullFailed"
    """The image cannot be pulled."""
    SCALED_TO_ZERO = "ScaledToZero"
    """spec.replicas is 0; nothing runs."""
    MESSENGER_MISSING = "MessengerMissing"
    """Switchboard runs and has no contacts: no Butler messenger brings them."""

    # Volumes.
    AS_ASKED = "AsAsked"
    """The volume is as requested."""
    GROWING = "Growing"
    """Expansion of the volume is requested and not done yet."""
    GROWTH_REFUSED = "GrowthRefused"
    """The API server refuses to expand the volume; the message has its answer."""
    SIZE_FIXED = "SizeFixed"
    """The requested size is smaller than that of the volume."""
    CLASS_FIXED = "ClassFixed"
    """The requested class is not that of the volume."""

    # The registry's word (D30).
    ACTIVE = "Active"
    """Switchboard routes to it."""
    STALE = "Stale"
    """No recent sign of life."""
    QUARANTINED = "Quarantined"
    """Excluded from routing; the message names the reason."""
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
    """It answers, or no problem is known."""
    UNAUTHORIZED = "Unauthorized"
    """It refuses the token or password; the message says which to check."""
    UNREACHABLE = "Unreachable"
    """It cannot be reached, or does not answer in time."""
    SOURCE_TAKEN = "SourceTaken"
    """Another process reads the same source."""
    SLOWED_DOWN = "SlowedDown"
    """It asks for a pause (rate limit)."""
    FAILING = "Failing"
    """It answers with errors; the message has them."""

    # Its runtime, by Switchboard's own word.
    AVAILABLE = "Available"
    """It is available, or no problem is known."""

    # A webhook from outside.
    PUBLISHED = "Published"
    """The Ingress exists, or a Gateway accepted the HTTPRoute."""
    GATEWAY_API_MISSING = "GatewayApiMissing"
    """The manifest needs an HTTPRoute, and the cluster has no such kind."""
    ROUTE_REFUSED = "RouteRefused"
    """A Gateway refuses the HTTPRoute; the message has its answer."""

    # Database roles (D51).
    OWN_ROLE = "OwnRole"
    """The butler has its own role and schema."""
    SHARED_ROLE = "SharedRole"
    """Roles cannot be created; all butlers share one."""

    # Who wrote a mail (D22).
    TRUSTED_SERVER = "TrustedServer"
    """A trusted mail server is set, or no mailbox needs one."""
    NO_TRUSTED_SERVER = "NoTrustedServer"
    """No trusted mail server is set, so every mail counts as a stranger's; the message says what to set."""

    # Statistics (SWB-22, D40).
    CURRENT = "Current"
    """Every complete hour and day is computed."""
    LAGGING = "Lagging"
    """More than two complete hours or days are not computed yet; the message says which."""
    RUN_FAILED = "RunFailed"
    """The last run of a job failed; the message says which and why."""
    RUN_STUCK = "RunStuck"
    """A run was submitted and did not start; it is deleted so that the next one can start."""

    # BackfillJob and ButlerOperation.
    WAITING_FOR_CONNECTOR = "WaitingForConnector"
    """The connector has not taken the job yet."""
    RUNNING = "Running"
    """In progress."""
    COMPLETED = "Completed"
    """Done."""
    CANCELLED = "Cancelled"
    """Cancelled on request."""
    COST_CAP_REACHED = "CostCapReached"
    """The day's spend has reached dailyCostCapCents."""
    WITHIN_COST_CAP = "WithinCostCap"
    """The day's spend is below the cap."""
    CONNECTOR_IS_ONLINE = "ConnectorIsOnline"
    """The connector's heartbeats arrive."""
    CONNECTOR_IS_OFFLINE = "ConnectorIsOffline"
    """The connector's heartbeats do not arrive; the job waits."""
    NOT_SUPPORTED = "NotSupported"
    """The connector's source cannot do this; the message says why."""
    CONNECTOR_ERROR = "ConnectorError"
    """The connector gave up; the message has its error."""
    REFUSED = "Refused"
    """Switchboard or Messenger refused; the message has the answer."""
    EXPIRED = "Expired"
    """Not executed before expiresAfterSeconds had passed."""
    INTERNAL_ERROR = "InternalError"
    """The operator met an unexpected error and retries."""


class Condition(ResourceModel):
    """One condition of the resource, as metav1.Condition of Kubernetes."""

    type: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]*$", max_length=64)] = Field(
        description="Type of the condition, such as Ready or Accepted."
    )
    status: ConditionStatus = Field(description="True, False, or Unknown.")
    observed_generation: int | None = Field(
        default=None, ge=0, le=2**62, description="Generation of the manifest that the condition reflects."
    )
    last_transition_time: AwareDatetime = Field(description="When `status` last changed.")
    reason: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]*$", max_length=64)] = Field(
        description="Reason in one word that scripts can rely on."
    )
    message: Annotated[str, StringConstraints(max_length=4000)] = Field(
        default="", description="Human-readable explanation."
    )


Conditions = Annotated[
    tuple[Condition, ...],
    Field(
        max_length=32,
        json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]},
    ),
]
