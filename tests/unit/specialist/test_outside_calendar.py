"""The calendar as a model's tool server: what is refused, and what may have been done although no answer came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from butler_contracts.errors import ButlerError, InternalFailure, TimedOut, ValidationFailed
from butler_kit.calendar.port import misconfigured, refused, unreachable
from butler_kit.mcp import ToolError
from butler_specialist.outside.calendar import CalendarServer
from butler_specialist.outside.model import ServerFault

EVENT = "6f1d1a52-0000-5000-8000-00000000000a"
PERIOD = {"start": "2026-12-01T10:00:00Z", "end": "2026-12-01T11:00:00Z"}
WRITES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("create", {"title": "Dentist", **PERIOD}),
    ("move", {"event_id": EVENT, **PERIOD}),
    ("delete", {"event_id": EVENT}),
)


@dataclass
class Fails:
    """A Switchboard that answers every call with `error`; None: in words without a class."""

    error: ButlerError | None

    async def call(
        self, tool: str, args: dict[str, Any], *, timeout_s: float | None = None
    ) -> dict[str, Any]:
        raise ToolError(tool, "it failed", self.error.to_detail() if self.error is not None else None)


def server(error: ButlerError | None) -> CalendarServer:
    return CalendarServer(Fails(error), lambda: "Europe/Berlin")


@pytest.mark.parametrize(("tool", "args"), WRITES)
@pytest.mark.parametrize(
    "error",
    [
        unreachable("calendar.example gave no answer in time"),
        TimedOut("messenger gave no answer in time"),
        InternalFailure("messenger failed without saying why"),
        None,
    ],
)
async def test_a_write_without_an_answer_may_have_been_done(
    tool: str, args: dict[str, Any], error: ButlerError | None
) -> None:
    with pytest.raises(ServerFault) as fault:
        await server(error).call(tool, args)
    assert fault.value.sent is True


@pytest.mark.parametrize(("tool", "args"), WRITES)
@pytest.mark.parametrize(
    "error",
    [refused("its server answers HTTP 415"), misconfigured("the secret is refused"), ValidationFailed("no")],
)
async def test_a_refused_write_was_not_done(tool: str, args: dict[str, Any], error: ButlerError) -> None:
    said = await server(error).call(tool, args)
    assert (said.refused, said.text) == (True, error.message)


@pytest.mark.parametrize("tool", ["list", "freebusy"])
async def test_a_read_without_an_answer_changed_nothing(tool: str) -> None:
    said = await server(unreachable("calendar.example gave no answer in time")).call(tool, PERIOD)
    assert said.refused
