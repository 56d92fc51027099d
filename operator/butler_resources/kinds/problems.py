"""Turns a model's refusal into lines that a person can act on: where, what was expected, what was meant.

Invariant: a line never repeats a value from the input, because the value may be a secret in the wrong place; a known
word that is near it may be named.
"""

from __future__ import annotations

import difflib
import inspect
import re
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from pydantic import BaseModel, RootModel, ValidationError

__all__ = ["ManifestError", "Problem", "did_you_mean", "problems_of"]

TYPE_NAMES: Final = {
    "string_type": "expected text",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "bool_type": "expected true or false",
    "tuple_type": "expected a list",
    "model_type": "expected a block of keys",
    "model_attributes_type": "expected a block of keys",
    "dict_type": "expected a block of keys",
    "missing": "is missing",
}

_NAMED: Final = "expected small letters, digits and hyphens, such as my-butler"
_FORMS: Final = {
    r"^https?://[^\s/?#@]": "expected an address such as https://host/path, without a user, a ? or a #",
    r"^https?://": "expected an address such as https://host/path, without a ? or a #",
    r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$": _NAMED,
    r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$": _NAMED,
    r"\S": "expected some words",
}
"""Forms by how their patterns begin."""
_IN_QUOTES: Final = "put it in quotes, for YAML reads 7:30, 12, no and 2026-11-27 as something else"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: `where` is file and document, `path` the key inside it."""

    where: str
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.path}: {self.text}" if self.path else f"{self.where}: {self.text}"


class ManifestError(ValueError):
    """The manifests cannot be used; `problems` says why, one line each."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown `word`: the nearest known one, else all of them."""
    names = sorted(known)
    by_folded = {name.casefold().replace("_", ""): name for name in names}
    near = difflib.get_close_matches(word.casefold().replace("_", ""), list(by_folded), n=1, cutoff=0.6)
    return f"did you mean {by_folded[near[0]]}?" if near else f"expected one of: {', '.join(names)}"


def problems_of(error: ValidationError, *, model: type[BaseModel], where: str) -> list[Problem]:
    """One `Problem` for each thing that `model` refused in the document at `where`."""
    found = error.errors(include_url=False)
    return [
        Problem(where, _path_text(detail["loc"]), _text(detail, model))
        for detail in found
        if not (detail["type"] == "too_short" and _holds_another(detail["loc"], found))
    ]


def _holds_another(loc: tuple[int | str, ...], found: Sequence[Any]) -> bool:
    """Whether an entry of the list is wrong itself: then it has one entry too few only without that."""
    return any(len(other["loc"]) > len(loc) and other["loc"][: len(loc)] == loc for other in found)


def _path_text(loc: tuple[int | str, ...]) -> str:
    parts = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return parts.removeprefix(".")


def _text(detail: Any, model: type[BaseModel]) -> str:
    kind, loc = detail["type"], detail["loc"]
    if kind == "extra_forbidden":
        holder = _model_at(model, loc[:-1])
        known = [field.alias or name for name, field in holder.model_fields.items()] if holder else []
        return f"unknown key; {did_you_mean(str(loc[-1]), known)}"
    if kind == "value_error":
        return str(detail["msg"]).removeprefix("Value error, ")
    if kind == "literal_error":
        return _one_of(re.findall("'([^']*)'", detail["ctx"]["expected"]), detail["input"])
    if kind == "string_type" and isinstance(detail["input"], bool | int | float | date):
        return f"{TYPE_NAMES[kind]}; {_IN_QUOTES}"
    if kind == "string_pattern_mismatch":
        return _form(detail["ctx"]["pattern"])
    if kind in ("too_short", "too_long"):
        return _too_many_or_few(kind, detail["ctx"])
    return TYPE_NAMES.get(kind, _lower_first(str(detail["msg"]).replace("Input should", "expected it to")))


def _too_many_or_few(kind: str, limits: Any) -> str:
    few = kind == "too_short"
    count = limits["min_length" if few else "max_length"]
    return f"expected {'at least' if few else 'at most'} {count} {'entry' if count == 1 else 'entries'}"


def _form(pattern: str) -> str:
    """A form in words where people often miss it; else as it is written."""
    for beginning, said in _FORMS.items():
        if pattern.startswith(beginning):
            return said
    return f"does not have the form {pattern}"


def _one_of(known: list[str], given: object) -> str:
    near = difflib.get_close_matches(given, known, n=1) if isinstance(given, str) else []
    return f"expected one of: {', '.join(known)}{f'; did you mean {near[0]}?' if near else ''}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _model_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> type[BaseModel] | None:
    """The model that holds the keys at `loc`, following aliases, optionals and lists."""
    current: type[BaseModel] | None = model
    for part in loc:
        if current is None:
            return None
        if isinstance(part, int):
            if issubclass(current, RootModel):
                current = _model_in(current.model_fields["root"].annotation)
            continue
        fields = (field for name, field in current.model_fields.items() if (field.alias or name) == part)
        field = next(fields, None)
        current = _model_in(field.annotation) if field else None
    return current


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(argument) for argument in typing.get_args(annotation))
    return next((model for model in found if model is not None), None)
