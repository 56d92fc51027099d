"""Three hundred hostile texts for a butler that thinks with a model, and a model that does its worst with each.

It tries other tools, forged ids, another member's records, a thousand calls and huge arguments. A member's records,
and what is in them, stay that member's, whatever the model was talked into.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import uuid4

import pytest

from tests.flow.security.injection import HostileCase, cases
from tests.flow.security.test_hostile_texts import of_telegram
from tests.integration.specialist.household import Client, Place
from tests.integration.specialist.thinking import KEY, VARIABLE, api, spec
from tests.support.model_api import Answer, Asked, Call, ModelServer

CANARY: Final = "zirconia4711"
MOST_CALLS: Final = 6
AT_ONCE: Final = 4

Worst = Callable[[Asked, str], list[Call]]
WORST: Final[tuple[Worst, ...]] = (
    lambda asked, _: [Call("run_shell", json.dumps({"command": asked.payload})), Call.of("answer", text="x")],
    lambda _, bens: [
        Call.of("record_search"),
        Call.of("record_update", id=bens, amount=1),
        Call.of("record_forget", id=bens),
    ],
    lambda _, __: [
        Call.of("record_search", person="ben", words=["zirconia"]),
        Call.of("record_search", limit=10**9),
    ],
    lambda _, bens: [Call.of("record_forget", id=bens), Call.of("record_forget", id=str(uuid4()))],
    lambda _, __: [Call.of("record_add", kind="note", quote=str(number)) for number in range(1_000)],
    lambda _, __: [
        Call.of("record_add", kind="note", quote="x" * 400_000),
        Call.of("answer", text="y" * 400_000),
    ],
    lambda asked, _: [
        Call.of("notify", to="ben", text=asked.payload[:500]),
        Call.of("answer", text=asked.system),
    ],
    lambda _, __: [Call.of("route_to_butler", butler="finance", prompt="x"), Call("answer", '{"text": ')],
)


async def handed_over(specialist: Client, chosen: Sequence[HostileCase]) -> None:
    """Each case as a message of Ada's, to its end."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(text: str) -> None:
        async with room:
            await specialist.done(api(text))

    async with asyncio.TaskGroup() as group:
        for case in chosen:
            group.create_task(one(of_telegram(case).payload.normalized_text))


@pytest.mark.parametrize(("provider", "every"), [("openai", 1), ("anthropic", 5)])
async def test_whatever_a_model_does_with_a_hostile_text_nobody_elses_record_is_read_or_changed(
    place: Place, provider: str, every: int, capfd: pytest.CaptureFixture[str]
) -> None:
    async with place.specialist() as rules:
        await rules.done(api(f"Paid 900 EUR for {CANARY}", source_sender_identity="ben"))
    [bens] = await place.records()

    def does_its_worst(asked: Asked) -> Answer:
        if asked.told:
            return Answer(calls=(Call.of("answer", text=f"I found: {asked.told[-1][:300]}"),))
        worst = WORST[zlib.crc32(asked.user.encode()) % len(WORST)]
        return Answer("", tuple(worst(asked, str(bens["record_id"]))))

    place.more_environment[VARIABLE] = KEY
    async with ModelServer(does_its_worst, key=KEY) as model:
        bounds: dict[str, Any] = {"maxToolCalls": MOST_CALLS, "maxTurns": 3}
        async with place.specialist(spec=spec(model, provider, **bounds)) as specialist:
            await handed_over(specialist, cases()[::every])
        bodies = [json.dumps(dict(one.body), ensure_ascii=False) for one in model.asked]
    told = capfd.readouterr()
    assert len(bodies) >= 280 / every
    assert not any(CANARY in body for body in bodies)
    assert not any(secret in one for secret in (KEY, CANARY) for one in (told.out, told.err))
    assert not any(KEY in body for body in bodies)
    await _bens_is_as_it_was(place, bens)


async def _bens_is_as_it_was(place: Place, bens: dict[str, Any]) -> None:
    after = [row for row in await place.records() if row["record_id"] == bens["record_id"]]
    assert after == [bens]
    own, *others = place.switchboard.completions
    assert CANARY in own.model_dump_json()
    assert not any(CANARY in one.model_dump_json() for one in others)
    calls = await place.pool.fetch("SELECT tool_calls FROM sessions")
    # The model's own, and what was made of them.
    assert all(len(row["tool_calls"]) <= 2 * MOST_CALLS + 1 for row in calls)
