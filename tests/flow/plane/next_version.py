"""The release that brings `v1alpha2`, made of this one under another name, and how resources are stored."""

from __future__ import annotations

import base64
import copy
import json
import os
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import Any

import httpx
import yaml

from bench.operator.plane import ADMIN, REPOSITORY, Plane

__all__ = ["NEW", "OLD", "definitions", "next_operator", "store", "stored_versions"]

OLD, NEW = "v1alpha1", "v1alpha2"
PACKAGES = ("butler_operator", "butler_resources")
STORED = "/registry/butlers.dev/"
Body = dict[str, Any]


def definitions(*, served: Collection[str], stored: str) -> list[Body]:
    """The four definitions with these versions, all of one shape."""
    made = []
    for file in sorted((REPOSITORY / "crds").glob("*.yaml")):
        body = yaml.safe_load(file.read_text(encoding="utf-8"))
        (only,) = body["spec"]["versions"]
        body["spec"]["versions"] = [
            copy.deepcopy(only) | {"name": name, "served": name in served, "storage": name == stored}
            for name in (OLD, NEW)
            if name in {*served, stored}
        ]
        made.append(body)
    return made


def next_operator(folder: Path) -> Path:
    """The operator's packages as a release would have them that reads and writes the new version."""
    for package in PACKAGES:
        shutil.copytree(REPOSITORY / "operator" / package, folder / package)
    for file in folder.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if OLD in text:
            file.write_text(text.replace(OLD, NEW), encoding="utf-8")
    return folder


def store(plane: Plane, version: str) -> subprocess.CompletedProcess[str]:
    """What the guide says to type."""
    kubeconfig = plane.kubeconfig("administrator", ADMIN)
    return subprocess.run(
        [REPOSITORY / "deploy/api-versions/stored.sh", version, f"--kubeconfig={kubeconfig}"],
        env=os.environ | {"PATH": f"{plane.binaries}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


async def stored_versions(plane: Plane) -> dict[str, str]:
    """The version in which each of our resources lies in etcd, by its key."""
    start, end = (base64.b64encode(key.encode()).decode() for key in (STORED, STORED[:-1] + "0"))
    async with httpx.AsyncClient(base_url=plane.etcd, trust_env=False) as http:
        answer = await http.post("/v3/kv/range", json={"key": start, "range_end": end})
    found = answer.raise_for_status().json().get("kvs", ())
    return {
        base64.b64decode(one["key"]).decode(): json.loads(base64.b64decode(one["value"]))["apiVersion"]
        for one in found
    }
