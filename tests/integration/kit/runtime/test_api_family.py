"""Sessions of family `api` against a model server over real HTTP: what each behaviour of a model ends as."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from genai_prices.types import ClauseEquals, ModelInfo, ModelPrice, Tier, TieredPrices

from butler_kit.runtime import SessionJob, SessionResult, SessionRow, SessionTool, Spawner, ToolBelt
from butler_kit.runtime.api import ApiFamily, Endpoint, Limits, Models
from butler_kit.runtime.api.endpoint import Provider
from butler_kit.runtime.budget import Price, SessionBudget, Spending, Terms
from butler_kit.runtime.fence import fence
from butler_kit.runtime.transcript import Transcript
from butler_kit.time import SystemClock
from butler_switchboard.routing.prompt import ROUTE_TOOL, ROUTE_TOOL_SCHEMA
from tests.support.loopback import free_port
from tests.support.model_api import ModelServer

KEY = "sk-household-0123456789abcdef"
SYSTEM = "You route. The word of the day is heliotrope."
TEXT = "I paid 40 euro for gas"
BOUNDARY = "0123456789abcdef"
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic")
both = pytest.mark.parametrize("provider", PROVIDERS)


@dataclass
class Kept:
    """Session rows and metrics that go nowhere but here."""

    closed: dict[str, Any]

    async def open(self, row: SessionRow) -> None:
        """Nothing to write."""

    async def close(self, session_id: UUID, **columns: Any) -> None:
        self.closed = columns

    def set(self, name: str, value: float, /, **labels: str) -> None:
        """Nobody reads it."""

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        """Nobody reads it."""


def job(text: str = TEXT, *, max_calls: int = 8, deadline_s: float = 60.0) -> SessionJob:
    return SessionJob(
        session_id=uuid4(),
        kind="route",
        system_text=SYSTEM,
        payload=f"The current message:\n{fence(text, boundary=BOUNDARY)}",
        tools=ToolBelt(
            [SessionTool(ROUTE_TOOL, "Route.", ROUTE_TOOL_SCHEMA, last="last")], max_calls=max_calls
        ),
        model="stub",
        prompt_version="p1",
        deadline_s=deadline_s,
    )


@asynccontextmanager
async def household(
    provider: Provider,
    behaviour: str,
    *,
    models: tuple[str, ...] = ("stub",),
    key: str | None = KEY,
    budget: SessionBudget | None = None,
    kept: Kept | None = None,
) -> AsyncIterator[tuple[ModelServer, Spawner]]:
    async with ModelServer(behaviour, key=KEY) as server:
        endpoint = Endpoint(provider, models, server.base_url(provider), key=key, limits=Limits(turns=4))
        keeps_words, kept = kept is not None, kept or Kept({})
        opened, clock = Models(endpoint), SystemClock()
        await opened.opened()
        budget = budget or SessionBudget()
        spending = Spending(Terms(session=budget, price=Price(300, 1_500), priced=True))
        family = ApiFamily(endpoint, opened.open, clock=clock, spending=spending)
        yield (
            server,
            Spawner(
                "s",
                family,
                3,
                clock=clock,
                metrics=kept,
                session_store=kept,
                budget_s=budget.seconds,
                keeps_words=keeps_words,
            ),
        )
        await opened.aclose()


def kind_of(result: SessionResult) -> str | None:
    return result.error.original_class if result.error is not None else None


@both
@pytest.mark.parametrize(
    ("behaviour", "calls", "questions"),
    [("route", 1, 2), ("two", 2, 2), ("one_at_a_time", 2, 3), ("unknown_butler", 1, 2), ("corrected", 1, 3)],
)
async def test_what_the_model_calls_is_the_verdict(
    provider: Provider, behaviour: str, calls: int, questions: int
) -> None:
    async with household(provider, behaviour) as (server, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert (result.status, result.family, result.model, result.error) == ("completed", "api", "stub", None)
    assert [call.tool for call in result.tool_calls] == [ROUTE_TOOL] * calls
    assert len(server.asked) == questions
    assert server.refused == []


@both
@pytest.mark.parametrize(("behaviour", "calls"), [("last", 1), ("two_with_last", 2)])
async def test_a_model_that_says_which_call_is_its_last_is_asked_once(
    provider: Provider, behaviour: str, calls: int
) -> None:
    async with household(provider, behaviour) as (server, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert (result.status, len(result.tool_calls), len(server.asked)) == ("completed", calls, 1)


@both
async def test_beside_a_refused_call_none_is_the_last_and_the_model_hears_of_it(provider: Provider) -> None:
    async with household(provider, "last_beside_refused") as (server, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert [call.args["butler"] for call in result.tool_calls] == ["health", "finance"]
    assert (result.status, len(server.asked)) == ("completed", 2)
    assert any(told.startswith("refused: route_to_butler: ") for told in server.asked[1].told)


@both
@pytest.mark.parametrize("behaviour", ["text_only", "silent"])
async def test_what_the_model_only_says_decides_nothing(provider: Provider, behaviour: str) -> None:
    async with household(provider, behaviour) as (_, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert (result.status, result.tool_calls) == ("completed", ())


@both
async def test_the_model_is_offered_the_sessions_tools_and_its_texts_apart(provider: Provider) -> None:
    async with household(provider, "route") as (server, spawner):
        await spawner.trigger(job(), "ingress")
    asked = server.asked[0]
    assert asked.system == SYSTEM
    assert asked.user == job().payload
    assert [tool["name"] for tool in asked.tools] == [ROUTE_TOOL]
    schema = asked.tools[0]["input_schema" if provider == "anthropic" else "parameters"]
    assert schema["required"] == ["butler", "prompt"]
    assert schema["additionalProperties"] is False
    assert asked.key == KEY
    assert KEY not in str(asked.body)


@both
async def test_what_the_model_read_and_wrote_is_recorded_without_the_instructions(provider: Provider) -> None:
    kept, work = Kept({}), job()
    async with household(provider, "route", kept=kept) as (_, spawner):
        await spawner.trigger(work, "ingress")
    assert kept.closed["transcript"] == Transcript(f"{work.payload}\n\n{ROUTE_TOOL}:\nrecorded", "done")


@both
async def test_what_a_refused_call_was_told_is_recorded_and_so_are_sessions_that_fail(
    provider: Provider,
) -> None:
    kept, work = Kept({}), job()
    async with household(provider, "wrong_arguments", kept=kept) as (_, spawner):
        await spawner.trigger(work, "ingress")
    assert f"{ROUTE_TOOL}:\nrefused: " in kept.closed["transcript"].prompt
    async with household(provider, "401", kept=kept) as (_, spawner):
        await spawner.trigger(work, "ingress")
    assert (kept.closed["status"], kept.closed["transcript"]) == ("failed", Transcript(work.payload, ""))


@both
@pytest.mark.parametrize("behaviour", ["no_json", "no_object", "wrong_arguments", "unknown_tool"])
async def test_a_call_that_the_tools_do_not_take_is_no_call(provider: Provider, behaviour: str) -> None:
    async with household(provider, behaviour) as (_, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert (result.status, result.tool_calls) == ("failed", ())
    # Anthropic's input is JSON by itself; what is no object there makes the whole answer unreadable.
    assert kind_of(result) in ("invalid_calls", "unreadable")


@both
async def test_endless_calls_end_with_the_last_turn(provider: Provider) -> None:
    async with household(provider, "endless") as (server, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert (result.status, kind_of(result)) == ("failed", "too_many_turns")
    assert len(server.asked) == 4


@both
async def test_no_call_past_the_cap_is_taken_and_the_session_is_over(provider: Provider) -> None:
    async with household(provider, "flood") as (server, spawner):
        result = await spawner.trigger(job(max_calls=5), "ingress")
    assert (result.status, kind_of(result), len(result.tool_calls)) == ("failed", "too_many_calls", 5)
    assert len(server.asked) == 1


@both
@pytest.mark.parametrize(
    ("behaviour", "kind", "questions"),
    [
        ("400", "refused", 1),
        ("401", "unauthorized", 1),
        ("403", "unauthorized", 1),
        ("404", "model_not_found", 1),
        ("429", "rate_limited", 3),
        ("500", "server_error", 3),
        ("529", "server_error", 3),
        ("garbage", "unreadable", 3),
        ("html", "unreadable", 3),
        ("wrong_shape", "unreadable", 3),
        ("cut", "unreadable", 3),
        ("reset", "unreadable", 3),
        ("redirect", "unreadable", 3),
        ("compressed", "unreadable", 3),
        ("huge", "unreadable", 3),
    ],
)
async def test_a_model_that_cannot_be_had_fails_the_session_and_says_how(
    provider: Provider, behaviour: str, kind: str, questions: int
) -> None:
    async with household(provider, behaviour) as (server, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert (result.status, kind_of(result), result.tool_calls) == ("failed", kind, ())
    assert result.error is not None
    assert result.error.error_class == "target_unavailable"
    assert len(server.asked) == questions
    assert not any(word in result.error.message for word in (KEY, TEXT, "heliotrope"))


@both
async def test_silence_ends_with_the_session(provider: Provider) -> None:
    async with household(provider, "hang") as (server, spawner):
        result = await spawner.trigger(job(deadline_s=1.0), "ingress")
    assert result.status in ("failed", "timeout")
    assert result.tool_calls == ()
    assert len(server.asked) == 1


@both
async def test_nobody_there_is_unreachable(provider: Provider) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    endpoint = Endpoint(provider, ("stub",), address, limits=Limits(attempts=2))
    opened, kept = Models(endpoint), Kept({})
    family = ApiFamily(endpoint, opened.open, clock=SystemClock())
    spawner = Spawner("s", family, 1, clock=SystemClock(), metrics=kept, session_store=kept)
    result = await spawner.trigger(job(), "ingress")
    assert (result.status, kind_of(result)) == ("failed", "unreachable")
    await opened.aclose()


@both
async def test_a_pause_that_is_asked_for_is_made_and_one_beyond_the_session_is_not_waited_for(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("butler_kit.runtime.api.program.sleep", pause)
    async with household(provider, "route") as (server, spawner):
        server.script, server.retry_after = ["429", "500"], "7"
        result = await spawner.trigger(job(), "ingress")
        assert (result.status, len(result.tool_calls)) == ("completed", 1)
        server.script, server.retry_after = ["429"], "3600"
        refused = await spawner.trigger(job(), "ingress")
    assert pauses == [7.0, 7.0]
    assert (refused.status, kind_of(refused)) == ("failed", "rate_limited")
    assert refused.error is not None
    assert refused.error.retry_after_s == 3600


@both
@pytest.mark.parametrize("first", ["404", "500", "garbage", "400", "hang"])
async def test_another_model_is_asked_when_the_first_cannot_be_had(provider: Provider, first: str) -> None:
    async with household(provider, "route", models=("large", "small")) as (server, spawner):
        server.by_model = {"large": first}
        result = await spawner.trigger(job(deadline_s=8.0 if first == "hang" else 60.0), "ingress")
    assert (result.status, result.model, len(result.tool_calls)) == ("completed", "small", 1)
    assert server.asked[0].model == "large"
    assert server.asked[-1].model == "small"


@both
async def test_no_other_model_is_asked_for_what_is_the_addresss_fault(provider: Provider) -> None:
    async with household(provider, "401", models=("large", "small")) as (server, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert kind_of(result) == "unauthorized"
    assert {asked.model for asked in server.asked} == {"large"}


@both
async def test_no_other_model_is_asked_once_a_call_is_recorded(provider: Provider) -> None:
    async with household(provider, "400", models=("large", "small")) as (server, spawner):
        server.script = ["route"]
        result = await spawner.trigger(job(), "ingress")
    assert (result.status, kind_of(result), len(result.tool_calls)) == ("failed", "refused", 1)
    assert {asked.model for asked in server.asked} == {"large"}


@both
async def test_nothing_of_the_message_or_the_key_is_logged_at_the_lowest_level(
    provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with household(provider, "route", models=("large", "small")) as (server, spawner):
        for behaviour in ("route", "401", "garbage", "flood"):
            server.by_model = {"large": behaviour}
            await spawner.trigger(job(), "ingress")
    assert not any(word in caplog.text for word in (KEY, TEXT, "heliotrope"))


async def test_a_missing_key_asks_nobody() -> None:
    endpoint = Endpoint("openai", ("stub",), "http://127.0.0.1:9/v1", key_from="BUTLER_MODEL_API_KEY")
    opened, kept = Models(endpoint), Kept({})
    family = ApiFamily(endpoint, opened.open, clock=SystemClock())
    spawner = Spawner("s", family, 1, clock=SystemClock(), metrics=kept, session_store=kept)
    result = await spawner.trigger(job(), "ingress")
    assert (result.status, kind_of(result)) == ("failed", "no_key")
    assert result.error is not None
    assert "BUTLER_MODEL_API_KEY is not set" in result.error.message


@both
@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize(
    ("budget", "behaviour", "kind", "questions"),
    [
        (SessionBudget(seconds=1.5), "hang", "budget_session_seconds", 1),
        (SessionBudget(turns=2), "endless", "budget_session_turns", 2),
        (SessionBudget(tool_calls=2), "flood", "budget_session_tool_calls", 1),
        (SessionBudget(tokens=1_000), "route", "budget_session_tokens", 0),
        (SessionBudget(microcents=1_000), "route", "budget_session_cents", 0),
    ],
)
async def test_each_budget_of_a_session_ends_it_with_an_error_of_its_own(
    provider: Provider, budget: SessionBudget, behaviour: str, kind: str, questions: int
) -> None:
    async with household(provider, behaviour, budget=budget) as (server, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert (result.status, kind_of(result)) == ("failed", kind)
    assert result.error is not None
    assert (result.error.error_class.value, result.error.retryable) == ("overload_rejected", False)
    assert len(server.asked) == questions


@both
async def test_the_length_of_an_answer_is_bounded_by_what_is_left(provider: Provider) -> None:
    async with household(provider, "route", budget=SessionBudget(tokens=4_500)) as (server, spawner):
        result = await spawner.trigger(job(), "ingress")
    assert result.status == "completed"
    bounds = [asked.body.get("max_tokens") or asked.body["max_completion_tokens"] for asked in server.asked]
    assert bounds[0] < 4_096
    # The stub says that it read 100 tokens: by the second question that is known.
    assert bounds[1] > bounds[0]


class List:
    """A public list that knows one model, whose longer questions cost more."""

    def find_provider_model(
        self, model: str, provider: None, provider_id: None, url: str | None
    ) -> tuple[None, ModelInfo]:
        if (model, url) != ("known", "https://api.openai.com/v1"):
            raise LookupError(model)
        longer = TieredPrices(base=Decimal(2), tiers=[Tier(start=200_000, price=Decimal("3.001"))])
        prices = ModelPrice(input_mtok=Decimal("0.251"), output_mtok=longer)
        return None, ModelInfo(id="known", match=ClauseEquals(equals="known"), prices=prices)


@pytest.mark.spec("SWB-33.1")
async def test_a_models_price_by_the_public_list_is_in_whole_cents_and_the_dearest_of_its_tiers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("butler_kit.runtime.api.library.get_snapshot", List)
    at, found = SystemClock().now(), {}
    for priced in (False, True):
        endpoint = Endpoint(
            "openai", ("known", "unknown"), "https://api.openai.com/v1", key=KEY, priced=priced
        )
        models = Models(endpoint)
        for name in endpoint.models:
            found[name, priced] = (await models.open(job(), name)).listed_price(at)
        await models.aclose()
    assert found.pop(("known", False)) == Price(26, 301)
    assert set(found.values()) == {None}


@both
async def test_a_look_reads_which_models_the_server_lists(provider: Provider) -> None:
    async with ModelServer("route", key=KEY) as server:
        server.models = {"stub", "tiny:latest"}
        models = Models(Endpoint(provider, ("stub",), server.base_url(provider), key=KEY))
        listed = await (await models.opened()).look()
        await models.aclose()
    assert set(listed or ()) == {"stub", "tiny:latest"}
