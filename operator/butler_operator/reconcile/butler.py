"""What is particular to a Butler: its children, what it refers to, what Switchboard is told, its status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from butler_operator.reconcile.conditions import Condition
from butler_operator.reconcile.registry import RegistryView, eligible
from butler_operator.reconcile.workload import Workload, role_isolation
from butler_resources.kinds import Butler, SecretRef
from butler_resources.kinds.objects import parse_object
from butler_resources.render import runtime_problem
from butler_resources.render.cluster import Place, render_butler, selector_of

__all__ = ["ButlerRules"]

Body = Mapping[str, Any]


class ButlerRules:
    """See `resource.Rules`; no state."""

    kind = "Butler"

    def parse(self, body: Body) -> Butler:
        return parse_object(Butler, body)

    def unavailable(self, butler: Butler) -> str | None:
        return None if butler.spec.suspend else runtime_problem(butler)

    def in_registry(self, butler: Butler) -> bool:
        """Switchboard is no target of its own."""
        return butler.spec.role != "switchboard"

    def switchboard(self, butler: Butler) -> str | None:
        return "switchboard" if self.in_registry(butler) else None

    def database(self, butler: Butler, place: Place) -> SecretRef | None:
        return butler.spec.database.secret_ref if butler.spec.database is not None else place.database

    def contacts(self, butler: Butler) -> SecretRef | None:
        return butler.spec.contacts_from.secret_ref if butler.spec.contacts_from is not None else None

    def taken_by(self, butler: Butler, body: Body, others: Iterable[Body]) -> str | None:
        return None

    def suspended(self, butler: Butler) -> bool:
        return butler.spec.suspend

    def render(
        self, butler: Butler, place: Place, *, owner: Mapping[str, str], inputs: Mapping[str, str]
    ) -> Sequence[dict[str, Any]]:
        return render_butler(butler, place, owner=owner, inputs=inputs)

    def more_conditions(
        self, butler: Butler, workload: Workload, view: RegistryView | None
    ) -> tuple[Condition, ...]:
        isolation = role_isolation(workload)
        standing = eligible(butler.name, view) if view is not None and self.in_registry(butler) else None
        return tuple(condition for condition in (standing, isolation) if condition is not None)

    def fields(
        self, butler: Butler, workload: Workload, view: RegistryView | None, old: Body, now: datetime
    ) -> dict[str, Any]:
        labels = ",".join(f"{key}={value}" for key, value in sorted(selector_of(butler).items()))
        fields: dict[str, Any] = {"selector": labels}
        if workload.known:
            fields |= {"replicas": workload.existing, "readyReplicas": workload.ready}
        standing = view.butlers.get(butler.name) if view is not None else None
        if view is not None and view.heard:
            fields["eligibility"] = standing.to_status() if standing is not None else None
        return fields
