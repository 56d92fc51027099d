"""Request bodies on a port that strangers reach: of one type, bounded in size and time before parsing."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import BaseModel
from starlette.requests import ClientDisconnect, Request

from butler_kit.ops.problems import BodyTooLarge, BodyTooSlow, WrongMediaType

__all__ = ["described_body", "json_body"]


async def json_body(request: Request, *, max_bytes: int, within_s: float) -> bytes:
    """Return the whole body as it came; raises `WrongMediaType`, `BodyTooLarge`, `BodyTooSlow`."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise WrongMediaType("Content-Type: expected application/json")
    body = bytearray()
    try:
        async with asyncio.timeout(within_s):
            async for chunk in request.stream():
                body += chunk
                if len(body) > max_bytes:
                    raise BodyTooLarge(f"the body is larger than {max_bytes} bytes")
    except (TimeoutError, ClientDisconnect):
        raise BodyTooSlow(f"the body did not arrive within {within_s:g} s") from None
    return bytes(body)


def described_body(model: type[BaseModel]) -> dict[str, Any]:
    """Return the OpenAPI description of a body that `json_body` reads."""
    schema = model.model_json_schema()
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
