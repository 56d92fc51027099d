"""What the shared reconcile path needs from a kind; `butler.py` and `connector.py` provide it, purely."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar

from butler_operator.reconcile.conditions import Condition
from butler_operator.reconcile.registry import RegistryView
from butler_operator.reconcile.workload import Workload
from butler_resources.kinds import Butler, Connector, ManifestError, SecretRef
from butler_resources.kinds.names import PAUSED_ANNOTATION
from butler_resources.render.cluster import Place

__all__ = ["Rules", "is_deleting", "is_paused", "owner_of", "problem_text"]

Body = Mapping[str, Any]
R = TypeVar("R", bound=Butler | Connector)


class Rules(Protocol[R]):
    """The rules of a kind whose resources become pods."""

    @property
    def kind(self) -> str: ...

    def parse(self, body: Body) -> R:
        """Parse the resource in an API object. Raises `ManifestError`."""
        ...

    def unavailable(self, resource: R) -> str | None:
        """Return why it cannot run despite a valid manifest: its runtime family is not available."""
        ...

    def in_registry(self, resource: R) -> bool:
        """Whether Switchboard is told of it, and holds state that its deletion has to release."""
        ...

    def switchboard(self, resource: R) -> str | None:
        """The Switchboard it needs; None for Switchboard itself."""
        ...

    def database(self, resource: R, place: Place) -> SecretRef | None:
        """The secret that leads to its database."""
        ...

    def contacts(self, resource: R) -> SecretRef | None:
        """The secret with the household's contacts, which have to be right before anything starts."""
        ...

    def taken_by(self, resource: R, body: Body, others: Iterable[Body]) -> str | None:
        """Return why another resource of the kind comes first; None if none does."""
        ...

    def suspended(self, resource: R) -> bool: ...

    def render(
        self, resource: R, place: Place, *, owner: Mapping[str, str], inputs: Mapping[str, str]
    ) -> Sequence[dict[str, Any]]:
        """Its children, in the order in which they are applied."""
        ...

    def more_conditions(
        self, resource: R, workload: Workload, view: RegistryView | None
    ) -> tuple[Condition, ...]:
        """Conditions beside the stages."""
        ...

    def void(self, resource: R) -> frozenset[str]:
        """Return which conditions do not apply to this manifest: a verdict of an earlier one is removed."""
        ...

    def fields(
        self, resource: R, workload: Workload, view: RegistryView | None, old: Body, now: datetime
    ) -> dict[str, Any]:
        """Fields of the status beside the conditions; None removes one."""
        ...


def owner_of(body: Body) -> dict[str, str]:
    """Return the owner reference for a resource's children."""
    metadata = body["metadata"]
    return {
        "apiVersion": body["apiVersion"],
        "kind": body["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }


def is_deleting(body: Body) -> bool:
    return "deletionTimestamp" in body["metadata"]


def is_paused(body: Body) -> bool:
    return (body["metadata"].get("annotations") or {}).get(PAUSED_ANNOTATION) == "true"


def problem_text(error: ManifestError) -> str:
    """Return every problem of a manifest, without positions in a file."""
    return "; ".join(
        f"{problem.path}: {problem.text}" if problem.path else problem.text for problem in error.problems
    )
