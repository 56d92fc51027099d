"""Models of the custom resources, their secrets, and the loader of manifest directories."""

from butler_resources.kinds.backfill import BackfillJob, BackfillJobSpec
from butler_resources.kinds.base import ResourceModel, SecretRef, TlsMode
from butler_resources.kinds.butler import Butler, ButlerSpec, database_secret
from butler_resources.kinds.conditions import Condition, ConditionStatus, ConditionType, Reason
from butler_resources.kinds.connector import ONLINE_S, Connector, ConnectorSpec
from butler_resources.kinds.contacts import Contact, Contacts, Identifier
from butler_resources.kinds.household import Household
from butler_resources.kinds.manifests import Manifests, load_manifests, parse_contacts, parse_manifests
from butler_resources.kinds.names import API_VERSION, KINDS, KindNames
from butler_resources.kinds.objects import parse_object
from butler_resources.kinds.operation import Action, ButlerOperation, ButlerOperationSpec, Target, TargetKind
from butler_resources.kinds.problems import ManifestError, Problem, did_you_mean
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.secret import Secret
from butler_resources.kinds.statuses import (
    BackfillJobStatus,
    BackfillState,
    ButlerOperationStatus,
    ButlerStatus,
    ConnectorStatus,
    EligibilityStatus,
    LivenessStatus,
    OperationPhase,
    OperationResult,
)

__all__ = [
    "API_VERSION",
    "KINDS",
    "ONLINE_S",
    "Action",
    "BackfillJob",
    "BackfillJobSpec",
    "BackfillJobStatus",
    "BackfillState",
    "Butler",
    "ButlerOperation",
    "ButlerOperationSpec",
    "ButlerOperationStatus",
    "ButlerSpec",
    "ButlerStatus",
    "Condition",
    "ConditionStatus",
    "ConditionType",
    "Connector",
    "ConnectorSpec",
    "ConnectorStatus",
    "Contact",
    "Contacts",
    "EligibilityStatus",
    "Household",
    "Identifier",
    "KindNames",
    "LivenessStatus",
    "ManifestError",
    "Manifests",
    "OperationPhase",
    "OperationResult",
    "Problem",
    "Reason",
    "ResourceModel",
    "Rule",
    "Secret",
    "SecretRef",
    "Target",
    "TargetKind",
    "TlsMode",
    "database_secret",
    "did_you_mean",
    "load_manifests",
    "parse_contacts",
    "parse_manifests",
    "parse_object",
]
