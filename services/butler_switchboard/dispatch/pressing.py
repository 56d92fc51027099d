"""Finds the butler of a pressed button by the notification that its reference names (ADR 0041)."""

from __future__ import annotations

from butler_contracts.actions import Pressed, pressed_of
from butler_kit.telemetry import get_logger
from butler_switchboard.dispatch.buttons import own_button
from butler_switchboard.dispatch.model import Plan, RequestState
from butler_switchboard.dispatch.notifications import Notifications
from butler_switchboard.dispatch.own_pressing import OwnPresses
from butler_switchboard.dispatch.presses import MESSENGER, asked_by_messenger, plan_of_press
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["Presses"]

_log = get_logger(__name__)


class Presses:
    """Plans presses; no session is run for one. `own` are those of Switchboard's own buttons."""

    def __init__(self, told: Notifications, own: OwnPresses) -> None:
        self._told = told
        self._own = own

    async def plan(self, state: RequestState, registry: RegistryView) -> Plan:
        """Return the plan that sends a press to the butler that offered the button, or does what ours says."""
        pressed = pressed_of(state.message.pressed or "")
        own = await self._of_ours(state, pressed, registry) if pressed is not None else None
        if own is not None:
            _log.info("own_press", reason=own.reason, corrects=own.corrects is not None)
            return own
        owner = await self._owner(pressed) if pressed is not None else None
        plan = plan_of_press(state, owner, registry)
        _log.info("press_routed", targets=[target.butler for target in plan.targets], reason=plan.reason)
        return plan

    async def _owner(self, pressed: Pressed) -> str | None:
        if asked_by_messenger(pressed):
            return MESSENGER
        told = await self._told.told(pressed.notification_id)
        return told.origin if told is not None else None

    async def _of_ours(self, state: RequestState, pressed: Pressed, registry: RegistryView) -> Plan | None:
        """Return the plan of a member's press of Switchboard's own button; None for any other press."""
        button = own_button(pressed.action)
        if button is None or state.message.context.sender_class != "household":
            return None
        told = await self._told.told(pressed.notification_id)
        return await self._own.plan(state, button, told, registry) if told is not None else None
