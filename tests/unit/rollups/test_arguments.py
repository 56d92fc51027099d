"""What `butlers-rollups` is asked for is checked before anything is opened: one line, exit code 2."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from butler_rollups import cli

T0, T1 = "2026-03-29T10:00:00Z", "2026-03-29T11:00:00Z"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["weekly"], "'weekly' is no job; expected one of hourly, daily, fanout, quality, prune"),
        ([], "required: JOB"),
        (["hourly", "--window-start", T0], "belong together"),
        (["hourly", "--window-start", T1, "--window-end", T0], "is not after"),
        (
            ["hourly", "--window-start", "2026-03-29T10:30:00Z", "--window-end", T1],
            "is not a whole hour of UTC",
        ),
        (["hourly", "--window-start", "2026-03-29T10:00:00", "--window-end", T1], "has no offset"),
        (["hourly", "--window-start", "ten", "--window-end", T1], "'ten' is no moment"),
        (["hourly", "--window-start", "0001-01-01T00:00:00+14:00", "--window-end", T1], "is no moment"),
        (["daily", "--window-start", T0, "--window-end", T1], "is not a whole day of UTC"),
        (["hourly", "--window-start", T0, "--window-end", T1, "--windows", "auto"], "exclude each other"),
        (["hourly", "--windows", "all"], "invalid choice"),
        (["hourly", "--engine", "flink"], "'flink' is not known; expected sql or spark"),
        (["hourly", "--backfill", "x"], "'x' is no id of a backfill"),
        (["hourly", "--max-windows", "-1"], "is not between 0 and 10000"),
        (["hourly", "--max-windows", "x"], "'x' is not between 0 and 10000"),
        (["hourly", "--frobnicate"], "unrecognized arguments"),
        (["prune", "--window-start", T0, "--window-end", T1], "prune takes no window"),
        (["hourly", "--dsn-env", "NOWHERE"], "NOWHERE is not set"),
        (["hourly", "--dsn-env", ""], "'' is no name of a variable"),
    ],
)
def test_bad_arguments_are_refused_in_one_line_before_anything_is_done(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
):
    assert cli.perform(arguments, {}) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.startswith("butlers-rollups: ")
    assert len(err.splitlines()) == 1


def test_an_address_that_is_to_come_from_an_empty_file_is_not_guessed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    (tmp_path / "url").write_text("\n", encoding="utf-8")
    assert cli.perform(["hourly"], {"BUTLERS_DATABASE_URL_FILE": str(tmp_path / "url")}) == 2
    err = capsys.readouterr().err
    assert "url is empty" in err
    assert len(err.splitlines()) == 1


def test_a_log_level_that_there_is_not_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BUTLERS_LOG_LEVEL", "loud")
    with pytest.raises(SystemExit) as end:
        cli.main(["hourly"])
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert "BUTLERS_LOG_LEVEL: 'loud' is not known" in err
    assert len(err.splitlines()) == 1


def test_a_refusal_as_json_names_the_job_wherever_it_stands(capsys: pytest.CaptureFixture[str]):
    assert cli.perform(["--json", "daily", "--engine", "flink"], {}) == 2
    refusal = json.loads(capsys.readouterr().out)
    assert (refusal["job"], refusal["exit_code"]) == ("daily", 2)


def test_spark_without_its_extra_names_the_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    for name in [module for module in sys.modules if module.startswith("butler_rollups.spark")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("pyspark", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    code = cli.perform(
        ["hourly", "--engine", "spark"], {"BUTLERS_DATABASE_URL": "postgresql://u:p@127.0.0.1:1/x"}
    )
    err = capsys.readouterr().err
    assert code == 2
    assert "spark" in err
    assert "butlers[spark]" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://u:p@127.0.0.1:1/x",
        "no address at all",
        "postgresql://127.0.0.1:1/x?port=a",
        "postgresql://127.0.0.1:99999/x",
    ],
)
def test_no_database_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str], dsn: str):
    assert cli.perform(["hourly"], {"BUTLERS_DATABASE_URL": dsn}) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "the database does not answer" in err
    assert len(err.splitlines()) == 1
