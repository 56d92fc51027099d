"""OpenAI's responses protocol: what a request asks, and an answer in its shape (pure).

POST /v1/responses, https://platform.openai.com/docs/api-reference/responses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.model_api.behaviour import Answer, Asked

__all__ = ["responded", "response_asked"]


def response_asked(body: Mapping[str, Any], key: str | None) -> Asked:
    """The question in a request."""
    if not isinstance(body.get("model"), str) or "input" not in body:
        raise ValueError("model and input are required")
    items = [one for one in body["input"] if isinstance(one, dict)]
    said = [one for one in items if one.get("type", "message") == "message"]
    results = [one for one in items if one.get("type") == "function_call_output"]
    return Asked(
        provider="responses",
        model=body["model"],
        system="\n".join(
            [body.get("instructions") or "", *_texts(said, "developer"), *_texts(said, "system")]
        ),
        user="\n".join(_texts(said, "user")),
        tools=tuple(_tools(body.get("tools") or ())),
        told=tuple(_output(one["output"]) for one in results),
        key=key,
        body=body,
    )


def responded(question: Asked, answer: Answer, number: int) -> dict[str, Any]:
    """The body of a 200."""
    said = [_said(answer.text, number)] if answer.text else []
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_760_000_000,
        "status": "completed",
        "model": question.model,
        "output": [*said, *_calls(question, answer, number)],
        "parallel_tool_calls": True,
        "tools": [],
        "usage": {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 120,
        },
    }


def _said(text: str, number: int) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"msg_{number}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def _calls(question: Asked, answer: Answer, number: int) -> Iterator[dict[str, Any]]:
    spaces = {tool["sent"]: tool.get("namespace") for tool in question.tools}
    for place, call in enumerate(answer.calls):
        item = {
            "type": "function_call",
            "id": f"fc_{number}_{place}",
            "call_id": f"call_{number}_{place}",
            "name": call.name,
            "arguments": call.arguments,
            "status": "completed",
        }
        space = spaces.get(call.name)
        yield item | ({"namespace": space} if space else {})


def _texts(messages: list[Any], role: str) -> list[str]:
    return [_text(one.get("content")) for one in messages if one.get("role") == role]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or () if "text" in part)


def _output(said: Any) -> str:
    return said if isinstance(said, str) else _text(said)


def _tools(offered: Any) -> Iterator[Mapping[str, Any]]:
    """Each function, those of a namespace with its name beside theirs."""
    for tool in offered:
        if tool.get("type") == "namespace":
            yield from ({**one, "namespace": tool["name"]} for one in tool.get("tools") or ())
        else:
            yield {"name": tool.get("type", ""), **tool}
