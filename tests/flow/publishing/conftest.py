"""A registry, a buildah store with images of one small file each, and the program of `make push` on them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cluster.one_file_image import write_image
from tests.support.helm import find_helm
from tests.support.oci_registry import OciRegistry, find_registry, running_registry

ROOT = Path(__file__).parents[3]
NAMES = ("butlers", "butlers-operator", "butlers-postgresql")
TIMEOUT_S = 60
ACCOUNT, PASSWORD = "ana", "open sesame"
NO_LOGIN = '{"auths": {}}'
HTPASSWD = f"{ACCOUNT}:$2b$04$abcdefghijklmnopqrstuu/LVz6MZlItEy42I2juLihZ66HnQx/cy\n"


@dataclass(frozen=True)
class Checkout:
    """What `make push` finds on a machine: a cache with images that were built, a login file, helm."""

    folder: Path
    helm: str

    @property
    def output(self) -> Path:
        return self.folder / "push"

    @property
    def login(self) -> Path:
        return self.folder / "auth.json"

    @property
    def environment(self) -> dict[str, str]:
        own = {
            "HOME": str(self.folder),
            "BUTLERS_CLUSTER_CACHE": str(self.folder / "cache"),
            "REGISTRY_AUTH_FILE": str(self.login),
            "HELM": self.helm,
        }
        # Loopback only: no proxy of the machine stands between.
        return {"PATH": os.environ["PATH"], "NO_PROXY": "127.0.0.1", **own}

    def lines(self, file: str) -> list[str]:
        """Of a file that the last push wrote."""
        return (self.output / file).read_text("utf-8").splitlines()

    def push(self, registry: str, *options: str, helm: str = "") -> subprocess.CompletedProcess[str]:
        command = (
            sys.executable,
            "-m",
            "images.push",
            registry,
            "--built",
            "--output",
            str(self.output),
            *options,
        )
        return self.run(*command, **({"HELM": helm} if helm else {}))

    def run(self, *command: str, given: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment | more,
            input=given,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )


def absent(told: str) -> None:
    """As where other programs are missing: skipped, and a failure where everything has to be there."""
    if os.environ.get("CI") and shutil.which("apt-get"):
        pytest.fail(told)
    pytest.skip(told)


@pytest.fixture(scope="session")
def registry_program() -> str:
    found = find_registry()
    if found is None or shutil.which("buildah") is None:
        absent("pushing is not tested: tests/flow/publishing/programs.sh gets buildah and docker-registry")
    return str(found)


@pytest.fixture
def registry(registry_program: str, tmp_path: Path) -> Iterator[OciRegistry]:
    with running_registry(registry_program, tmp_path / "registry") as running:
        yield running


@pytest.fixture
def guarded(registry_program: str, tmp_path: Path) -> Iterator[OciRegistry]:
    """One that takes nothing without the account."""
    with running_registry(registry_program, tmp_path / "guarded", accounts=HTPASSWD) as running:
        yield running


@pytest.fixture(scope="module")
def checkout(registry_program: str, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    helm = find_helm()
    if helm is None:
        absent("pushing is not tested: no helm here; cluster/binaries.sh helm gets it, or set HELM")
    folder = tmp_path_factory.mktemp("checkout")
    made = Checkout(folder, str(helm))
    made.login.write_text(NO_LOGIN, "utf-8")
    store = folder / "cache" / "buildah"
    place = (
        "--root",
        str(store / "root"),
        "--runroot",
        str(store / "run"),
        "--storage-driver",
        "overlay",
    )
    (folder / "cache" / "images").mkdir(parents=True)
    for name in NAMES:
        (folder / name).write_text(f"#!/bin/sh\necho {name}\n", "utf-8")
        archive = folder / "cache" / "images" / f"{name}.tar"
        write_image(folder / name, f"localhost/{name}:dev", archive)
        pulled = made.run("buildah", *place, "pull", "--quiet", f"docker-archive:{archive}")
        if pulled.returncode:
            words = pulled.stderr.strip()
            assert re.search("overlay|user namespace|not permitted", words), words
            pytest.skip(f"buildah keeps no images on this machine: {words[-200:]}")
        (folder / "cache" / "images" / f"{name}.tag").write_text("12345e678901", "utf-8")
    return made
