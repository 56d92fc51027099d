"""`butlers doctor`: what is wrong by weight, each with what to do; nothing is waited for too long or given away."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from butler_cli.doctor import machine, running
from butler_cli.doctor.findings import Diagnosis, finding
from butler_cli.doctor.rounds import LeftOut, Probe, diagnose
from butler_cli.errors import UserError
from butler_cli.local.keys import ensure_keys
from butler_cli.local.state import StateDir, SupervisorLock, write_private
from butler_cli.main import cli

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOUSEHOLD = Path(__file__).parents[3] / "examples" / "household"


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    state = StateDir.at(tmp_path / "state")
    state.create()
    return state


def ran(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["doctor", *words])
    return result.exit_code, result.output


def test_what_is_broken_comes_first_and_each_says_what_to_do() -> None:
    found = Diagnosis(
        (
            finding("note", "a", "is so", "nothing"),
            finding("risk", "b", "may be", "look"),
            finding("broken", "c", "is\nnot", "mend it"),
        ),
        ("c",),
        (("d", "nothing is up"),),
    )
    assert not found.well
    assert list(found.lines()) == [
        "1 thing is wrong, 1 may become so",
        "  wrong  c: is not",
        "         do: mend it",
        "  soon   b: may be",
        "         do: look",
        "  note   a: is so",
        "         do: nothing",
        "looked at: c",
        "not looked at: d, nothing is up",
    ]
    assert [one["about"] for one in found.document()["findings"]] == ["c", "b", "a"]


def test_a_probe_that_hangs_is_a_finding_and_one_that_breaks_gives_nothing_away() -> None:
    never = threading.Event()

    def broken() -> list[object]:
        raise RuntimeError("postgresql://ada:secret@host")

    def left_out() -> list[object]:
        raise LeftOut("there is none")

    def refused() -> list[object]:
        raise UserError("switchboard does not answer")

    found = diagnose(
        [
            Probe("hangs", lambda: never.wait() and [], deadline_s=0.2),  # type: ignore[arg-type, return-value]
            Probe("breaks", broken),  # type: ignore[arg-type]
            Probe("absent", left_out),  # type: ignore[arg-type]
            Probe("refused", refused),  # type: ignore[arg-type]
            Probe("well", list),
        ]
    )
    never.set()
    said = "\n".join(found.lines())
    assert "hangs: no answer within 0.2 s" in said
    assert "breaks: could not look (RuntimeError)" in said
    assert "secret" not in said
    assert "wrong  refused: switchboard does not answer" in said
    assert found.left_out == (("absent", "there is none"),)
    assert "well" in found.looked_at


@pytest.mark.parametrize(("fallback", "weight"), [(None, "broken"), ("rules", "risk")])
def test_a_butler_that_can_ask_no_model_is_wrong_unless_rules_stand_in(
    state: StateDir, monkeypatch: pytest.MonkeyPatch, fallback: str | None, weight: str
) -> None:
    with pytest.raises(LeftOut):
        running.runtimes(state)
    fault = {"kind": "unreachable", "message": "127.0.0.1:1 cannot be reached"}
    told: dict[str, object] = {"family": "rules", "fault": None}
    told |= {"butlers": {"home": {"family": "api", "fallback": fallback, "fault": fault}}}
    monkeypatch.setattr("butler_cli.client.ops.OpsClient.get", lambda *_: told)
    write_private(state.endpoints_file, json.dumps({"switchboard": {"ops": "http://127.0.0.1:1"}}))
    ensure_keys(state)
    lock = SupervisorLock(state)
    try:
        [found] = running.runtimes(state)
    finally:
        lock.release()
    assert (found.weight, found.about) == (weight, "home")
    assert found.what.startswith(
        "the runtime api of home is not available: 127.0.0.1:1 cannot be reached; mean"
    )


def test_files_that_others_may_read_are_named(state: StateDir) -> None:
    write_private(state.secrets_dir / "telegram" / "token", "42:AAH-secret\n")
    write_private(state.jwks_file, "{}")
    state.jwks_file.chmod(0o644)
    assert machine.file_modes(state) == [], "the key set is for everybody"
    (state.secrets_dir / "telegram" / "token").chmod(0o644)
    [found] = machine.file_modes(state)
    assert (found.weight, "telegram/token" in found.what, "chmod" in found.do) == ("broken", True, True)
    assert "AAH" not in found.what


def test_a_clock_that_was_put_back_and_one_that_never_was_set_are_seen(state: StateDir) -> None:
    assert machine.clock(state, now=NOW) == []
    assert "1970" in machine.clock(state, now=datetime(1970, 1, 1, tzinfo=UTC))[0].what
    later = (NOW + timedelta(hours=1)).isoformat()
    status = {"pid": 1, "phase": "ready", "manifests": "x", "updated_at": later, "processes": [], "ports": {}}
    write_private(state.status_file, json.dumps(status))
    assert "60 minutes" in machine.clock(state, now=NOW)[0].what


def test_a_backup_that_is_older_than_a_week_or_was_never_made_is_a_risk(state: StateDir) -> None:
    with pytest.raises(LeftOut):
        machine.backups(state, now=NOW)
    (state.root / "pg").mkdir()
    assert "none was ever made" in machine.backups(state, now=NOW)[0].what
    for days, said in ((6, []), (8, ["the last one is 8 days old"])):
        made = (NOW - timedelta(days=days)).isoformat()
        write_private(state.run_dir / "backup.json", json.dumps({"made_at": made}))
        assert [found.what for found in machine.backups(state, now=NOW)] == said


def test_a_disk_that_is_nearly_full_is_told_by_how_much_is_left(
    state: StateDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    for free, weights in ((2_000_000_000, []), (900_000_000, ["risk"]), (100_000_000, ["broken"])):
        usage = type("Usage", (), {"free": free})
        monkeypatch.setattr("shutil.disk_usage", lambda _, usage=usage: usage)
        assert [found.weight for found in machine.disk(state)] == weights


def test_without_any_household_it_says_so_and_is_no_failure(tmp_path: Path) -> None:
    code, said = ran("--state", str(tmp_path / "none"))
    assert (code, "butlers init DIR makes one" in said) == (0, True)
    assert said.splitlines()[0] == "nothing is wrong in what could be looked at"
    code, said = ran("--state", str(tmp_path / "none"), "--json")
    document = json.loads(said)
    assert (document["well"], document["not_looked_at"]["database"][:8]) == (True, "the hous")


def test_a_household_that_was_killed_is_wrong_and_the_command_that_starts_it_is_named(
    state: StateDir,
) -> None:
    told = {
        "pid": 1, "phase": "ready", "manifests": str(HOUSEHOLD), "updated_at": NOW.isoformat(), "processes": [],
        "ports": {}, "port_base": 0,
    }  # fmt: skip
    write_private(state.status_file, json.dumps(told))
    code, said = ran("--state", str(state.root), "--offline")
    assert code == 1
    assert "was killed: nothing is answered" in said
    assert f"do: butlers up -f {HOUSEHOLD} --state {state.root} --port-base 0 --detach" in said


def test_manifests_that_cannot_start_are_wrong_and_no_provider_is_asked(state: StateDir) -> None:
    code, said = ran("--state", str(state.root), "-f", str(HOUSEHOLD))
    assert code == 1
    assert "wrong  manifests: " in said
    assert "secret telegram-bot" in said
    assert "not looked at: providers, manifests and secrets have to be right first" in said
