"""The strictest Pod Security against every pod that runs."""

from __future__ import annotations

import json

import pytest

from tests.e2e.charts.release import INSTALLED
from tests.e2e.cluster import Cluster
from tests.e2e.household import Household

ENFORCE = "pod-security.kubernetes.io/enforce"


@pytest.mark.parametrize("whose", ["household", "operator"])
def test_no_running_pod_violates_the_restricted_standard(
    cluster: Cluster, home: Household, whose: str
) -> None:
    """Naming a version makes the API server look at every pod that runs; what it finds are warnings."""
    namespace = cluster.namespace if whose == "household" else INSTALLED[1]
    assert cluster.list("pods", namespace=namespace)
    minor = json.loads(cluster.kubectl("version", "--output", "json"))["serverVersion"]["minor"]
    done = cluster.run(
        "kubectl", "label", "namespace", namespace, "--overwrite", "--dry-run=server",
        f"{ENFORCE}=restricted", f"{ENFORCE}-version=v1.{minor}",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
