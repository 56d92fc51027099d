"""A support bundle: findings, objects, events and the last log lines, as a `.tar.gz` without secrets."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from butler_cli.errors import UserError
from butler_kubectl.findings import Evidence, Finding
from butler_kubectl.kubectl import Kubectl, KubectlError
from butler_kubectl.redact import redacted, redacted_text

__all__ = ["write_bundle"]

LOG_LINES: Final = 500
FOLDER: Final = "butlers-diagnosis"


def write_bundle(
    path: Path, kubectl: Kubectl, found: Evidence, findings: Sequence[Finding], *, now: datetime
) -> list[str]:
    """Write it, readable by its owner alone; return its file names. Raises `UserError`, also if it exists."""
    names = []
    try:
        with path.open("xb") as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
            path.chmod(0o600)
            for name, text in _files(kubectl, found, findings):
                content = text.encode("utf-8", errors="replace")
                entry = tarfile.TarInfo(f"{FOLDER}/{name}")
                entry.size, entry.mtime, entry.mode = len(content), int(now.timestamp()), 0o600
                archive.addfile(entry, io.BytesIO(content))
                names.append(name)
    except FileExistsError:
        raise UserError(f"{path} exists; name another file, or remove it") from None
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None
    return names


def _files(kubectl: Kubectl, found: Evidence, findings: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    yield "findings.json", _json([asdict(one) for one in findings])
    yield "version.json", _json(_asked(lambda: kubectl.json("version")))
    parts: Mapping[str, Any] = {
        "resources": found.resources, "operators": found.operators, "pods": found.pods, "events": found.events,
        "trust": found.trust, "signing-keys": sorted(found.signing_keys or ()), "unseen": found.unseen,
    }  # fmt: skip
    for name, part in parts.items():
        yield f"{name}.json", _json(part)
    for kind in (
        "deployments.apps",
        "services",
        "networkpolicies.networking.k8s.io",
        "persistentvolumeclaims",
    ):
        yield f"{kind.partition('.')[0]}.json", _json(_asked(lambda kind=kind: kubectl.items(kind)))
    for pod in found.pods:
        name = str(pod["metadata"]["name"])
        for file, previous in ((f"logs/{name}.log", ()), (f"logs/{name}.previous.log", ("--previous",))):
            if previous and not _restarted(pod):
                continue
            yield file, redacted_text(_log(kubectl, name, *previous))


def _restarted(pod: Mapping[str, Any]) -> bool:
    return any(one.get("restartCount") for one in (pod.get("status") or {}).get("containerStatuses") or ())


def _log(kubectl: Kubectl, pod: str, *more: str) -> str:
    try:
        return kubectl.run("logs", pod, "--all-containers", "--prefix", f"--tail={LOG_LINES}", *more)
    except KubectlError as error:
        return f"not read: {error.message}\n"


def _asked(ask: Any) -> Any:
    try:
        return ask()
    except KubectlError as error:
        return {"not read": error.message}


def _json(document: Any) -> str:
    return json.dumps(redacted(document), indent=1, ensure_ascii=False, default=str) + "\n"
