"""Names that every part of a cluster agrees on: group, kinds, labels, annotations, the finalizer.

Invariant: these are public; people write them in manifests, selectors and scripts. They are only ever added to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "API_VERSION",
    "BACKFILL_JOB",
    "BUTLER",
    "BUTLER_OPERATION",
    "CATEGORY",
    "CONNECTOR",
    "FIELD_MANAGER",
    "FINALIZER",
    "GROUP",
    "INPUTS_HASH_ANNOTATION",
    "KINDS",
    "KIND_LABEL",
    "KOPF_PREFIX",
    "LABEL_COMPONENT",
    "LABEL_INSTANCE",
    "LABEL_MANAGED_BY",
    "LABEL_NAME",
    "LABEL_PART_OF",
    "MANAGED_BY",
    "NAME_LABEL",
    "PART_OF",
    "PAUSED_ANNOTATION",
    "RELOAD_LABEL",
    "RESTARTED_AT_ANNOTATION",
    "USABLE_BY_LABEL",
    "USABLE_BY_US",
    "VERSION",
    "WATCH_LABEL",
    "KindNames",
]

GROUP: Final = "butlers.dev"
VERSION: Final = "v1alpha1"
API_VERSION: Final = "butlers.dev/v1alpha1"
CATEGORY: Final = "household"
"""`kubectl get household` lists all kinds. Never the plural of one: kubectl takes a category before a plural."""

FINALIZER: Final = "butlers.dev/finalizer"
"""Of earlier versions; taken off wherever it is met."""
KOPF_PREFIX: Final = "operator.butlers.dev"
"""Prefix of the annotations in which the operator's framework keeps its progress."""
FIELD_MANAGER: Final = "butlers-operator"
PAUSED_ANNOTATION: Final = "butlers.dev/paused"
"""`"true"` on a resource: the operator leaves it and its children alone until the annotation is gone."""
WATCH_LABEL: Final = "butlers.dev/watch"
"""`"true"` on a namespace: an operator that selects by label serves it."""
RESTARTED_AT_ANNOTATION: Final = "butlers.dev/restarted-at"
"""On a Butler or Connector, handed to its pods: another value replaces them, as `kubectl butler restart` asks for."""
INPUTS_HASH_ANNOTATION: Final = "butlers.dev/inputs-hash"
"""On a pod template: hash of the Secrets and ConfigMaps it reads, so that their change rolls the pods."""

USABLE_BY_LABEL: Final = "butlers.dev/usable-by"
USABLE_BY_US: Final = "household"
"""On a Secret: resources of the household may name it. Without the label none may (D86)."""

RELOAD_LABEL: Final = "butlers.dev/reload"
"""`"true"` on a Secret: its change replaces the pods that read it at once, and not at the next resync."""
KIND_LABEL: Final = "butlers.dev/kind"
NAME_LABEL: Final = "butlers.dev/name"
LABEL_NAME: Final = "app.kubernetes.io/name"
LABEL_INSTANCE: Final = "app.kubernetes.io/instance"
LABEL_COMPONENT: Final = "app.kubernetes.io/component"
LABEL_PART_OF: Final = "app.kubernetes.io/part-of"
LABEL_MANAGED_BY: Final = "app.kubernetes.io/managed-by"
PART_OF: Final = "butlers"
MANAGED_BY: Final = "butlers-operator"


@dataclass(frozen=True)
class KindNames:
    """What one kind is called in the API and on the command line."""

    kind: str
    plural: str
    singular: str
    short: str

    @property
    def crd(self) -> str:
        """Name of its CustomResourceDefinition."""
        return f"{self.plural}.{GROUP}"


BUTLER: Final = KindNames("Butler", "butlers", "butler", "btl")
CONNECTOR: Final = KindNames("Connector", "connectors", "connector", "btlconn")
BACKFILL_JOB: Final = KindNames("BackfillJob", "backfilljobs", "backfilljob", "bfj")
BUTLER_OPERATION: Final = KindNames("ButlerOperation", "butleroperations", "butleroperation", "btlop")
KINDS: Final = (BUTLER, CONNECTOR, BACKFILL_JOB, BUTLER_OPERATION)
