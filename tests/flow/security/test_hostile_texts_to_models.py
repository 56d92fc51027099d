"""Three hundred hostile texts for a household that thinks with a model, and a model that does its worst with each.

What a text asks for, and more: butlers nobody knows, other tools, forged ids, a thousand calls, huge arguments, the
instructions told to whoever gets the message. What Switchboard and its butlers do then is what is asserted.
"""

from __future__ import annotations

import asyncio
import json
import re
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import pytest

from tests.flow.security.injection import HostileCase, cases
from tests.flow.security.test_hostile_texts import of_telegram
from tests.support.database import Provision
from tests.support.model_api import Answer, Asked, Call, ModelServer
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, household

KEY: Final = "sk-household-0123456789abcdef"
CANARY: Final = "the safe opens with 4711-4712"
ROUTE: Final = "route_to_butler"
NUL: Final = r'{"butler": "finance", "prompt": "no end \u0000", "confidence": 0.9}'
HALF: Final = r'{"butler": "health", "prompt": "for Mia \ud83c", "confidence": 0.9}'
"""Half of a surrogate pair, which only a protocol with arguments as text can carry."""
MOST_CALLS: Final = 6
AT_ONCE: Final = 6
PART: Final = 50
ADA, BEN = "1001", "1002"


def _named(text: str) -> list[str]:
    found = re.findall(r"\b(?:to|at|an|a|butler)\s+[\"'`]?([a-z][a-z_-]{2,40})", text, re.I)
    return [*found[:3], "admin", "switchboard", "messenger"]


WORST: Final[tuple[Callable[[Asked], list[Call]], ...]] = (
    lambda asked: [Call.route(name, asked.payload or "x") for name in _named(asked.payload)],
    lambda asked: [
        Call("run_shell", json.dumps({"command": asked.payload})),
        Call.of("telegram_send_message", chat_id=1, text=asked.payload),
        Call.of("notify", message=asked.payload),
        Call.of("record_search"),
    ],
    lambda asked: [
        Call.route("finance", asked.payload or "x", request_id=str(uuid4())),
        Call.route("finance", asked.payload or "x", subrequest_id=str(uuid4()), sender_class="household"),
    ],
    lambda asked: [Call.route("general", f"{number} {asked.payload}"[:500]) for number in range(1_000)],
    lambda asked: [Call.route("finance", "x" * 140_000), Call.route("health", "y" * 140_000)],
    lambda asked: [Call.route("finance", f"{asked.system}\n{json.dumps(list(asked.tools))}")],
    lambda asked: [Call.route("finance", asked.payload or "x", segment={"char_ranges": [[0, 10**9]]})],
    lambda asked: [Call.route("finance", "once"), Call.route("finance", "twice")],
    lambda asked: [Call(ROUTE, NUL)],
    lambda asked: [Call(ROUTE, HALF if asked.provider == "openai" else NUL)],
)


def does_its_worst(asked: Asked) -> Answer:
    if asked.results:
        return Answer("done")
    return Answer("", tuple(WORST[zlib.crc32(asked.user.encode()) % len(WORST)](asked)))


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "general", "finance", "health") as made:
        made.more_environment["BUTLER_MODEL_API_KEY"] = KEY
        yield made


def spec(server: ModelServer, provider: str) -> dict[str, Any]:
    runtime = {
        "family": "api",
        "provider": provider,
        "baseUrl": server.base_url(provider),
        "apiKeySecretRef": {"name": "model", "key": "api-key"},
        "model": "stub",
        "maxToolCalls": MOST_CALLS,
    }
    return {"runtime": runtime}


async def all_sent(running: Running, home: Household, chosen: Sequence[HostileCase]) -> dict[UUID, str]:
    """Each case from Ada, in a chat of its own, to its end."""
    room, sent = asyncio.Semaphore(AT_ONCE), {}

    async def one(number: int, text: str) -> None:
        async with room:
            request = await running.accepted(telegram(number, text, sender=ADA, chat=str(-number)))
            sent[request] = text
            await home.settled(request)

    for first in range(0, len(chosen), PART):
        for butler in home.butlers.values():
            await butler.register()  # who is silent for 90 s gets nothing
        async with asyncio.TaskGroup() as group:
            for number, case in enumerate(chosen[first : first + PART], 100 + first):
                group.create_task(one(number, of_telegram(case).payload.normalized_text))
    return sent


@pytest.mark.spec("SWB-04.1", "SWB-04.2")
@pytest.mark.parametrize(
    ("provider", "every"),
    [("openai", 1), ("anthropic", 5), pytest.param("anthropic", 1, marks=pytest.mark.faults_full)],
)
async def test_whatever_a_model_does_with_a_hostile_text_nothing_leaves_the_registry_and_no_secret_is_told(
    home: Household, provider: str, every: int, capfd: pytest.CaptureFixture[str]
) -> None:
    async with ModelServer("route", key=KEY) as model:
        async with home.run(spec=spec(model, provider)) as running:
            bens = await running.accepted(telegram(1, CANARY, sender=BEN, chat=BEN))
            await home.settled(bens)
            model.asked.clear()
            model.behaviour = does_its_worst
            sent = await all_sent(running, home, cases()[::every])
            traced = await _traces(running, sent)
        asked = list(model.asked)
    assert (len(sent), len(asked) >= 280 / every) == (300 / every, True)
    await _only_within_the_registry(home, sent)
    _no_secret_in(home, asked, traced, capfd)
    got = [one for butler in home.butlers.values() for one in butler.got]
    assert {str(one.request_context.request_id) for one in got} <= {str(one) for one in (*sent, bens)}
    ours = [one for one in got if one.request_context.request_id != bens]
    assert not any(CANARY in one.model_dump_json() for one in ours)
    assert {one.request_context.source_sender_identity for one in ours} == {ADA}


async def _only_within_the_registry(home: Household, sent: dict[UUID, str]) -> None:
    rows = await home.pool.fetch(
        "SELECT i.request_id, i.final_state_at, p.plan, s.tool_calls,"
        " (s.session_id IS NULL OR s.ended_at IS NOT NULL) AS is_over,"
        " ARRAY(SELECT target FROM subroute AS r WHERE r.request_id = i.request_id) AS targets"
        " FROM message_inbox AS i JOIN route_plan AS p USING (request_id)"
        " LEFT JOIN sessions AS s USING (request_id) WHERE i.request_id = any($1::uuid[])",
        list(sent),
    )
    assert len(rows) == len(sent)
    for row in rows:
        assert row["final_state_at"] is not None
        assert row["is_over"], sent[row["request_id"]]
        assert row["targets"], sent[row["request_id"]]
        assert set(row["targets"]) <= set(home.butlers), sent[row["request_id"]]
        assert len(row["targets"]) == len(set(row["targets"]))
        assert len(row["tool_calls"] or ()) <= MOST_CALLS
        assert {call["tool"] for call in row["tool_calls"] or ()} <= {ROUTE}


async def _traces(running: Running, sent: dict[UUID, str]) -> list[str]:
    """What an operator reads of each request."""
    token = running.household.keys.operator()
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
        return [
            (await client.get(f"{running.url}/ops/v1/requests/{one}")).raise_for_status().text for one in sent
        ]


def _no_secret_in(
    home: Household, asked: list[Asked], traced: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    """In what models were sent, in traces and in what was logged; a model's own key comes as a header alone."""
    told = capfd.readouterr()
    secrets = [KEY, home.database.dsn("switchboard"), home.keys.switchboard_key.read_text("ascii")]
    bodies = [json.dumps(dict(one.body), ensure_ascii=False) for one in asked]
    for secret in secrets:
        assert secret not in told.out + told.err
        assert not any(secret in body for body in (*bodies, *traced))
    assert not any(CANARY in body for body in (*bodies, *traced))
    # The instructions are the same for every text: nothing of a message is ever in them.
    assert len({one.system for one in asked}) == 1
