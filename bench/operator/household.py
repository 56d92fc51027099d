"""The benchmark's households: Butlers and Connectors without pods, spread over one namespace or several."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import yaml

from bench.operator.plane import REPOSITORY, Plane
from butler_operator.cluster.paths import path_of
from butler_resources.kinds.names import USABLE_BY_LABEL, USABLE_BY_US

__all__ = [
    "IMAGES",
    "NAMESPACE",
    "OPERATOR_USER",
    "SYSTEM",
    "create_all",
    "everything",
    "install",
    "is_settled",
    "manifests",
    "namespaces",
    "shares",
]

NAMESPACE: Final = "household"
SYSTEM: Final = "butlers-system"
OPERATOR_USER: Final = f"system:serviceaccount:{SYSTEM}:butlers-operator"
IMAGES: Final = "x.test/"
"""Prefix of the images that a manifest may name."""
NAMED_MOST: Final = 1000
"""Resources of a kind in one household: their names have three digits."""
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


def namespaces(households: int) -> tuple[str, ...]:
    """Return the namespace of each household."""
    return (NAMESPACE, *(f"{NAMESPACE}-{number}" for number in range(2, households + 1)))


def shares(total: int, households: int) -> list[int]:
    """Return `total` spread evenly over the households."""
    each, more = divmod(total, households)
    return [each + (number < more) for number in range(households)]


def install(plane: Plane, *, watched: Sequence[str] = (NAMESPACE,)) -> Path:
    """Install namespaces, CRDs, roles and secrets from the chart; return the file with the operator's place."""
    plane.apply(
        [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (*watched, SYSTEM)]
    )
    objects = [body for body in _chart(plane, watched) if body["kind"] in _INSTALLED]
    crds = [body for body in objects if body["kind"] == "CustomResourceDefinition"]
    plane.apply(crds)
    secrets = [_secret("source", "value", namespace) for namespace in watched]
    plane.apply([body for body in objects if body not in crds] + secrets)
    place = next(body for body in objects if body["kind"] == "ConfigMap" and "place.json" in body["data"])
    file = plane.folder / "place.json"
    file.write_text(place["data"]["place.json"], encoding="utf-8")
    return file


def _chart(plane: Plane, watched: Sequence[str]) -> list[Body]:
    command: list[str | Path] = [
        plane.binaries / "helm",
        "template",
        "butlers",
        REPOSITORY / "charts/butlers",
        "--namespace",
        SYSTEM,
    ]
    done = subprocess.run(
        [*command, "--set", f"watchNamespaces={{{','.join(watched)}}},household.allowedImages={{{IMAGES}}}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [body for body in yaml.load_all(done.stdout, yaml.CSafeLoader) if body]


def _secret(name: str, key: str, namespace: str) -> Body:
    metadata = {"name": name, "namespace": namespace, "labels": {USABLE_BY_LABEL: USABLE_BY_US}}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {key: "bench"}}


def everything(watched: Sequence[str], *, butlers: int, connectors: int) -> list[Body]:
    """Return the resources of all households; each has a switchboard of its own."""
    spread = zip(watched, shares(butlers, len(watched)), shares(connectors, len(watched)), strict=True)
    return [body for namespace, some, more in spread for body in manifests(some, more, namespace=namespace)]


def manifests(butlers: int, connectors: int, *, namespace: str = NAMESPACE) -> Iterator[Body]:
    """Yield one switchboard, specialists, connectors of three types, all of them suspended or without replicas."""
    if max(butlers, connectors) > NAMED_MOST:
        raise ValueError(f"more than {NAMED_MOST} of a kind in one household; give more --households")
    yield _object("Butler", "switchboard", {"role": "switchboard", "replicas": 0}, namespace)
    for number in range(butlers - 1):
        spec: Body = {"role": "specialist", "profile": PROFILES[number % len(PROFILES)]}
        still: Body = {"suspend": True} if number % 2 else {"replicas": 0}
        yield _object("Butler", f"b{number:03}", spec | still, namespace)
    reference = {"name": "source", "key": "value"}
    blocks: tuple[tuple[str, str, Body], ...] = (
        ("telegram_bot", "telegramBot", {"tokenSecretRef": reference}),
        ("imap", "imap", {"host": "mail.example.org", "username": "home", "passwordSecretRef": reference}),
        ("webhook", "webhook", {"tokenSecretRef": reference}),
    )
    for number in range(connectors):
        type_, block, content = blocks[number % len(blocks)]
        spec = {"type": type_, "endpointIdentity": f"{type_}:c{number:03}", block: content, "suspend": True}
        yield _object("Connector", f"c{number:03}", spec, namespace)


def _object(kind: str, name: str, spec: Body, namespace: str) -> Body:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


async def create_all(http: httpx.AsyncClient, bodies: list[Body]) -> None:
    """Create the Switchboards, then the others, eight at a time."""
    slots = asyncio.Semaphore(8)

    async def create(body: Body) -> None:
        path = path_of(body["kind"], body["metadata"]["namespace"])
        async with slots:
            answer = await http.post(path, json=body)
        if answer.status_code != 201:
            raise RuntimeError(f"{body['metadata']['name']}: {answer.text[:500]}")

    # As `kubectl apply` of a directory would: what the others refer to comes first.
    heads = [body for body in bodies if body["metadata"]["name"] == "switchboard"]
    await asyncio.gather(*(create(body) for body in heads))
    await asyncio.gather(*(create(body) for body in bodies if body not in heads))


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
