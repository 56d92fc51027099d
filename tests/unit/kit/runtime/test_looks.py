"""What a regular look at a model's server, or at a program, says of a fault that a question found (D28)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from butler_kit.runtime.api import Endpoint, FaultKind, ModelFault
from butler_kit.runtime.api.look import Look, unlisted
from butler_kit.runtime.api.models import Models
from butler_kit.runtime.commandline import CommandLineFamily
from butler_kit.runtime.commandline.look import ProgramLook
from butler_kit.runtime.standing import RuntimeStanding
from butler_kit.time import ManualClock

PASSING = (
    FaultKind.RATE_LIMITED,
    FaultKind.SERVER_ERROR,
    FaultKind.UNREADABLE,
    FaultKind.NO_ANSWER,
)
LASTING = (FaultKind.MODEL_NOT_FOUND, FaultKind.REFUSED, FaultKind.UNAUTHORIZED)


class Server:
    """A model's server that answers a look, or fails it by `fault`."""

    def __init__(self) -> None:
        self.fault: ModelFault | None = None
        self.listed: frozenset[str] | None = None

    async def opened(self) -> Server:
        return self

    async def look(self) -> frozenset[str] | None:
        if self.fault is not None:
            raise self.fault
        return self.listed


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, 9, tzinfo=UTC))


@pytest.fixture
def standing(clock: ManualClock) -> RuntimeStanding:
    return RuntimeStanding("api", None, clock)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def look(server: Server, standing: RuntimeStanding) -> Look:
    endpoint = Endpoint("openai", ("m",), "http://127.0.0.1:1/v1", None)
    return Look(endpoint, cast(Models, server), standing)


def kind_of(standing: RuntimeStanding) -> str | None:
    return standing.fault.kind if standing.fault is not None else None


def met(kind: FaultKind) -> ModelFault:
    return ModelFault(kind, "as a question met it")


@pytest.mark.parametrize("kind", PASSING)
async def test_a_fault_that_passes_is_over_when_the_server_is_there_and_nobody_met_it_for_two_minutes(
    look: Look, standing: RuntimeStanding, clock: ManualClock, kind: FaultKind
) -> None:
    standing.failed(met(kind))
    clock.advance(119)
    await look.look()
    assert kind_of(standing) == kind
    standing.failed(met(kind))
    clock.advance(119)
    await look.look()
    assert kind_of(standing) == kind
    clock.advance(1)
    await look.look()
    assert kind_of(standing) is None


@pytest.mark.parametrize("kind", LASTING)
async def test_a_fault_of_the_key_or_the_question_stays_until_a_question_is_answered(
    look: Look, standing: RuntimeStanding, clock: ManualClock, kind: FaultKind
) -> None:
    standing.failed(met(kind))
    clock.advance(3600)
    await look.look()
    assert kind_of(standing) == kind


async def test_a_key_that_the_server_refuses_to_a_look_is_mended_by_a_look(
    look: Look, server: Server, standing: RuntimeStanding
) -> None:
    standing.failed(met(FaultKind.UNAUTHORIZED))
    server.fault = met(FaultKind.UNAUTHORIZED)
    await look.look()
    server.fault = None
    await look.look()
    assert kind_of(standing) is None
    # The next one is a question's, and this server lists its models to anybody.
    standing.failed(met(FaultKind.UNAUTHORIZED))
    await look.look()
    assert kind_of(standing) == "unauthorized"


async def test_a_server_that_is_reached_again_is_there(look: Look, standing: RuntimeStanding) -> None:
    standing.failed(met(FaultKind.UNREACHABLE))
    await look.look()
    assert kind_of(standing) is None


@pytest.mark.parametrize(
    ("listed", "missing"),
    [
        ({"qwen3", "tiny"}, ()),
        ({"Qwen3:latest", "tiny-20260301"}, ()),
        ({"qwen3:8b"}, ("tiny",)),
        ({"qwen", "tinyllama"}, ("qwen3", "tiny")),
    ],
)
def test_a_name_with_a_tag_or_a_date_after_it_is_the_model(
    listed: set[str], missing: tuple[str, ...]
) -> None:
    assert unlisted({"tiny", "qwen3"}, listed) == missing


async def test_a_model_that_the_server_does_not_list_is_noted_before_a_message_needs_it_and_is_no_fault(
    look: Look, server: Server, standing: RuntimeStanding
) -> None:
    server.listed = frozenset({"other"})
    standing.changed.clear()
    await look.look()
    assert standing.fault is None
    assert standing.note is not None
    assert "127.0.0.1:1 does not list m among its models; check spec.runtime.model" in standing.note
    assert (standing.changed.is_set(), standing.to_wire()["note"]) == (True, standing.note)
    server.listed = frozenset({"other", "m:latest"})
    await look.look()
    assert standing.note is None


async def test_a_model_that_answers_is_not_noted_whatever_its_server_lists(
    look: Look, server: Server, standing: RuntimeStanding
) -> None:
    server.listed = frozenset({"other"})
    standing.answered.add("m")
    await look.look()
    assert standing.note is None


async def test_a_list_that_cannot_be_read_says_nothing(look: Look, standing: RuntimeStanding) -> None:
    await look.look()
    assert (standing.note, standing.fault) == (None, None)


class Program:
    """A command line that is installed."""

    def check(self) -> None:
        pass


def test_of_a_program_a_passing_fault_is_over_after_two_quiet_minutes_and_a_refused_key_is_not(
    standing: RuntimeStanding, clock: ManualClock
) -> None:
    look = ProgramLook(cast(CommandLineFamily, cast(Any, Program())), standing)
    for kind, told in ((FaultKind.RATE_LIMITED, None), (FaultKind.UNAUTHORIZED, "unauthorized")):
        standing.failed(met(kind))
        clock.advance(119)
        look.look()
        assert kind_of(standing) == kind
        clock.advance(1)
        look.look()
        assert kind_of(standing) == told
