"""What is wrong with an envelope, field by field: the path, the problem, what was expected.

Invariant: a problem shows at most a short excerpt of the value, never the whole of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from butler_contracts.bounded_json import JsonFault, child_path
from butler_contracts.errors import ValidationFailed
from butler_contracts.text import excerpt

ROOT: Final = "$"
SHOWN_MAX: Final = 8
KEPT_MAX: Final = 50
_SHOULD: Final = re.compile(r"^.{0,20}? should (be )?(have )?")


@dataclass(frozen=True)
class FieldProblem:
    """One refused field; the root of the envelope is `$`."""

    path: str
    problem: str
    expected: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}; expected {self.expected}"

    @classmethod
    def of_fault(cls, fault: JsonFault) -> FieldProblem:
        return cls(fault.path or ROOT, fault.problem, fault.expected)


class ContractViolation(ValidationFailed):
    """An envelope was refused; `problems` says where and why, the message says it in one line."""

    def __init__(self, envelope: str, problems: tuple[FieldProblem, ...]) -> None:
        kept = problems[:KEPT_MAX]
        shown = " | ".join(str(problem) for problem in kept[:SHOWN_MAX])
        more = f" | and {len(problems) - SHOWN_MAX} more" if len(problems) > SHOWN_MAX else ""
        fields = [{"path": item.path, "problem": item.problem, "expected": item.expected} for item in kept]
        super().__init__(f"{envelope} refused: {shown}{more}", details={"problems": fields})
        self.envelope = envelope
        self.problems = kept


def problems_of(error: ValidationError) -> tuple[FieldProblem, ...]:
    """The problems of a pydantic error, in its order."""
    found = error.errors(include_url=False)[: KEPT_MAX + 1]
    return tuple(_problem(dict(item)) for item in found)


def _problem(item: dict[str, Any]) -> FieldProblem:
    context: dict[str, Any] = item.get("ctx") or {}
    path = _path(item["loc"], context.get("path", ""))
    if "problem" in context:
        return FieldProblem(path, context["problem"], context["expected"])
    if item["type"] == "missing":
        return FieldProblem(path, "is missing", "a value: the field is required")
    if item["type"] == "extra_forbidden":
        return FieldProblem(path, "is not a known field", "only fields of this version")
    return FieldProblem(path, _describe(item), excerpt(_SHOULD.sub("", item["msg"], count=1), limit=200))


def _path(location: tuple[int | str, ...], below: str) -> str:
    path = ""
    for key in location:
        path = path if key == "[key]" else child_path(path, key)
    if below:
        path = f"{path}{below}" if below.startswith("[") or not path else f"{path}.{below}"
    return path or ROOT


def _describe(item: dict[str, Any]) -> str:
    value = item["input"]
    if item["type"] in {"string_too_long", "string_too_short"}:
        return f"has {len(value)} characters"
    if item["type"] in {"too_long", "too_short"}:
        return f"has {len(value)} items"
    if isinstance(value, str):
        return f"is '{excerpt(value)}'"
    if value is None:
        return "is null"
    if isinstance(value, bool):
        return f"is {str(value).lower()}"
    if isinstance(value, int | float):
        return f"is {excerpt(value)}"
    return (
        "is an object"
        if isinstance(value, dict)
        else "is a list"
        if isinstance(value, list | tuple)
        else "is unreadable"
    )
