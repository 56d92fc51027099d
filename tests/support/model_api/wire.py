"""The protocols: what a request asks, and an answer or an error in the provider's shape (pure).

OpenAI: POST /v1/chat/completions, https://platform.openai.com/docs/api-reference/chat. Anthropic: POST /v1/messages,
https://docs.anthropic.com/en/api/messages, errors: https://docs.anthropic.com/en/api/errors.
OpenAI's responses are in `responses`, streams in `streams`.

A command line puts the name of its tool server before a tool's: behaviours see and say the tool's own name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any, Final

from tests.support.model_api.behaviour import Answer, Asked, Call
from tests.support.model_api.responses import responded, response_asked

__all__ = ["answered", "asked", "failed"]

_IDS: Final = count(1)
_SERVER: Final = "butler"
_ANTHROPIC_ERRORS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def asked(provider: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Asked:
    """The question in a request. Raises `ValueError` for one that the provider would refuse."""
    return _in_own_names(_as_sent(provider, body, headers))


def _as_sent(provider: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Asked:
    if provider == "responses":
        return response_asked(body, _bearer(headers))
    if not isinstance(body.get("model"), str) or not isinstance(body.get("messages"), list):
        raise ValueError("model and messages are required")
    return (_anthropic_asked if provider == "anthropic" else _openai_asked)(body, headers)


def _in_own_names(question: Asked) -> Asked:
    tools = tuple({**tool, "name": _own_name(tool["name"]), "sent": tool["name"]} for tool in question.tools)
    return replace(question, tools=tools)


def _own_name(sent: str) -> str:
    """Without `mcp__SERVER__` or `SERVER_`."""
    for prefix in (f"mcp__{_SERVER}__", f"{_SERVER}_"):
        if sent.startswith(prefix):
            return sent.removeprefix(prefix)
    return sent


def _in_sent_names(question: Asked, answer: Answer) -> Answer:
    sent = {tool["name"]: tool["sent"] for tool in question.tools}
    calls = tuple(Call(sent.get(call.name, call.name), call.arguments) for call in answer.calls)
    return replace(answer, calls=calls)


def _openai_asked(body: Mapping[str, Any], headers: Mapping[str, str]) -> Asked:
    messages = body["messages"]
    results = [one for one in messages if one["role"] == "tool"]
    _answers_every_call(
        {call["id"] for one in messages for call in one.get("tool_calls") or ()},
        {one["tool_call_id"] for one in results},
    )
    return Asked(
        provider="openai",
        model=body["model"],
        system="\n".join(_text(one["content"]) for one in messages if one["role"] in ("system", "developer")),
        user="\n".join(_text(one["content"]) for one in messages if one["role"] == "user"),
        tools=tuple(one["function"] for one in body.get("tools") or ()),
        told=tuple(_text(one["content"]) for one in results),
        key=_bearer(headers),
        body=body,
    )


def _anthropic_asked(body: Mapping[str, Any], headers: Mapping[str, str]) -> Asked:
    if not isinstance(body.get("max_tokens"), int):
        raise ValueError("max_tokens: Field required")
    if "anthropic-version" not in headers:
        raise ValueError("anthropic-version: header is required")
    if any(one["role"] not in ("user", "assistant") for one in body["messages"]):
        raise ValueError("messages: the roles are user and assistant")
    blocks = [
        block for one in body["messages"] if isinstance(one["content"], list) for block in one["content"]
    ]
    results = [block for block in blocks if block["type"] == "tool_result"]
    _answers_every_call(
        {block["id"] for block in blocks if block["type"] == "tool_use"},
        {block["tool_use_id"] for block in results},
    )
    return Asked(
        provider="anthropic",
        model=body["model"],
        system=_text(body.get("system") or ""),
        user="\n".join(_text(one["content"]) for one in body["messages"] if one["role"] == "user"),
        tools=tuple(body.get("tools") or ()),
        told=tuple(_text(block["content"]) for block in results),
        key=headers.get("x-api-key") or _bearer(headers),
        body=body,
    )


def _bearer(headers: Mapping[str, str]) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key if scheme == "Bearer" else None


def _answers_every_call(calls: set[str], results: set[str]) -> None:
    if calls != results:
        raise ValueError(f"every tool call needs exactly one result: {sorted(calls ^ results)}")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or () if part.get("type") == "text")


def answered(question: Asked, answer: Answer) -> dict[str, Any]:
    """The body of a 200."""
    number, answer = next(_IDS), _in_sent_names(question, answer)
    if question.provider == "responses":
        return responded(question, answer, number)
    if question.provider == "anthropic":
        return _anthropic(question, answer, number)
    calls = [
        {
            "id": f"call_{number}_{place}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for place, call in enumerate(answer.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None, "refusal": None}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": question.model,
        "choices": [
            {
                "index": 0,
                "message": message | ({"tool_calls": calls} if calls else {}),
                "logprobs": None,
                "finish_reason": "tool_calls" if calls else "stop",
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def _anthropic(question: Asked, answer: Answer, number: int) -> dict[str, Any]:
    calls = [
        {
            "type": "tool_use",
            "id": f"toolu_{number}_{place}",
            "name": call.name,
            "input": _object(call.arguments),
        }
        for place, call in enumerate(answer.calls)
    ]
    said = [{"type": "text", "text": answer.text}] if answer.text else []
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": question.model,
        "content": [*said, *calls],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }


def _object(arguments: str) -> Any:
    """Anthropic sends arguments as JSON, so that broken text can only arrive as another value."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def failed(provider: str, status: int, words: str) -> dict[str, Any]:
    """The body of an error."""
    if provider == "anthropic":
        kind = _ANTHROPIC_ERRORS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}
    kind = "invalid_request_error" if status < 500 else "server_error"
    code = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}.get(status)
    return {"error": {"message": words, "type": kind, "param": None, "code": code}}
