"""The specifics of a Butler: its children, its references, what Switchboard is told, its status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from butler_operator.reconcile.conditions import Condition, failed, passed
from butler_operator.reconcile.registry import RegistryView, eligible
from butler_operator.reconcile.scaling import scaling
from butler_operator.reconcile.source import channels_reachable, runtime_available, tools_reachable
from butler_operator.reconcile.workload import Workload, role_isolation
from butler_resources.kinds import Butler, SecretRef
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.mail_proof import MAIL_TYPES, how_to_prove, unproven
from butler_resources.kinds.objects import parse_object
from butler_resources.render import runtime_problem
from butler_resources.render.cluster import Place, render_butler

__all__ = ["ButlerRules", "senders_proven"]

Body = Mapping[str, Any]


def senders_proven(butler: Butler, view: RegistryView | None) -> Condition | None:
    """Return a Switchboard's `SendersProven` by its mailboxes; None for others or before it was heard."""
    if butler.spec.role != "switchboard" or view is None or not view.heard:
        return None
    mailboxes = sorted(endpoint for kind, endpoint in view.connectors if kind in MAIL_TYPES)
    blind = unproven(butler.spec.routing, mailboxes)
    type_ = ConditionType.SENDERS_PROVEN
    if blind:
        return failed(type_, Reason.NO_TRUSTED_SERVER, how_to_prove(blind))
    return passed(type_, Reason.TRUSTED_SERVER, "a member's mail can be told from a stranger's")


class ButlerRules:
    """See `resource.Rules`; no state."""

    kind = "Butler"

    def parse(self, body: Body) -> Butler:
        return parse_object(Butler, body)

    def unavailable(self, butler: Butler) -> str | None:
        return None if butler.spec.suspend else runtime_problem(butler)

    def in_registry(self, butler: Butler) -> bool:
        """Whether it is in Switchboard's registry, which does not list Switchboard itself."""
        return butler.spec.role != "switchboard"

    def switchboard(self, butler: Butler) -> str | None:
        return "switchboard" if self.in_registry(butler) else None

    def database(self, butler: Butler, place: Place) -> SecretRef | None:
        return butler.spec.external_database or place.database

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
        standing = eligible(butler.name, view) if view is not None and self.in_registry(butler) else None
        channels = channels_reachable(butler, view) if view is not None else None
        runtime = runtime_available(butler, view)
        found = (
            standing,
            channels,
            runtime,
            tools_reachable(butler, view),
            role_isolation(workload),
            senders_proven(butler, view),
        )
        return tuple(condition for condition in found if condition is not None)

    def void(self, butler: Butler) -> frozenset[str]:
        applies = {
            ConditionType.RUNTIME_AVAILABLE: butler.spec.runtime.family != "rules",
            ConditionType.TOOLS_REACHABLE: bool(butler.spec.tools),
        }
        return frozenset(type_ for type_, does in applies.items() if not does)

    def fields(
        self, butler: Butler, workload: Workload, view: RegistryView | None, old: Body, now: datetime
    ) -> dict[str, Any]:
        fields = scaling(butler, workload)
        standing = view.butlers.get(butler.name) if view is not None else None
        if view is not None and view.heard:
            fields["eligibility"] = standing.to_status() if standing is not None else None
        return fields
