"""The `rules` family as a session: the same tool, the same ledger as any other family (SWB-03.1, D12)."""

from __future__ import annotations

from butler_kit.runtime.family import Program, SessionJob
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.prompt import ROUTE_TOOL
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD, RulesRouter

__all__ = ["rules_program"]


def rules_program(
    router: RulesRouter,
    message: RoutingMessage,
    registry: RegistryView,
    *,
    threshold: float = DEFAULT_THRESHOLD,
) -> Program:
    """A program that calls `route_to_butler` once per decided butler on the job's tools."""

    async def program(job: SessionJob) -> None:
        for call in router.decide(message, registry, threshold=threshold).calls:
            await job.tools.call(
                ROUTE_TOOL,
                {
                    "butler": call.butler,
                    "prompt": call.prompt,
                    "segment": call.segment.as_json(),
                    "confidence": call.confidence,
                },
            )

    return program
