"""Messenger as a process: its tools, its pages, its background tasks (MSG-5, MSG-13.1, MSR-01.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.types import ASGIApp

from butler_kit.auth import Caller, Role
from butler_kit.mcp.authenticated import authenticated_server
from butler_kit.mcp.server import ToolServer
from butler_kit.ops.orders import Orders
from butler_kit.ops.routes import ops_routes
from butler_kit.service import ServiceApp
from butler_kit.service.checks import in_turn
from butler_kit.time import Clock, SystemClock
from butler_messenger.approvals.desk import ApprovalDesk
from butler_messenger.approvals.rules import StandingRules
from butler_messenger.approvals.tools import register_approval_tools
from butler_messenger.calendar.desk import CalendarDesk
from butler_messenger.calendar.tools import register_calendar_tools
from butler_messenger.circuits.desk import CircuitDesk
from butler_messenger.circuits.tools import register_circuit_tools
from butler_messenger.deadletters.letters import DeadLetters
from butler_messenger.deadletters.reader import DeadLetterReader
from butler_messenger.deadletters.tools import register_dead_letter_tools
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.health.preflight import Preflight
from butler_messenger.health.reader import HealthReader
from butler_messenger.health.tools import register_health_tools
from butler_messenger.inbox.configured import configured_inbox
from butler_messenger.inbox.tools import register_inbox_tools
from butler_messenger.service_levels.desk import ServiceLevelDesk
from butler_messenger.service_levels.tools import register_slo_tools
from butler_messenger.settings import MessengerConfig
from butler_messenger.suppressions.desk import SuppressionDesk
from butler_messenger.suppressions.tools import register_suppression_tools
from butler_messenger.tracking.channels import ChannelReader
from butler_messenger.tracking.reader import DeliveryReader
from butler_messenger.tracking.tools import register_tracking_tools
from butler_messenger.wiring import Messenger
from butler_messenger.withdrawals.tools import register_withdrawal_tools

__all__ = ["build_service"]

_ROUTE_EXECUTE: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["envelope"],
    "properties": {
        "envelope": {"type": "object", "description": "route.v1 with input.context.notify_request"}
    },
    "additionalProperties": False,
}
_ROUTE_DEADLINE_S: Final = 10.0


def build_service(
    config: MessengerConfig,
    env: Mapping[str, str],
    *,
    clock: Clock | None = None,
    channels: Mapping[str, Channel] | None = None,
) -> ServiceApp:
    """Return the process, ready to `serve`; `channels` replaces the configured ones.

    Raises `ConfigError` or `KeyFileError` for errors that a person has to correct.
    """
    clock = clock or SystemClock()
    messenger = Messenger(config, env, clock=clock, channels=channels)
    server = authenticated_server(
        config.butler.name, messenger.environment, metrics=messenger.metrics, clock=clock
    )

    _register_tools(server, messenger)
    inbox = configured_inbox(config, env, messenger.switchboard, clock)
    register_inbox_tools(server, inbox, messenger.metrics)
    return ServiceApp(
        name=config.butler.name,
        host=messenger.environment.host,
        port=config.butler.port,
        metrics=messenger.metrics,
        routes=[*server.routes(), *ops_routes(server, _ops_app, lambda: _handed(messenger))],
        ready_checks=in_turn({"database": messenger.check_database, "queue": messenger.check_queue}),
        resources=[messenger.running(), server.lifespan()],
        background=messenger.background(server.tool_names),
        on_drain=[server.start_closing],
        clock=clock,
    )


def _ops_app() -> ASGIApp:
    from butler_messenger.ops_app import app

    return app


def _register_tools(server: ToolServer, messenger: Messenger) -> None:
    """Register every tool of Messenger except those of its inbox."""
    new_id = messenger.new_id
    _register_route_execute(server, messenger)
    register_tracking_tools(server, lambda: messenger.parts.reader)
    register_health_tools(server, lambda: messenger.parts.preflight, lambda: messenger.parts.health)
    register_circuit_tools(server, lambda: messenger.parts.circuits)
    register_slo_tools(server, lambda: messenger.parts.service_levels)
    register_approval_tools(
        server,
        lambda: messenger.parts.approvals,
        lambda: messenger.parts.rules,
        lambda: messenger.parts.calls,
        new_id=new_id,
    )
    register_suppression_tools(server, lambda: messenger.parts.suppressions, new_id=new_id)
    register_withdrawal_tools(server, lambda: messenger.parts.withdrawals)
    register_calendar_tools(server, messenger.calendar)
    register_dead_letter_tools(
        server,
        lambda: messenger.parts.dead_letter_reader,
        lambda: messenger.parts.dead_letters,
        new_id=new_id,
    )


def _handed(messenger: Messenger) -> Mapping[type[Any], Any]:
    """Return the objects that the ops API works on, by type."""
    parts = messenger.parts
    return {
        DeliveryReader: parts.reader,
        ChannelReader: ChannelReader(parts.pool, messenger.clock),
        ApprovalDesk: parts.approvals,
        StandingRules: parts.rules,
        CircuitDesk: parts.circuits,
        ServiceLevelDesk: parts.service_levels,
        SuppressionDesk: parts.suppressions,
        DeadLetterReader: parts.dead_letter_reader,
        DeadLetters: parts.dead_letters,
        HealthReader: parts.health,
        Preflight: parts.preflight,
        CalendarDesk: messenger.calendar,
        Orders: Orders(messenger.new_id),
    }


def _register_route_execute(server: ToolServer, messenger: Messenger) -> None:
    # Visible to every role: trusted_route_callers decides who may route, and a refusal names the
    # caller (MSG-13.1).
    @server.tool("route.execute", _ROUTE_EXECUTE, roles=tuple(Role), deadline_s=_ROUTE_DEADLINE_S)
    async def route_execute(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Deliver one notify.v1 that Switchboard routes here."""
        return await messenger.parts.admission.route_execute(caller, args["envelope"])
