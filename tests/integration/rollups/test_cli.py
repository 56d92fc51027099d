"""`butlers-rollups`: one line that says what is wrong, and the exit code that scripts rely on."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from butler_cli.local.keys import local_key_file
from butler_cli.local.state import StateDir
from butler_cli.main import run as butlers
from butler_rollups import cli
from butler_rollups.models import Job
from butler_rollups.publish import lock
from tests.integration.rollups.conftest import DAY, HOUR, House

pytestmark = pytest.mark.asyncio(loop_scope="module")
PROGRAM = Path(sys.executable).with_name("butlers-rollups")


@dataclass
class Shell:
    """Runs a command line in this process; what a person sees of it."""

    house: House
    captured: pytest.CaptureFixture[str]

    async def rollups(self, *arguments: str) -> tuple[int, str, str]:
        env = {"BUTLERS_DATABASE_URL": self.house.database.dsn("switchboard")}
        return await self._run(cli.perform, arguments, env)

    async def butlers(self, *arguments: str) -> tuple[int, str, str]:
        return await self._run(butlers, ["rollup", *arguments])

    async def _run(self, program: Callable[..., int], *given: object) -> tuple[int, str, str]:
        self.captured.readouterr()
        code = await asyncio.to_thread(program, *given)
        out, err = self.captured.readouterr()
        return code, out, err


@pytest.fixture
def shell(house: House, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(house, capsys)


async def test_the_installed_program_is_there(house: House):
    env = {"BUTLERS_DATABASE_URL": house.database.dsn("switchboard")}
    process = await asyncio.create_subprocess_exec(
        PROGRAM, "hourly", "--json", env=env, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(process.communicate(), 120)
    assert (process.returncode, json.loads(out)["windows"]) == (0, [])


async def test_a_database_without_switchboards_tables_says_so(house: House, shell: Shell):
    code, _, err = await shell.rollups("hourly", "--schema", "elsewhere")
    assert code == 1
    assert "start Switchboard" in err
    assert len(err.splitlines()) == 1


async def test_a_run_prints_what_it_did_and_one_object_of_json(house: House, shell: Shell):
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - 3 * HOUR
    await house.at(hour)
    await house.beats(hour, hour + 2 * HOUR)
    given = ("hourly", "--window-start", hour.isoformat(), "--window-end", (hour + 2 * HOUR).isoformat())
    code, out, err = await shell.rollups(*given)
    assert (code, err) == (0, "")
    assert "2 rows from 4, 2 written, 0 deleted" in out
    code, out, err = await shell.rollups(*given, "--json")
    report = json.loads(out)
    assert (code, err, report["changed"], report["rows"]) == (0, "", 0, 2)
    assert report["watermark"] == (hour + 2 * HOUR).isoformat().replace("+00:00", "Z")
    code, out, _ = await shell.rollups("hourly", "--windows", "auto", "--json")
    assert (code, json.loads(out)["lag_s"]) == (0, 0)
    code, out, _ = await shell.rollups("prune", "--json")
    report = json.loads(out.splitlines()[-1])
    assert (code, report["job"], len(report["pruned"])) == (0, "prune", 5)


async def test_each_refusal_has_its_exit_code_and_changes_nothing(house: House, shell: Shell):
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    await house.at(today)
    await house.beats(today - DAY, today - DAY + HOUR)
    window = ("--window-start", (today - DAY).isoformat(), "--window-end", today.isoformat())
    missing = await shell.rollups("daily", *window, "--json")
    assert (missing[0], json.loads(missing[1])["exit_code"]) == (5, 5)
    assert "is not rolled up; run `butlers-rollups hourly` first" in missing[2]
    pruned = await shell.rollups(
        "hourly", "--window-start", "2020-01-01T00:00:00Z", "--window-end", "2020-01-01T01:00:00Z"
    )
    assert pruned[0] == 3
    assert "the stored rows stay as they are" in pruned[2]
    async with house.connection.transaction():
        await lock(house.connection, Job.HOURLY)
        locked = await shell.rollups("hourly", *window)
    assert locked[0] == 4
    assert "another run holds the lock" in locked[2]
    for code, _, err in (missing, pruned, locked):
        assert len(err.splitlines()) == 1, code
    assert await house.value("SELECT count(*) FROM rollup_run") == 0


async def test_the_household_that_runs_is_found_by_its_state_directory(
    house: House, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """`butlers rollup` is the same program on the household's own database."""
    monkeypatch.delenv("BUTLERS_DATABASE_URL", raising=False)
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - 3 * HOUR
    await house.at(hour)
    await house.beats(hour, hour + HOUR)
    state = StateDir.at(tmp_path / "state")
    state.root.mkdir()
    code, _, err = await shell.butlers("hourly", "--state", str(state.root))
    assert (code, len(err.splitlines())) == (1, 1)
    assert "butlers up" in err
    for wrong in (("weekly",), ("hourly", "--engine", "flink")):
        code, _, err = await shell.butlers(*wrong, "--state", str(state.root))
        assert (code, len(err.splitlines())) == (2, 1)
    local_key_file(state).parent.mkdir(parents=True)
    local_key_file(state).touch()
    state.endpoints_file.write_text(json.dumps({"database": {"dsn": house.database.admin_dsn}}))
    code, out, err = await shell.butlers("hourly", "--json", "--state", str(state.root))
    assert (code, err, json.loads(out)["changed"]) == (0, "", 1)
    assert await house.volumes() == [6]
