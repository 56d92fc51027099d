"""`python -m tests.support.second_look ARGUMENTS…`: pytest, whose few failed tests are run once more, alone.

What fails twice is a defect. What passes alone is unsteady: it is named in the last lines, to be mended, and holds no
submission up (ADR 0018). There is no second look when more than a handful failed, when the suite itself broke, or when
a message was lost or doubled.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final

import pytest

from tests.support.conformance.plugin import MERGE, VARIABLE, test_of

__all__ = ["Failures", "deserves_second_look", "main"]

MOST: Final = 5
"""More failures than this are no accident."""
_CHARS: Final = 300
NEVER: Final = ("doubles", "losses")


class Failures:
    """A plugin of pytest: the tests that failed, in their order, each once, with what it said first."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}

    @property
    def tests(self) -> list[str]:
        return list(self.words)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.words.setdefault(test_of(report.nodeid), _words(report))


def _words(report: pytest.TestReport) -> str:
    """Which part failed, after how long, and the first line of why."""
    crash = getattr(report.longrepr, "reprcrash", None)
    said = str(crash.message if crash else report.longrepr).strip().partition("\n")[0]
    return f"{report.when} after {report.duration:.0f} s: {said[:_CHARS]}"


def deserves_second_look(code: int, failed: Sequence[str], ledger: Mapping[str, int]) -> bool:
    """Whether a run that ended with `code` may have failed by accident; `ledger` is what the fault suite counted."""
    return (
        code == pytest.ExitCode.TESTS_FAILED
        and 0 < len(failed) <= MOST
        and not any(ledger.get(name, 0) for name in NEVER)
    )


def main(arguments: Sequence[str]) -> int:
    """The exit code of the run, or of the second look at what failed in it."""
    from tests.faults.ledger import LEDGER  # the copy that pytest's plugin fills

    failures = Failures()
    code = int(pytest.main(list(arguments), plugins=[failures]))
    if not deserves_second_look(code, failures.tests, LEDGER.counts()):
        return code
    print(f"a second look, alone, at what failed: {len(failures.tests)}", flush=True)
    environment = dict(os.environ)
    if VARIABLE in environment:
        environment[VARIABLE] = MERGE
    again = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", *failures.tests], env=environment, check=False
    ).returncode
    for test, said in failures.words.items():
        print(f"{'unsteady, mend it' if again == 0 else 'failed first'}: {test}: {said}")
    return again


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
