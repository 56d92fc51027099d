"""The command line: exit codes, one readable line per error, nothing started on a bad household."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from rich.console import Console

from butler_cli.local.child_state import ChildState
from butler_cli.local.keys import ensure_keys
from butler_cli.local.notes import notes_of
from butler_cli.local.state import StateDir, SupervisorLock
from butler_cli.local.status import Phase, PlaceStatus, write_status
from butler_cli.main import VERBS, cli, run
from butler_cli.program import VerbTable
from butler_cli.verbs.status import shown
from butler_kit.auth.signer import audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.time import SystemClock
from butler_resources.kinds import load_manifests

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    return StateDir.at(tmp_path / "state")


@pytest.fixture
def with_keys(state: StateDir) -> StateDir:
    state.create()
    ensure_keys(state)
    return state


def errors(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_help_names_every_verb_with_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    listed = capsys.readouterr().out
    context = click.Context(cli)
    for verb in VERBS:
        command = cli.get_command(context, verb)
        assert command is not None
        assert f"  {verb} " in listed
        assert command.get_short_help_str()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["send", "hi"], "butlers: Missing option '--channel'. Choose from: api, telegram, email"),
        (["xyzzy"], "butlers: No such command 'xyzzy'. See `butlers --help`."),
        (["stauts"], "butlers: No such command 'stauts'; did you mean status? See `butlers --help`."),
        (["up"], "butlers: Missing option '-f'. See `butlers up --help`."),
        (
            ["up", "-f", "x", "--port-base", "70000"],
            "is not in the range 0<=x<=65000. See `butlers up --help`.",
        ),
        (["token", "--role", "butler"], "--role butler needs --name. See `butlers token --help`."),
        (["token", "--role", "connector"], "needs --connector-type and --endpoint."),
        (["status", "-w", "--json"], "--json prints one document; use it without -w."),
    ],
)
def test_a_mistyped_command_gets_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], line: str
) -> None:
    assert run(arguments) == 2
    (printed,) = errors(capsys)
    assert line in printed


def test_a_bad_household_starts_nothing_and_leaves_no_state(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, state: StateDir
) -> None:
    folder = tmp_path / "manifests"
    folder.mkdir()
    for path in (EXAMPLES / "demo").glob("*.yaml"):
        (folder / path.name).write_text(path.read_text().replace("profile: travel", "profil: travel"))
    assert run(["up", "-f", str(folder), "--state", str(state.root)]) == 1
    assert errors(capsys) == [
        f"butlers: {folder}/butlers.yaml: document 7: Butler travel: spec.profil: unknown key; "
        "did you mean profile?"
    ]
    assert not state.root.exists()


def test_missing_secrets_are_told_together_and_nothing_is_started(
    capsys: pytest.CaptureFixture[str], state: StateDir
) -> None:
    assert run(["up", "-f", str(EXAMPLES / "household"), "--state", str(state.root)]) == 1
    lines = errors(capsys)
    assert len(lines) == 4
    assert all(line.startswith("butlers: ") and " is missing; put its value into " in line for line in lines)
    assert not state.root.exists()


def test_up_on_a_household_that_is_up_says_so(capsys: pytest.CaptureFixture[str], state: StateDir) -> None:
    state.create()
    lock = SupervisorLock(state)
    try:
        assert run(["up", "-f", str(EXAMPLES / "demo"), "--state", str(state.root)]) == 1
        (line,) = errors(capsys)
        assert "is already up (process " in line
        assert "`butlers down` stops it" in line
    finally:
        lock.release()
    assert state.supervisor_pid() is None


def test_down_and_status_of_nothing_say_so(capsys: pytest.CaptureFixture[str], state: StateDir) -> None:
    assert run(["down", "--state", str(state.root)]) == 0
    assert capsys.readouterr().out == f"nothing is up in {state.root}\n"
    assert run(["status", "--state", str(state.root)]) == 1
    assert errors(capsys) == [
        f"butlers: nothing is up in {state.root}; start a household with `butlers up -f DIR`, "
        "or name another directory with --state DIR"
    ]
    assert run(["status", "--json", "--state", str(state.root)]) == 1
    assert json.loads(capsys.readouterr().out) == {"up": False, "state": str(state.root)}


@pytest.mark.parametrize("verb", [["status"], ["restart"], ["requests"]], ids=lambda verb: verb[0])
def test_a_household_that_was_killed_or_did_not_start_is_told_with_the_command_that_starts_it(
    capsys: pytest.CaptureFixture[str], state: StateDir, verb: list[str]
) -> None:
    state.create()
    again = f"`butlers up -f /d --state {state.root} --port-base 0 --detach` starts it again"
    cases: tuple[tuple[Phase, str | None, str], ...] = (
        ("ready", None, f"the household of {state.root} was killed; {again}"),
        ("failed", "no room", f"the last start of the household of {state.root} failed: no room; {again}"),
    )
    for phase, error, said in cases:
        now = SystemClock().now()
        write_status(
            state, phase=phase, manifests="/d", processes=[], ports={}, now=now, port_base=0, error=error
        )
        assert run([*verb, "--state", str(state.root)]) == 1
        assert errors(capsys) == [f"butlers: {said}"]


def test_a_reader_that_ends_early_is_no_failure_that_nobody_is_told_of(tmp_path: Path) -> None:
    many = "".join(f"line {number}\n" for number in range(50_000))
    state = StateDir.at(tmp_path / "state")
    state.create()
    state.log_file("finance").write_text(many)
    command = [sys.executable, "-m", "butler_cli.main", "logs", "-n", "50000", "--state", str(state.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert (running.wait(60), running.stderr.read()) == (141, b"")


def test_a_choice_that_is_missing_is_one_sentence_and_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["send", "hello"]) == 2
    [line] = errors(capsys)
    assert line.endswith("Choose from: api, telegram, email. See `butlers send --help`.")


def test_status_exits_0_only_when_everything_is_ready(
    capsys: pytest.CaptureFixture[str], state: StateDir
) -> None:
    state.create()
    lock = SupervisorLock(state)
    try:
        for process_state, code in (("ready", 0), ("restarting", 1)):
            child = ChildState("finance", process_state, 7, 3, False, "exit code 1")
            now = SystemClock().now()
            write_status(
                state, phase="ready", manifests="d", processes=[child], ports={"finance": 40105}, now=now
            )
            assert run(["status", "--json", "--state", str(state.root)]) == code
            (process,) = json.loads(capsys.readouterr().out)["processes"]
            assert (process["state"], process["restarts"], process["port"]) == (process_state, 3, 40105)
    finally:
        lock.release()


def said_of(
    found: PlaceStatus,
    eligibility: dict[str, str],
    *,
    width: int = 1_000,
    runtime: dict[str, Any] | None = None,
) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(*shown(found, eligibility, runtime), sep="\n")
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def test_the_status_fits_a_narrow_terminal_and_tells_the_moment_to_the_second() -> None:
    names = ("switchboard", "relationship", "finance")
    parts = [ChildState(name, "ready", 11561, 0, False, "killed by signal 9") for name in names]
    at = "2026-11-27T15:39:10.180088+00:00"
    found = PlaceStatus(1, "ready", "d", at, tuple(parts), dict.fromkeys(names, 30984))
    lines = said_of(found, dict.fromkeys(names, "active"), width=60).splitlines()
    assert lines[0] == "ready: d, supervisor 1, 2026-11-27 15:39:10 UTC"
    assert len(lines) == 5
    assert max(map(len, lines)) <= 60
    assert [line.split()[:2] for line in lines[2:]] == [[name, "ready"] for name in names]


def test_a_dry_run_of_routing_asks_for_the_butlers_of_the_household_that_is_up(
    state: StateDir, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, place = "unlock the front door, please", ("--state", str(state.root))
    shutil.copytree(EXAMPLES / "household", tmp_path / "ours")
    shutil.copy(EXAMPLES / "home" / "butler.yaml", tmp_path / "ours")
    assert run(["route", text, "-f", str(EXAMPLES / "household"), *place]) == 0
    assert "home" not in capsys.readouterr().out
    state.create()
    now = SystemClock().now()
    write_status(state, phase="ready", manifests=str(tmp_path / "ours"), processes=[], ports={}, now=now)
    assert run(["route", text, *place]) == 0
    assert capsys.readouterr().out.startswith("1: home ")


def test_the_status_table_shows_readiness_eligibility_restarts_and_crash_loops() -> None:
    child = ChildState("finance", "restarting", None, 5, True, "exit code 7")
    found = PlaceStatus(1, "ready", "examples/demo", "now", (child,), {"finance": 40105})
    head, columns, row = said_of(found, {"finance": "quarantined"}).splitlines()
    assert head == "not ready (finance): examples/demo, supervisor 1, now"
    assert columns.split() == ["PROCESS", "STATE", "ELIGIBILITY", "RESTARTS", "PID", "PORT", "LAST", "EXIT"]
    assert re.split(r" {2,}", row) == [
        "finance", "restarting (crash loop)", "quarantined", "5", "-", "40105", "exit code 7",
    ]  # fmt: skip


def test_the_status_is_headed_ready_only_when_every_part_is_and_says_what_to_change() -> None:
    parts = [ChildState(name, "ready", 7, 0, False, None) for name in ("finance", "mail")]
    found = PlaceStatus(1, "ready", "d", "now", tuple(parts), {}, notes=("name your mail server",))
    head, *_, last = said_of(found, {}).splitlines()
    assert (head, last) == ("ready: d, supervisor 1, now", "note: name your mail server")
    starting = replace(found, processes=(parts[0], replace(parts[1], state="starting")))
    assert said_of(starting, {}).startswith("not ready (mail): d, ")
    assert said_of(replace(starting, phase="stopping"), {}).startswith("stopping: d, ")


def test_the_status_says_why_the_runtime_is_not_there_and_what_is_done_meanwhile() -> None:
    found = PlaceStatus(1, "ready", "d", "now", (ChildState("finance", "ready", 7, 0, False, None),), {})
    fault = {"kind": "unauthorized", "message": "llm refuses the key", "since": "2026-01-01T00:00:00Z"}
    head, *_, last = said_of(
        found, {}, runtime={"family": "api", "fallback": "rules", "fault": fault}
    ).splitlines()
    assert head == "ready: d, supervisor 1, now"
    assert last == (
        "note: the runtime api is not available: llm refuses the key; meanwhile messages are routed by rules"
    )
    head, *_, last = said_of(
        found, {}, runtime={"family": "api", "fallback": None, "fault": fault}
    ).splitlines()
    assert head == "not ready (switchboard's runtime): d, supervisor 1, now"
    assert last.endswith("meanwhile messages go to general")
    assert "note" not in said_of(found, {}, runtime={"family": "api", "fallback": None, "fault": None})


def test_a_household_that_cannot_prove_its_mail_is_told_what_to_set() -> None:
    made = load_manifests(EXAMPLES / "household")
    assert notes_of(made, lambda _: None) == ()
    (switchboard,) = [butler for butler in made.butlers if butler.spec.role == "switchboard"]
    bare = switchboard.model_copy(update={"spec": switchboard.spec.model_copy(update={"routing": None})})
    others = tuple(butler for butler in made.butlers if butler is not switchboard)
    (note,) = notes_of(replace(made, butlers=(bare, *others)), lambda _: None)
    assert "spec.routing.trustedAuthservIds" in note
    assert "imap:" in note
    without_mail = tuple(one for one in made.connectors if one.spec.type != "imap")
    unread = replace(made, butlers=(bare, *others), connectors=without_mail)
    assert notes_of(unread, lambda _: None) == ()


def test_a_token_for_a_connector_is_bound_to_its_endpoint(
    capsys: pytest.CaptureFixture[str], with_keys: StateDir
) -> None:
    arguments = ["token", "--role", "connector", "--connector-type", "webhook", "--endpoint", "webhook:x"]
    assert run([*arguments, "--max-tier", "high_priority", "--state", str(with_keys.root)]) == 0
    text = capsys.readouterr().out.strip()
    verifier = TokenVerifier(with_keys.jwks_file, audience_of("switchboard"), SystemClock())
    binding = verifier.verify(text).connector
    assert binding is not None
    assert (binding.connector_type, binding.endpoint_identity) == ("webhook", "webhook:x")
    assert binding.max_tier == "high_priority"


def test_a_token_that_lives_longer_than_an_hour_is_static_and_still_accepted(
    capsys: pytest.CaptureFixture[str], with_keys: StateDir
) -> None:
    arguments = ["token", "--role", "operator", "--audience", "messenger", "--ttl", "86400", "--json"]
    assert run([*arguments, "--state", str(with_keys.root)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["role"], document["audience"]) == ("operator", "butlers.dev/messenger")
    verifier = TokenVerifier(with_keys.jwks_file, audience_of("messenger"), SystemClock())
    assert verifier.verify(document["token"]).subject == "operator"


@pytest.mark.spec("CNX-16.2")
@pytest.mark.parametrize(("environment", "days"), [("production", 90), ("development", 7)])
def test_a_token_lives_as_long_as_its_environment_allows_and_no_longer(
    capsys: pytest.CaptureFixture[str], with_keys: StateDir, environment: str, days: int
) -> None:
    at = ["--state", str(with_keys.root)]
    arguments = ["token", "--role", "operator", "--environment", environment]
    before = datetime.now(UTC)
    assert run([*arguments, "--json", *at]) == 0
    document = json.loads(capsys.readouterr().out)
    life = datetime.fromisoformat(document["expires_at"]) - before
    assert timedelta(days=days) <= life < timedelta(days=days, minutes=5)
    verifier = TokenVerifier(with_keys.jwks_file, audience_of("switchboard"), SystemClock())
    assert verifier.verify(document["token"]).subject == "operator"
    assert run([*arguments, "--ttl", str(days * 86_400 + 1), *at]) != 0


def test_a_token_without_keys_says_how_to_get_them(
    capsys: pytest.CaptureFixture[str], state: StateDir
) -> None:
    assert run(["token", "--role", "operator", "--state", str(state.root)]) == 1
    (line,) = errors(capsys)
    assert "has no keys yet; start the household once with `butlers up -f DIR`" in line


def test_a_defect_is_one_line_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def broken() -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(VerbTable, "get_command", lambda *_: broken)
    assert run(["up"]) == 70
    assert errors(capsys) == ["butlers: defect: RuntimeError: first second (BUTLERS_DEBUG=1 shows where)"]


def test_the_status_says_which_tools_are_away_and_that_the_butler_works_without() -> None:
    found = PlaceStatus(1, "ready", "d", "now", (ChildState("home", "ready", 7, 0, False, None),), {})
    fault = {"kind": "tools_unavailable", "message": "the tool server lamps cannot be reached"}
    home = {"family": "api", "fallback": None, "fault": fault}
    runtime = {"family": "rules", "fallback": None, "fault": None, "butlers": {"home": home}}
    head, *_, last = said_of(found, {}, runtime=runtime).splitlines()
    assert head == "ready: d, supervisor 1, now"
    assert last == (
        "note: tools of home cannot be used: the tool server lamps cannot be reached; meanwhile it works without, and "
        "says so"
    )
