"""The running development cluster as the end-to-end tests use it: kubectl, waits, port-forwards, services of the node.

Invariant: only a cluster of this project is ever touched. Its kubeconfig lies in its own directory, never the user's,
and the id in that directory must be the one in the cluster itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["Cluster", "NotOurs", "eventually", "our_cluster"]

ROOT = Path(__file__).parents[2]
POLL_S = 0.5
T = TypeVar("T")


class NotOurs(Exception):
    """The cluster at hand is not one that `make up` made, so nothing may be done to it."""


def eventually(look: Callable[[], T], *, timeout_s: float = 60.0, pause_s: float = POLL_S, what: str) -> T:
    """The first true value of `look`; AssertionError with the last one when there is none in time."""
    deadline = time.monotonic() + timeout_s
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout_s:g} s: {what} (last seen: {found!r})")
        time.sleep(pause_s)


@dataclass(frozen=True)
class Cluster:
    """One cluster of ours; `namespace` has the demo household and is kubectl's default one."""

    directory: Path
    programs: Path
    namespace: str

    @property
    def kubeconfig(self) -> Path:
        return self.directory / "kubeconfig"

    @property
    def audit_log(self) -> Path:
        """What users and service accounts asked of the API server, one JSON document a line."""
        return self.directory / "audit" / "audit.log"

    def kubectl(self, *arguments: str, stdin: str | None = None, timeout_s: float = 60.0) -> str:
        """Run kubectl; what it printed. A failure is an AssertionError with its words."""
        done = self.run("kubectl", *arguments, stdin=stdin, timeout_s=timeout_s)
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr.strip()}"
        return done.stdout

    def run(
        self, program: str, *arguments: str, stdin: str | None = None, timeout_s: float = 60.0
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl or helm on this cluster, whatever comes of it."""
        command = [str(self.programs / program), "--kubeconfig", str(self.kubeconfig), *arguments]
        return subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            env=_environment(),
            check=False,
        )

    def get(self, kind: str, name: str, *, namespace: str | None = None) -> dict[str, Any] | None:
        """One object; None when it does not exist."""
        text = self.kubectl(
            "get",
            kind,
            name,
            "--namespace",
            namespace or self.namespace,
            "--ignore-not-found",
            "--output",
            "json",
        )
        found: dict[str, Any] | None = json.loads(text) if text.strip() else None
        return found

    def list(self, kind: str, *, selector: str = "", namespace: str | None = None) -> list[dict[str, Any]]:
        """The objects of one kind in a namespace."""
        where = ["--selector", selector] if selector else []
        text = self.kubectl(
            "get", kind, "--namespace", namespace or self.namespace, *where, "--output", "json"
        )
        items: list[dict[str, Any]] = json.loads(text)["items"]
        return items

    def apply(self, *documents: Mapping[str, Any], namespace: str | None = None) -> None:
        """`kubectl apply` of objects."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(documents)})
        self.kubectl("apply", "--namespace", namespace or self.namespace, "--filename", "-", stdin=text)

    def condition(
        self, kind: str, name: str, type_: str, *, namespace: str | None = None
    ) -> dict[str, Any] | None:
        """A condition of one object's status; None when the object or the condition is absent."""
        found = self.get(kind, name, namespace=namespace) or {}
        conditions = (found.get("status") or {}).get("conditions") or []
        return next((one for one in conditions if one["type"] == type_), None)

    def ready(self, what: str, *, timeout_s: float = 180.0, namespace: str | None = None) -> None:
        """Until everything that `what` names (`butler,connector`, `butler/finance`) is Ready."""
        every = [] if "/" in what else ["--all"]
        self.kubectl(
            "wait", "--for=condition=Ready", what, *every, "--namespace", namespace or self.namespace,
            f"--timeout={timeout_s:g}s", timeout_s=timeout_s + 10,
        )  # fmt: skip

    def service(self, verb: str, name: str) -> None:
        """`stop`, `start` or `kill` one service of the node: kubelet, etcd, kube-apiserver …"""
        subprocess.run(
            [str(ROOT / "cluster" / "service.sh"), verb, name], check=True, timeout=30, capture_output=True
        )

    @contextlib.contextmanager
    def port_forward(
        self, target: str, *ports: int, namespace: str | None = None
    ) -> Iterator[dict[int, int]]:
        """Local ports for ports of a pod or Service, while the block runs."""
        command = [
            str(self.programs / "kubectl"), "--kubeconfig", str(self.kubeconfig), "port-forward",
            "--namespace", namespace or self.namespace, target, *(f":{port}" for port in ports),
        ]  # fmt: skip
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_environment()
        )
        try:
            yield _forwarded(process, ports)
        finally:
            process.terminate()
            process.wait(timeout=10)


def our_cluster(environment: Mapping[str, str]) -> Cluster:
    """The cluster that `make e2e` names. Raises `NotOurs`."""
    try:
        cluster = Cluster(
            directory=Path(environment["BUTLERS_E2E_DIR"]),
            programs=Path(environment["BUTLERS_E2E_BIN"]),
            namespace=environment["BUTLERS_E2E_NAMESPACE"],
        )
    except KeyError as missing:
        raise NotOurs(f"{missing.args[0]} is not set; run make e2e") from None
    mark = cluster.directory / "id"
    if not mark.exists() or not cluster.kubeconfig.exists():
        raise NotOurs(f"{cluster.directory} is not the directory of a cluster that make up made")
    found = cluster.get("configmap", "butlers-cluster", namespace="kube-system")
    if found is None or found["data"]["id"] != mark.read_text("utf-8").strip():
        raise NotOurs(f"the cluster behind {cluster.kubeconfig} is not the one of {cluster.directory}")
    return cluster


def _forwarded(process: subprocess.Popen[str], ports: tuple[int, ...]) -> dict[int, int]:
    found: dict[int, int] = {}
    assert process.stdout is not None
    for line in process.stdout:
        said = re.match(r"Forwarding from 127\.0\.0\.1:(\d+) -> (\d+)", line)
        if said:
            # A Service's port may be forwarded to another number of its pod; the order is that of the request.
            found[ports[len(found)]] = int(said[1])
        if len(found) == len(ports):
            return found
    raise AssertionError(f"kubectl port-forward ended with {process.wait(timeout=10)}")


def _environment() -> dict[str, str]:
    """Without proxies, and without a kubeconfig that might name another cluster."""
    dropped = {
        "KUBECONFIG",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "http_proxy",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    }
    return {key: value for key, value in os.environ.items() if key not in dropped}
