"""A Messenger with everything around it that is real: database, tokens, providers, a Switchboard that listens.

The Switchboard here only records what it is told; the calls to Messenger are made as Switchboard makes them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import yaml

from butler_contracts.notify import NotifyResponseV1
from butler_contracts.parse import parse
from butler_contracts.route import RouteResponseV1
from butler_contracts.route_answer import parse_route_response
from butler_kit.auth import Caller
from butler_kit.auth.signer import audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.config import parse_config
from butler_kit.db import Pool, SchemaPlan
from butler_kit.mcp import CachedMCPClient
from butler_kit.mcp.server import ToolServer
from butler_kit.service import ServiceApp
from butler_kit.time import SystemClock, new_uuid7
from butler_messenger.app import build_service
from butler_messenger.contacts.sync import sync_contacts
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.settings import MessengerConfig
from butler_messenger.sql import MIGRATIONS, SHARED_MIGRATIONS
from tests.support.database import Database, Provision
from tests.support.keys import HouseholdKeys
from tests.support.mail.smtp_server import SmtpFault, SmtpServer
from tests.support.manifests import merged, toml_of
from tests.support.nursery import Child, fork
from tests.support.running import listed_tools, running_service, serving_tools
from tests.support.telegram_api import TelegramApiServer

PLANS = (
    SchemaPlan("messenger", "butler_messenger", "password-of-messenger", MIGRATIONS),
    SchemaPlan("shared", "butler_messenger", "password-of-messenger", SHARED_MIGRATIONS),
)
BOT_TOKEN = "4711:token-of-the-test-bot"
ADDRESS = "home@butlers.test"
MAIL_PASSWORD = "password-of-the-mailbox"
ADA, BEN = 1001, 1002
CONTACTS: list[dict[str, Any]] = [
    {
        "name": "Ada",
        "role": "owner",
        "identifiers": [
            {"type": "telegram", "value": str(ADA), "primary": True},
            {"type": "email", "value": "ada@example.org"},
        ],
    },
    {"name": "Ben", "role": "member", "identifiers": [{"type": "telegram", "value": str(BEN)}]},
]
_DEADLINE_S = 90.0


UNLIMITED = {"per_minute": 10_000, "recipient_per_minute": 10_000}
"""Budgets that are in nobody's way."""


PATIENT = {"failures": 1000}
"""A circuit that opens in nobody's test."""


def config_text(*, api: str, smtp_port: int, extra: str = "", limits: Mapping[str, float] = UNLIMITED) -> str:
    """A `butler.toml` with both channels, short retry delays and a quick scanner; `extra` goes into [delivery].

    `limits` are `[delivery.limits]`; a channel has as much as all have, unless it is the default.
    """
    budgets = "\n".join(f"{name} = {value}" for name, value in limits.items())
    if "answer_wait_s" not in extra:
        extra += "\nanswer_wait_s = 2.0"  # the most there is: most tests want the end, on a busy machine too
    channel = f"per_minute = {limits['per_minute']}" if limits is UNLIMITED else ""
    return f"""
[butler]
role = "messenger"
port = 0

[buffer]
scanner_interval_s = 0.1
scanner_grace_s = 0.5

[delivery]
{extra}

[delivery.limits]
{budgets}

[delivery.circuit]
failures = {PATIENT["failures"]}

[delivery.channels.telegram]
base_delay_s = 0.05
max_delay_s = 0.2
{channel}

[delivery.channels.email]
base_delay_s = 0.05
max_delay_s = 0.2
{channel}

[modules.telegram.bot]
api_base_url = "{api}"

[modules.email.bot.smtp]
host = "127.0.0.1"
port = {smtp_port}
tls = "none"
"""


def manifest_spec(*, api: str, smtp_port: int) -> dict[str, Any]:
    """What `config_text` says, as the `spec` of a manifest."""
    pauses = {"baseDelaySeconds": 0.05, "maxDelaySeconds": 0.2}
    smtp = {"host": "127.0.0.1", "port": smtp_port, "tls": "none"}
    password = {"name": "mail-account", "key": "password"}
    return {
        "role": "messenger",
        "buffer": {"scannerIntervalSeconds": 0.1, "scannerGraceSeconds": 0.5},
        "delivery": {"channels": {"telegram": pauses, "email": pauses}, "circuit": PATIENT},
        "modules": {
            "telegram": {
                "bot": {"tokenSecretRef": {"name": "telegram-bot", "key": "token"}, "apiBaseUrl": api}
            },
            "email": {"bot": {"address": ADDRESS, "passwordSecretRef": password, "smtp": smtp}},
        },
    }


class Keys(HouseholdKeys):
    """The household's keys, by default for calls to Messenger."""

    def switchboard(self, *, origin: str | None = "finance", receiver: str = "messenger") -> str:
        return self.as_switchboard(receiver, origin=origin)

    def other(self, subject: str, role: str, *, receiver: str = "messenger", **claims: Any) -> str:
        named = {"name": subject} if role == "butler" else {}
        return self.sign(subject, role, receiver=receiver, **named, **claims)


@dataclass
class ListeningSwitchboard:
    """Records `register_butler`, `butler.heartbeat` and `route.complete`; `fail` makes completions fail."""

    completions: list[RouteResponseV1] = field(default_factory=list)
    registrations: list[dict[str, Any]] = field(default_factory=list)
    told: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    def completion_of(self, subrequest_id: UUID) -> RouteResponseV1 | None:
        return next((c for c in self.completions if c.subrequest_id == subrequest_id), None)

    async def completed(self, subrequest_id: UUID) -> RouteResponseV1:
        async with asyncio.timeout(_DEADLINE_S):
            while True:
                found = self.completion_of(subrequest_id)
                if found is not None:
                    return found
                self.told.clear()
                await self.told.wait()

    def tools(self, jwks: Path) -> ToolServer:
        verifier = TokenVerifier(jwks, audience_of("switchboard"), SystemClock())
        server = ToolServer("switchboard", "1.0", verifier=verifier)
        anything = {"type": "object"}

        @server.tool("register_butler", anything, roles=("butler",))
        async def register(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            self.registrations.append(args)
            self.told.set()
            return {"eligibility_state": "active"}

        @server.tool("butler.heartbeat", anything, roles=("butler",))
        async def heartbeat(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            return {"eligibility_state": "active"}

        @server.tool("route.complete", anything, roles=("butler",))
        async def complete(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            self.completions.append(parse_route_response(args["route_response"]))
            self.told.set()
            return {"status": "recorded"}

        return server

    @asynccontextmanager
    async def serving(self, jwks: Path, port: int = 0) -> AsyncIterator[None]:
        async with serving_tools(self.tools(jwks), port=port) as url:
            self.url = f"{url}/mcp"
            yield


def request_context(channel: str = "telegram", **changes: Any) -> dict[str, Any]:
    """The root context of a message from Ada."""
    telegram = channel == "telegram"
    return {
        "request_id": str(new_uuid7(datetime.now(UTC))),
        "received_at": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        "source_channel": channel,
        "source_endpoint_identity": "telegram:bot:home" if telegram else "imap:home@butlers.test",
        "source_sender_identity": str(ADA) if telegram else "ada@example.org",
        "source_thread_identity": str(ADA) if telegram else "<root@example.org>",
        "source_message_identity": "7" if telegram else "<question@example.org>",
        **changes,
    }


def notify(
    message: str | None = "You spent 12 euro.",
    *,
    intent: str = "send",
    channel: str = "telegram",
    context: Mapping[str, Any] | None = None,
    origin: str = "finance",
    **delivery: Any,
) -> dict[str, Any]:
    """A `notify.v1`."""
    return {
        "schema_version": "notify.v1",
        "origin_butler": origin,
        "delivery": {"intent": intent, "channel": channel, "message": message, **delivery},
        "request_context": dict(context) if context is not None else None,
    }


def envelope(
    notify_request: Mapping[str, Any] | None,
    *,
    context: Mapping[str, Any] | None = None,
    subrequest_id: UUID | None = None,
    origin: str = "finance",
    **changes: Any,
) -> dict[str, Any]:
    """The `route.v1` in which Switchboard sends a notify."""
    own = notify_request.get("request_context") if notify_request is not None else None
    root = context or own or request_context("api", source_thread_identity=None, source_message_identity=None)
    return {
        "schema_version": "route.v1",
        "request_context": dict(root),
        "subrequest": {"subrequest_id": str(subrequest_id or uuid4()), "segment_id": "notify", "attempt": 1},
        "target": {"butler": "messenger", "tool": "route.execute"},
        "input": {
            "prompt": "Execute outbound delivery request through Messenger.",
            "context": {"notify_request": notify_request, "lineage": {"origin_butler": origin}},
        },
        **changes,
    }


@dataclass
class Place:
    """One household: what surrounds Messenger, and Messenger itself once started."""

    folder: Path
    database: Database
    pool: Pool
    keys: Keys
    telegram: TelegramApiServer
    smtp: SmtpServer
    switchboard: ListeningSwitchboard
    apps: list[ServiceApp] = field(default_factory=list)
    clients: list[CachedMCPClient] = field(default_factory=list)
    more_environment: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        token_file = self.folder / "messenger.jwt"
        token_file.write_text(self.keys.other("messenger", "butler", receiver="switchboard"))
        return {
            "BUTLERS_DATABASE_URL": self.database.dsn("messenger"),
            "BUTLERS_JWKS_FILE": str(self.keys.jwks),
            "BUTLERS_TOKEN_FILE": str(token_file),
            "SWITCHBOARD_MCP_URL": self.switchboard.url,
            "BUTLER_TELEGRAM_TOKEN": BOT_TOKEN,
            "BUTLER_EMAIL_ADDRESS": ADDRESS,
            "BUTLER_EMAIL_PASSWORD": MAIL_PASSWORD,
            "BUTLERS_CONTACTS_FILE": str(self.folder / "contacts.yaml"),
            **self.more_environment,
        }

    def write_contacts(self, contacts: list[dict[str, Any]]) -> Path:
        path = self.folder / "contacts.yaml"
        path.write_text(yaml.safe_dump(contacts, allow_unicode=True), encoding="utf-8")
        return path

    def config_text(self, extra: str = "", after: str = "", limits: Mapping[str, float] = UNLIMITED) -> str:
        text = config_text(api=self.telegram.url, smtp_port=self.smtp.port, extra=extra, limits=limits)
        return text + after

    def rendered(self, spec: Mapping[str, Any]) -> str:
        """The `butler.toml` of a manifest with both channels and short pauses, `spec` laid over it."""
        return toml_of(merged(manifest_spec(api=self.telegram.url, smtp_port=self.smtp.port), spec))

    @asynccontextmanager
    async def messenger(
        self,
        extra: str = "",
        *,
        after: str = "",
        limits: Mapping[str, float] = UNLIMITED,
        text: str | None = None,
        spec: Mapping[str, Any] | None = None,
        channels: Mapping[str, Channel] | None = None,
    ) -> AsyncIterator[Client]:
        """Run one Messenger in this loop, by text or by the `spec` of its manifest; several are replicas."""
        toml = self.config_text(extra, after, limits) if text is None else text
        toml = toml if spec is None else self.rendered(spec)
        config = parse_config(toml, "butler.toml", MessengerConfig, self.env)
        app = build_service(config, self.env, channels=channels)
        async with running_service(app) as url:
            client = Client(self, url)
            try:
                yield client
            finally:
                await client.aclose()

    async def row(self, delivery_id: str) -> dict[str, Any]:
        row = await self.pool.fetchrow(
            "SELECT * FROM delivery_requests WHERE delivery_id = $1", UUID(delivery_id)
        )
        assert row is not None
        return dict(row)

    async def rows(self, statement: str, *arguments: Any) -> list[dict[str, Any]]:
        return [dict(row) for row in await self.pool.fetch(statement, *arguments)]

    def slow_mail(self, seconds: float = 2.0) -> None:
        """The mail server thinks long about the next recipient."""
        self.smtp.script(SmtpFault("rcpt", "slow", delay_s=seconds))

    async def until_reported(self, delivery_id: str) -> None:
        """Wait until Switchboard acknowledged the end of a delivery."""
        async with asyncio.timeout(_DEADLINE_S):
            while (await self.row(delivery_id))["reported_at"] is None:
                await asyncio.sleep(0.02)

    async def until_status(self, delivery_id: str, *statuses: str) -> dict[str, Any]:
        """Wait until a delivery has one of the statuses."""
        row: dict[str, Any] = {}
        async with asyncio.timeout(_DEADLINE_S):
            while row.get("status") not in statuses:
                row = await self.row(delivery_id)
                await asyncio.sleep(0.02)
        return row


class Client:
    """Calls one Messenger as Switchboard does, or as anybody else."""

    def __init__(self, place: Place, base: str) -> None:
        self.place = place
        self.base = base
        self._client = CachedMCPClient(f"{base}/mcp", place.keys.switchboard, timeout_s=20.0)

    async def execute(self, data: Mapping[str, Any], *, token: str | None = None) -> RouteResponseV1:
        """Call `route.execute`; by default with Switchboard's token for the origin that the envelope names."""
        if token is None:
            origin = data["input"]["context"]["lineage"]["origin_butler"]
            token = self.place.keys.switchboard(origin=origin)
        answer = await self._client.call("route.execute", {"envelope": dict(data)}, token=token)
        return parse_route_response(answer)

    async def notify(self, notify_request: Mapping[str, Any], **changes: Any) -> NotifyResponseV1:
        """Send one notify; the `notify_response.v1` of the answer."""
        origin = changes.pop("origin", notify_request["origin_butler"])
        response = await self.execute(envelope(notify_request, origin=origin, **changes))
        answer = response.notify_response()
        assert answer is not None
        return parse(NotifyResponseV1, answer.to_wire())

    async def tool(self, name: str, args: dict[str, Any], *, token: str | None = None) -> dict[str, Any]:
        return await self._client.call(name, args, token=token or self.operator())

    async def listed_tools(self, token: str) -> set[str]:
        """The names of `tools/list` for the bearer of `token`."""
        return await listed_tools(self.base, token)

    async def get(self, path: str, *, token: str | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token or self.operator()}"}
        async with httpx.AsyncClient(timeout=60) as http:
            return await http.get(f"{self.base}{path}", headers=headers)

    async def post(self, path: str, body: Mapping[str, Any], *, token: str | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token or self.operator()}"}
        async with httpx.AsyncClient(timeout=60) as http:
            return await http.post(f"{self.base}{path}", json=body, headers=headers)

    def operator(self) -> str:
        return self.place.keys.other("operator", "operator")

    async def aclose(self) -> None:
        await self._client.aclose()


async def messenger_process(config: Path, point: str, env: Mapping[str, str]) -> tuple[Child, int]:
    """A Messenger as a process that ends itself at `point` of its first call (`program.py`), and its port."""
    log = config.with_suffix(".log")
    with log.open("wb") as output:
        child = await fork("tests.integration.messenger.program", str(config), point, env=env, log=output)
    async with asyncio.timeout(90):
        while True:
            *whole, _ = log.read_bytes().split(b"\n")
            told = [int(line) for line in whole if line.isdigit()]
            if told:
                return child, told[0]
            assert child.returncode is None, f"Messenger ended while it started: {log.read_text()}"
            await asyncio.sleep(0.02)


@asynccontextmanager
async def household(
    provisioned: Provision, folder: Path, *, plans: tuple[SchemaPlan, ...] = PLANS
) -> AsyncIterator[Place]:
    """Everything but Messenger, with the contacts already in the database."""
    database = await provisioned(*plans)
    switchboard = ListeningSwitchboard()
    keys = Keys(folder)
    async with (
        TelegramApiServer(token=BOT_TOKEN) as telegram,
        SmtpServer(user=ADDRESS, password=MAIL_PASSWORD) as smtp,
        switchboard.serving(keys.jwks),
    ):
        for number, name in ((ADA, "Ada"), (BEN, "Ben")):
            telegram.add_chat({"id": number, "type": "private", "first_name": name})
        pool = await database.pool("messenger")
        place = Place(folder, database, pool, keys, telegram, smtp, switchboard)
        await sync_contacts(pool, place.write_contacts(CONTACTS))
        yield place


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait for something that has no event to await."""
    async with asyncio.timeout(_DEADLINE_S):
        while not condition():
            await asyncio.sleep(0.02)
