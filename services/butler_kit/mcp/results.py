"""The form of a tool's answer on the wire, both ways: pure (CNX-06.3, D36).

Invariant: a success is a JSON object, an error is `{"error": {"class", "message", "retryable", …}}`, each
both as structured content and as text, so that a client of any age reads the same thing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from butler_contracts.errors import ButlerError, ErrorDetail

__all__ = ["TextBlock", "ToolResult", "answer", "data_of", "error_answer", "error_of", "text_of"]


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A text block of a result."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's result; the functions below read it and the SDK's `CallToolResult` alike."""

    content: tuple[TextBlock, ...]
    structured_content: Any
    is_error: bool = False


def answer(result: Mapping[str, Any]) -> ToolResult:
    """Return the tool result for a handler's JSON object; `TypeError`/`ValueError` if it is not JSON."""
    body = dict(result)
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    return ToolResult((TextBlock(text),), body)


def error_answer(error: ButlerError) -> ToolResult:
    """Return the tool result for an error: class, message, retryable, and the optional wait and details."""
    text = json.dumps(error.to_wire(), ensure_ascii=False, default=str)
    return ToolResult((TextBlock(text),), json.loads(text), is_error=True)


def text_of(result: object) -> str:
    """Return the text blocks of a result, joined by newlines."""
    blocks = getattr(result, "content", None) or []
    return "\n".join(text for block in blocks if isinstance(text := getattr(block, "text", None), str))


def data_of(result: object) -> dict[str, Any]:
    """Return the result's data: `.data` if present, then structured content, then the text as JSON (D36).

    A value that is no object comes back as `{"result": value}`; `ValueError` when there is no JSON at all.
    """
    data = getattr(result, "data", None)
    if data is None:
        data = getattr(result, "structured_content", None)
    if data is None:
        data = json.loads(text_of(result))
    if isinstance(data, BaseModel):
        return data.model_dump(mode="json")
    return dict(data) if isinstance(data, Mapping) else {"result": data}


def error_of(result: object) -> ErrorDetail | None:
    """Return the typed error inside an error result, or None when the peer sent free text."""
    try:
        found = data_of(result).get("error")
    except ValueError:
        return None
    try:
        return ErrorDetail.model_validate(found)
    except ValidationError:
        return None
