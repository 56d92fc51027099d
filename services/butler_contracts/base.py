"""What all envelopes have in common: frozen models, versions that must be named, time with a zone.

Requests forbid unknown fields, so a caller's typing mistake is named; responses ignore them, so an older
reader understands a newer writer. A request's receiver is upgraded before its sender (SWB-15.4, D29).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from butler_contracts.text import excerpt

DOCUMENT_BYTES: Final = "document_bytes"
"""Key of the validation context of data that came from outside: the size of the whole document as compact JSON."""

YEARS: Final = (1970, 9998)
"""Years that every conversion and hour bucket can hold."""

_MOMENT: Final = "RFC 3339 with Z or an offset, such as 2026-03-01T09:30:00Z"
_RFC3339: Final = re.compile(
    r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$", re.ASCII
)


def document_bytes(info: ValidationInfo) -> int | None:
    """The size of the document that the data came from outside in; None for data of our own.

    In data from outside nothing is filled in that the peer had to say.
    """
    return info.context.get(DOCUMENT_BYTES) if isinstance(info.context, dict) else None


def rule_broken(path: str, problem: str, expected: str) -> PydanticCustomError:
    """An error of a rule that spans fields; `path` is relative to the model that states the rule."""
    return PydanticCustomError("rule", "{problem}", {"path": path, "problem": problem, "expected": expected})


class ContractModel(BaseModel):
    """A frozen part of an envelope."""

    model_config = ConfigDict(
        frozen=True, populate_by_name=True, serialize_by_alias=True, allow_inf_nan=False
    )

    def to_wire(self) -> dict[str, Any]:
        """The JSON-ready form, as it is sent and stored."""
        return self.model_dump(mode="json", by_alias=True)


class StrictModel(ContractModel):
    """A part of a request: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class TolerantModel(ContractModel):
    """A part of a response: unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore")


def _say_the_version(model: BaseModel, info: ValidationInfo) -> None:
    if document_bytes(info) is not None and "schema_version" not in model.model_fields_set:
        raise rule_broken("schema_version", "is missing", "the version of this envelope")


class VersionedRequest(StrictModel):
    """An envelope that asks for something."""

    @model_validator(mode="after")
    def _version_is_said(self, info: ValidationInfo) -> Self:
        _say_the_version(self, info)
        return self


class VersionedResponse(TolerantModel):
    """An envelope that answers."""

    @model_validator(mode="after")
    def _version_is_said(self, info: ValidationInfo) -> Self:
        _say_the_version(self, info)
        return self


def _read_timestamp(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise rule_broken("", "is not a timestamp", _MOMENT)
    if not _RFC3339.match(value):
        raise rule_broken("", f"is '{excerpt(value)}', not a timestamp with a time zone", _MOMENT)
    try:
        return datetime.fromisoformat(value.upper())
    except ValueError:
        raise rule_broken("", f"is '{excerpt(value)}', which is no moment", _MOMENT) from None


def _aware_utc(value: datetime) -> datetime:
    if value.tzinfo is None or value.utcoffset() is None:
        raise rule_broken("", "has no time zone", _MOMENT)
    if not YEARS[0] <= value.year <= YEARS[1]:
        raise rule_broken("", f"is in the year {value.year}", f"a year from {YEARS[0]} to {YEARS[1]}")
    return value.astimezone(UTC)


Timestamp = Annotated[datetime, BeforeValidator(_read_timestamp), AfterValidator(_aware_utc)]
"""A moment with a zone, kept in UTC."""


def _is_version(version: int) -> AfterValidator:
    def check(value: UUID) -> UUID:
        if value.version != version:
            raise rule_broken("", f"is a UUID of version {value.version}", f"a UUID of version {version}")
        return value

    return AfterValidator(check)


UUID5 = Annotated[UUID, _is_version(5)]
UUID7 = Annotated[UUID, _is_version(7)]
UUID4 = Annotated[UUID, _is_version(4)]
