"""Three of a household ask each butler for what is another's, in every way: nothing of it is in any answer, prompt,
page or log line (D68, ADR 0100, 0122). By default a share of the questions; `make people` asks all 2,000 of each at
each butler.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import islice
from uuid import UUID

import pytest

from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.config import parse_config
from butler_kit.db import Pool
from butler_kit.queue import Lease, LeasedQueue
from butler_kit.runtime.history import Bounds
from butler_kit.time import SystemClock, new_uuid7
from butler_specialist.accept.validate import teller_of, thread_key
from butler_specialist.ops.reader import HoldingsReader
from butler_specialist.profiles import PROFILES, kinds_of
from butler_specialist.settings import SpecialistConfig
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.model import PRIVATE, Outcome, RecordDraft, ReminderDraft, RoutedWork
from butler_specialist.store.own_records import StoredOwnRecords, Wanted
from butler_specialist.store.records import RecordStore
from butler_specialist.thinking.drafts import shown
from butler_specialist.thinking.prompt import before, payload
from butler_specialist.thinking.threads import Threads
from butler_specialist.wiring import Specialist
from butler_specialist.work.knowing import Sources
from butler_specialist.work.session import Sessions
from tests.integration.specialist.household import Place, envelope, request_context
from tests.integration.specialist.test_privacy import ADA, BEN, GROUP, LEO, NAMES, NUMBERS, people
from tests.support.asking import questions

EACH = int(os.environ.get("BUTLERS_PEOPLE_QUESTIONS", "16"))
"""Questions of each member at each butler."""
SEED = int(os.environ.get("BUTLERS_PEOPLE_SEED", "7"))
MEMBERS = (ADA, BEN, LEO)
MARK = {ADA: "zqada", BEN: "zqben", LEO: "zqleo"}
NUMBER = {ADA: Decimal("61.17"), BEN: Decimal("72.29"), LEO: Decimal("43.83")}
OURS = "zqours"
CODES = {"measurement": "weight", "list_item": "shopping", "list_removal": "shopping"}


def canaries(who: UUID, butler: str) -> Iterator[RecordDraft]:
    """One record of every kind that the butler keeps, which is theirs, and one of each that is the household's."""
    for number, kind in enumerate((*kinds_of(butler), *PRIVATE)):
        token = f"{MARK[who]}{number}x"
        own = RecordDraft(
            kind=kind,
            occurred_on=date(2027, 3, 1 + number),
            text=f"{token} {kind} of the safe",
            title=token,
            occurred_at=time(9, 30),
            amount=NUMBER[who] if kind not in PRIVATE else None,
            currency="EUR" if kind not in PRIVATE else None,
            quantity=NUMBER[who] if kind == "measurement" else None,
            unit="kg" if kind == "measurement" else None,
            place=f"{token} street",
            code=CODES.get(kind),
            audience="private" if kind not in PRIVATE else None,
        )
        yield own
        if kind not in PRIVATE:
            title = f"{OURS}{number}"
            ours = replace(own, text=f"{title} {kind}", title=title, place=OURS, audience="household")
            yield replace(ours, amount=Decimal(5), quantity=None)


def secrets_of(who: UUID) -> tuple[str, ...]:
    whole, cents = str(NUMBER[who]).split(".")
    return MARK[who], f"{whole}.{cents}", f"{whole},{cents}"


@dataclass
class Room:
    """One butler, and what each of the household says to it."""

    place: Place
    specialist: Specialist
    sessions: Sessions
    sources: Sources
    inbox: RouteInbox
    pool: Pool

    async def take(self, who: UUID, text: str, *, group: bool) -> tuple[Lease, RoutedWork]:
        context = request_context(
            source_sender_identity=NUMBERS[who],
            source_thread_identity=GROUP if group else NUMBERS[who],
            request_id=str(new_uuid7(datetime.now(UTC))),
            received_at=datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        )
        data = envelope(text, butler=self.place.name, context=context)
        data["input"]["context"] = {"people": people(who)}
        document = parse(RouteEnvelopeV1, data)
        key = thread_key(document)
        await self.inbox.accept(document, lane="default", thread_key=key, teller=teller_of(document))
        lease = await LeasedQueue(self.pool, "route_work").claim(document.subrequest.subrequest_id)
        work = await self.inbox.find(document.subrequest.subrequest_id)
        assert lease is not None
        assert work is not None
        return lease, work

    async def keep(self, who: UUID, drafts: list[RecordDraft], reminders: list[ReminderDraft]) -> None:
        lease, work = await self.take(who, "kept", group=False)
        kept = Outcome(result={}, records=tuple(drafts), reminders=tuple(reminders))
        assert await self.inbox.commit(lease, work, kept) is not None
        await self.inbox.finish(lease)

    async def ask(self, who: UUID, text: str, *, group: bool) -> tuple[str, str]:
        """What is said where it was asked, and what is told apart to whom asked."""
        lease, work = await self.take(who, text, group=group)
        outcome = await self.sessions.run(work, lease)
        assert await self.inbox.commit(lease, work, outcome) is not None
        await self.inbox.finish(lease)
        said = outcome.notify.delivery.message if outcome.notify is not None else None
        assert all(one.request.delivery.contact_id == str(who) for one in outcome.tellings)
        apart = " ".join(one.request.delivery.message or "" for one in outcome.tellings)
        return said or str(outcome.error or ""), apart

    async def shared(self) -> set[UUID]:
        """Whose own records their word has shared just now; they are private again for what is asked next."""
        rows = await self.pool.fetch(
            "UPDATE records SET audience = 'private', shared_with = '{}' WHERE text LIKE 'zq%' AND text NOT LIKE $1 "
            "AND kind <> ALL($2) AND (audience IS DISTINCT FROM 'private' OR shared_with <> '{}') RETURNING contact_id",
            f"{OURS}%",
            list(PRIVATE),
        )
        return {row["contact_id"] for row in rows}

    async def pages(self) -> str:
        """All that a page can learn of this butler's records, and all that its ops API lists of them."""
        view = [dict(row) for row in await self.pool.fetch("SELECT * FROM dashboard_records")]
        listed = await HoldingsReader(self.pool, self.specialist.policy).records(
            kind=None, since=None, limit=10_000
        )
        timed = ("recorded_at", "withdrawn_at")
        said = [{name: row[name] for name in row if name not in timed} for row in listed["records"]]
        return f"{view} {said}"

    async def prompt(self, who: UUID, text: str, *, group: bool) -> str:
        """All that a model would read of the same message: its prompt, the thread, and all that it could search."""
        lease, work = await self.take(who, text, group=group)
        answering = self.sources.answering(work)
        history = await Threads(self.pool, Bounds()).before(work)
        known = before(await answering.conversation.earlier(), answering.moment)
        asked = payload(text, answering.moment, "EUR", known, boundary="b" * 32, history=history)
        own = StoredOwnRecords(self.pool, answering.whose.me, answering.policy, in_group=answering.in_group)
        found = await own.find(Wanted((*kinds_of(self.place.name), *PRIVATE)))
        await self.inbox.commit(lease, work, Outcome(result={}))
        await self.inbox.finish(lease)
        return asked.replace(text, "") + str([shown(row) for row in found])


@asynccontextmanager
async def room(place: Place) -> AsyncIterator[Room]:
    """The real parts, as a process wires them, without the process."""
    config = parse_config(
        place.config_text(runtime="[modules.memory]"), "butler.toml", SpecialistConfig, place.env
    )
    specialist = Specialist(config, place.env, clock=SystemClock())
    async with specialist.running():
        parts = specialist.parts
        records = RecordStore(parts.pool)
        sources = Sources(parts.pool, records, parts.reminders, parts.people, "EUR", specialist.policy, True)
        sessions = specialist._sessions(parts.pool, records, parts.reminders, parts.people)
        inbox = RouteInbox(parts.pool, capacity=1000, policy=specialist.policy)
        yield Room(place, specialist, sessions, sources, inbox, parts.pool)


@pytest.mark.parametrize("place", sorted(PROFILES), indirect=True)
async def test_nothing_of_another_is_in_an_answer_a_prompt_a_page_or_a_log_line(
    place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks, in their own chat and in the group, in turn, so that each asks on after the other's question."""
    async with room(place) as butler:
        for who in MEMBERS:
            due = datetime(2027, 3, 2, 8, tzinfo=UTC)
            reminder = ReminderDraft(f"{MARK[who]}99x", due, "Europe/Berlin")
            await butler.keep(who, list(canaries(who, place.name)), [reminder])
        own, ours, asked = 0, 0, 0
        streams = {
            who: islice(
                questions(place.name, NAMES[who], [NAMES[one] for one in MEMBERS if one != who], seed=SEED),
                EACH,
            )
            for who in MEMBERS
        }
        for number in range(EACH):
            for who in MEMBERS:
                text, group = next(streams[who]), number % 3 == 2
                said, apart = await butler.ask(who, text, group=group)
                shared = await butler.shared()
                assert shared <= {who}, (NAMES[who], text, "shared what is another's")
                read = await butler.prompt(who, text, group=group) if number % 4 == 0 else ""
                for other in MEMBERS:
                    told = f"{said} {read}" if other == who and group else f"{said} {apart} {read}"
                    if other != who or (group and not shared):
                        leaked = [one for one in secrets_of(other) if one in told]
                        where = [told[max(0, told.find(one) - 200) : told.find(one) + 100] for one in leaked]
                        assert not leaked, (NAMES[who], text, "group" if group else "own chat", where)
                own += MARK[who] in f"{said} {apart} {read}"
                ours += OURS in said
                asked += 1
        assert asked == 3 * EACH
        assert own, "the butler tells nobody anything of theirs: nothing is proven"
        assert ours, "the butler tells nobody anything of the household's: nothing is proven"
        shown = await butler.pages()
        assert OURS in shown, "pages show nothing of the household's: nothing is proven"
        assert not [one for who in MEMBERS for one in secrets_of(who) if one in shown]
    logged = capfd.readouterr()
    assert not [who for who in MEMBERS if MARK[who] in logged.out + logged.err]


def test_the_questions_of_each_are_many_and_different() -> None:
    asked = set(islice(questions("finance", "Ada", ["Ben", "Leo"], seed=SEED), 2000))
    assert len(asked) > 1200
