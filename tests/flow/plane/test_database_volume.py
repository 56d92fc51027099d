"""Another size for the embedded database: helm says the way before anything is changed, and the way leads there."""

from __future__ import annotations

import asyncio
import re
import shlex
import subprocess

import pytest

from bench.operator.plane import ADMIN
from tests.support.helm import CHARTS
from tests.support.plane_site import Site

SIZE = "postgresql.embedded.storage.size"
PLAIN = ("crds.enabled=false", "admissionPolicy.enabled=false")
"""The plane has the definitions already, and the policy's kinds are not what this is about."""


async def run(site: Site, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    config = site.plane.kubeconfig("admin", ADMIN)
    return await asyncio.to_thread(
        subprocess.run,
        [str(site.plane.binaries / program), *words],
        env={"KUBECONFIG": str(config), "HOME": str(site.plane.folder), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


async def upgrade(site: Site, *values: str) -> subprocess.CompletedProcess[str]:
    given = [word for value in (*PLAIN, *values) for word in ("--set", value)]
    chart = str(CHARTS / "butlers")
    return await run(site, "helm", "upgrade", "--install", "db", chart, "--namespace", "house-db", *given)


@pytest.fixture
async def installed(site: Site) -> Site:
    await site.have("/api/v1/namespaces", {"metadata": {"name": "house-db"}})
    done = await upgrade(site)
    assert done.returncode == 0, done.stderr
    return site


async def test_a_size_that_a_statefulset_cannot_take_is_told_with_the_way_to_go(installed: Site) -> None:
    assert (await upgrade(installed, f"{SIZE}=2048Mi")).returncode == 0
    smaller = await upgrade(installed, f"{SIZE}=1Gi")
    assert "a volume never becomes smaller. Set it to 2Gi." in smaller.stderr
    other = await upgrade(installed, "postgresql.embedded.storage.className=fast")
    assert "a volume keeps its class" in other.stderr

    larger = await upgrade(installed, f"{SIZE}=3Gi")
    assert larger.returncode != 0
    patch, delete = re.findall(r"^  kubectl (.*)$", larger.stderr, re.MULTILINE)
    assert shlex.split(patch)[2:6] == ["patch", "pvc", "data-butlers-postgresql-0", "--type=merge"]
    # The claim is not bound here, where nobody provisions; that it grows is the storage's business.
    assert (await run(installed, "kubectl", *shlex.split(delete))).returncode == 0
    done = await upgrade(installed, f"{SIZE}=3Gi")
    assert done.returncode == 0, done.stderr
    found = await installed.find("/apis/apps/v1/namespaces/house-db/statefulsets/butlers-postgresql")
    assert found
    claim = found["spec"]["volumeClaimTemplates"][0]["spec"]
    assert claim["resources"]["requests"]["storage"] == "3Gi"
