"""How an edit is handled: who has what of the former versions, and the plan that changes it (pure; D54, D71).

Invariants: a butler that may have something of a former version is told of the edit, or the edit goes nowhere; nobody
outside the household changes what was noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from butler_contracts.errors import ErrorClass
from butler_contracts.former import FORMER_MAX, FormerPartV1, SupersedesV1
from butler_contracts.ingest import SourceChannel
from butler_switchboard.dispatch.model import Plan, PlannedTarget, RequestState, Subroute, SubrouteState
from butler_switchboard.dispatch.plans import refused
from butler_switchboard.dispatch.withdrawing import planned_target
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["Edit"]

_UNSURE: Final = ("ambiguous", "classification_failed", "invalid_output")
"""Reasons of a plan that could not tell which butler the text is for."""


@dataclass(frozen=True)
class Edit:
    """A message and its former versions, newest first; none if it edits no known message."""

    state: RequestState
    versions: tuple[RequestState, ...]

    @property
    def comes_too_early(self) -> bool:
        """Whether a former version must go first: it is not routed, or no thread keeps the two in order."""
        unordered = self.state.message.context.source_thread_identity is None
        return any(not one.concluded and (one.plan is None or unordered) for one in self.versions)

    @property
    def recorded_as(self) -> str | None:
        """The reason why nobody is told of it; None if it is routed.

        For a stranger's message, what the owner was told first counts; a stranger's mail is a mail of its own.
        """
        if not self.versions:
            return None
        newest = self.versions[0]
        if not self._by_household:
            mail = self.state.message.context.source_channel is SourceChannel.EMAIL
            return f"edit_of_finished:{newest.request_id}" if newest.concluded and not mail else None
        same = _words(self.state) == _words(newest) and newest.message.lifecycle_state != "errored"
        return f"edit_without_change:{newest.request_id}" if same else None

    def told_to_holders(self, plan: Plan, registry: RegistryView) -> Plan:
        """Tell every butler of `plan` what it had; one that had something but is not in it takes it back."""
        if not self.versions or not self._by_household:
            return plan
        barred = next((name for name in self._holders if not registry.eligible(name)), None)
        if barred is not None:
            return self._out_of_reach(registry.barred(barred))
        if plan.fallback and plan.reason.startswith(_UNSURE) and len(self._holders) == 1:
            plan = self._stays_with(self._holders[0], plan)
        return self._changing(plan) if plan.targets else plan

    @property
    def _by_household(self) -> bool:
        return self.state.message.context.sender_class == "household"

    @cached_property
    def _parts(self) -> dict[str, list[_Part]]:
        """What each butler was given of the former versions, the newest first."""
        found: dict[str, list[_Part]] = {}
        for part in _branches(self.versions):
            found.setdefault(part.branch.target, []).append(part)
        return found

    @cached_property
    def _holders(self) -> tuple[str, ...]:
        return tuple(name for name, parts in self._parts.items() if _holds(parts))

    def _stays_with(self, butler: str, plan: Plan) -> Plan:
        """Send an edit that is unclear by itself to the butler that understood it before."""
        target = PlannedTarget(1, "s1", butler, self.state.message.text)
        reason = f"edit_of:{self.versions[0].request_id}"
        return replace(plan, targets=(target,), reason=reason, fallback=False, error=None)

    def _changing(self, plan: Plan) -> Plan:
        names = tuple(target.butler for target in plan.targets)
        left = [name for name in self._holders if name not in names]
        first = max(target.position for target in plan.targets) + 1
        leaving = (
            PlannedTarget(position, f"s{position}", name, self.state.message.text)
            for position, name in enumerate(left, start=first)
        )
        return replace(
            plan,
            targets=(
                *(self._told(target) for target in plan.targets),
                *(self._told(target, moved_to=names) for target in leaving),
            ),
        )

    def _told(self, target: PlannedTarget, *, moved_to: tuple[str, ...] = ()) -> PlannedTarget:
        parts = tuple(part.as_wire() for part in self._parts.get(target.butler, ())[:FORMER_MAX])
        if not parts:
            return target
        return replace(target, supersedes=SupersedesV1(parts=parts, moved_to=moved_to).to_wire())

    def _out_of_reach(self, name: str) -> Plan:
        said = f"{name} has the message as it was and may get nothing at the moment; what it noted stays"
        return refused(self.state, ErrorClass.TARGET_UNAVAILABLE, said, reason="edit_out_of_reach")


@dataclass(frozen=True)
class _Part:
    """The newest attempt at a branch of a former version."""

    version: RequestState
    branch: Subroute

    @property
    def moved_away(self) -> bool:
        """Whether the butler was told to take back what it had."""
        if self.version.plan is None:
            return False
        planned = planned_target(self.version, self.version.plan, self.branch)
        return bool((planned.supersedes or {}).get("moved_to"))

    @property
    def may_be_done(self) -> bool:
        """Whether the butler did it, will do it, or accepted it and never answered."""
        branch = self.branch
        if branch.state is SubrouteState.ERROR:
            return branch.late_ok or (branch.accepted_at is not None and branch.response is None)
        return branch.state is not SubrouteState.SKIPPED

    def as_wire(self) -> FormerPartV1:
        return FormerPartV1(request_id=self.version.request_id, segment_id=self.branch.segment_id)


def _holds(parts: Sequence[_Part]) -> bool:
    """Return whether a butler may still have something: not if an edit that took everything back was done."""
    for part in parts:
        if part.moved_away and part.branch.state is SubrouteState.OK:
            return False
        if part.may_be_done and not part.moved_away:
            return True
    return False


def _branches(versions: Sequence[RequestState]) -> Iterator[_Part]:
    for version in versions:
        for branch in version.latest():
            yield _Part(version, branch)


def _words(state: RequestState) -> tuple[str, list[Any]]:
    return state.message.text, state.message.attachments
