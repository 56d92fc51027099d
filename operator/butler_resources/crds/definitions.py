"""The four CustomResourceDefinitions: columns, short names, subresources, and the schema of each model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from butler_resources.crds.structural import structural_schema
from butler_resources.kinds import BackfillJob, Butler, ButlerOperation, Connector, ResourceModel
from butler_resources.kinds.names import (
    BACKFILL_JOB,
    BUTLER,
    BUTLER_OPERATION,
    CATEGORY,
    CONNECTOR,
    GROUP,
    LABEL_PART_OF,
    PART_OF,
    VERSION,
    KindNames,
)

__all__ = ["DEFINITIONS", "Column", "Definition", "definition"]


@dataclass(frozen=True)
class Column:
    """One column of `kubectl get`; `wide` ones show with `-o wide` only."""

    name: str
    path: str
    description: str
    type: str = "string"
    wide: bool = False

    def entry(self) -> dict[str, Any]:
        """As `additionalPrinterColumns` has it."""
        priority = {"priority": 1} if self.wide else {}
        entry = {"name": self.name, "type": self.type, "jsonPath": self.path, "description": self.description}
        return entry | priority


@dataclass(frozen=True)
class Definition:
    """Everything about one kind that its model does not say."""

    names: KindNames
    model: type[ResourceModel]
    columns: tuple[Column, ...]
    selectable: tuple[str, ...]
    scale: bool = False
    """Whether `kubectl scale` and autoscalers may set its number of pods."""


def _condition(type_: str, field: str) -> str:
    return f'.status.conditions[?(@.type=="{type_}")].{field}'


def _ready() -> Column:
    return Column("Ready", _condition("Ready", "status"), "Whether the household can use it.")


def _reason(type_: str = "Ready") -> Column:
    return Column("Reason", _condition(type_, "reason"), "Why, in one word.")


def _message(type_: str = "Ready") -> Column:
    return Column("Message", _condition(type_, "message"), "What is the matter, in words.", wide=True)


def _version_column() -> Column:
    return Column("Version", ".status.version", "Tag or digest of the image that its pods run.", wide=True)


AGE: Final = Column("Age", ".metadata.creationTimestamp", "Time since it was created.", "date")

_ALL: Final = (
    Definition(
        names=BUTLER,
        model=Butler,
        columns=(
            _ready(),
            _reason(),
            Column("Eligibility", ".status.eligibility.state", "Whether Switchboard routes to it."),
            Column("Role", ".spec.role", "switchboard, messenger or specialist."),
            Column("Pods", ".status.readyReplicas", "Pods that are ready.", "integer"),
            Column("Profile", ".spec.profile", "What a specialist knows about.", wide=True),
            Column("Runtime", ".spec.runtime.family", "What runs its sessions.", wide=True),
            _version_column(),
            _message(),
            AGE,
        ),
        selectable=(".spec.role", ".spec.profile", ".status.eligibility.state"),
        scale=True,
    ),
    Definition(
        names=CONNECTOR,
        model=Connector,
        columns=(
            _ready(),
            _reason(),
            Column("Liveness", ".status.liveness.state", "By the age of the last heartbeat."),
            Column("Source", _condition("SourceReachable", "reason"), "Whether it can read its source."),
            Column("Endpoint", ".spec.endpointIdentity", "Name of the source everywhere."),
            Column("Type", ".spec.type", "Kind of source.", wide=True),
            Column("Switchboard", ".spec.switchboardRef", "Where it submits to.", wide=True),
            _version_column(),
            _message(),
            AGE,
        ),
        selectable=(".spec.type", ".spec.endpointIdentity", ".spec.switchboardRef", ".status.liveness.state"),
        scale=True,
    ),
    Definition(
        names=BACKFILL_JOB,
        model=BackfillJob,
        columns=(
            Column("State", ".status.state", "Switchboard's word for where it is."),
            _reason("Progressing"),
            Column("Connector", ".spec.connectorRef", "Whose history is read."),
            Column("Messages", ".status.rowsProcessed", "Messages taken so far.", "integer"),
            Column("Spent", ".status.costSpentCents", "Spend so far, in cents.", "integer"),
            Column("From", ".spec.dateFrom", "First day.", wide=True),
            Column("To", ".spec.dateTo", "Last day.", wide=True),
            Column("Suspended", ".spec.suspend", "Whether it is told to stop.", "boolean", wide=True),
            _message("Progressing"),
            AGE,
        ),
        selectable=(".spec.connectorRef", ".status.state"),
    ),
    Definition(
        names=BUTLER_OPERATION,
        model=ButlerOperation,
        columns=(
            Column("Phase", ".status.phase", "How far it is."),
            _reason("Complete"),
            Column("Action", ".spec.action", "What is asked for."),
            Column("Target", ".spec.target['name','id']", "Name or id of what is acted on."),
            Column("Kind", ".spec.target.kind", "What kind of thing that is.", wide=True),
            Column("By", ".spec.requestedBy", "Who asks.", wide=True),
            Column("Because", ".spec.reason", "Why it is asked for.", wide=True),
            Column("Message", ".status.result.message", "What became of it.", wide=True),
            AGE,
        ),
        selectable=(".spec.action", ".spec.target.kind", ".spec.target.name", ".status.phase"),
    ),
)
DEFINITIONS: Final[Mapping[str, Definition]] = MappingProxyType({each.names.kind: each for each in _ALL})

"""The server itself describes `metadata`, and refuses any word about it here; rules need its `name` as their field."""
_ROOT: Final[dict[str, Any]] = {
    "apiVersion": {"type": "string", "description": f"Version of the API: {GROUP}/{VERSION}."},
    "kind": {"type": "string", "description": "Kind of the resource."},
    "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
}


def definition(of: Definition) -> dict[str, Any]:
    """The CustomResourceDefinition, ready to be written as YAML."""
    names = of.names
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": names.crd, "labels": {LABEL_PART_OF: PART_OF}},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": names.kind,
                "listKind": f"{names.kind}List",
                "plural": names.plural,
                "singular": names.singular,
                "shortNames": [names.short],
                "categories": [CATEGORY],
            },
            "versions": [_version(of)],
        },
    }


def _version(of: Definition) -> dict[str, Any]:
    schema = structural_schema(of.model, without=tuple(_ROOT))
    root = schema | {"properties": _ROOT | schema["properties"], "required": ["spec"]}
    return {
        "name": VERSION,
        "served": True,
        "storage": True,
        "additionalPrinterColumns": [column.entry() for column in of.columns],
        "selectableFields": [{"jsonPath": path} for path in of.selectable],
        "subresources": _subresources(of),
        "schema": {"openAPIV3Schema": root},
    }


def _subresources(of: Definition) -> dict[str, Any]:
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    return {"status": {}} | ({"scale": scale} if of.scale else {})
