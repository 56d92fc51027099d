"""The model server against the providers' reference pages, by hand and through their own clients.

OpenAI: https://platform.openai.com/docs/api-reference/chat/create. Anthropic:
https://docs.anthropic.com/en/api/messages and https://docs.anthropic.com/en/api/errors. Their clients, seconds to
import, are imported by the tests that use them: every worker imports this file.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.support.model_api import ModelServer

TOOL = {"type": "object", "properties": {"butler": {"type": "string"}}}
MESSAGES: list[dict[str, Any]] = [{"role": "user", "content": "I paid 40 euro"}]
PROVIDERS = ("openai", "anthropic")


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer(key="right") as server:
        yield server


async def post(
    server: ModelServer, provider: str, body: dict[str, Any], key: str = "right"
) -> httpx.Response:
    path = "/v1/messages" if provider == "anthropic" else "/v1/chat/completions"
    headers = {"anthropic-version": "2023-06-01", "x-api-key": key}
    async with httpx.AsyncClient(timeout=60) as client:
        return await client.post(
            server.url + path,
            json=body,
            headers=headers if provider == "anthropic" else {"authorization": f"Bearer {key}"},
        )


async def test_a_chat_completion_calls_a_tool_with_arguments_as_text_and_says_so(server: ModelServer) -> None:
    tools = [{"type": "function", "function": {"name": "route_to_butler", "parameters": TOOL}}]
    answer = (await post(server, "openai", {"model": "m", "messages": MESSAGES, "tools": tools})).json()
    assert answer["object"] == "chat.completion"
    [choice] = answer["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert (choice["message"]["role"], choice["message"]["content"]) == ("assistant", None)
    [call] = choice["message"]["tool_calls"]
    assert call["type"] == "function"
    assert json.loads(call["function"]["arguments"])["prompt"] == "I paid 40 euro"
    result = {"role": "tool", "tool_call_id": call["id"], "content": "recorded"}
    body = {"model": "m", "messages": [*MESSAGES, choice["message"], result]}
    ended = (await post(server, "openai", body)).json()["choices"][0]
    assert (ended["finish_reason"], ended["message"]["content"]) == ("stop", "done")


async def test_a_message_uses_a_tool_with_an_object_as_input_and_says_so(server: ModelServer) -> None:
    tools = [{"name": "route_to_butler", "input_schema": TOOL}]
    body = {"model": "m", "max_tokens": 100, "messages": MESSAGES, "tools": tools}
    answer = (await post(server, "anthropic", body)).json()
    assert (answer["type"], answer["role"], answer["stop_reason"]) == ("message", "assistant", "tool_use")
    [block] = answer["content"]
    assert (block["type"], block["input"]["butler"]) == ("tool_use", "finance")
    result = {"type": "tool_result", "tool_use_id": block["id"], "content": "recorded"}
    messages = [
        *MESSAGES,
        {"role": "assistant", "content": answer["content"]},
        {"role": "user", "content": [result]},
    ]
    ended = (await post(server, "anthropic", {**body, "messages": messages})).json()
    assert (ended["stop_reason"], ended["content"]) == ("end_turn", [{"type": "text", "text": "done"}])


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_wrong_key_is_refused_in_the_providers_shape(server: ModelServer, provider: str) -> None:
    response = await post(
        server, provider, {"model": "m", "max_tokens": 9, "messages": MESSAGES}, key="wrong"
    )
    assert response.status_code == 401
    error = response.json()["error"]
    assert error["type" if provider == "anthropic" else "code"] in ("authentication_error", "invalid_api_key")


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("openai", {"messages": MESSAGES}),
        ("openai", {"model": "m"}),
        ("anthropic", {"model": "m", "messages": MESSAGES}),
        ("anthropic", {"model": "m", "max_tokens": 9, "messages": [{"role": "system", "content": "s"}]}),
    ],
)
async def test_what_the_provider_demands_is_demanded(
    server: ModelServer, provider: str, body: dict[str, Any]
) -> None:
    assert (await post(server, provider, body)).status_code == 400


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_call_without_its_result_is_refused(server: ModelServer, provider: str) -> None:
    body: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": MESSAGES}
    answer = (await post(server, provider, body)).json()
    said = (
        {"role": "assistant", "content": answer["content"]}
        if provider == "anthropic"
        else answer["choices"][0]["message"]
    )
    response = await post(server, provider, {**body, "messages": [*MESSAGES, said, MESSAGES[0]]})
    assert response.status_code == 400


@pytest.mark.parametrize("behaviour", ["route", "two", "text_only"])
async def test_openais_own_client_reads_the_answers(server: ModelServer, behaviour: str) -> None:
    import openai

    server.behaviour = behaviour
    async with openai.AsyncOpenAI(api_key="right", base_url=server.base_url("openai")) as client:
        answer = await client.chat.completions.create(model="m", messages=MESSAGES)  # type: ignore[arg-type]
        names = [model.id async for model in client.models.list()]
    calls = answer.choices[0].message.tool_calls or []
    assert len(calls) == {"route": 1, "two": 2, "text_only": 0}[behaviour]
    assert names == ["stub"]


@pytest.mark.parametrize("behaviour", ["route", "two", "text_only"])
async def test_anthropics_own_client_reads_the_answers(server: ModelServer, behaviour: str) -> None:
    import anthropic

    server.behaviour = behaviour
    async with anthropic.AsyncAnthropic(api_key="right", base_url=server.base_url("anthropic")) as client:
        answer = await client.messages.create(model="m", max_tokens=9, messages=MESSAGES)  # type: ignore[arg-type]
    calls = [block for block in answer.content if block.type == "tool_use"]
    assert len(calls) == {"route": 1, "two": 2, "text_only": 0}[behaviour]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("401", "AuthenticationError"),
        ("404", "NotFoundError"),
        ("429", "RateLimitError"),
        ("500", "InternalServerError"),
    ],
)
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_their_own_clients_know_the_errors(
    server: ModelServer, provider: str, status: str, error: str
) -> None:
    import anthropic
    import openai

    server.behaviour = status
    kind = getattr(openai if provider == "openai" else anthropic, error)
    with pytest.raises(kind):
        if provider == "openai":
            client = openai.AsyncOpenAI(api_key="right", base_url=server.base_url(provider), max_retries=0)
            await client.chat.completions.create(model="m", messages=MESSAGES)  # type: ignore[arg-type]
        else:
            other = anthropic.AsyncAnthropic(
                api_key="right", base_url=server.base_url(provider), max_retries=0
            )
            await other.messages.create(model="m", max_tokens=9, messages=MESSAGES)  # type: ignore[arg-type]
