"""A separate control plane for the benchmark: etcd, kube-apiserver and kube-controller-manager; no node, so no pods.

The programs are those of `make up` (`cluster/binaries.sh`). Everything is in one directory and on free ports of
127.0.0.1; the process that started it ends it, by process id.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

__all__ = ["ADMIN", "PROGRAMS", "REPOSITORY", "Plane", "free_ports", "running", "running_plane"]

REPOSITORY: Final = Path(__file__).parents[2]
PROGRAMS: Final = ("etcd", "kube-apiserver", "kube-controller-manager", "kubectl", "helm")
START_S: Final = 90.0
STOP_S: Final = 15.0
ADMIN: Final = "bench-admin"
_TOKENS: Final = {
    ADMIN: ("kubernetes-admin", "system:masters"),
    "bench-controllers": ("bench:kcm", "system:masters"),
}
_ISSUER: Final = "https://kubernetes.default.svc.cluster.local"


@dataclass(frozen=True)
class Plane:
    """A running control plane; `pids` by program, `etcd` the address of its store."""

    folder: Path
    binaries: Path
    url: str
    authority: Path
    pids: Mapping[str, int]
    etcd: str

    @property
    def audit_log(self) -> Path:
        return self.folder / "audit.log"

    def client(self) -> httpx.AsyncClient:
        """Return a client with full access."""
        return httpx.AsyncClient(
            base_url=self.url,
            headers={"Authorization": f"Bearer {ADMIN}"},
            verify=_trusting(self.authority),
            timeout=30,
            trust_env=False,
            limits=httpx.Limits(max_connections=16),
        )

    def kubeconfig(self, name: str, token: str) -> Path:
        """Write a kubeconfig for the bearer of `token`."""
        return _kubeconfig(self.folder / f"{name}.kubeconfig", self.url, self.authority, token)

    def apply(self, objects: list[dict[str, Any]]) -> None:
        """Apply server-side with kubectl, as an administrator would."""
        kubeconfig = self.kubeconfig("admin", ADMIN)
        subprocess.run(
            [
                str(self.binaries / "kubectl"),
                "--kubeconfig",
                str(kubeconfig),
                "apply",
                "--server-side",
                "-f",
                "-",
            ],
            input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}),
            text=True,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=60,
        )


@asynccontextmanager
async def running_plane(folder: Path, audit_policy: Mapping[str, Any]) -> AsyncIterator[Plane]:
    """Start everything in `folder`, which is emptied before and removed afterwards."""
    binaries, folder = _binaries(), _emptied(folder)
    try:
        _write_keys(folder)
        (folder / "audit.json").write_text(json.dumps(audit_policy), encoding="utf-8")
        client, peer, secure, kcm = free_ports(4)
        url, authority = f"https://127.0.0.1:{secure}", folder / "apiserver.crt"
        with (
            running("etcd", [binaries / "etcd", *_etcd(folder, client, peer)], folder) as etcd,
            running(
                "kube-apiserver", [binaries / "kube-apiserver", *_api(folder, client, secure)], folder
            ) as api,
        ):
            await _ready(url, authority, api)
            config = _kubeconfig(folder / "kcm.kubeconfig", url, authority, "bench-controllers")
            command = [binaries / "kube-controller-manager", *_controllers(folder, config, kcm)]
            with running("kube-controller-manager", command, folder) as controllers:
                pids = {
                    "etcd": etcd.pid,
                    "kube-apiserver": api.pid,
                    "kube-controller-manager": controllers.pid,
                }
                yield Plane(folder, binaries, url, authority, pids, f"http://127.0.0.1:{client}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(
    name: str, command: list[Any], folder: Path, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process with its log in `folder`; end it with SIGTERM, then with SIGKILL."""
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**_plain_environment(), **(env or {})},
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(STOP_S)


def free_ports(count: int) -> list[int]:
    """Return ports of 127.0.0.1 that are free now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [int(one.getsockname()[1]) for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder.resolve()


def _binaries() -> Path:
    subprocess.run([str(REPOSITORY / "cluster" / "binaries.sh"), *PROGRAMS], check=True)
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cache = Path(os.environ.get("BUTLERS_CLUSTER_CACHE") or caches / "butlers-cluster")
    return Path(os.environ.get("BUTLERS_CLUSTER_BIN") or cache / "bin")


def _plain_environment() -> dict[str, str]:
    """Return the environment without proxies and KUBECONFIG: nothing leaves this machine or reaches another cluster."""
    dropped = ("http_proxy", "https_proxy", "all_proxy", "kubeconfig")
    return {name: value for name, value in os.environ.items() if name.lower() not in dropped}


def _write_keys(folder: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (folder / "sa.key").write_bytes(private)
    (folder / "sa.pub").write_bytes(public)
    lines = [f'{token},{user},{user},"{group}"\n' for token, (user, group) in _TOKENS.items()]
    (folder / "tokens.csv").write_text("".join(lines), encoding="utf-8")


def _etcd(folder: Path, client: int, peer: int) -> list[str]:
    return [
        f"--data-dir={folder}/etcd",
        f"--listen-client-urls=http://127.0.0.1:{client}",
        f"--advertise-client-urls=http://127.0.0.1:{client}",
        f"--listen-peer-urls=http://127.0.0.1:{peer}",
        f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
        f"--initial-cluster=default=http://127.0.0.1:{peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def _api(folder: Path, etcd: int, secure: int) -> list[str]:
    return [
        f"--etcd-servers=http://127.0.0.1:{etcd}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={secure}",
        f"--cert-dir={folder}",
        "--service-cluster-ip-range=10.219.0.0/20",
        "--endpoint-reconciler-type=none",
        "--authorization-mode=RBAC",
        f"--token-auth-file={folder}/tokens.csv",
        f"--service-account-issuer={_ISSUER}",
        f"--service-account-key-file={folder}/sa.pub",
        f"--service-account-signing-key-file={folder}/sa.key",
        f"--audit-policy-file={folder}/audit.json",
        f"--audit-log-path={folder}/audit.log",
        "--profiling=false",
    ]


def _controllers(folder: Path, kubeconfig: Path, port: int) -> list[str]:
    return [
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={folder}/kcm",
        "--leader-elect=false",
        f"--service-account-private-key-file={folder}/sa.key",
        f"--root-ca-file={folder}/apiserver.crt",
        "--use-service-account-credentials=true",
        "--profiling=false",
    ]


def _kubeconfig(file: Path, url: str, authority: Path, token: str) -> Path:
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "bench", "cluster": {"server": url, "certificate-authority": str(authority)}}],
        "users": [{"name": "bench", "user": {"token": token}}],
        "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": "bench"}}],
        "current-context": "bench",
    }
    file.write_text(json.dumps(document), encoding="utf-8")
    file.chmod(0o600)
    return file


def _trusting(authority: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(authority))


async def _ready(url: str, authority: Path, api: subprocess.Popen[bytes]) -> None:
    async with asyncio.timeout(START_S):
        while not await _answers(url, authority):
            if api.poll() is not None:
                raise RuntimeError(f"kube-apiserver ended with status {api.returncode}")
            await asyncio.sleep(0.2)


async def _answers(url: str, authority: Path) -> bool:
    try:
        headers = {"Authorization": f"Bearer {ADMIN}"}
        async with httpx.AsyncClient(verify=_trusting(authority), trust_env=False, headers=headers) as http:
            return (await http.get(f"{url}/readyz")).status_code == 200
    except (httpx.HTTPError, OSError):  # its certificate does not exist yet
        return False
