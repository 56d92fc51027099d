"""Butlers whose sessions are programs, killed at each step and in the middle of one: answered once, no program left.

The steps are those points of `rounds` that a chat's message passes at Switchboard and at the butler that answers it, in
sets: a butler that dies three times within two minutes counts as one in a crash loop, so each set has a household.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
import yaml

from butler_kit.faults import points
from butler_kit.runtime.commandline import COMMAND_LINES
from tests.faults.household import RECOVERED_S, Field, environment_of, faulty_household
from tests.faults.kills.rounds import OWN_TEST, SPECIALIST, SWITCHBOARD
from tests.faults.ledger import LEDGER
from tests.support.chats import Chats
from tests.support.command_lines import needs, path_with_programs
from tests.support.household import until
from tests.support.model_api import BEHAVIOURS, Answer, Asked, ModelServer
from tests.support.telegram_api import message_update, person

ADA = person(1001, "Ada")
AT_A_SESSION: Final = (points.ROUTE_DECIDED, points.SESSION_ENDED, points.OUTCOME_COMMITTED)
"""Around a program's session; with these each butler is killed in the middle of one too."""
PASSED: Final = tuple(
    point
    for pair in zip_longest(SWITCHBOARD, SPECIALIST)
    for point in pair
    if point is not None and not point.endswith("@email") and point not in AT_A_SESSION
)
"""The others that a message of a chat passes, in turn at both butlers."""
SETS: Final = (AT_A_SESSION, *(PASSED[place : place + 3] for place in range(0, len(PASSED), 3)))
THINKING: Final = {"switchboard": "route_to_butler", "finance": "record_add"}
"""Who has a program run, and the tool by which its sessions are known."""


def families() -> list[Any]:
    """Codex with every run of the tests, the others with the long ones."""
    return [
        pytest.param(name, marks=[needs(name), *([] if name == "codex" else [pytest.mark.faults_full])])
        for name in COMMAND_LINES
    ]


def sets() -> list[Any]:
    """Codex around its sessions with every run of the tests, the rest with the long ones."""
    return [
        pytest.param(
            name,
            killed_at,
            id=f"{name}-{number}",
            marks=[needs(name), *([] if (name, number) == ("codex", 0) else [pytest.mark.faults_full])],
        )
        for name in COMMAND_LINES
        for number, killed_at in enumerate(SETS)
    ]


def thinks_with(family: str, model: ModelServer, **more: Any) -> Callable[[Path], None]:
    """Changes the demo's manifests: these two think with the program, and nothing stands in for it unless said."""

    def write(manifests: Path) -> None:
        file = manifests / "butlers.yaml"
        documents = [one for one in yaml.safe_load_all(file.read_text("utf-8")) if one]
        for one in documents:
            if one["metadata"]["name"] in THINKING:
                base = model.base_url(COMMAND_LINES[family].provider)
                one["spec"]["runtime"] = {"family": family, "baseUrl": base, "model": "stub", **more}
        file.write_text(yaml.safe_dump_all(documents, allow_unicode=True), encoding="utf-8")

    return write


def once(asked: Asked) -> Answer:
    """Routes by a word and keeps a sum; a program asks once more after that."""
    return Answer("done") if asked.results else BEHAVIOURS["keywords"](asked)


def kills_its_asker(field: Field, name: str) -> Callable[[Asked], Answer]:
    """A model that kills that butler in the middle of its first session, and then answers as ever."""
    victims = [field.pid(name)]

    def behave(asked: Asked) -> Answer:
        if victims and any(tool["name"] == THINKING[name] for tool in asked.tools):
            pid = victims.pop()
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            LEDGER.kills += 1
        return once(asked)

    return behave


def programs() -> list[psutil.Process]:
    """Command lines that run on this machine for the model of these tests."""
    names = {line.program for line in COMMAND_LINES.values()}
    return [one for one in psutil.process_iter(["name"]) if one.info["name"] in names]


async def answered(field: Field, chats: Chats, euros: int) -> None:
    """The next answer is that sum's, and there is no second one."""
    LEDGER.messages += 1
    said = str((await chats.next())["text"])
    assert f"Noted: {euros} EUR" in said


def writes(field: Field, euros: int) -> None:
    field.running.providers.telegram.inject(message_update(ADA, text=f"I paid {euros} EUR for gas"))


async def killed_in_mid_session(field: Field, chats: Chats, model: ModelServer) -> None:
    """Each butler that thinks dies once while its model is asked."""
    for euros, name in enumerate(THINKING, 60):
        await field.whole()
        model.behaviour = kills_its_asker(field, name)
        writes(field, euros)
        await answered(field, chats, euros)


async def killed_at_each(field: Field, chats: Chats, killed_at: tuple[str, ...]) -> None:
    """One message for each point, which is reached before the next one is written."""
    for euros, point in enumerate(killed_at, 40):
        await field.whole()
        field.armed.arm([point])
        writes(field, euros)
        await field.armed.all_taken()
        await answered(field, chats, euros)


def test_every_point_that_a_routed_message_passes_at_its_butlers_is_killed_at() -> None:
    killed_at = {name.partition("@")[0] for one in SETS for name in one}
    of_butlers = ("switchboard.", "specialist.", "queue.")
    assert killed_at == {one.name for one in points.POINTS if one.name.startswith(of_butlers)} - set(OWN_TEST)
    assert {len(one) for one in SETS} <= {1, 2, 3}


@pytest.mark.parametrize(("family", "killed_at"), sets())
@pytest.mark.spec("SWB-03.7")
async def test_a_kill_at_any_step_of_a_programs_session_loses_nothing_and_routes_nothing_twice(
    tmp_path: Path, family: str, killed_at: tuple[str, ...]
) -> None:
    in_session = killed_at == AT_A_SESSION
    with environment_of("PATH", path_with_programs(os.environ["PATH"])):
        async with ModelServer(once) as model:
            async with faulty_household(tmp_path, prepare=thinks_with(family, model)) as field:
                chats = Chats(field.running.providers.telegram)
                if in_session:
                    await killed_in_mid_session(field, chats, model)
                await killed_at_each(field, chats, killed_at)
                await field.whole()
                messages = len(killed_at) + (len(THINKING) if in_session else 0)
                await all_ended(field, messages)
                await once_each(field, messages)
            await until(nothing_runs, what="no program runs any more")


@pytest.mark.parametrize("family", families())
@pytest.mark.spec("SWB-03.7")
async def test_a_looping_model_is_stopped_and_rules_stand_in_for_one_that_refuses_the_key(
    tmp_path: Path, family: str
) -> None:
    with environment_of("PATH", path_with_programs(os.environ["PATH"])):
        async with ModelServer(once) as model:
            prepare = thinks_with(family, model, maxToolCalls=3, maxTurns=6, fallback="rules")
            async with faulty_household(tmp_path, prepare=prepare) as field:
                chats = Chats(field.running.providers.telegram)
                await field.whole()
                model.behaviour = "endless"
                writes(field, 40)
                assert str((await chats.next())["text"]).startswith("[general]")
                await until(nothing_runs, what="the looping program's end")
                model.behaviour = "401"
                writes(field, 41)
                assert "Noted: 41.00 EUR" in str((await chats.next())["text"])
                plans = await field.running.rows(
                    "SELECT reason FROM switchboard.route_plan ORDER BY committed_at"
                )
            await until(nothing_runs, what="no program runs any more")
    looped, refused = [one["reason"] for one in plans]
    assert looped in ("classification_failed:too_many_calls", "classification_failed:too_many_turns")
    assert refused == "routed:model_unauthorized"


async def nothing_runs() -> bool:
    return not programs()


async def all_ended(field: Field, messages: int) -> None:
    """Wait until every message has come to its end and nobody works on any: a second answer would be there."""
    inbox, works = "switchboard.message_inbox", ("switchboard.inbox_work", "finance.route_work")
    ended = f"(SELECT count(*) FROM {inbox} WHERE final_state_at IS NOT NULL)"
    busy = " + ".join(f"(SELECT count(*) FROM {work})" for work in works)

    async def quiet() -> bool:
        [row] = await field.running.rows(f"SELECT {ended} AS ended, {busy} AS busy")
        return (row["ended"], row["busy"]) == (messages, 0)

    await until(quiet, what="every message has come to its end", deadline_s=RECOVERED_S)


async def once_each(field: Field, messages: int) -> None:
    """One plan and one expense a message, and as many answers."""
    plans = await field.running.rows("SELECT family, reason FROM switchboard.route_plan")
    assert [one["reason"] for one in plans] == ["routed"] * messages
    assert "rules" not in {one["family"] for one in plans}
    kept = await field.running.rows("SELECT amount FROM finance.records WHERE withdrawn_at IS NULL")
    assert len({one["amount"] for one in kept}) == len(kept) == messages
    sent = field.running.providers.telegram.sent
    assert len([one for one in sent if "Noted: " in one["text"]]) == messages
