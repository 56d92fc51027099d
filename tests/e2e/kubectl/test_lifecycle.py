"""Restart, suspend and resume on a real cluster: new pods without a gap, nothing at all, and back again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.kubectl.plugin import kubectl

NAME = "travel"
SELECTOR = "butlers.dev/kind=Butler,butlers.dev/name=travel"


def said(cluster: Cluster, *arguments: str) -> str:
    done = kubectl(cluster, "butler", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def pods(cluster: Cluster) -> set[str]:
    """The pods that are not about to go."""
    found = cluster.list("pod", selector=SELECTOR)
    return {one["metadata"]["uid"] for one in found if "deletionTimestamp" not in one["metadata"]}


@pytest.fixture
def running(cluster: Cluster) -> Iterator[None]:
    """Whatever happens, the butler runs afterwards."""
    yield
    said(cluster, "resume", f"butler/{NAME}")
    cluster.ready(f"butler/{NAME}")


def test_a_butler_is_restarted_suspended_and_resumed(cluster: Cluster, running: None) -> None:
    cluster.ready(f"butler/{NAME}")
    before = pods(cluster)
    assert said(cluster, "restart", NAME) == f"butler/{NAME} is restarted\n"
    after = pods(cluster)
    assert after
    assert not after & before
    assert said(cluster, "suspend", NAME) == f"butler/{NAME} is suspended\n"
    assert pods(cluster) == set()
    assert "nothing runs that could be restarted" in said(cluster, "restart", NAME)
    assert said(cluster, "resume", NAME) == f"butler/{NAME} is resumed\n"
    assert pods(cluster)
