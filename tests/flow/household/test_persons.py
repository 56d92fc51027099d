"""One person on two channels: mail in, Telegram question, real Switchboard, real health butler, real contacts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_contracts.problems import ContractViolation, FieldProblem
from butler_contracts.route import RouteEnvelopeV1
from butler_switchboard.registry.records import Declaration
from tests.integration.specialist.household import CountingSwitchboard, Place, plan_for
from tests.support.butlers import FakeButler, accepts_then_answers, refuses
from tests.support.database import Provision
from tests.support.switchboard import MAILBOX, mail, telegram
from tests.support.switchboard_service import Household, Running, household, until

PROVEN = {"Authentication-Results": ["mx.example.org; dmarc=pass header.from=example.org"]}


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "general") as home:
        yield home


@pytest.fixture
async def health(provisioned: Provision, tmp_path: Path, home: Household) -> Place:
    """A real health specialist's place; it runs as long as `serving` says."""
    database = await provisioned(plan_for("health"))
    pool = await database.pool("health")
    return Place(tmp_path, "health", database, pool, home.keys, CountingSwitchboard())


@asynccontextmanager
async def serving(health: Place, running: Running) -> AsyncIterator[None]:
    health.switchboard.url = f"{running.url}/mcp"
    async with health.specialist() as client:
        parts = running.switchboard.parts
        declared = Declaration(role="specialist", endpoint_url=f"{client.base}/mcp")
        await parts.butlers.declare("health", declared, actor="test")

        async def registered() -> bool:
            await parts.registry.refresh()
            return parts.registry.view().eligible("health")

        await until(registered, what="the specialist being eligible")
        yield


async def by_mail(home: Household, running: Running, message: IngestEnvelopeV1) -> None:
    token = home.keys.connector("imap", MAILBOX)
    await running.call(token, "ingestion.ingest", {"envelope": message.to_wire()})
    await home.idle()


async def answer(home: Household, running: Running, number: int, text: str, *, sender: str = "1001") -> str:
    """What the sender is told on Telegram."""
    await running.accepted(telegram(number, text, sender=sender, chat=sender))
    await home.idle()
    requests = [envelope.input.context for envelope in home.messenger.got]
    told = [context.notify_request for context in requests if context and context.notify_request]
    replies = [request.delivery.message for request in told if request.delivery.intent == "reply"]
    assert replies[-1] is not None
    return str(replies[-1])


async def test_what_a_member_mailed_is_known_when_they_ask_on_telegram(
    home: Household, health: Place
) -> None:
    async with home.run() as running, serving(health, running):
        await by_mail(home, running, mail("<1@x>", "Blood pressure 141/91 just now", headers=PROVEN))
        await by_mail(
            home, running, mail("<2@x>", "Blood pressure 199/99 just now", sender="ada@evil.example")
        )
        await by_mail(home, running, mail("<3@x>", "Blood pressure 188/88 just now"))  # hers, without proof
        hers = await answer(home, running, 1, "What was my last blood pressure?")
        his = await answer(home, running, 2, "What was my last blood pressure?", sender="1002")
        named = await answer(home, running, 3, "What was the last blood pressure of Ada?", sender="1002")
    assert hers.startswith("Your last blood pressure was 141/91 mmHg")
    assert "Before that" not in hers
    assert his == "No blood pressure of yours is recorded yet."
    assert named == "No blood pressure of Ada Example is recorded yet."


async def test_a_butler_of_the_release_before_gets_the_work_without_the_people(home: Household) -> None:
    works = accepts_then_answers()
    unknown = FieldProblem("input.context.people", "is not a known field", "only fields of this version")
    refusal = refuses(ContractViolation("route.v1", (unknown,)))

    async def of_the_release_before(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        return await (refusal if envelope.people is not None else works)(butler, envelope)

    general = home.butler("general")
    general.behaviour = of_the_release_before
    async with home.run() as running:
        row = await home.finished(await running.accepted(telegram(1, "good morning")))
    told, untold = general.got
    assert told.people is not None
    assert {person.name for person in told.people.members} == {"Ada Example", "Ben Example"}
    sender = next(person for person in told.people.members if person.contact_id == told.people.sender)
    assert sender.name == "Ada Example"
    assert untold == told.unpeopled()
    assert row["lifecycle_state"] == "parsed"


async def test_the_owner_is_told_what_a_stranger_calls_themselves_and_how_to_add_them(
    home: Household, health: Place
) -> None:
    said = telegram(1, "Blood pressure 141/91 just now", sender="6666", chat="6666").to_wire()
    said["sender"]["display_name"] = "Ma\u202erc\n“Weber”"
    async with home.run() as running, serving(health, running):
        await running.accepted(parse(IngestEnvelopeV1, said))
        await home.idle()
    contexts = [envelope.input.context for envelope in home.messenger.got]
    told = [context.notify_request for context in contexts if context and context.notify_request]
    [notice] = [request for request in told if request.delivery.intent == "send"]
    message = notice.delivery.message or ""
    assert message.startswith(
        "A message on Telegram from 6666, who goes by “Marc 'Weber'” (not confirmed as one of your contacts): "
    )
    how = "To make them a member: butlers contacts add 'Marc Weber' --telegram 6666"
    assert message.endswith(f"\n{how} (on a cluster, the Secret of your contacts).")
