"""End-to-end tests run on the cluster of `make up`, by `make e2e` alone; any other run of pytest passes them over."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cluster import Cluster, NotOurs, our_cluster
from tests.e2e.household import Household, household_on

collect_ignore_glob = [] if "BUTLERS_E2E_DIR" in os.environ else ["*"]


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
