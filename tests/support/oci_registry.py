"""A real registry on loopback (Debian's docker-registry), and a client of the few calls that tests make of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.support.loopback import free_port

__all__ = ["OciRegistry", "find_registry", "running_registry"]

MANIFESTS = "application/vnd.oci.image.manifest.v1+json"
START_S = 30
STOP_S = 10


def find_registry() -> str | None:
    """The registry's program: on the path, or where tests/flow/publishing/programs.sh unpacks it."""
    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cache = Path(os.environ.get("BUTLERS_CLUSTER_CACHE") or cache_home / "butlers-cluster")
    unpacked = cache / "registry" / "usr" / "bin" / "docker-registry"
    return str(unpacked) if unpacked.exists() else shutil.which("docker-registry")


@dataclass(frozen=True)
class OciRegistry:
    """One that runs."""

    host: str

    def get(self, path: str, accept: str = "*/*") -> httpx.Response:
        """A GET below /v2/, straight to it."""
        url = f"http://{self.host}/v2/{path}"
        return httpx.get(url, headers={"Accept": accept}, timeout=10, trust_env=False)

    def manifest(self, repository: str, digest: str) -> dict[str, Any]:
        """An image's manifest, pulled by its digest."""
        answer = self.get(f"{repository}/manifests/{digest}", MANIFESTS)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = json.loads(answer.content)
        return found

    def blob(self, repository: str, digest: str) -> bytes:
        """A layer, or an image's configuration."""
        answer = self.get(f"{repository}/blobs/{digest}")
        assert answer.status_code == 200, answer.text
        return answer.content


@contextmanager
def running_registry(program: str, folder: Path, *, accounts: str | None = None) -> Iterator[OciRegistry]:
    """Start one on a free port of loopback with all that it keeps in `folder`; `accounts` are lines of htpasswd."""
    folder.mkdir(parents=True)
    host = f"127.0.0.1:{free_port()}"
    settings: dict[str, Any] = {
        "version": "0.1",
        "log": {"level": "warn"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
        "http": {"addr": host},
    }
    if accounts is not None:
        (folder / "accounts").write_text(accounts, "utf-8")
        settings["auth"] = {"htpasswd": {"realm": "tests", "path": str(folder / "accounts")}}
    (folder / "settings.yaml").write_text(json.dumps(settings), "utf-8")
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [program, "serve", str(folder / "settings.yaml")],
            stdout=log,
            stderr=log,
            env={"PATH": os.environ["PATH"], "OTEL_TRACES_EXPORTER": "none"},
        )
        try:
            _wait_for(process, host, folder / "log")
            yield OciRegistry(host)
        finally:
            process.terminate()
            process.wait(STOP_S)


def _wait_for(process: subprocess.Popen[bytes], host: str, log: Path) -> None:
    transport = httpx.HTTPTransport(retries=8)  # waits longer each time it is refused: half a minute together
    with httpx.Client(transport=transport, timeout=START_S) as client:
        try:
            client.get(f"http://{host}/v2/")
        except httpx.HTTPError as error:
            raise AssertionError(
                f"the registry did not start ({process.poll()}): {log.read_text()}"
            ) from error
