"""The one way in: bytes, text or a mapping become a model, or a `ContractViolation` that says what to mend.

Invariant: no input makes `parse` raise anything else. Types are strict: `"1"` is not a number, 1 is not a
timestamp. A missing, unknown or newer version is refused by name before anything else (SWB-15.4, D29).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from butler_contracts.base import DOCUMENT_BYTES
from butler_contracts.bounded_json import NODES_MAX, Refused, checked_copy, has_no_fault
from butler_contracts.problems import ROOT, ContractViolation, FieldProblem, problems_of
from butler_contracts.text import excerpt

ENVELOPE_MAX_BYTES: Final = 1024 * 1024
"""Size of one envelope as JSON; room for `raw`, the text and the rest."""
_NUMBER_MAX_CHARS: Final = 64

ModelT = TypeVar("ModelT", bound=BaseModel)

__all__ = [
    "ENVELOPE_MAX_BYTES",
    "ContractViolation",
    "FieldProblem",
    "parse",
    "parse_keeping_document",
]


def parse(model_type: type[ModelT], data: Mapping[str, Any] | str | bytes) -> ModelT:
    """Read an envelope from outside.

    Raises `ContractViolation` with every problem's path, and nothing else, whatever `data` is.
    """
    return parse_keeping_document(model_type, data)[0]


def parse_keeping_document(
    model_type: type[ModelT], data: Mapping[str, Any] | str | bytes
) -> tuple[ModelT, bytes]:
    """Read an envelope as `parse` does; also return the checked document itself, as compact UTF-8 JSON."""
    name = _name_of(model_type)
    try:
        return _parse(model_type, data, name)
    except ContractViolation:
        raise
    except ValidationError as error:
        raise ContractViolation(name, problems_of(error)) from None
    except (Exception, RecursionError) as error:  # a hostile mapping may raise anything while it is read
        raise _violation(name, f"cannot be read ({type(error).__name__})", "a JSON object") from None


def _parse(model_type: type[ModelT], data: object, name: str) -> tuple[ModelT, bytes]:
    tree = _decode(data, name) if isinstance(data, str | bytes | bytearray) else data
    if not isinstance(tree, Mapping):
        raise _violation(name, f"is a {excerpt(type(tree).__name__)}", "a JSON object")
    document = _plain_document(tree)
    if document is None:
        plain, fault = checked_copy(tree)
        if fault:
            raise ContractViolation(name, (FieldProblem.of_fault(fault),))
        tree, document = plain, json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()
    _check_version(model_type, tree, name)
    if len(document) > ENVELOPE_MAX_BYTES:
        raise _violation(name, f"is {len(document)} bytes", f"at most {ENVELOPE_MAX_BYTES} bytes")
    context = {DOCUMENT_BYTES: len(document)}
    return model_type.model_validate_json(document, strict=True, context=context), document


def _plain_document(tree: Mapping[str, Any]) -> bytes | None:
    """The JSON of a tree in which nothing can be wrong, or None for one that needs a closer look."""
    if type(tree) is not dict or not has_no_fault(tree):
        return None
    try:
        document = to_json(tree)
    except PydanticSerializationError:  # half of a surrogate pair
        return None
    # A value takes at least two characters; a NUL is always escaped.
    return None if len(document) > 2 * NODES_MAX or b"\\u0000" in document else document


def _check_version(model_type: type[BaseModel], tree: Any, name: str) -> None:
    known = _versions_of(model_type)
    said = tree.get("schema_version")
    if not known or (isinstance(said, str) and said in known):
        return
    problem = (
        f"is the unknown version '{excerpt(said)}'" if isinstance(said, str) else "is missing or not text"
    )
    versions = " or ".join(f"'{version}'" for version in known)
    raise ContractViolation(name, (FieldProblem("schema_version", problem, f"{versions}, known here"),))


@cache
def _versions_of(model_type: type[BaseModel]) -> tuple[str, ...]:
    field = model_type.model_fields.get("schema_version")
    return get_args(field.annotation) if field else ()


def _name_of(model_type: type[BaseModel]) -> str:
    return next(iter(_versions_of(model_type)), model_type.__name__)


def _violation(name: str, problem: str, expected: str) -> ContractViolation:
    return ContractViolation(name, (FieldProblem(ROOT, problem, expected),))


def _decode(data: str | bytes | bytearray, name: str) -> object:
    if len(data) > ENVELOPE_MAX_BYTES:
        raise _violation(name, f"is {len(data)} long", f"at most {ENVELOPE_MAX_BYTES} bytes")
    try:
        text = data if isinstance(data, str) else bytes(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _violation(name, f"is not UTF-8 at byte {error.start}", "UTF-8 text") from None
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=lambda word: Refused(f"is {word}", "a finite number"),
        )
    except json.JSONDecodeError as error:
        problem = f"is not JSON at line {error.lineno}, column {error.colno} ({error.msg})"
        raise _violation(name, problem, "a JSON object") from None
    except RecursionError:
        raise _violation(name, "is nested too deeply", "a few levels of JSON") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return {**found, key: Refused("appears twice in its object", "each key once")}
        seen.add(key)
    return found


def _integer(digits: str) -> object:
    return int(digits) if len(digits) <= _NUMBER_MAX_CHARS else _too_long(digits)


def _float(digits: str) -> object:
    return float(digits) if len(digits) <= _NUMBER_MAX_CHARS else _too_long(digits)


def _too_long(digits: str) -> Refused:
    return Refused(f"is a number of {len(digits)} characters", "a 64-bit number, or text")
