"""The dashboard as an application and as a process (architecture §6, SWB-43)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from zoneinfo import ZoneInfo

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Router

from butler_contracts.errors import ButlerError, InternalFailure
from butler_dashboard.acting.orders import Orders
from butler_dashboard.acting.routes import acting_routes
from butler_dashboard.api import api_routes
from butler_dashboard.auth.gate import Gate, wants_page
from butler_dashboard.auth.links import StoredLinks
from butler_dashboard.auth.sessions import Sessions
from butler_dashboard.auth.sign_in import SignIn
from butler_dashboard.auth.sign_ins import StoredSignIns
from butler_dashboard.pages.events import Events
from butler_dashboard.pages.problems import no_page, problem_page, refused_page
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.pages.routes import page_routes
from butler_dashboard.parts import Parts
from butler_dashboard.reads.reader import Reader
from butler_dashboard.settings import DashboardEnvironment
from butler_dashboard.web.failures import Failures
from butler_dashboard.web.surroundings import Surroundings
from butler_kit.auth import SubjectDirectories, SubjectsFile
from butler_kit.auth.signer import audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.config import demand, read_environment
from butler_kit.db import open_pool
from butler_kit.ops.app import openapi_document
from butler_kit.ops.problems import http_problem, problem_response, question_problem
from butler_kit.service import ServiceApp, Supervised
from butler_kit.telemetry import Metrics
from butler_kit.time import Clock, SystemClock
from butler_kit.version import VERSION

__all__ = ["NAME", "Dashboard", "build_service", "create_app"]

NAME: Final = "dashboard"
SWITCHBOARD: Final = "switchboard"
STATEMENT_TIMEOUT_S: Final = 5.0


def create_app(parts: Parts) -> FastAPI:
    """Return the application: the API, sign-in, pages and forms, behind one gate."""
    app = FastAPI(
        title="Butlers dashboard",
        version=VERSION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    for router in api_routes(parts.reader):
        app.include_router(router)
    pages = Pages(zone=parts.reader.timezone, clock=parts.clock)
    app.include_router(SignIn(parts.sessions, pages.sign_in).router())
    app.router.routes.extend(page_routes(pages, parts.reader, parts.events))
    app.router.routes.extend(acting_routes(pages, parts.sessions, parts.orders, parts.reader))
    _answer_errors(app, pages)
    _describe(app)
    # The middleware added last runs first.
    app.add_middleware(Failures)
    app.add_middleware(
        Gate,
        sessions=parts.sessions,
        outage_page=lambda request, error: (
            problem_page(request, pages, error)
            if request.method in ("GET", "HEAD")
            else refused_page(request, pages, error)
        ),
    )
    app.add_middleware(Surroundings, names=parts.names)
    return app


def _answer_errors(app: FastAPI, pages: Pages) -> None:
    @app.exception_handler(ButlerError)
    async def ours(_: Request, error: Exception) -> Response:
        return problem_response(error if isinstance(error, ButlerError) else InternalFailure(str(error)))

    @app.exception_handler(RequestValidationError)
    async def wrong_question(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - that is what it is registered for
        return problem_response(question_problem(error))

    @app.exception_handler(HTTPException)
    async def no_such_path(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - that is what it is registered for
        # 405: the address of a form, opened as if it were a page.
        if error.status_code in (404, 405) and wants_page(request):
            return no_page(request, pages)
        return http_problem(error)


def _describe(app: FastAPI) -> None:
    @app.get("/api/openapi.json", include_in_schema=False)
    async def openapi() -> dict[str, Any]:
        return openapi_document(app)


class Dashboard:
    """One dashboard instance: its configuration, and its application while it runs."""

    def __init__(self, env: Mapping[str, str], *, clock: Clock) -> None:
        self.environment = read_environment(DashboardEnvironment, env)
        self.clock = clock
        self.metrics = Metrics(())
        self.pages = Router()
        self._reader: Reader | None = None
        self._events: Events | None = None
        environment = self.environment
        subjects = environment.subjects_file

        def verifier(receiver: str) -> TokenVerifier:
            return TokenVerifier(
                environment.jwks_file,
                audience_of(receiver),
                clock,
                revoked_file=environment.revoked_file,
                subjects=SubjectsFile(subjects, clock) if subjects is not None else SubjectDirectories(),
            )

        self._verifier = verifier(NAME)
        self._operators = verifier(SWITCHBOARD) if environment.switchboard_mcp_url else None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open the resources needed to serve, and close them in reverse order."""
        environment = self.environment
        pool = await open_pool(
            environment.current_database_url,
            (environment.switchboard_schema, environment.messenger_schema),
            name=NAME,
            min_size=1,
            max_size=demand.DASHBOARD,
            statement_timeout_s=STATEMENT_TIMEOUT_S,
            read_only=True,
        )
        try:
            reader = Reader(pool, environment.liveness_policy(), ZoneInfo(environment.timezone))
            sessions = Sessions(
                self._verifier,
                StoredSignIns(pool),
                StoredLinks(pool),
                self.clock,
                operators=self._operators,
                secure_cookies=environment.secure_cookies,
            )
            url = environment.switchboard_mcp_url
            orders = Orders(url) if url else None
            names = (environment.host, NAME, *environment.names)
            self._reader, self._events = reader, Events(reader, sessions.still)
            app = create_app(Parts(reader, sessions, self.clock, self._events, names, orders))
            self.pages.routes.append(Mount("/", app=app))
            yield
        finally:
            await pool.close()

    async def watch(self, stopping: asyncio.Event) -> None:
        """Look for changes on behalf of the open pages."""
        if self._events is not None:
            await self._events.run(stopping)

    def end_streams(self) -> None:
        """End the stream of every open page; the pages reconnect to the next process."""
        if self._events is not None:
            self._events.end()

    async def check(self) -> str | None:
        """Return why the views cannot be read, or None."""
        try:
            if self._reader is None:
                return "not started"
            await self._reader.check()
        except ButlerError as failure:
            return failure.message
        return None


def build_service(env: Mapping[str, str], *, clock: Clock | None = None) -> ServiceApp:
    """Return the process, ready to `serve`. Raises `ConfigError` or `KeyFileError` for a person to fix."""
    dashboard = Dashboard(env, clock=clock or SystemClock())
    return ServiceApp(
        name=NAME,
        host=dashboard.environment.host,
        port=dashboard.environment.port,
        metrics=dashboard.metrics,
        routes=[Mount("/", app=dashboard.pages)],
        ready_checks={"views": dashboard.check},
        resources=[dashboard.running()],
        background=[Supervised("dashboard-changes", dashboard.watch)],
        on_drain=[dashboard.end_streams],
        clock=dashboard.clock,
    )
