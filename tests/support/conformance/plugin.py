"""Collects which requirement ids the run proved, from `@pytest.mark.spec`, into `build/spec-results.json`.

An id counts as passed only when every test that names it passed; a skipped test proves nothing. With
`BUTLERS_CONFORMANCE=1` the run's results replace the file, with `merge` they replace only those of the tests that ran.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

_RESULTS: dict[str, dict[str, str]] = defaultdict(dict)
_OUTPUT = "build/spec-results.json"
VARIABLE = "BUTLERS_CONFORMANCE"
MERGE = "merge"


def _ids(item: pytest.Item) -> list[str]:
    found: list[str] = []
    for marker in item.iter_markers("spec"):
        found.extend(str(arg) for arg in marker.args)
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.user_properties.append(("spec", _ids(item)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for name, value in report.user_properties:
        if name == "spec" and isinstance(value, list):
            for requirement in value:
                _record(requirement, report)


def _record(requirement: str, report: pytest.TestReport) -> None:
    seen, test = _RESULTS[requirement], test_of(report.nodeid)
    if report.failed:
        seen[test] = "failed"
    elif report.skipped:
        seen[test] = "skipped"
    elif report.when == "call":
        seen.setdefault(test, "passed")


def test_of(nodeid: str) -> str:
    """The test without the group that `--dist loadgroup` writes behind it."""
    group_at = nodeid.rfind("@")
    return nodeid[:group_at] if group_at > nodeid.rfind("]") else nodeid


def pytest_sessionfinish(session: pytest.Session) -> None:
    wanted = os.environ.get(VARIABLE)
    if wanted not in ("1", MERGE) or hasattr(session.config, "workerinput"):
        return
    path = Path(session.config.rootpath, _OUTPUT)
    path.parent.mkdir(parents=True, exist_ok=True)
    results = merged(_read(path), _RESULTS) if wanted == MERGE else _RESULTS
    path.write_text(json.dumps(results, indent=1, sort_keys=True), encoding="utf-8")


def merged(earlier: dict[str, dict[str, str]], later: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Results by requirement and test, the later run's where both have one."""
    return {name: earlier.get(name, {}) | later.get(name, {}) for name in {*earlier, *later}}


def _read(path: Path) -> dict[str, dict[str, str]]:
    return json.loads(path.read_text("utf-8")) if path.exists() else {}
