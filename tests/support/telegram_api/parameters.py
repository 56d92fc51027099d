"""Reads a method's parameters from any of the four transports of the Bot API.

https://core.telegram.org/bots/api#making-requests: URL query string, `application/x-www-form-urlencoded`,
`application/json`, `multipart/form-data`. In all but JSON the values are strings, and objects are
JSON-serialised strings; both spellings are accepted here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request

from .errors import ApiError, bad_request

_MAX_BODY_BYTES = 1_000_000
_MAX_FILES_BYTES = 51_000_000
"""A bot uploads files of up to 50 MB (#sending-files)."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came in a part of the form."""

    filename: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Parameters:
    """One call's named values, read with the type that the method documents; a bad one raises ApiError."""

    values: Mapping[str, Any]

    def text(self, name: str) -> str | None:
        value = self.values.get(name)
        return None if value is None else str(value)

    def file(self, name: str) -> Upload | None:
        """The file of the part `name`, or of the part that `attach://…` points at; None for an id or an address."""
        value = self.values.get(name)
        if isinstance(value, str) and value.startswith("attach://"):
            value = self.values.get(value.removeprefix("attach://"))
        return value if isinstance(value, Upload) else None

    def integer(self, name: str) -> int | None:
        value = self.values.get(name)
        if value is None or value == "":
            return None
        try:
            return int(value)
        except (TypeError, ValueError):
            raise bad_request(f'field "{name}" must be a valid Number') from None

    def required_integer(self, name: str, *, missing: str) -> int:
        value = self.integer(name)
        if value is None:
            raise bad_request(missing)
        return value

    def boolean(self, name: str) -> bool:
        return str(self.values.get(name, "")).lower() in {"true", "1", "yes"}

    def structured(self, name: str) -> Any:
        """A list or an object, given as such or as a JSON string."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            raise bad_request(f"can't parse {name} JSON object") from None


async def read_parameters(request: Request) -> Parameters:
    """Query string first, then the body's values over it."""
    values: dict[str, Any] = dict(request.query_params)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    most = _MAX_FILES_BYTES if kind == "multipart/form-data" else _MAX_BODY_BYTES
    if int(request.headers.get("content-length", "0")) > most:
        raise ApiError(413, "Request Entity Too Large")
    if kind == "application/json":
        values |= _json_object(await request.body())
    elif kind in {"application/x-www-form-urlencoded", "multipart/form-data"}:
        async with request.form() as form:
            values |= {name: await _part(value) for name, value in form.items()}
    return Parameters(values)


async def _part(value: UploadFile | str) -> Upload | str:
    if isinstance(value, str):
        return value
    return Upload(value.filename or "", value.content_type or "", await value.read())


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(body or b"{}")
    except ValueError:
        raise bad_request("can't parse JSON object") from None
    if not isinstance(parsed, dict):
        raise bad_request("object expected as request body")
    return parsed
