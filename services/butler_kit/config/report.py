"""Conversion of pydantic's errors into problems that a person can correct: path, what is wrong, what to do.

Pure. Values are never repeated: any of them may be a secret in the wrong place.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from butler_kit.config.database_url import DATABASE_URL, DATABASE_URL_FILE
from butler_kit.config.errors import ConfigProblem

__all__ = ["environment_problems", "file_problems"]

ALTERNATIVES: Final = {DATABASE_URL: DATABASE_URL_FILE}


def file_problems(error: ValidationError, model: type[BaseModel], newer: str | None) -> list[ConfigProblem]:
    """Describe a file's errors; `newer` is the fix of an unknown key when the file's version is newer."""
    return [_file_problem(detail, model, newer) for detail in error.errors(include_url=False)]


def environment_problems(error: ValidationError) -> list[ConfigProblem]:
    """Describe an environment's errors by the names of the variables."""
    found = []
    for detail in error.errors(include_url=False):
        key = ".".join(map(str, detail["loc"]))
        if detail["type"] == "missing":
            other = f" or {ALTERNATIVES[key]}" if key in ALTERNATIVES else ""
            found.append(ConfigProblem(key, "is not set", f"set the environment variable {key}{other}"))
        else:
            found.append(ConfigProblem(key, _said(detail), "correct the environment variable"))
    return found


def _file_problem(detail: ErrorDetails, model: type[BaseModel], newer: str | None) -> ConfigProblem:
    path = ".".join(map(str, detail["loc"]))
    if detail["type"] == "extra_forbidden":
        return ConfigProblem(path, "unknown key", _fix_unknown(detail["loc"], model, newer))
    if detail["type"] == "missing":
        return ConfigProblem(path, "is missing", "add it")
    return ConfigProblem(path, _said(detail), f"correct it (it is {_kind(detail['input'])} now)")


def _said(detail: ErrorDetails) -> str:
    text = detail["msg"].removeprefix("Value error, ")
    return text[:1].lower() + text[1:]


def _kind(value: Any) -> str:
    names = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", list: "an array"}
    return names.get(type(value), "a table" if isinstance(value, Mapping) else "missing")


def _fix_unknown(loc: Sequence[int | str], model: type[BaseModel], newer: str | None) -> str:
    if newer is not None:
        return newer
    *parents, key = loc
    owner = _model_at(model, parents)
    known = sorted(_keys(owner)) if owner is not None else []
    moved = _scope_that_knows(owner, str(key)) if owner is not None else None
    if moved is not None:
        return f"move it to [{'.'.join(map(str, parents))}.{moved}]"
    close = difflib.get_close_matches(str(key), known, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"remove it; known keys here: {', '.join(known)}"


def _keys(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield field.alias or name


def _scope_that_knows(model: type[BaseModel], key: str) -> str | None:
    """Name the sub-table of a channel (`bot`) in which a misplaced credential belongs."""
    for name, field in model.model_fields.items():
        inner = _model_in(field.annotation)
        if key.endswith("_env") and inner is not None and key in _keys(inner):
            return name
    return None


def _model_at(model: type[BaseModel], parents: Sequence[int | str]) -> type[BaseModel] | None:
    current: type[BaseModel] | None = model
    for part in parents:
        if isinstance(part, int) or current is None:
            continue
        field = next((f for n, f in current.model_fields.items() if part in (n, f.alias)), None)
        current = _model_in(field.annotation) if field is not None else None
    return current


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_model_in(argument) for argument in get_args(annotation))
    return next((model for model in inner if model is not None), None)
