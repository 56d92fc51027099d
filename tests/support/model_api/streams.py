"""An answer as the server-sent events that a provider streams (pure): the whole body, taken apart.

OpenAI chat: https://platform.openai.com/docs/api-reference/chat-streaming. Responses:
https://platform.openai.com/docs/api-reference/responses-streaming. Anthropic:
https://docs.anthropic.com/en/docs/build-with-claude/streaming.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["streamed"]

Event = tuple[str, Mapping[str, Any]]


def streamed(provider: str, body: Mapping[str, Any]) -> str:
    """The text of the stream whose parts make up `body`."""
    if provider == "openai":
        chunks = [f"data: {json.dumps(chunk)}\n\n" for chunk in _chunks(body)]
        return "".join([*chunks, "data: [DONE]\n\n"])
    events = _message(body) if provider == "anthropic" else _response(body)
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)


def _chunks(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    [choice] = body["choices"]
    frame = {name: body[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    said = choice["message"]
    delta: dict[str, Any] = {"role": "assistant", "content": said["content"] or ""}
    if said.get("tool_calls"):
        delta["tool_calls"] = [{"index": place, **call} for place, call in enumerate(said["tool_calls"])]
    yield frame | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield frame | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield frame | {"choices": [], "usage": body["usage"]}


def _message(body: Mapping[str, Any]) -> Iterator[Event]:
    begun = dict(body, content=[], stop_reason=None)
    yield "message_start", {"type": "message_start", "message": begun}
    for place, block in enumerate(body["content"]):
        text = block["type"] == "text"
        empty = dict(block, text="") if text else dict(block, input={})
        yield "content_block_start", {"type": "content_block_start", "index": place, "content_block": empty}
        arguments = block.get("input")
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if text
            else {"type": "input_json_delta", "partial_json": raw}
        )
        yield "content_block_delta", {"type": "content_block_delta", "index": place, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": place}
    ended = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    used = {"output_tokens": body["usage"]["output_tokens"]}
    yield "message_delta", {"type": "message_delta", "delta": ended, "usage": used}
    yield "message_stop", {"type": "message_stop"}


def _response(body: Mapping[str, Any]) -> Iterator[Event]:
    begun = dict(body, status="in_progress", output=[], usage=None)
    yield _numbered("response.created", 0, response=begun)
    number = 1
    for place, item in enumerate(body["output"]):
        started = dict(item, status="in_progress") | ({"content": []} if item["type"] == "message" else {})
        yield _numbered("response.output_item.added", number, output_index=place, item=started)
        yield _numbered("response.output_item.done", number + 1, output_index=place, item=item)
        number += 2
    yield _numbered("response.completed", number, response=body)


def _numbered(kind: str, number: int, **more: Any) -> Event:
    return kind, {"type": kind, "sequence_number": number, **more}
