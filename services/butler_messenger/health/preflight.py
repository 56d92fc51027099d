"""Predicts admission's answer to a notify, by its own checks and without a trace (MSG-5.1.3, MSR-10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID

from butler_contracts.errors import ButlerError, ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_kit.auth import Caller
from butler_kit.db import Pool, acquire
from butler_messenger.admission.limits import cost_of
from butler_messenger.admission.plan import key_of, planned
from butler_messenger.admission.resolve import MissingIdentifier, Target
from butler_messenger.admission.service import AdmissionSettings
from butler_messenger.admission.store import AdmissionStore, NewDelivery, demands_of
from butler_messenger.admission.targeting import Targeting
from butler_messenger.admission.validate import authenticated_wish, read_envelope, read_notify
from butler_messenger.approvals.holding import Holding
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.delivery.outgoing import outgoing_of
from butler_messenger.delivery.records import Delivery
from butler_messenger.health.questions import NotifyQuestion
from butler_messenger.health.reader import HealthReader
from butler_messenger.health.views import budget_view
from butler_messenger.owner.window import OwnerWindow
from butler_messenger.quiet.keeping import QuietTimes
from butler_messenger.suppressions.refusing import SuppressionList

__all__ = ["Preflight"]

Decision = Literal["invalid", "duplicate", "collected", "quiet", "refused", "parked", "held", "admitted"]
_TAKEN: Final = ("collected", "quiet", "parked", "held", "admitted")
"""The decisions that store a delivery, whether it goes out at once or waits for something."""


@dataclass(frozen=True, slots=True)
class _Checked:
    """A notify that passed every check, and its target."""

    target: Target | MissingIdentifier
    new: NewDelivery


class Preflight:
    """Two checks of a notify that is not sent."""

    def __init__(
        self,
        *,
        settings: AdmissionSettings,
        pool: Pool,
        store: AdmissionStore,
        targeting: Targeting,
        holding: Holding,
        quiet: QuietTimes,
        suppressions: SuppressionList,
        window: OwnerWindow,
        channels: Mapping[str, Channel],
        health: HealthReader,
        new_id: Callable[[], UUID],
    ) -> None:
        self._settings = settings
        self._pool = pool
        self._store = store
        self._targeting = targeting
        self._holding = holding
        self._quiet = quiet
        self._suppressions = suppressions
        self._window = window
        self._channels = channels
        self._health = health
        self._new_id = new_id

    async def validate(self, caller: Caller, asked: NotifyQuestion) -> dict[str, Any]:
        """Return `valid`, or the `error` that admission would answer, with its fields under `problems`."""
        try:
            await self._checked(caller, asked)
        except ValidationFailed as refused:
            return _invalid(refused)
        return {"valid": True, "error": None, "problems": []}

    async def dry_run(self, caller: Caller, asked: NotifyQuestion) -> dict[str, Any]:
        """Return what would happen now: the `decision`, the target, how it would be sent, and the budgets."""
        try:
            checked = await self._checked(caller, asked)
        except ValidationFailed as refused:
            return {**_invalid(refused), **_decided("invalid")}
        new = checked.new
        known = await self._store.of_call(new) or await self._store.find(new.idempotency_key)
        decision, refusal = await self._decision(checked, known)
        budgets = await self._health.headrooms(
            demands_of(new, self._settings.limits), cost=cost_of(new.intent, self._settings.limits.rates)
        )
        return {
            "valid": True,
            "error": refusal.to_wire()["error"] if refusal is not None else None,
            "problems": [],
            **_decided(decision),
            "idempotency_key": new.idempotency_key,
            "duplicate_of": _duplicate(known) if known is not None else None,
            "target": _target(checked),
            **self._way(new),
            "budgets": [budget_view(one) for one in budgets],
        }

    async def _checked(self, caller: Caller, asked: NotifyQuestion) -> _Checked:
        notify, subrequest_id = self._read(caller, asked)
        target = await self._targeting.target(notify)
        new = planned(
            notify,
            target,
            key=key_of(notify, target, subrequest_id),
            delivery_id=self._new_id(),
            subrequest_id=subrequest_id,
            route_context=None,
            expires_after_s=self._settings.expires_after_s,
        )
        return _Checked(target, new)

    def _read(self, caller: Caller, asked: NotifyQuestion) -> tuple[NotifyRequestV1, UUID]:
        """Return the notify and its subrequest's id, which is a new one if only a notify is given."""
        if asked.envelope is None:
            return read_notify(asked.notify_request or {}, caller), self._new_id()
        settings, envelope = self._settings, read_envelope(asked.envelope)
        trusted, own_name = settings.trusted_callers, settings.own_name
        wish = authenticated_wish(envelope, caller, trusted=trusted, own_name=own_name)
        return wish.notify, envelope.subrequest.subrequest_id

    async def _decision(
        self, checked: _Checked, known: Delivery | None
    ) -> tuple[Decision, ButlerError | None]:
        new = checked.new
        if known is not None:
            return "duplicate", None
        suppressed = await self._suppressions.refusal(new)
        if suppressed is not None:
            return "refused", suppressed
        tool = self._holding.tool_of(new)
        if tool is not None:
            return await self._held_or_allowed(new, tool), None
        if new.topic is not None and await self._would_collect(new):
            return "collected", None
        if await self._quiet.holds(new):
            return "quiet", None
        refusal = await self._store.outlook(new, self._settings.limits)
        if refusal is not None:
            return "refused", refusal
        return ("parked" if isinstance(checked.target, MissingIdentifier) else "admitted"), None

    async def _held_or_allowed(self, new: NewDelivery, tool: str) -> Decision:
        async with acquire(self._pool, doing="looking for a standing rule") as connection:
            return "admitted" if await self._holding.allows(connection, new, tool) else "held"

    async def _would_collect(self, new: NewDelivery) -> bool:
        async with acquire(self._pool, doing="looking into an owner's window") as connection:
            return await self._window.would_collect(connection, new)

    def _way(self, new: NewDelivery) -> dict[str, Any]:
        """Return the tool and the number of parts; null while the target is unknown."""
        if new.target_identity is None:
            return {"tool": None, "parts": None}
        channel, outgoing = self._channels[new.channel], outgoing_of(new)
        return {"tool": channel.tool_for(outgoing), "parts": channel.part_count(outgoing)}


def _invalid(refused: ValidationFailed) -> dict[str, Any]:
    error = refused.to_wire()["error"]
    problems = error.pop("details", {}).get("problems", [])
    return {"valid": False, "error": error, "problems": problems}


def _decided(decision: Decision) -> dict[str, Any]:
    return {"decision": decision, "admitted": decision in _TAKEN}


def _target(checked: _Checked) -> dict[str, Any]:
    """Return the target as a trace names it; if the identifier is missing, the contact's id names it."""
    new = checked.new
    return {
        "channel": new.channel,
        "target_identity": new.target_identity,
        "thread_identity": new.thread_identity,
        "contact_id": str(new.contact_id) if new.contact_id is not None else None,
        "reply_to": new.reply_to,
    }


def _duplicate(known: Delivery) -> dict[str, Any]:
    return {"delivery_id": str(known.delivery_id), "status": known.status.value}
