"""The tools a session may call: they look things up or record, and do nothing else (D12, SWB-03).

Invariant: the decision of a session is its ledger of accepted calls, never its exit code or its words. A call that
the closed schema or the tool itself refuses leaves no trace in the ledger, and no call is accepted after the session
has ended. What the ledger holds can be stored, whatever a model wrote.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import jsonschema

from butler_contracts.errors import OverloadRejected, ValidationFailed
from butler_contracts.text import storable

__all__ = ["SessionTool", "Take", "ToolBelt", "ToolCall"]

_SHOWN = 200

Take = Callable[[Mapping[str, Any]], Awaitable[str]]
"""Handles arguments that a tool's schema accepts, and returns the text that the session reads. Raises
`ValidationFailed` for arguments that it refuses."""


@dataclass(frozen=True)
class SessionTool:
    """A tool as a session sees it; `schema` is a closed JSON Schema of an object (`additionalProperties:
    false`).

    Without `take` a call is only recorded. A call of a tool that `ends` is the session's last; where `last` names a
    boolean argument, so is a call that sets it. A tool that `acts` does something outside that cannot be undone.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    take: Take | None = None
    ends: bool = False
    last: str | None = None
    acts: bool = False

    def __post_init__(self) -> None:
        if self.schema.get("type") != "object" or self.schema.get("additionalProperties") is not False:
            raise ValueError(
                f"the schema of {self.name} has to be a closed object: additionalProperties false"
            )
        jsonschema.Draft202012Validator.check_schema(self.schema)


@dataclass(frozen=True)
class ToolCall:
    """One accepted call, in order of arrival."""

    tool: str
    args: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the form kept in `sessions.tool_calls`."""
        return {"tool": self.tool, "args": dict(self.args)}


class ToolBelt:
    """The tools of exactly one session and the ledger of its calls; at most `max_calls` are accepted, and as many
    refused. `within` is the belt of the enclosing session."""

    def __init__(
        self, tools: Sequence[SessionTool] = (), *, max_calls: int = 16, within: ToolBelt | None = None
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools of one session share a name")
        self._validators = {
            tool.name: jsonschema.Draft202012Validator(tool.schema) for tool in self._tools.values()
        }
        self._max_calls = max_calls
        self._calls: list[ToolCall] = []
        self._refused = 0
        self._sealed = False
        self._acted = False
        self._within = within
        self._inner: list[ToolCall] = []

    @property
    def tools(self) -> tuple[SessionTool, ...]:
        """The tools, in the order given."""
        return tuple(self._tools.values())

    @property
    def ledger(self) -> tuple[ToolCall, ...]:
        """The accepted calls so far."""
        return tuple(self._calls)

    @property
    def every_call(self) -> tuple[ToolCall, ...]:
        """The accepted calls, a model's in sessions within this one first, then what was made of them."""
        return (*self._inner, *self._calls)

    @property
    def refused(self) -> int:
        """How many calls were refused."""
        return self._refused

    @property
    def binds(self) -> bool:
        """Whether the session has recorded or done something, so that it may not be started over."""
        return bool(self._calls) or self._acted

    def ends(self, tool: str) -> bool:
        """Return whether a call of that tool ends the session, whatever its arguments."""
        known = self._tools.get(tool)
        return known is not None and known.ends

    def is_last(self, tool: str, args: Mapping[str, Any] | None) -> bool:
        """Return whether such a call is the session's last."""
        known = self._tools.get(tool)
        if known is None:
            return False
        return known.ends or (known.last is not None and (args or {}).get(known.last) is True)

    def not_last(self, tool: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments without the mark of a last call; a tool that `ends` still ends the session."""
        last = self._tools[tool].last if tool in self._tools else None
        return {name: value for name, value in args.items() if name != last}

    @property
    def ended(self) -> bool:
        """Whether the last call was made."""
        return any(self.is_last(call.tool, call.args) for call in self._calls)

    async def call(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Record a call and return `{"status": "recorded"}`, the status in the tool's own words if it has any.

        Raises `ValidationFailed` (unknown tool, wrong arguments, session over, refused by the tool) or
        `OverloadRejected` (`max_calls`).
        """
        try:
            self._check(tool, args)
            kept = _kept(tool, args)
            said = await self._taken(self._tools[tool], args)
        except (ValidationFailed, OverloadRejected):
            self._refused += 1
            raise
        accepted = ToolCall(tool, MappingProxyType(kept))
        self._calls.append(accepted)
        if self._within is not None:
            self._within._inner.append(accepted)
        return {"status": said}

    def seal(self) -> None:
        """Accept no further call: the session is over, its ledger is final."""
        self._sealed = True

    async def _taken(self, tool: SessionTool, args: Mapping[str, Any]) -> str:
        if tool.acts:
            self._acts()
        if tool.take is None:
            return "recorded"
        said = await tool.take(args)
        self._check_open(tool.name)
        return said

    def _acts(self) -> None:
        self._acted = True
        if self._within is not None:
            self._within._acts()

    def _check_open(self, tool: str) -> None:
        if self._sealed:
            raise ValidationFailed(f"{tool[:_SHOWN]}: this session is over")
        if max(len(self._calls), self._refused) >= self._max_calls:
            raise OverloadRejected(
                f"{tool[:_SHOWN]}: a session may call at most {self._max_calls} tools", retryable=False
            )

    def _check(self, tool: str, args: Mapping[str, Any]) -> None:
        self._check_open(tool)
        validator = self._validators.get(tool)
        if validator is None:
            known = ", ".join(self._tools) or "none"
            raise ValidationFailed(f"no tool {tool[:_SHOWN]!r} in this session; its tools: {known}")
        problem = next(iter(validator.iter_errors(dict(args))), None)
        if problem is not None:
            path = ".".join(str(part) for part in problem.absolute_path) or "arguments"
            raise ValidationFailed(f"{tool}: {path}: {problem.message[:_SHOWN]}")


def _kept(tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as the ledger holds them: each NUL and half of a surrogate pair is replaced."""
    try:
        return {name: _storable(value) for name, value in args.items()}
    except (ValueError, RecursionError):
        raise ValidationFailed(f"{tool}: a number that is none, or data nested too deeply") from None


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(key): _storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("is no number")
    return value
