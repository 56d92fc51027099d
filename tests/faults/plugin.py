"""pytest's side of the fault suite: the seed, said first; the ledger, summed over xdist's workers, said last."""

from __future__ import annotations

import os
import secrets
from typing import Any

import pytest

from tests.faults.ledger import LEDGER, SEED_VARIABLE

_OUTPUT = "faults_ledger"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--faults-seed", default="", help="repeat what an earlier run left to chance")


def pytest_configure(config: pytest.Config) -> None:
    given = config.getoption("--faults-seed") or os.environ.get(SEED_VARIABLE)
    # Set in the environment, it reaches the workers, which are children of this process.
    os.environ[SEED_VARIABLE] = str(int(given)) if given else str(secrets.randbelow(1_000_000))


def pytest_report_header() -> str:
    return f"faults seed: {os.environ[SEED_VARIABLE]}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_OUTPUT] = LEDGER.counts()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if any(LEDGER.counts().values()):
        terminalreporter.section("faults")
        terminalreporter.line(f"seed {os.environ[SEED_VARIABLE]}: {LEDGER.line()}")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker of xdist has ended: what it counted is taken over."""
    LEDGER.add(getattr(node, "workeroutput", {}).get(_OUTPUT, {}))
