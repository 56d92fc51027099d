"""End-to-end tests run on the cluster of `make up`, by `make e2e` alone; any other run of pytest passes them over."""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.charts.release import CHART, INSTALLED
from tests.e2e.cluster import Cluster, NotOurs, our_cluster
from tests.e2e.diagnosis import diagnosis
from tests.e2e.household import Household, household_on
from tests.e2e.scenarios.traffic import TOLD_AWAY

ORDER = (
    "charts", "manifests", "test_flows",
    # Idle is what these have left alone; from here on the household is worked with, and then worked on.
    "test_idle", "", "test_pod_security", "test_bad_manifests", "test_secrets", "test_tokens",
    "test_operations", "test_backfill", "test_kills", "test_bad_image", "test_replicas", "test_kubelet",
    "test_rotation",
    # Its chats are told that a butler is away, which the rotation must see nothing of.
    "test_absence",
    "test_two_households",
    # It takes the household back to an earlier hour.
    "test_backup",
)  # fmt: skip
"""Files and folders as they run; the empty name is all others."""
RESYNC_S = 20
collect_ignore_glob = [] if "BUTLERS_E2E_DIR" in os.environ else ["*"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What destroys runs last, what needs quiet first."""
    here = Path(__file__).parent
    items.sort(key=lambda item: _turn(item.path.relative_to(here)) if here in item.path.parents else -1)


def _turn(file: Path) -> int:
    return next(
        (turn for turn, name in enumerate(ORDER) if name in (file.stem, file.parts[0])), ORDER.index("")
    )


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What traffic was told of butlers that were away."""
    for test, told in sorted(TOLD_AWAY.items()):
        terminalreporter.write_line(f"target_unavailable: {told} messages of {test}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure brings what the cluster said at that moment."""
    report = yield
    cluster = getattr(item, "funcargs", {}).get("cluster")
    if report.failed and isinstance(cluster, Cluster):
        report.sections.append(("the cluster when it failed", diagnosis(cluster)))
    return report


@pytest.fixture(scope="session")
def cluster() -> Cluster:
    """The cluster, once it is known to be ours."""
    try:
        return our_cluster(os.environ)
    except NotOurs as refusal:
        pytest.exit(f"end-to-end tests refuse to run: {refusal}", returncode=2)


@pytest.fixture(scope="session")
def kubeconfig(cluster: Cluster) -> Path:
    """Of the cluster's administrator."""
    return cluster.kubeconfig


@pytest.fixture
def namespace(cluster: Cluster) -> Iterator[str]:
    """An empty namespace of the test's own, as strict as Pod Security can be."""
    name = f"e2e-{secrets.token_hex(4)}"
    levels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": levels}})
    yield name
    cluster.kubectl("delete", "namespace", name, "--wait=false")


@pytest.fixture
def household(cluster: Cluster) -> Iterator[Household]:
    """The demo household, whole and reachable."""
    cluster.ready("butler,connector")
    with household_on(cluster) as found:
        yield found


@pytest.fixture(scope="session")
def often(cluster: Cluster) -> Iterator[datetime]:
    """Since when the operator has looked at everything every 20 s, so that nobody waits five minutes for it."""
    resync(cluster, RESYNC_S)
    yield datetime.now(UTC)
    resync(cluster, 300)


def resync(cluster: Cluster, seconds: int) -> None:
    name, where = INSTALLED
    done = cluster.run(
        "helm", "upgrade", name, str(CHART), "--namespace", where, "--reset-then-reuse-values",
        "--set", f"operator.resyncSeconds={seconds}", "--wait", "--timeout", "180s", timeout_s=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session", autouse=True)
def _quiet_from_the_start(request: pytest.FixtureRequest) -> None:
    """Restart the operator before anything else if the household's idle minutes are to be counted."""
    if any("quiet_since" in getattr(item, "fixturenames", ()) for item in request.session.items):
        request.getfixturevalue("often")
