"""The `rules` family as a session: the same tool, the same ledger as any other family (SWB-03.1, D12)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from butler_kit.runtime.family import Program, RulesFamily, RuntimeUnavailable, SessionJob
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.prompt import ROUTE_TOOL
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD, RulesRouter

__all__ = ["RulesSessions", "rules_program"]


class RulesSessions:
    """The `rules` family of Switchboard: each session runs the program made for its own message (CON-4.3)."""

    def __init__(self, router: RulesRouter) -> None:
        self.router = router
        self.family = RulesFamily(self._run)
        self._programs: dict[UUID, Program] = {}

    @contextmanager
    def prepared(self, session_id: UUID, program: Program) -> Iterator[None]:
        """Use `program` for that session while the context lasts."""
        self._programs[session_id] = program
        try:
            yield
        finally:
            del self._programs[session_id]

    async def _run(self, job: SessionJob) -> None:
        program = self._programs.get(job.session_id)
        if program is None:
            raise RuntimeUnavailable("the family 'rules' only reads messages; a prompt needs another family")
        await program(job)


def rules_program(
    router: RulesRouter,
    message: RoutingMessage,
    registry: RegistryView,
    *,
    threshold: float = DEFAULT_THRESHOLD,
) -> Program:
    """Return a program that calls `route_to_butler` on the job's tools, once per decided butler."""

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
