"""A mail goes to the butler of its thread before any rule is read, where the household's manifest says so."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import pytest

from butler_switchboard.registry.eligibility import Hold
from tests.flow.switchboard.test_cluster_callers import beat
from tests.flow.switchboard.test_overrides import operator
from tests.support.switchboard import BOT, MAILBOX, mail, telegram
from tests.support.switchboard_service import Household, Running

BILL: Final = "I paid the gas bill of 40 euro"
PULSE: Final = "My blood pressure this morning was 120 over 80"
BOTH: Final = f"""Please note two things:
- I paid 40 euro for the gas bill
- {PULSE}"""
TO_HEALTH: Final = {
    "priority": 1,
    "type": "sender_domain",
    "value": "example.org",
    "action": "route_to",
    "target": "health",
}


def spec(*rules: dict[str, Any], affinity: bool = True) -> dict[str, Any]:
    routing = {"rules": list(rules), "trustedEndpoints": [MAILBOX], "threadAffinity": affinity}
    return {"role": "switchboard", "routing": routing}


class Post:
    """Who writes mails and waits for what becomes of each."""

    def __init__(self, home: Household, running: Running) -> None:
        self._home = home
        self._running = running
        self._token = home.keys.connector("imap", MAILBOX)
        self._count = 0

    async def writes(self, text: str, *, thread: str, sender: str = "ada@example.org") -> UUID:
        self._count += 1
        envelope = mail(f"<{self._count}@x>", text, thread=thread, sender=sender)
        answer = await self._running.call(self._token, "ingestion.ingest", {"envelope": envelope.to_wire()})
        request = UUID(answer["request_id"])
        await self._home.settled(request)
        return request

    async def targets(self, request: UUID) -> list[str]:
        return sorted(part["target"] for part in await self._home.subroutes(request))


@pytest.mark.spec("CNX-05.1")
async def test_a_mail_goes_to_the_butler_of_its_thread_whatever_rules_and_words_say(home: Household) -> None:
    async with home.run(spec=spec()) as running:
        post = Post(home, running)
        assert await post.targets(await post.writes(BILL, thread="<a@x>")) == ["finance"]
    async with home.run(spec=spec(TO_HEALTH)) as running:
        post = Post(home, running)
        post._count = 1
        answered = await post.writes(PULSE, thread="<a@x>")
        elsewhere = await post.writes(BILL, thread="<other@x>")
        assert await post.targets(answered) == ["finance"]
        assert await post.targets(elsewhere) == ["health"]
        decisions = (await home.row(answered))["request_context"]
    assert decisions["triage_decision"] == "route_to"
    assert decisions["triage_target"] == "finance"
    assert decisions["triage_rule_id"] == "thread"
    assert decisions["triage_rule_type"] == "thread_affinity"


async def test_a_household_that_does_not_ask_for_it_has_its_mails_read_anew(home: Household) -> None:
    async with home.run(spec=spec(affinity=False)) as running:
        post = Post(home, running)
        await post.writes(BILL, thread="<a@x>")
        assert await post.targets(await post.writes(PULSE, thread="<a@x>")) == ["health"]


async def test_a_thread_of_several_butlers_or_of_general_or_of_one_that_is_held_is_nobodys(
    home: Household,
) -> None:
    async with home.run(spec=spec()) as running:
        post = Post(home, running)
        assert await post.targets(await post.writes(BOTH, thread="<both@x>")) == ["finance", "health"]
        assert await post.targets(await post.writes(PULSE, thread="<both@x>")) == ["health"]
        assert await post.targets(await post.writes("Hm, well", thread="<general@x>")) == ["general"]
        assert await post.targets(await post.writes(PULSE, thread="<general@x>")) == ["health"]
        await post.writes(BILL, thread="<held@x>")
        await running.switchboard.parts.butlers.quarantine("finance", Hold(reason="audit"), actor="ada")
        await running.switchboard.parts.registry.refresh()
        assert await post.targets(await post.writes(PULSE, thread="<held@x>")) == ["health"]


async def test_a_thread_whose_mail_was_corrected_belongs_to_the_butler_that_it_was_for(
    home: Household,
) -> None:
    wish = {"to": "health", "reason": "a bill of the dentist"}
    async with home.run(spec=spec()) as running, operator(running) as ops:
        post = Post(home, running)
        bill = await post.writes(BILL, thread="<a@x>")
        assert (await ops.post(f"/requests/{bill}/correct", json=wish)).status_code == 200
        await home.settled(bill)
        assert await post.targets(await post.writes(BILL, thread="<a@x>")) == ["health"]
        assert await post.targets(await post.writes(BILL, thread="<other@x>")) == ["finance"]


async def test_a_stranger_makes_no_thread_that_a_member_follows(home: Household) -> None:
    async with home.run(spec=spec()) as running:
        post = Post(home, running)
        await post.writes(BILL, thread="<a@x>", sender="shop@example.com")
        assert await post.targets(await post.writes(PULSE, thread="<a@x>")) == ["health"]
        await post.writes(PULSE, thread="<b@x>", sender="shop@example.com")
        stranger = await post.writes(BILL, thread="<b@x>", sender="shop@example.com")
        assert await post.targets(stranger) == ["health"]


async def test_a_chat_is_no_thread(home: Household) -> None:
    async with home.run(spec=spec()) as running:
        for number, text in enumerate((BILL, PULSE), start=1):
            request = await running.accepted(telegram(number, text))
            await home.settled(request)
        assert [part["target"] for part in await home.subroutes(request)] == ["health"]


@pytest.mark.spec("CNX-05.1")
async def test_connectors_skip_nothing_whose_thread_may_be_somebodys(home: Household) -> None:
    skip = {"priority": 1, "type": "sender_domain", "value": "example.org", "action": "skip"}
    async with home.run(spec=spec(skip)) as running:
        token = home.keys.connector("telegram_bot", BOT)
        answer = await running.call(token, "connector.heartbeat", {"heartbeat": beat(BOT)})
        assert answer["rules"] == []
        row = await home.row(await Post(home, running).writes(BILL, thread="<a@x>"))
    assert row["lifecycle_state"] == "recorded"
