"""A Switchboard's registry tools and ops API on a real loopback port, with real tokens."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import uvicorn
from starlette.applications import Starlette

from butler_kit.auth.jwks import ISSUER_LOCAL
from butler_kit.auth.keys import generate_key_pair, write_jwks
from butler_kit.auth.signer import TokenSigner, audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.db import Pool
from butler_kit.mcp import CachedMCPClient
from butler_kit.mcp.server import ToolServer
from butler_kit.operations import Operations
from butler_kit.runtime.standing import RuntimeStanding
from butler_kit.telemetry import BUFFER, SWITCHBOARD, Metrics
from butler_kit.time import SystemClock, new_uuid7
from butler_switchboard.backfill.store import BackfillStore
from butler_switchboard.backfill.tools import register_backfill_tools
from butler_switchboard.dispatch.recall import Recall
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.dispatch.targets import Targets
from butler_switchboard.extraction.store import ExtractionStore
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.learning.desk import LearningDesk
from butler_switchboard.learning.settling import Settlers
from butler_switchboard.learning.store import LearningStore
from butler_switchboard.modules.calendar import CalendarPassing
from butler_switchboard.operations.actions import HoldActions, OperatorAudit
from butler_switchboard.operations.audit import Audit
from butler_switchboard.operations.correcting import Correctors
from butler_switchboard.operations.dead_letters import DeadLetters
from butler_switchboard.operations.memories import MemoriesDesk
from butler_switchboard.operations.ops_api import OpsApi
from butler_switchboard.operations.overrides import Overrides
from butler_switchboard.operations.request_store import RequestStore
from butler_switchboard.operations.rerouting import Rerouting
from butler_switchboard.operations.runtime import Runtimes
from butler_switchboard.operations.tools import register_operator_tools
from butler_switchboard.policies import service_level_policy
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.bindings import BindingCopy, BindingStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.connectors import Connectors
from butler_switchboard.registry.declarations import Declarations
from butler_switchboard.registry.liveness import LivenessPolicy
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.registry.subjects import DeclaredSubjects
from butler_switchboard.registry.tools import register_registry_tools
from butler_switchboard.registry.view import Registry
from butler_switchboard.rollouts.rollouts import Rollouts
from butler_switchboard.rollouts.store import RolloutStore
from butler_switchboard.schedules.runs import ScheduleRuns
from butler_switchboard.service_levels.desk import ServiceLevelDesk
from butler_switchboard.service_levels.keeper import Keeper
from butler_switchboard.service_levels.tally import Tally
from butler_switchboard.settings import SloSettings
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.support.switchboard import BOT

__all__ = ["Served", "serve"]

HOST = "127.0.0.1"


class _Embedded(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Nowhere:
    """A registry in which no butler can be called."""

    def endpoint(self, name: str) -> None:
        return None

    def capable(self, name: str, tool: str) -> bool:
        return False


_NOWHERE = _Nowhere()


class Served:
    """The running pieces, and clients that speak for anybody."""

    def __init__(self, pool: Pool, folder: Path) -> None:
        key, jwks = folder / "local.pem", folder / "jwks.json"
        write_jwks(jwks, [generate_key_pair(key, ISSUER_LOCAL)])
        clock = SystemClock()
        self._signer = TokenSigner(key, ISSUER_LOCAL, clock)
        self.pool = pool
        self.metrics = Metrics((*SWITCHBOARD, *BUFFER))
        events = SwitchboardMetrics(self.metrics)
        self.audit = Audit(pool, self.metrics)
        self.store = ButlerStore(pool)
        self.butlers = Butlers(pool=pool, store=self.store, audit=self.audit, events=events)
        self.connector_store = ConnectorStore(pool, LivenessPolicy())
        self.connectors = Connectors(store=self.connector_store, clock=clock, events=events)
        self.operations = Operations(pool, OperatorAudit(self.audit))
        self.woken: list[UUID] = []
        self.dead_letters = DeadLetters(pool, self.operations, self)
        self.overrides = Overrides(self.operations, self, events)
        self.subjects = DeclaredSubjects()
        copy = BindingCopy(pool=pool, subjects=self.subjects, clock=clock)
        self.declarations = Declarations(
            pool=pool, butlers=self.butlers, bindings=BindingStore(self.audit), copy=copy, audit=self.audit
        )
        verifier = TokenVerifier(jwks, audience_of("switchboard"), clock, subjects=self.subjects)
        self.server = ToolServer("switchboard", "0", verifier=verifier)
        self.runtimes = Runtimes(pool, clock)
        register_registry_tools(self.server, self.butlers, self.connectors, clock, runtime=self.runtimes.hear)
        self.backfills = BackfillStore(pool, self.audit, LivenessPolicy(), lambda: new_uuid7(clock.now()))
        register_backfill_tools(self.server, self.backfills, cents_per_message=0.5)
        recall, contacts = (
            Recall(Targets(_NOWHERE, self._signer), _NOWHERE, DispatchStore(pool)),
            Contacts(pool, clock),
        )
        self.rollouts = Rollouts(None, RolloutStore(pool, self.audit), events)
        self.tally = Tally()
        self.keeper = Keeper(pool, service_level_policy(SloSettings()), self.tally, events)
        self.ops = OpsApi(
            server=self.server,
            pool=pool,
            requests=RequestStore(pool),
            butlers=self.butlers,
            declarations=self.declarations,
            registry=self.store,
            connectors=self.connector_store,
            holds=HoldActions(self.operations, self.butlers, self.connector_store),
            dead_letters=self.dead_letters,
            overrides=self.overrides,
            rerouting=Rerouting(self.operations, self, recall),
            correctors=Correctors(self.operations, self, recall, contacts.person_of),
            backfills=self.backfills,
            rollups="sql",
            extracts=False,
            standing=RuntimeStanding("rules", None, SystemClock()),
            runtimes=self.runtimes,
            schedules=ScheduleRuns(pool, ()),
            rollouts=self.rollouts,
            learning=LearningDesk(
                LearningStore(pool, contacts.person_of, learns=False),
                Registry(self.store, clock),
                contacts.names,
                clock,
            ),
            settlers=Settlers(self.operations, contacts.person_of),
            memories=MemoriesDesk(
                self.operations,
                Targets(_NOWHERE, self._signer),
                Registry(self.store, clock),
                names=contacts.names,
                found=ExtractionStore(pool).forget,
            ),
            calendar=CalendarPassing(Targets(_NOWHERE, self._signer), _NOWHERE),
            service_levels=ServiceLevelDesk(pool, self.keeper, self.operations, clock=clock),
            contacts=contacts,
            new_id=uuid4,
        )
        register_operator_tools(self.server, self.dead_letters, self.ops.holds, new_id=uuid4)
        self.port = 0

    async def let_go(self) -> None:
        """No session runs here."""

    async def wake(self, request_id: UUID) -> None:
        self.woken.append(request_id)

    def token(self, subject: str, *, role: str, kind: str = "telegram_bot") -> str:
        claims: dict[str, Any] = {"role": role}
        if role == "butler":
            claims["name"] = subject
        if role == "connector":
            claims["connector"] = {"type": kind, "endpoint_identity": subject, "max_tier": "interactive"}
        return self._signer.sign(audience_of("switchboard"), subject, 600, claims)

    def http(
        self, role: str | None = "operator", subject: str = "ada", kind: str = "telegram_bot"
    ) -> httpx.AsyncClient:
        token = self.token(subject, role=role, kind=kind) if role is not None else None
        headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
        return httpx.AsyncClient(
            base_url=f"http://{HOST}:{self.port}/ops/v1", headers=headers, trust_env=False, timeout=60
        )

    def tools(
        self, subject: str = BOT, *, role: str = "connector", kind: str = "telegram_bot"
    ) -> CachedMCPClient:
        token = self.token(subject, role=role, kind=kind)
        return CachedMCPClient.for_service(f"http://{HOST}:{self.port}/mcp", lambda: token)


@asynccontextmanager
async def serve(pool: Pool, folder: Path) -> AsyncIterator[Served]:
    """Serve on a free port until the block ends."""
    served = Served(pool, folder)
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.bind((HOST, 0))
    served.port = bound.getsockname()[1]
    app = Starlette(
        routes=[*served.server.routes(), *served.ops.routes()], lifespan=lambda _: served.server.lifespan()
    )
    embedded = _Embedded(uvicorn.Config(app, log_level="error", lifespan="on", ws="none"))
    stopping = asyncio.Event()
    tasks = [
        asyncio.create_task(embedded.serve(sockets=[bound])),
        asyncio.create_task(served.connectors.run(stopping)),
    ]
    try:
        async with asyncio.timeout(90):
            while not embedded.started:
                await asyncio.sleep(0.01)
        yield served
    finally:
        await served.server.aclose()
        embedded.should_exit = True
        stopping.set()
        await asyncio.wait(tasks, timeout=10)
        bound.close()
