"""A session of a command line: what its door takes, how it ends, and what is left of it (SWB-03.7)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from butler_contracts.errors import ButlerError
from butler_kit.runtime import Ran, ToolBelt
from butler_kit.runtime.api import Endpoint, FaultKind, ModelFault, ModelMisled
from butler_kit.runtime.commandline import CommandLineFamily
from butler_kit.runtime.transcript import Recorder, Transcript
from tests.integration.kit.runtime.scripted import KEY, SAY, Place, a_job, said, scripted_place
from tests.support.command_lines import Scripted


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with scripted_place(tmp_path) as made:
        yield made


async def test_what_is_called_at_the_door_is_the_verdict(place: Place) -> None:
    script = """
call("say", what=tools())
print("I called nothing.")
call("say", what=sys.stdin.read())
"""
    ran, job = await place.run(script, a_job("pay the bill"))
    assert ran == Ran("scripted", "m")
    names, heard = said(job)
    assert names == ["say", "end", "part"]
    assert heard.endswith("\npay the bill")


async def test_words_and_exit_codes_are_no_verdict(place: Place) -> None:
    ran, job = await place.run('tools(); print("I say finance."); tell(tool="say", what="finance")')
    assert ran == Ran("scripted", "m")
    assert said(job) == []


async def test_a_refused_call_is_told_to_the_model_and_can_be_mended(place: Place) -> None:
    _, job = await place.run('call("say", what=call("say", whom=1))')
    [told] = said(job)
    assert told.startswith("refused: say: arguments: ")


async def test_a_session_that_ends_with_a_refused_call_is_misled(place: Place) -> None:
    with pytest.raises(ModelMisled) as misled:
        await place.run('call("say", what=1); call("say", whom=1)')
    assert misled.value.kind == "invalid_calls"


async def test_what_the_model_read_at_the_door_and_what_it_wrote_are_recorded(place: Place) -> None:
    script = """
tell(wrote="I look.")
call("say", what="x")
call("say", whom=1)
tell(wrote="I mend it.")
call("say", what="y")
print("no line of its model")
"""
    job = replace(a_job("pay the bill"), recorder=Recorder())
    await place.run(script, job)
    kept = job.recorder.transcript()
    assert kept is not None
    prompt, first, second, third = kept.prompt.split("\n\n")
    assert prompt == "What is to be worked on:\npay the bill"
    assert (first, third) == ("say:\nrecorded", "say:\nrecorded")
    assert second.startswith("say:\nrefused: say: arguments: ")
    assert kept.output == "I look.\n\nI mend it."
    assert "You route." not in kept.prompt


async def test_what_was_read_and_written_before_the_program_broke_off_is_recorded(place: Place) -> None:
    job = replace(a_job("pay the bill"), recorder=Recorder())
    with pytest.raises(ModelFault):
        await place.run('tools(); tell(wrote="I begin."); tell(amiss=500); sys.exit(1)', job)
    assert job.recorder.transcript() == Transcript("What is to be worked on:\npay the bill", "I begin.")


async def test_a_loop_of_calls_is_ended_at_the_cap_and_its_process_is_gone(place: Place) -> None:
    job = a_job(max_calls=5)
    with pytest.raises(ModelMisled) as misled:
        await place.run('while True: call("say", what=os.getpid())', job)
    assert misled.value.kind == "too_many_calls"
    assert len(said(job)) == 5
    assert not psutil.pid_exists(said(job)[0])


async def test_a_loop_of_turns_is_ended_at_their_bound(place: Place) -> None:
    script = """
while True:
    call("say", what=os.getpid())
    tell(took=[10, 2], more=True)
    time.sleep(0.05)
"""
    job = a_job()
    with pytest.raises(ModelMisled) as misled:
        await place.run(script, job, turns=3)
    assert misled.value.kind == "too_many_turns"
    assert 3 <= len(said(job)) <= 6
    assert not psutil.pid_exists(said(job)[0])


async def test_the_last_word_ends_the_session_though_its_program_goes_on(place: Place) -> None:
    script = """
call("end", what=os.getpid())
tell(took=[100, 10])
time.sleep(600)
"""
    _, job = await place.run(script)
    assert not psutil.pid_exists(said(job)[0])
    [spent] = place.ledger.spent
    assert (spent.input_tokens, spent.output_tokens) == (100, 10)


async def test_what_a_program_brings_after_the_last_word_of_its_answer_counts(place: Place) -> None:
    """Codex carries out the calls of one answer in any order."""
    _, job = await place.run('call("end", what="last"); call("say", what="beside it")')
    assert said(job) == ["last", "beside it"]


async def test_a_call_refused_beside_the_last_word_leaves_a_session_that_is_misled(place: Place) -> None:
    with pytest.raises(ModelMisled) as misled:
        await place.run('call("end", what="kept"); call("say", whom=1)')
    assert misled.value.kind == "invalid_calls"


async def test_a_program_whose_model_said_which_call_is_its_last_ends_by_itself(place: Place) -> None:
    """It may carry out the calls of one answer in any order, and ask once more."""
    _, job = await place.run('call("part", what="b", last=True); time.sleep(0.2); call("part", what="a")')
    assert (said(job), job.tools.ended) == (["b", "a"], True)


async def test_after_a_refused_call_none_is_the_last_until_it_is_said_again(place: Place) -> None:
    _, job = await place.run('call("say", whom=1); call("part", what="a", last=True)')
    [kept] = job.tools.ledger
    assert (dict(kept.args), job.tools.ended) == ({"what": "a"}, False)


async def test_there_is_one_last_word(place: Place) -> None:
    script = """
call("end", what="last")
call("say", what=call("end", what="really the last"))
"""
    _, job = await place.run(script)
    assert said(job) == ["last", "refused: the session has said its last word"]


async def test_the_last_word_after_a_refusal_counts_when_it_is_said_again(place: Place) -> None:
    script = """
call("say", whom=1)
told = call("end", what="too soon")
call("end", what=told)
"""
    _, job = await place.run(script)
    [told] = said(job)
    assert told.startswith("refused: a call before it was refused")


async def test_what_the_program_says_that_it_took_is_settled(place: Place) -> None:
    await place.run("tools(); tell(took=[100, 7]); tell(took=[50, 3])")
    [spent] = place.ledger.spent
    assert (spent.model, spent.input_tokens, spent.output_tokens) == ("m", 150, 10)


async def test_what_was_taken_before_a_fault_is_settled_and_of_a_fault_alone_nothing(place: Place) -> None:
    with pytest.raises(ModelFault):
        await place.run("tools(); tell(took=[100, 7]); tell(amiss=401); sys.exit(1)")
    with pytest.raises(ModelFault):
        await place.run("tools(); tell(amiss=401); sys.exit(1)")
    assert [(one.input_tokens, one.output_tokens) for one in place.ledger.spent] == [(100, 7), (0, 0)]


async def test_what_was_taken_before_a_session_is_given_up_is_settled(place: Place) -> None:
    job = a_job()
    script = 'tools(); tell(took=[100, 7]); call("say", what=1); time.sleep(600)'
    running = asyncio.create_task(place.run(script, job))
    async with asyncio.timeout(60):
        while not job.tools.ledger:
            await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    [spent] = place.ledger.spent
    assert (spent.input_tokens, spent.output_tokens) == (100, 7)


async def test_the_usual_model_is_asked_where_the_one_that_is_tried_gives_nothing(place: Place) -> None:
    job = replace(a_job(), model="new")
    script = """
if os.environ["MODEL"] == "new":
    tools(); tell(amiss=404); sys.exit(1)
call("say", what=os.environ["MODEL"])
"""
    ran, job = await place.run(script, job, tried="new")
    assert (ran, said(job)) == (Ran("scripted", "m"), ["m"])


async def test_a_tried_model_that_is_silent_leaves_the_usual_one_its_time(place: Place) -> None:
    job = replace(a_job(), model="new", deadline_s=6.0)
    script = """
if os.environ["MODEL"] == "new":
    tools(); time.sleep(600)
call("say", what=os.environ["MODEL"])
"""
    ran, job = await place.run(script, job, tried="new")
    assert (ran, said(job)) == (Ran("scripted", "m"), ["m"])


async def test_further_models_are_asked_in_their_order_until_one_answers_and_none_after_a_call(
    place: Place,
) -> None:
    script = """
if os.environ["MODEL"] in ("m", "n"):
    tools(); tell(amiss=529); sys.exit(1)
call("say", what=os.environ["MODEL"])
"""
    ran, job = await place.run(script, models=("m", "n", "o", "p"))
    assert (ran, said(job)) == (Ran("scripted", "o"), ["o"])
    called = """
call("say", what=os.environ["MODEL"]); tell(amiss=529); sys.exit(1)
"""
    job = a_job()
    with pytest.raises(ModelFault):
        await place.run(called, job, models=("m", "n"))
    assert said(job) == ["m"]


async def test_a_door_whose_server_has_ended_is_opened_anew(place: Place) -> None:
    await place.run('call("say", what=1)')
    await place.doors._server.close()
    _, job = await place.run('call("say", what=2)')
    assert said(job) == [2]


async def test_a_session_given_up_while_the_door_is_opened_leaves_no_server(place: Place) -> None:
    opening = asyncio.create_task(place.run('call("say", what=1)'))
    await asyncio.sleep(0)
    for _ in range(200):
        opening.cancel()
        await asyncio.sleep(0.001)
        if opening.done():
            break
    with pytest.raises(asyncio.CancelledError):
        await opening
    await place.doors.aclose()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "session-door"]


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("tools(); tell(amiss=401); sys.exit(1)", FaultKind.UNAUTHORIZED),
        ("tools(); tell(amiss=404); sys.exit(1)", FaultKind.MODEL_NOT_FOUND),
        ("tools(); tell(amiss=429); sys.exit(1)", FaultKind.RATE_LIMITED),
        ("tools(); tell(amiss=500)", FaultKind.SERVER_ERROR),
        ("tools(); tell(amiss=None); sys.exit(1)", FaultKind.NO_ANSWER),
        ("sys.exit(2)", FaultKind.PROGRAM_FAILED),
        ("call('say', what=1); sys.exit(3)", FaultKind.PROGRAM_FAILED),
        ("print('{\"type\": ')", FaultKind.PROGRAM_FAILED),
    ],
)
async def test_a_model_that_cannot_be_had_is_a_fault_by_its_kind(
    place: Place, script: str, kind: FaultKind
) -> None:
    with pytest.raises(ModelFault) as fault:
        await place.run(script)
    assert fault.value.kind is kind


async def test_neither_condition_nor_log_repeats_the_key_the_token_or_the_message(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    script = f"""
tell(amiss=401, words=sys.stdin.read())
sys.stderr.write("no way with {KEY} and " + TOKEN)
sys.exit(1)
"""
    with pytest.raises(ModelFault) as fault:
        await place.run(script, a_job("a very private message"))
    logged = caplog.text + fault.value.message
    assert "no way with … and …" in logged
    assert KEY not in logged
    assert "private" not in logged


@pytest.mark.parametrize("lines", ["'x' * 200_000", "('y' * 900 + chr(10)) * 300"])
async def test_output_without_end_ends_the_session(place: Place, lines: str) -> None:
    with pytest.raises(ButlerError, match="bytes"):
        await place.run(f"tools(); sys.stdout.write({lines}); sys.stdout.flush(); time.sleep(600)")


async def test_cancelling_leaves_no_process(place: Place) -> None:
    job = a_job()
    script = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
call("say", what=[os.getpid(), child.pid])
time.sleep(600)
"""
    running = asyncio.create_task(place.run(script, job))
    async with asyncio.timeout(60):
        while not job.tools.ledger:
            await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    for pid in said(job)[0]:
        assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


async def test_a_missing_program_or_key_is_known_before_anything_is_started(place: Place) -> None:
    with pytest.raises(ModelFault) as missing:
        CommandLineFamily(
            Scripted(""), Endpoint("openai", ("m",), "http://127.0.0.1:9"), place.doors, lambda _: None
        ).check()
    assert missing.value.kind is FaultKind.NOT_INSTALLED
    assert "is not installed here" in missing.value.message
    with pytest.raises(ModelFault) as keyless:
        await place.run("", key=None)
    assert keyless.value.kind is FaultKind.NO_KEY
    assert place.ledger.spent == []


class Knocking:
    """Somebody on this machine who is not the session's program."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def post(self, token: str, **more: Any) -> httpx.Response:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        body = json.dumps(call | {"params": {"name": "say", "arguments": {"what": "mine"}}})
        headers = {
            "Authorization": f"Bearer {token}",
            "content-type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        async with httpx.AsyncClient(timeout=30) as client:
            return await client.post(
                more.pop("url", self.url), content=more.pop("body", body), headers=headers | more
            )


async def test_a_door_opens_to_its_own_token_while_its_session_runs(place: Place) -> None:
    mine, other = ToolBelt([SAY]), ToolBelt([SAY])
    async with place.doors.opened(mine) as (_, url, token), place.doors.opened(other) as (_, _, second):
        door = Knocking(url)
        assert token != second
        for wrong in ("x", token[:-1], f"{token}A", token.swapcase()):
            assert (await door.post(wrong)).status_code == 401
        assert (await door.post(token)).status_code == 200
        assert (len(mine.ledger), len(other.ledger)) == (1, 0)
        assert (await door.post(second)).status_code == 200
        assert (len(mine.ledger), len(other.ledger)) == (1, 1)
    assert (await door.post(token)).status_code == 401
    assert len(mine.ledger) == 1


async def test_a_door_listens_on_loopback_to_json_of_bounded_size_for_its_own_name(place: Place) -> None:
    belt = ToolBelt([SAY])
    async with place.doors.opened(belt) as (_, url, token):
        door = Knocking(url)
        assert url.startswith("http://127.0.0.1:")
        port = int(url.split(":")[2].split("/")[0])
        listening = [
            one.laddr.ip
            for one in psutil.Process().net_connections("inet")
            if one.status == psutil.CONN_LISTEN and one.laddr.port == port
        ]
        assert listening == ["127.0.0.1"]
        assert (await door.post(token, host="evil.example")).status_code == 421
        assert (await door.post(token, **{"content-type": "text/plain"})).status_code == 400
        assert (await door.post(token, url=url.replace("/mcp", "/sse"))).status_code == 404
        async with httpx.AsyncClient() as client:
            assert (await client.get(url, headers={"Authorization": f"Bearer {token}"})).status_code == 405
        huge = '{"jsonrpc": "2.0", "id": 1, "method": "' + "x" * 2_000_000 + '"}'
        assert (await door.post(token, body=huge)).status_code == 413
    assert belt.ledger == ()
