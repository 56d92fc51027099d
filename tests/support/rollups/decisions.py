"""Routing decisions as Switchboard stores them, and what their statistics must be, from the specification alone."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

from butler_kit.db import Connection
from tests.support.rollups.messages import Message, add_messages

__all__ = [
    "COUNTED",
    "Decision",
    "Key",
    "Part",
    "add_decisions",
    "correct",
    "quality_of",
    "some_decisions",
    "stored_quality",
]

Key = tuple[date, str, str, str, str]
COUNTED = (
    "decisions", "segments", "divided", "corrected", "fallbacks", "invalid_verdicts", "partial_failures",
    "total_failures",
)  # fmt: skip
_FAILED = ("error", "skipped")
_REASONS = {"invalid": "invalid_output:unknown_butler", "nobody": "classification_failed:timeout"}


@dataclass(frozen=True)
class Part:
    """One butler that was chosen; `states` are its attempts in turn; `leaving`: a former holder that lets go."""

    butler: str
    states: tuple[str, ...] = ("ok",)
    corrected: bool = False
    leaving: bool = False

    @property
    def failed(self) -> bool:
        return self.states[-1] in _FAILED


@dataclass(frozen=True)
class Decision:
    """A routed message."""

    number: int
    received_at: datetime
    parts: tuple[Part, ...]
    channel: str = "telegram"
    model: str = "small"
    prompt: str = "p1"
    family: str = "api"
    decided_by: str = "runtime"
    fallback: bool = False
    reason: str = "routed"
    history: bool = False
    ended_by_operator: bool = False

    @property
    def request_id(self) -> UUID:
        return UUID(int=self.number)


def quality_of(decisions: Iterable[Decision]) -> dict[Key, dict[str, int]]:
    """What the table must hold."""
    rows: dict[Key, Counter[str]] = {}
    for one in decisions:
        if one.family == "none" or one.history:
            continue
        chosen = [part for part in one.parts if not part.leaving]
        for butler in ("*", *{part.butler for part in chosen}):
            own = [part for part in chosen if butler in ("*", part.butler)]
            model = "policy" if one.decided_by == "policy" else one.model
            key = (one.received_at.astimezone(UTC).date(), one.channel, butler, model, one.prompt)
            row = rows.setdefault(key, Counter())
            row["decisions"] += 1
            row["segments"] += len(chosen)
            row["divided"] += len(chosen) > 1
            row["corrected"] += any(part.corrected for part in own)
            unsure = butler in ("*", "general")
            row["fallbacks"] += one.fallback and unsure
            kind = one.reason.split(":")[0]
            row["invalid_verdicts"] += unsure and kind in ("invalid_output", "classification_failed")
            if one.ended_by_operator or not (any(part.failed for part in own) or not chosen):
                continue
            every = all(part.failed for part in chosen)
            row["total_failures" if every else "partial_failures"] += 1
    return {key: {name: row[name] for name in COUNTED} for key, row in rows.items()}


def some_decisions(rng: random.Random, begin: datetime, count: int, *, days: int = 2) -> list[Decision]:
    """Every kind of decision, over `days` days."""
    return [_decision(rng, number, begin, days) for number in range(1, count + 1)]


def _decision(rng: random.Random, number: int, begin: datetime, days: int) -> Decision:
    kind = rng.choice(("one", "one", "several", "fallback", "invalid", "nobody", "policy", "none", "history"))
    at = begin + timedelta(seconds=rng.uniform(0, days * 86_400 - 1))
    names = ["general"] if kind in ("fallback", "invalid") else rng.sample(["finance", "health", "travel"], 3)
    wanted = {"several": 3, "nobody": 0}.get(kind, 1)
    parts = tuple(
        Part(
            name,
            tuple(rng.choice(("ok", "error", "skipped", "pending")) for _ in range(rng.randrange(1, 4))),
            corrected=rng.random() < 0.2,
            leaving=rng.random() < 0.1,
        )
        for name in names[:wanted]
    )
    return Decision(
        number,
        at,
        parts,
        channel=rng.choice(("telegram", "email")),
        model=rng.choice(("small", "big")),
        prompt=rng.choice(("p1", "p2")),
        family="none" if kind == "none" else "api",
        decided_by="policy" if kind in ("policy", "none") else "runtime",
        fallback=kind in ("fallback", "invalid", "nobody"),
        reason=_REASONS.get(kind, "routed"),
        history=kind == "history",
        ended_by_operator=rng.random() < 0.1,
    )


@dataclass
class _Rows:
    plans: list[tuple[Any, ...]] = field(default_factory=list)
    attempts: list[tuple[Any, ...]] = field(default_factory=list)
    corrections: list[tuple[str, UUID, str, str]] = field(default_factory=list)


async def add_decisions(connection: asyncpg.Connection, decisions: Iterable[Decision]) -> None:
    """Put them where Switchboard keeps them."""
    known = list(decisions)
    provider = {"telegram": "telegram", "email": "imap"}
    history = UUID(int=1)
    await add_messages(
        connection,
        [
            Message(
                one.request_id, one.received_at, one.channel, provider[one.channel], "box", None,
                history if one.history else None,
            )
            for one in known
        ],
    )  # fmt: skip
    stopped = [one.request_id for one in known if one.ended_by_operator]
    await connection.execute(
        "UPDATE message_inbox SET ended_by_operator = '{}' WHERE request_id = ANY ($1::uuid[])", stopped
    )
    rows = _Rows()
    for one in known:
        _add(rows, one)
    await connection.executemany(
        "INSERT INTO route_plan VALUES ($1, $2, $2, $1, $3, $4, $5, $6, 1, $7, $8, 'parallel', 'all', 'continue',"
        " $9::text::json)",
        rows.plans,
    )
    await connection.executemany(
        "INSERT INTO subroute (subrequest_id, request_id, received_at, segment_id, target, attempt, position, state)"
        " VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7)",
        rows.attempts,
    )
    for correction in rows.corrections:
        await correct(connection, *correction)


async def correct(connection: Connection, uid: str, request_id: UUID, segment_id: str, was_with: str) -> None:
    """Somebody says that a part was another butler's."""
    await connection.execute(
        "INSERT INTO correction VALUES ($1, $2, $3, clock_now(), 'ada', 'member', 'household', 'x', $4, 'home')",
        uid,
        request_id,
        segment_id,
        was_with,
    )


def _add(rows: _Rows, one: Decision) -> None:
    targets = [
        {
            "position": at, "segment_id": f"s{at}", "butler": part.butler, "prompt": "x",
            "supersedes": {"parts": [], "moved_to": ["home"]} if part.leaving else None,
        }
        for at, part in enumerate(one.parts, start=1)
    ]  # fmt: skip
    rows.plans.append(
        (
            one.request_id, one.received_at, one.family, one.model, one.prompt, one.decided_by, one.fallback,
            one.reason, json.dumps({"targets": targets}),
        )
    )  # fmt: skip
    for at, part in enumerate(one.parts, start=1):
        for attempt, state in enumerate(part.states, start=1):
            # A part that was given to somebody else goes on under its own segment.
            target = "home" if part.corrected and attempt > 1 else part.butler
            rows.attempts.append((one.request_id, one.received_at, f"s{at}", target, attempt, at, state))
        if part.corrected:
            rows.corrections.append((f"{one.number}-{at}", one.request_id, f"s{at}", part.butler))
    # What is taken back stands behind the plan's positions, and is no part of it.
    rows.attempts.append((one.request_id, one.received_at, "s1-withdrawn", "general", 1, 1001, "error"))


async def stored_quality(connection: Connection) -> dict[Key, dict[str, int]]:
    """`routing_quality_daily` in the oracle's form."""
    rows = await connection.fetch("SELECT * FROM routing_quality_daily")
    names = ("day", "source_channel", "target_butler", "model_version", "prompt_version")
    return {tuple(row[name] for name in names): {name: row[name] for name in COUNTED} for row in rows}
