"""Finds the butler of a pressed button by the notification that its reference names (ADR 0041)."""

from __future__ import annotations

from butler_contracts.actions import Pressed, pressed_of
from butler_kit.telemetry import get_logger
from butler_switchboard.dispatch.model import Plan, RequestState
from butler_switchboard.dispatch.notifications import Notifications
from butler_switchboard.dispatch.presses import MESSENGER, asked_by_messenger, plan_of_press
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["Presses"]

_log = get_logger(__name__)


class Presses:
    """Plans presses; no session is run for one."""

    def __init__(self, told: Notifications) -> None:
        self._told = told

    async def plan(self, state: RequestState, registry: RegistryView) -> Plan:
        """Return the plan that sends a press to the butler that offered the button."""
        pressed = pressed_of(state.message.pressed or "")
        owner = await self._owner(pressed) if pressed is not None else None
        plan = plan_of_press(state, owner, registry)
        _log.info("press_routed", targets=[target.butler for target in plan.targets], reason=plan.reason)
        return plan

    async def _owner(self, pressed: Pressed) -> str | None:
        if asked_by_messenger(pressed):
            return MESSENGER
        return await self._told.origin(pressed.notification_id)
