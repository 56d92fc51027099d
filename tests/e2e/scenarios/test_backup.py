"""A household is dumped, goes on, and is as of its dump again: each command as docs/guides/backup.md prints it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.e2e.charts.release import CHART, INSTALLED
from tests.e2e.cluster import ROOT, Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.records import execute, rows
from tests.support.documented import documented

pytestmark = pytest.mark.e2e_full

PAGE = "docs/guides/backup.md"
HOUSE = "--namespace house"
"""The release's own namespace on that page; ours has the operator alone."""
EXAMPLE = "butlers-20261123T031500Z.dump"
ENABLED = "postgresql.embedded.backup.enabled"
JOBS, CLAIM = ("backup-now", "restore-1"), "butlers-postgresql-dumps"
TYPED_S, ENDED_S, RESUMED_S = 180.0, 150.0, 600.0
BEFORE = "SELECT datname FROM pg_database WHERE datname LIKE 'butlers\\_before\\_%'"
"""What a restore moved aside."""


def printed(*words: str) -> str:
    """The one command of the page with all of these words."""
    every = [one.text for one in documented("helm", "kubectl") if one.page == PAGE]
    (found,) = [text for text in every if all(word in text for word in words)]
    return found


def typed(cluster: Cluster, command: str, *, timeout_s: float = TYPED_S) -> str:
    """Run it as a person does who set what `make up` says at its end; what it printed."""
    place = {
        "PATH": f"{cluster.directory / 'bin'}:/usr/bin:/bin",
        "KUBECONFIG": str(cluster.kubeconfig),
        "HOME": str(cluster.directory),
    }
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env=place, cwd=ROOT, capture_output=True, text=True, timeout=timeout_s, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stdout} {done.stderr}"
    return done.stdout


def log_of(cluster: Cluster, job: str) -> str:
    """What a Job said, once it is complete; one that failed is an AssertionError with its words."""

    def ended() -> str | None:
        status = (cluster.get("job", job) or {}).get("status") or {}
        true = {one["type"] for one in status.get("conditions") or [] if one["status"] == "True"}
        return next(iter(true & {"Complete", "Failed"}), None)

    how = eventually(ended, timeout_s=ENDED_S, pause_s=1, what=f"job {job} ends")
    said = typed(cluster, printed(f"kubectl logs job/{job}"))
    assert how == "Complete", said
    typed(cluster, printed("kubectl wait", f"job/{job}"))
    return said


@pytest.fixture
def dumping(cluster: Cluster, home: Household) -> Iterator[None]:
    """The installation with its backup; afterwards the household runs, and nothing of it is left."""
    typed(cluster, printed("helm", f"{ENABLED}=true").replace(HOUSE, f"--namespace {INSTALLED[1]}"))
    try:
        yield
    finally:
        everyone = [one for kind in ("butler", "connector") for one in cluster.list(kind)]
        if any(one["spec"].get("suspend") for one in everyone):
            typed(cluster, printed("resume --all"), timeout_s=RESUMED_S)
        where = ("--namespace", cluster.namespace, "--ignore-not-found")
        cluster.kubectl("delete", "job", *JOBS, *where)
        name, namespace = INSTALLED
        done = cluster.run(
            "helm", "upgrade", name, str(CHART), "--namespace", namespace, "--reset-then-reuse-values",
            "--set", f"{ENABLED}=false", "--wait", "--timeout", "180s", timeout_s=200,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        # The chart keeps it, because dumps outlive a release.
        cluster.kubectl("delete", "persistentvolumeclaim", CLAIM, *where, "--wait=false")
        for old in rows(cluster, BEFORE):
            execute(cluster, f'DROP DATABASE "{old["datname"]}"')


def asked(home: Household, text: str) -> str:
    """A message that has its answer; its request."""
    request = home.submit(text)
    assert home.answer_to(request)["reply"]
    return request


def test_a_household_is_as_of_its_dump_again_by_the_guide_alone(
    cluster: Cluster, home: Household, dumping: None
) -> None:
    kept = asked(home, "Paid 40.50 EUR for the electricity bill")
    typed(cluster, printed("kubectl create job backup-now"))
    dump = re.search(r"backup: (butlers-\d{8}T\d{6}Z\.dump), ", log_of(cluster, "backup-now"))
    assert dump is not None
    lost = asked(home, "Paid 12.75 EUR for the water bill")

    typed(cluster, printed("suspend --all"), timeout_s=RESUMED_S)
    typed(cluster, printed("kubectl wait --for=delete pod"))
    typed(cluster, printed("kubectl create job restore-1", "REPLACE=yes").replace(EXAMPLE, dump[1]))
    assert f"is as of {dump[1]}" in log_of(cluster, "restore-1")
    typed(cluster, printed("resume --all"), timeout_s=RESUMED_S)
    cluster.ready("butler,connector", timeout_s=240)

    known = rows(
        cluster,
        f"SELECT request_id::text AS id FROM switchboard.message_inbox WHERE request_id IN ('{kept}', '{lost}')",
    )
    assert [row["id"] for row in known] == [kept]
    assert home.answer_to(kept)["reply"], "what was answered before the dump can still be read"
    asked(home, "Paid 8.20 EUR for the bus")
