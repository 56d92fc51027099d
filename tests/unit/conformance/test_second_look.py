"""A test that failed by accident is looked at once more; a defect, a broken suite, a lost message are not excused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.conformance import plugin
from tests.support.second_look import MOST, deserves_second_look

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("code", "failed", "ledger", "deserved"),
    [
        (pytest.ExitCode.TESTS_FAILED, 1, {}, True),
        (pytest.ExitCode.TESTS_FAILED, MOST, {"doubles": 0, "losses": 0, "kills": 9}, True),
        (pytest.ExitCode.TESTS_FAILED, MOST + 1, {}, False),
        (pytest.ExitCode.TESTS_FAILED, 1, {"doubles": 1}, False),
        (pytest.ExitCode.TESTS_FAILED, 1, {"losses": 1}, False),
        (pytest.ExitCode.TESTS_FAILED, 0, {}, False),
        (pytest.ExitCode.OK, 0, {}, False),
        (pytest.ExitCode.INTERRUPTED, 1, {}, False),
        (pytest.ExitCode.INTERNAL_ERROR, 1, {}, False),
    ],
)
def test_only_a_handful_of_failures_of_a_whole_suite_deserves_a_second_look(code, failed, ledger, deserved):
    tests = [f"tests/a.py::test_{number}" for number in range(failed)]
    assert deserves_second_look(code, tests, ledger) is deserved


def suite(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    """A run of one file's tests with this project's settings; conformance is written below `folder`."""
    (folder / "test_it.py").write_text(body, encoding="utf-8")
    options = (
        f"-c {ROOT / 'pyproject.toml'} --rootdir {folder} -p no:cacheprovider -p no:schemathesis -p no:kmock"
    )
    return subprocess.run(
        [sys.executable, "-m", "tests.support.second_look", "-q", "-n", "0", "test_it.py"],
        cwd=folder,
        env=os.environ
        | {"BUTLERS_CONFORMANCE": "1", "MARK": str(folder / "mark")}
        | {"PYTEST_ADDOPTS": options, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


UNSTEADY = """
import os, pathlib, pytest

@pytest.mark.spec("SWB-07.2")
@pytest.mark.xdist_group("some@group")
@pytest.mark.parametrize("what", ["a b@c"])
def test_unsteady(what):
    mark = pathlib.Path(os.environ["MARK"])
    seen = mark.exists()
    mark.touch()
    assert seen or {always}

@pytest.mark.spec("SWB-07.2")
def test_steady(): pass
"""


def test_what_passes_alone_holds_nothing_up_and_is_named(tmp_path):
    run = suite(tmp_path, UNSTEADY.replace("{always}", "False"))
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1].startswith("unsteady, mend it: ")
    assert "test_unsteady[a b@c]: call after 0 s: assert " in run.stdout.splitlines()[-1]
    results = json.loads((tmp_path / "build/spec-results.json").read_text("utf-8"))
    assert sorted(results["SWB-07.2"].values()) == ["passed", "passed"]


def test_what_fails_twice_fails(tmp_path):
    run = suite(tmp_path, UNSTEADY.replace("seen or {always}", "False"))
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert "unsteady, mend it" not in run.stdout
    assert run.stdout.splitlines()[-1].startswith("failed first: ")
    results = json.loads((tmp_path / "build/spec-results.json").read_text("utf-8"))
    assert sorted(results["SWB-07.2"].values()) == ["failed", "passed"]


def test_later_results_replace_earlier_ones_test_by_test():
    earlier = {"A": {"x": "failed", "y": "passed"}, "B": {"z": "passed"}}
    assert plugin.merged(earlier, {"A": {"x": "passed"}}) == {
        "A": {"x": "passed", "y": "passed"},
        "B": {"z": "passed"},
    }
