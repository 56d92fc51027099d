"""A set's household: `butlers up` at the set's time, with its own people; messages in, answers and rows out."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import asyncpg
import yaml

from bench.useful.envelopes import ENDPOINTS
from bench.useful.loading import Home
from butler_cli.local.keys import TokenGrant, sign_token
from butler_cli.local.providers import ProviderAddresses, write_retargeted
from butler_cli.local.state import StateDir, write_private
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.auth.signer import connector_claims
from butler_kit.db import NamedQueries
from butler_kit.mcp import CachedMCPClient
from butler_kit.time import Clock, SystemClock
from examples.demo import household as demo
from examples.demo.household import Household, running_household
from examples.demo.providers import MANIFESTS, Providers, running_providers

__all__ = ["PLUMBING", "Ended", "Place", "running_home"]

_SQL: Final = NamedQueries("bench.useful", "facts.sql")
PLUMBING: Final = frozenset({"route_inbox", "route_work", "sessions", "record_changes"})
"""A butler's tables that hold work, not facts: the former state of a changed fact is no longer one."""
_NOT_BUTLERS: Final = frozenset({"switchboard", "messenger", "shared", "public"})
_SETTLED: Final = frozenset({"sent", "failed", "uncertain", "dead_lettered", "pending_missing_identifier"})
_DEADLINE_S: Final = 60.0
_POLL_S: Final = 0.03


@dataclass(frozen=True)
class Ended:
    """Result of one request: where it went, what its sender was told, what others were told."""

    butlers: tuple[str, ...]
    state: str
    answers: tuple[str, ...]
    owner_told: tuple[str, ...]
    answer_ids: tuple[str, ...]
    seconds: float


@dataclass
class Place:
    """The running household of a set."""

    household: Household
    providers: Providers
    database: asyncpg.Connection
    clock: Clock
    clients: dict[str, CachedMCPClient]
    sent_before: int = 0
    filled: tuple[tuple[str, str], ...] = ()
    people: dict[str, str] = field(default_factory=dict)

    async def say(self, envelope: IngestEnvelopeV1, *, via: str) -> Ended:
        """Submit it as its connector does, and follow it to its end."""
        began = time.monotonic()
        answer = await self.clients[via].call(
            "ingestion.ingest", {"envelope": envelope.to_wire()}, timeout_s=30
        )
        return await self.followed(UUID(answer["request_id"]), began=began)

    async def told(self, chat: int, pattern: str, *, within_s: float) -> str | None:
        """Return what a person was told unasked in their chat since the household started; None if nothing matches."""

        def found() -> str | None:
            for sent in self.providers.telegram.sent[self.sent_before :]:
                if (
                    sent["chat_id"] == chat
                    and not sent.get("reply_to_message_id")
                    and re.search(pattern, str(sent["text"]), re.IGNORECASE)
                ):
                    return str(sent["text"])
            return None

        with suppress(TimeoutError):
            await self.providers.telegram.until(lambda _: found() is not None, timeout_s=within_s)
        return found()

    async def facts(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of every butler's facts, by table."""
        found: dict[str, list[dict[str, Any]]] = {}
        for place, name in self.filled:
            if place not in _NOT_BUTLERS and name not in PLUMBING:
                rows = await self.database.fetch(f'SELECT to_jsonb(t) AS row FROM "{place}"."{name}" AS t')
                found[f"{place} {name}"] = [json.loads(row["row"]) for row in rows]
        return found

    async def forget(self) -> None:
        """Empty every table that was empty when the household had just started."""
        async with self.database.transaction():
            await self.database.execute("SET LOCAL session_replication_role = replica")
            await self.database.execute(
                ";".join(f'DELETE FROM "{place}"."{name}"' for place, name in self.filled)
            )

    async def followed(self, request_id: UUID, *, began: float | None = None) -> Ended:
        """Follow a request to its end, until every delivery of it is settled."""
        began = time.monotonic() if began is None else began
        async with asyncio.timeout(_DEADLINE_S):
            while True:
                ended = await self._look(request_id, began=began)
                if ended is not None:
                    return ended
                await asyncio.sleep(_POLL_S)

    async def _look(self, request_id: UUID, *, began: float) -> Ended | None:
        row = await self.database.fetchrow(_SQL["request"], request_id)
        if row is None or not row["ended"]:
            return None
        deliveries = await self.database.fetch(_SQL["deliveries"], request_id)
        if any(one["status"] not in _SETTLED for one in deliveries):
            return None
        said = [(one["intent"], one["delivered"] or "", self._said(dict(one))) for one in deliveries]
        replies = [(where, text) for intent, where, text in said if intent == "reply" and text]
        reactions = [text for intent, _, text in said if intent == "react" and text]
        targets = await self.database.fetch(_SQL["targets"], request_id)
        return Ended(
            butlers=tuple(one["butler"] for one in targets),
            state=row["state"],
            answers=tuple(text for _, text in replies)
            or ((row["reply"],) if row["reply"] else tuple(reactions[-1:])),
            owner_told=tuple(text for intent, _, text in said if intent == "send" and text),
            answer_ids=tuple(where for where, _ in replies),
            seconds=time.monotonic() - began,
        )

    def _said(self, delivery: Mapping[str, Any]) -> str:
        """Return what the provider accepted: a text, a mail's text, or the emoji of a reaction."""
        where = delivery["delivered"]
        if delivery["intent"] == "react":
            reactions = [entry for entry in self.providers.telegram.log if entry["kind"] == "reaction"]
            return (
                str(reactions[-1]["reaction"][0]["emoji"]) if reactions and reactions[-1]["reaction"] else ""
            )
        if delivery["channel"] == "email":
            mails = self.providers.smtp.accepted
            return next((mail.text.strip() for mail in mails if mail.message_id == where), "")
        sent = self.providers.telegram.sent
        return next(
            (str(one["text"]) for one in sent if f"{one['chat_id']}:{one['message_id']}" == where), ""
        )


@asynccontextmanager
async def running_home(home: Home, root: Path, *, connected: bool = False) -> AsyncIterator[Place]:
    """Start the set's household in `root`, where it continues with what it knew; stop it in order at the end.

    `connected`: with its connectors, so that messages enter at the providers.
    """
    shutil.rmtree(root / "manifests", ignore_errors=True)
    (root / "providers").mkdir(parents=True, mode=0o700, exist_ok=True)
    demo.PROGRAM = ("-m", "bench.useful.shifted_up")
    async with AsyncExitStack() as stack:
        providers = await stack.enter_async_context(running_providers(root / "providers"))
        sent_before = len(providers.telegram.sent)
        _write_manifests(home, providers, root / "manifests", connected=connected)
        log = stack.enter_context((root / "up.log").open("w", encoding="utf-8"))
        starting = running_household(root / "manifests", root / "state", lambda line: print(line, file=log))
        household = await stack.enter_async_context(starting)
        database = await asyncpg.connect(household.endpoints["database"]["dsn"], timeout=10)
        stack.push_async_callback(database.close, timeout=5)
        place = Place(household, providers, database, SystemClock(), _clients(household), sent_before)
        for client in place.clients.values():
            stack.push_async_callback(client.aclose)
        place.filled = await _first_empty(root / "tables.json", database)
        place.people = {row["id"]: row["name"] for row in await database.fetch(_SQL["people"])}
        yield place


def _write_manifests(home: Home, providers: Providers, target: Path, *, connected: bool) -> None:
    """Write the demo's manifests with this set's people and time zone, without connectors unless `connected`."""
    target.mkdir(mode=0o700)
    write_retargeted(
        MANIFESTS,
        target,
        ProviderAddresses(
            telegram_api=providers.telegram.url,
            imap=("127.0.0.1", providers.imap.port),
            smtp=("127.0.0.1", providers.smtp.port),
        ),
    )
    for unused in ("providers.yaml", *([] if connected else ["connectors.yaml"])):
        (target / unused).unlink(missing_ok=True)
    butlers = list(yaml.safe_load_all((target / "butlers.yaml").read_text("utf-8")))
    for butler in butlers:
        butler["spec"] |= home.butlers.get(butler["metadata"]["name"], {})
        if butler["spec"].get("role") == "switchboard":
            butler["spec"].setdefault("household", {})["timezone"] = home.zone.key
    write_private(target / "butlers.yaml", yaml.safe_dump_all(butlers, sort_keys=False))
    write_private(
        target / "contacts.yaml", yaml.safe_dump(_contacts(home), sort_keys=False, allow_unicode=True)
    )
    for one in home.people.values():
        providers.telegram.add_chat({"id": one.telegram, "type": "private", "first_name": one.name})


def _contacts(home: Home) -> dict[str, Any]:
    """Return the Secret with the set's people."""
    contacts = [
        {
            "name": one.name,
            "role": one.role,
            **({"limits": one.limits} if one.limits else {}),
            "identifiers": [
                {"type": "telegram", "value": str(one.telegram), "primary": True},
                {"type": "email", "value": one.email},
                *([{"type": "api", "value": one.api}] if one.api else []),
            ],
        }
        for one in home.people.values()
    ]
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "contacts", "labels": {"butlers.dev/usable-by": "household"}},
        "stringData": {"contacts.yaml": yaml.safe_dump(contacts, sort_keys=False, allow_unicode=True)},
    }


def _clients(household: Household) -> dict[str, CachedMCPClient]:
    """Return one client per channel, with the token that its connector would have."""
    state = StateDir.at(household.state)
    url = household.endpoints["butlers"]["switchboard"]["mcp"]

    def client(kind: str, endpoint: str, tier: str) -> CachedMCPClient:
        grant = TokenGrant(kind.replace("_", "-"), connector_claims(kind, endpoint, tier))
        token = sign_token(state, grant, audience="switchboard", ttl_s=3600)
        return CachedMCPClient.for_url(url, lambda: token)

    return {via: client(*endpoint) for via, endpoint in ENDPOINTS.items()}


async def _first_empty(file: Path, database: asyncpg.Connection) -> tuple[tuple[str, str], ...]:
    """Return the tables that were empty when the household was started for the first time."""
    found = await _empty_tables(database)
    return await asyncio.to_thread(_kept_once, file, found)


def _kept_once(file: Path, found: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    if not file.exists():
        file.write_text(json.dumps(found), "utf-8")
    return tuple((place, name) for place, name in json.loads(file.read_text("utf-8")))


async def _empty_tables(database: asyncpg.Connection) -> tuple[tuple[str, str], ...]:
    found = [(row["place"], row["name"]) for row in await database.fetch(_SQL["empty_tables"])]
    empty = []
    for place, name in found:
        if not await database.fetchval(f'SELECT EXISTS (SELECT FROM "{place}"."{name}")'):
            empty.append((place, name))
    return tuple(empty)
