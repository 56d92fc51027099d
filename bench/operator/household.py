"""The benchmark's household: two hundred Butlers and a hundred Connectors without pods."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import yaml

from bench.operator.plane import REPOSITORY, Plane
from butler_resources.kinds.names import USABLE_BY_LABEL, USABLE_BY_US

__all__ = [
    "NAMESPACE",
    "OPERATOR_USER",
    "SYSTEM",
    "create_all",
    "install",
    "is_settled",
    "manifests",
]

NAMESPACE: Final = "household"
SYSTEM: Final = "butlers-system"
OPERATOR_USER: Final = f"system:serviceaccount:{SYSTEM}:butlers-operator"
PROFILES: Final = ("general", "relationship", "health", "finance", "travel")
_INSTALLED: Final = (
    "CustomResourceDefinition",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
)
"""Kinds of the chart that are installed: all but its pods, which the benchmark's own processes replace."""
_STAGES: Final = ("Accepted", "ResolvedRefs", "Deployed", "Ready", "Reconciling", "Stalled")
Body = dict[str, Any]


def install(plane: Plane) -> Path:
    """Install namespaces, CRDs, roles and secrets from the chart; return the file with the operator's place."""
    plane.apply(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            for name in (NAMESPACE, SYSTEM)
        ]
    )
    objects = [body for body in _chart(plane) if body["kind"] in _INSTALLED]
    crds = [body for body in objects if body["kind"] == "CustomResourceDefinition"]
    plane.apply(crds)
    plane.apply([body for body in objects if body not in crds] + [_secret("source", "value")])
    place = next(body for body in objects if body["kind"] == "ConfigMap" and "place.json" in body["data"])
    file = plane.folder / "place.json"
    file.write_text(place["data"]["place.json"], encoding="utf-8")
    return file


def _chart(plane: Plane) -> list[Body]:
    command: list[str | Path] = [
        plane.binaries / "helm",
        "template",
        "butlers",
        REPOSITORY / "charts/butlers",
        "--namespace",
        SYSTEM,
    ]
    done = subprocess.run(
        [*command, "--set", f"watchNamespaces={{{NAMESPACE}}}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [body for body in yaml.load_all(done.stdout, yaml.CSafeLoader) if body]


def _secret(name: str, key: str) -> Body:
    metadata = {"name": name, "namespace": NAMESPACE, "labels": {USABLE_BY_LABEL: USABLE_BY_US}}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {key: "bench"}}


def manifests(butlers: int, connectors: int) -> Iterator[Body]:
    """Yield one switchboard, specialists, connectors of three types, all of them suspended or without replicas."""
    yield _object("Butler", "switchboard", {"role": "switchboard", "replicas": 0})
    for number in range(butlers - 1):
        spec: Body = {"role": "specialist", "profile": PROFILES[number % len(PROFILES)]}
        yield _object(
            "Butler", f"b{number:03}", {**spec, **({"suspend": True} if number % 2 else {"replicas": 0})}
        )
    reference = {"name": "source", "key": "value"}
    blocks: tuple[tuple[str, str, Body], ...] = (
        ("telegram_bot", "telegramBot", {"tokenSecretRef": reference}),
        ("imap", "imap", {"host": "mail.example.org", "username": "home", "passwordSecretRef": reference}),
        ("webhook", "webhook", {"tokenSecretRef": reference}),
    )
    for number in range(connectors):
        type_, block, content = blocks[number % len(blocks)]
        spec = {"type": type_, "endpointIdentity": f"{type_}:c{number:03}", block: content, "suspend": True}
        yield _object("Connector", f"c{number:03}", spec)


def _object(kind: str, name: str, spec: Body) -> Body:
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


async def create_all(http: httpx.AsyncClient, bodies: list[Body]) -> None:
    """Create the first, then the others, eight at a time."""
    slots = asyncio.Semaphore(8)

    async def create(body: Body) -> None:
        path = f"/apis/butlers.dev/v1alpha1/namespaces/{NAMESPACE}/{body['kind'].lower()}s"
        async with slots:
            answer = await http.post(path, json=body)
        if answer.status_code != 201:
            raise RuntimeError(f"{body['metadata']['name']}: {answer.text[:500]}")

    # As `kubectl apply` of a directory would: what the others refer to comes first.
    await create(bodies[0])
    await asyncio.gather(*(create(body) for body in bodies[1:]))


def is_settled(body: Body) -> bool:
    """Return whether a resource has all its conditions for this generation, with nothing left to do."""
    status, metadata = body.get("status") or {}, body["metadata"]
    conditions = {one["type"]: one for one in status.get("conditions") or []}
    standing = "Online" if body["kind"] == "Connector" else "Eligible"
    wanted = _STAGES if metadata["name"] == "switchboard" else (*_STAGES, standing)
    known = all(name in conditions and conditions[name]["status"] != "Unknown" for name in wanted)
    return (
        known
        and status.get("observedGeneration") == metadata["generation"]
        and all(one["observedGeneration"] == metadata["generation"] for one in conditions.values())
        and all(conditions[name]["status"] == "True" for name in ("Accepted", "ResolvedRefs", "Deployed"))
        and conditions["Reconciling"]["status"] == "False"
        and (metadata["name"] == "switchboard" or conditions[standing]["status"] == "True")
    )
