"""`butlers-rollups`: one line that says what is wrong, and the exit code that scripts rely on."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from butler_cli.local.keys import local_key_file
from butler_cli.local.state import StateDir
from butler_rollups.models import Job
from butler_rollups.publish import lock
from tests.integration.rollups.conftest import DAY, HOUR, House

pytestmark = pytest.mark.asyncio(loop_scope="module")
PROGRAM = Path(sys.executable).with_name("butlers-rollups")


def started(house: House, *arguments: str, **env: str) -> subprocess.Popen[str]:
    """The installed program, with the clock that the test has set."""
    return subprocess.Popen(
        [PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"BUTLERS_DATABASE_URL": house.database.dsn("switchboard"), **env},
    )


async def called(house: House, *arguments: str, **env: str) -> tuple[int, str, str]:
    with started(house, *arguments, **env) as process:
        out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.mark.parametrize(
    "dsn", ["postgresql://u:p@127.0.0.1:1/x", "no address at all", "postgresql://127.0.0.1:1/x?port=a"]
)
async def test_no_database_is_one_line_and_exit_code_1(house: House, dsn: str):
    code, out, err = await called(house, "hourly", BUTLERS_DATABASE_URL=dsn)
    assert (code, out) == (1, "")
    assert "the database does not answer" in err
    assert len(err.splitlines()) == 1


async def test_a_database_without_switchboards_tables_says_so(house: House):
    code, _, err = await called(house, "hourly", "--schema", "elsewhere")
    assert code == 1
    assert "start Switchboard" in err
    assert len(err.splitlines()) == 1


async def test_a_run_prints_what_it_did_and_one_object_of_json(house: House):
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - 3 * HOUR
    await house.at(hour)
    await house.beats(hour, hour + 2 * HOUR)
    given = ("hourly", "--window-start", hour.isoformat(), "--window-end", (hour + 2 * HOUR).isoformat())
    code, out, err = await called(house, *given)
    assert (code, err) == (0, "")
    assert "2 rows from 4, 2 written, 0 deleted" in out
    code, out, err = await called(house, *given, "--json")
    report = json.loads(out)
    assert (code, err, report["changed"], report["rows"]) == (0, "", 0, 2)
    assert report["watermark"] == (hour + 2 * HOUR).isoformat().replace("+00:00", "Z")
    code, out, _ = await called(house, "hourly", "--windows", "auto", "--json")
    assert (code, json.loads(out)["lag_s"]) == (0, 0)
    code, out, _ = await called(house, "prune", "--json")
    assert (code, json.loads(out)["job"], len(json.loads(out)["pruned"])) == (0, "prune", 4)


async def test_each_refusal_has_its_exit_code_and_changes_nothing(house: House):
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    await house.at(today)
    await house.beats(today - DAY, today - DAY + HOUR)
    window = ("--window-start", (today - DAY).isoformat(), "--window-end", today.isoformat())
    missing = await called(house, "daily", *window, "--json")
    assert (missing[0], json.loads(missing[1])["exit_code"]) == (5, 5)
    assert "is not rolled up; run `butlers-rollups hourly` first" in missing[2]
    pruned = await called(
        house, "hourly", "--window-start", "2020-01-01T00:00:00Z", "--window-end", "2020-01-01T01:00:00Z"
    )
    assert pruned[0] == 3
    assert "the stored rows stay as they are" in pruned[2]
    async with house.connection.transaction():
        await lock(house.connection, Job.HOURLY)
        locked = await called(house, "hourly", *window)
    assert locked[0] == 4
    assert "another run holds the lock" in locked[2]
    for code, _, err in (missing, pruned, locked):
        assert len(err.splitlines()) == 1, code
    assert await house.value("SELECT count(*) FROM rollup_run") == 0


async def test_the_household_that_runs_is_found_by_its_state_directory(house: House, tmp_path: Path):
    """`butlers rollup` is the same program on the household's own database."""
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - 3 * HOUR
    await house.at(hour)
    await house.beats(hour, hour + HOUR)
    state = StateDir.at(tmp_path / "state")
    state.root.mkdir()
    nothing = butlers("rollup", "hourly", "--state", str(state.root))
    assert (nothing.returncode, len(nothing.stderr.splitlines())) == (1, 1)
    assert "butlers up" in nothing.stderr
    wrong = butlers("rollup", "weekly", "--state", str(state.root))
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)
    local_key_file(state).parent.mkdir(parents=True)
    local_key_file(state).touch()
    state.endpoints_file.write_text(json.dumps({"database": {"dsn": house.database.admin_dsn}}))
    done = butlers("rollup", "hourly", "--json", "--state", str(state.root))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["changed"] == 1
    assert await house.volumes() == [6]


def butlers(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.with_name("butlers")
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, env={})
