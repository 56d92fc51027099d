"""Plays the week to a household of `butlers up`, by the ways of its users: chats, mails and posts at provider doubles.

Each sitting starts the household at its own moment, on what it knew before, and stops it again.
Invariant: a message is judged when its request has ended and every delivery of it is settled.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch
from uuid import UUID

import httpx

from bench.useful import verdict as judging
from bench.useful.envelopes import mail_of, update_of
from bench.useful.facts import Fact, Moment, fact_of, folded_pattern
from bench.useful.home import Place, running_home
from bench.useful.shift import SHIFT
from bench.useful.verdict import Verdict, judge
from butler_kit.time import Clock, SystemClock
from examples.demo import household as demo
from examples.demo.providers import webhook_token
from tests.support.chats import button
from tests.support.telegram_api.updates import callback_update, person

from .looking import Looked, looked
from .reading import Said, Sat, Week

__all__ = ["Heard", "Played", "played"]

_FACTS: Final = frozenset({"records", "reminders"})
_WORK: Final = frozenset({"inbox_work", "route_work"})
_ARRIVES_WITHIN_S: Final = 60.0
_RINGS_WITHIN_S: Final = 75.0
_POLL_S: Final = 0.05


@dataclass(frozen=True)
class Heard:
    """One message and what came of it; `against` is why a person would not accept it."""

    where: str
    request_id: UUID
    said: Said
    answers: tuple[str, ...]
    apart: tuple[str, ...]
    kept: tuple[str, ...]
    verdict: Verdict
    against: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        return not self.against


@dataclass(frozen=True)
class Played:
    """The whole week: every message, what was due and did not ring, what reached whom it must not.

    `looked` is what the pages show at its end; None on a machine without a browser.
    """

    heard: tuple[Heard, ...]
    missed: tuple[str, ...]
    crossed: tuple[str, ...]
    looked: Looked | None


@dataclass(frozen=True)
class _Shifted(SystemClock):
    ahead: timedelta

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class _Sitting:
    week: Week
    sat: Sat
    place: Place
    client: httpx.AsyncClient
    clock: Clock
    heard: list[Heard] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    crossed: list[str] = field(default_factory=list)
    own: list[Any] = field(default_factory=list)
    mailed: list[str] = field(default_factory=list)
    looked: Looked | None = None

    async def play(self) -> None:
        for ring in self.sat.rings:
            chat = self.week.family.people[ring.to].telegram
            if await self.place.told(chat, ring.says, within_s=_RINGS_WITHIN_S) is None:
                self.missed.append(f"{self.sat.id}: nothing with {ring.says!r} came to {ring.to}")
        for number, message in enumerate(self.sat.messages, 1):
            self.heard.append(await self._one(number, message))
        self.crossed += self._crossed()

    async def _one(self, number: int, message: Said) -> Heard:
        before = await self._rows()
        moment = Moment(self.clock.now(), self.week.home(self.sat).zone)
        sent = len(self.place.providers.telegram.sent)
        known = await self._requests()
        await getattr(self, f"_by_{message.via or self.sat.via}")(message, moment)
        request_id = await self._arrived(known)
        await self._denied_where_asked(request_id)
        ended = await self.place.followed(request_id)
        await self._quiet()
        self.mailed += ended.answer_ids if message.via == "mail" else ()
        after = await self._rows()
        fresh = [row for row in after if row not in before]
        facts = judging.Heard(ended.answers, (), self._facts(fresh), self._facts(after), moment)
        verdict = judge(message, facts, language=self._language(message))
        apart = self._apart(message, sent) if message.group else ()
        return Heard(
            where=f"{self.sat.id} {number}",
            request_id=request_id,
            said=message,
            answers=ended.answers,
            apart=apart,
            kept=tuple(f"{table}: {row}" for table, row in fresh),
            verdict=verdict,
            against=(*_against(message, verdict), *_apart_lacks(message, apart), *_surplus(message, fresh)),
        )

    def _by(self, message: Said) -> str:
        return str(message.by or self.sat.by)

    def _language(self, message: Said) -> str:
        return message.language or self.week.family.people[self._by(message)].speaks

    async def _by_telegram(self, message: Said, moment: Moment) -> None:
        update = update_of(message, self.week.family.people[self._by(message)], said=moment.at)
        (content,) = update.values()
        if message.group:
            content["chat"] = {"id": self.week.family.group, "type": "group", "title": "Family"}
        if message.edit is not None:
            content |= {"message_id": self.own[message.edit - 1], "edit_date": content["date"]}
        given = self.place.providers.telegram.inject(update)
        self.own.append(next(value for key, value in given.items() if key != "update_id")["message_id"])

    async def _by_mail(self, message: Said, moment: Moment) -> None:
        own = f"<{self.sat.id}.{len(self.own)}@mail.example.org>"
        person = self.week.family.people[self._by(message)]
        answered = self.mailed[-1] if self.mailed and (message.subject or "").startswith("Re:") else None
        raw = mail_of(
            message, self.sat, sender=(person.name, person.email), ids=(own, answered), said=moment.at
        )
        self.own.append(own)
        await self.place.providers.imap.deliver(raw, when=moment.at)

    async def _by_api(self, message: Said, moment: Moment) -> None:
        key = f"{self.sat.id}-{len(self.own)}"
        self.own.append(key)
        answer = await self.client.post(
            f"{self.place.household.endpoints['webhook']}/v1/messages",
            json={"text": message.say, "sender": self._by(message), "thread": self.sat.id},
            headers={"Authorization": f"Bearer {webhook_token()}", "Idempotency-Key": key},
        )
        answer.raise_for_status()

    async def _requests(self) -> set[UUID]:
        rows = await self.place.database.fetch("SELECT request_id FROM switchboard.message_inbox")
        return {row["request_id"] for row in rows}

    async def _arrived(self, known: set[UUID]) -> UUID:
        async with asyncio.timeout(_ARRIVES_WITHIN_S):
            while not (fresh := await self._requests() - known):
                await asyncio.sleep(_POLL_S)
        return fresh.pop()

    async def _denied_where_asked(self, request_id: UUID) -> None:
        """Where the owner is asked whether a butler may have it, they say no: so it ends, and its writer is told."""
        owner = next(one for one in self.week.family.people.values() if one.role == "owner")
        if not await self._is_held(request_id):
            return
        async with asyncio.timeout(_ARRIVES_WITHIN_S):
            while not (asked := self._questions(owner.telegram)):
                await asyncio.sleep(_POLL_S)
        press = callback_update(person(owner.telegram, owner.name), asked[-1], button(asked[-1], "Deny"))
        self.place.providers.telegram.inject(press)

    async def _is_held(self, request_id: UUID) -> bool:
        """Whether its plan holds something; waits for the plan, or for an end without one."""
        query = """
            SELECT p.plan #>> '{held,owner}' IS NOT NULL AS held
            FROM switchboard.message_inbox AS m
            LEFT JOIN switchboard.route_plan AS p ON p.request_id = m.request_id
            WHERE m.request_id = $1 AND (p.request_id IS NOT NULL OR m.final_state_at IS NOT NULL)
        """
        async with asyncio.timeout(_ARRIVES_WITHIN_S):
            while (row := await self.place.database.fetchrow(query, request_id)) is None:
                await asyncio.sleep(_POLL_S)
        return bool(row["held"])

    def _questions(self, chat: int) -> list[dict[str, Any]]:
        sent = self.place.providers.telegram.sent[self.place.sent_before :]
        return [one for one in sent if one["chat_id"] == chat and "needs your approval" in str(one["text"])]

    async def _quiet(self) -> None:
        """Wait until no butler has work: a message that was given to another one is done after its correction ends."""
        working = [f'SELECT 1 FROM "{place}".{name}' for place, name in self.place.filled if name in _WORK]
        query = f"SELECT EXISTS ({' UNION ALL '.join(working)})"
        async with asyncio.timeout(_ARRIVES_WITHIN_S):
            while await self.place.database.fetchval(query):
                await asyncio.sleep(_POLL_S)

    async def _rows(self) -> list[tuple[str, dict[str, Any]]]:
        tables = await self.place.facts()
        return [(table, row) for table, rows in tables.items() if table.split()[1] in _FACTS for row in rows]

    def _facts(self, rows: Sequence[tuple[str, dict[str, Any]]]) -> tuple[Fact, ...]:
        zone, people = self.week.home(self.sat).zone, self.place.people
        return tuple(fact_of(table.partition(" ")[2], row, zone=zone, people=people) for table, row in rows)

    def _apart(self, message: Said, sent: int) -> tuple[str, ...]:
        chat = self.week.family.people[self._by(message)].telegram
        news = self.place.providers.telegram.sent[sent:]
        return tuple(str(one["text"]) for one in news if one["chat_id"] == chat)

    def _crossed(self) -> Iterator[str]:
        """What was told in this sitting to whom it must not be: by chat and by address."""
        chats = self.place.providers.telegram.sent[self.place.sent_before :]
        told = [(str(one["chat_id"]), str(one["text"])) for one in chats]
        told += [(to, mail.text) for mail in self.place.providers.smtp.accepted for to in mail.rcpt_to]
        for secret in self.week.secrets_at(self.sat):
            owner = self.week.family.people[secret.of]
            for to, text in told:
                if to not in (str(owner.telegram), owner.email) and folded_pattern(secret.words).search(text):
                    yield f"{self.sat.id}: {secret.words!r} of {secret.of} reached {to}: {text}"


def _against(message: Said, verdict: Verdict) -> Iterator[str]:
    if verdict.kind == "useful" or (verdict.kind == "honest" and message.refusal == "only"):
        if verdict.own_language is False:
            yield "not in the language of the message"
        return
    yield from (f"{verdict.kind}: {reason}" for reason in verdict.reasons or ("",))


def _apart_lacks(message: Said, apart: Sequence[str]) -> Iterator[str]:
    for pattern in message.apart:
        if not folded_pattern(pattern).search("\n".join(apart)):
            yield f"their own chat lacks {pattern!r}"


def _surplus(message: Said, fresh: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    if message.nothing_kept:
        yield from (f"kept: {table} {row.get('kind')} {row.get('text')}" for table, row in fresh)


async def played(week: Week, root: Path) -> Played:
    """Play the whole week in `root`."""
    sittings = [await _played_sitting(week, sat, root) for sat in week.sittings]
    return Played(
        heard=tuple(one for sitting in sittings for one in sitting.heard),
        missed=tuple(one for sitting in sittings for one in sitting.missed),
        crossed=tuple(one for sitting in sittings for one in sitting.crossed),
        looked=sittings[-1].looked,
    )


async def _played_sitting(week: Week, sat: Sat, root: Path) -> _Sitting:
    home = week.home(sat)
    ahead = int((home.now - datetime.now(UTC)).total_seconds())
    shifted = patch.dict(os.environ, {SHIFT: str(ahead)})
    async with httpx.AsyncClient(timeout=15, trust_env=False) as client:
        with shifted, patch.object(demo, "PROGRAM", demo.PROGRAM):
            async with running_home(home, root, connected=True) as place:
                sitting = _Sitting(week, sat, place, client, _Shifted(timedelta(seconds=ahead)))
                await sitting.play()
                if sat is week.sittings[-1]:
                    sitting.looked = await looked(place, sitting.clock)
    return sitting
