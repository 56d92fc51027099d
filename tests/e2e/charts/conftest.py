"""A release of the chart in a namespace of the test's own, beside the one that `make up` installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.charts.release import INSTALLED, RELEASE, Release, images_of
from tests.e2e.cluster import Cluster


@pytest.fixture
def release(cluster: Cluster, namespace: str, tmp_path: Path) -> Iterator[Release]:
    """Nothing is installed yet; the images are those of the household that runs already."""
    name, where = INSTALLED
    done = cluster.run("helm", "get", "values", name, "--namespace", where, "--output", "json")
    assert done.returncode == 0, done.stderr
    images = tmp_path / "images.json"
    images.write_text(json.dumps(images_of(json.loads(done.stdout))))
    yield Release(cluster, namespace, images)
    cluster.run(
        "kubectl", "delete", "butlers", "--all", "--namespace", namespace, "--timeout=90s", timeout_s=100
    )
    cluster.run("helm", "uninstall", RELEASE, "--namespace", namespace, "--ignore-not-found", timeout_s=120)
