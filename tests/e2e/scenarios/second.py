"""A household beside the demo's, small and whole, and everything that can be wrong with one.

Invariant: all of it is in one namespace, `NAMESPACE`; what is wrong is wrong by manifests, rights and signals alone.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from tests.e2e.charts.release import CHART, INSTALLED
from tests.e2e.cluster import ROOT, Cluster

__all__ = ["NAMESPACE", "TOLD", "WRONG", "hung", "manifests", "operations", "orders", "untold", "watch"]

NAMESPACE: Final = "house-two"
MEMBERS: Final = ("switchboard", "messenger", "finance", "general", "telegram", "webhook")
BOT: Final = "http://providers:40181"
TOLD: Final = {
    ("Butler", "finance", "Progressing"): "ImagePullFailed",
    ("Butler", "evil", "ResolvedRefs"): "ImageNotAllowed",
    ("Butler", "mars", "Accepted"): "InvalidSpec",
    ("Butler", "orchid", "Deployed"): "OwnershipConflict",
    ("Connector", "thief", "ResolvedRefs"): "SecretNotShared",
    ("Connector", "loner", "ResolvedRefs"): "SecretNotShared",
    ("Connector", "double", "ResolvedRefs"): "NameTaken",
    ("Connector", "wrong", "SourceReachable"): "Unauthorized",
}
"""By kind, name and condition, which is False: the reason of each thing in `WRONG`."""


def manifests() -> list[dict[str, Any]]:
    """The namespace, and what is in it: some of the demo's members with providers of their own."""
    levels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
    whole = [one for name in ("secrets", "contacts", "providers") for one in _of_demo(name)]
    members = [one for name in ("butlers", "connectors") for one in _of_demo(name)]
    place = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": levels}}
    return [place, *whole, *(one for one in members if one["metadata"]["name"] in MEMBERS)]


def watch(cluster: Cluster, *namespaces: str) -> str:
    """The installation with these households; what helm said."""
    name, where = INSTALLED
    done = cluster.run(
        "helm", "upgrade", name, str(CHART), "--namespace", where, "--reset-then-reuse-values",
        "--set", f"watchNamespaces={{{','.join(namespaces)}}}", "--wait", "--timeout", "180s", timeout_s=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def untold(cluster: Cluster) -> set[tuple[str, str, str]]:
    """What is wrong and not said yet."""
    said = {
        (one["kind"], one["metadata"]["name"], condition["type"]): condition["reason"]
        for one in cluster.list("butlers.butlers.dev,connectors.butlers.dev", namespace=NAMESPACE)
        for condition in (one.get("status") or {}).get("conditions") or []
        if condition["status"] == "False"
    }
    return {key for key, reason in TOLD.items() if said.get(key) != reason}


def orders(count: int) -> list[dict[str, Any]]:
    """So many wishes at Switchboard, as a replay of many messages makes them."""
    spec = {
        "action": "quarantine",
        "target": {"kind": "Butler", "name": "finance"},
        "reason": "its figures are looked through",
        "requestedBy": "kubernetes-admin",
    }
    return [_ours("ButlerOperation", f"order-{number}", spec) for number in range(count)]


def operations(cluster: Cluster) -> list[str]:
    """The phases of those that have one."""
    found = cluster.list("butleroperations.butlers.dev", namespace=NAMESPACE)
    phases = [str((one.get("status") or {}).get("phase") or "") for one in found]
    return [phase for phase in phases if phase]


@contextlib.contextmanager
def hung(cluster: Cluster, butler: str) -> Iterator[None]:
    """The butler's process takes connections and answers none, until the block ends or its probe has it replaced."""
    chosen = f"butlers.dev/kind=Butler,butlers.dev/name={butler}"
    pods = {one["metadata"]["name"] for one in cluster.list("pods", selector=chosen, namespace=NAMESPACE)}
    processes = [pid for pid, name in _containers() if name in pods]
    assert processes, f"no process of {pods} on this machine"
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def _containers() -> Iterator[tuple[int, str]]:
    """Processes of this machine that have a host name in their environment: those of a pod have the pod's."""
    for file in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            for entry in file.read_bytes().split(b"\0"):
                name, _, value = entry.partition(b"=")
                if name == b"HOSTNAME":
                    yield int(file.parent.name), value.decode(errors="replace")


def _of_demo(name: str) -> list[dict[str, Any]]:
    text = (ROOT / "examples" / "demo" / f"{name}.yaml").read_text("utf-8")
    return [one for one in yaml.safe_load_all(text) if one]


def _ours(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def _core(kind: str, name: str, *, labels: dict[str, str] | None = None, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "labels": labels or {}}, **rest}


def _specialist(name: str, **more: Any) -> dict[str, Any]:
    return _ours("Butler", name, {"role": "specialist", "profile": "general"} | more)


def _bot(name: str, secret: str, *, key: str = "token", endpoint: str = "") -> dict[str, Any]:
    """A connector that hands a Secret to whoever is at its address."""
    source = {"tokenSecretRef": {"name": secret, "key": key}, "apiBaseUrl": BOT}
    identity = endpoint or f"telegram:bot:{name}"
    return _ours(
        "Connector", name, {"type": "telegram_bot", "endpointIdentity": identity, "telegramBot": source}
    )


_USABLE: Final = {"butlers.dev/usable-by": "household"}
_UNKNOWN: Final = {"token": "1000000009:a-token-that-the-provider-does-not-know"}
WRONG: Final[list[dict[str, Any]]] = [
    # A token that the provider refuses: its pod starts, so it comes first.
    _core("Secret", "wrong", labels=_USABLE, stringData=_UNKNOWN),
    _bot("wrong", "wrong"),
    # An image that nobody has, and one that is not the writer's to name.
    _specialist("finance", profile="finance", pod={"image": "localhost/butlers:nope"}),
    _specialist("evil", pod={"image": "registry.example/evil:1"}),
    # Secrets of the operator's and of somebody else.
    _bot("thief", "butlers-postgresql", key="password"),
    _core("Secret", "private", stringData=_UNKNOWN),
    _bot("loner", "private"),
    # What another one has already: an endpoint, a name of a child.
    _bot("double", "telegram-bot", endpoint="telegram:bot:household"),
    _core("ConfigMap", "butler-orchid", data={"of": "mine"}),
    _specialist("orchid"),
    # What the API server cannot know to be wrong.
    _specialist("mars", timezone="Mars/Olympus"),
]
