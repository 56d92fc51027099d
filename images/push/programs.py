"""The programs that push: buildah for images, helm for charts, both with one login."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from images.catalogue import CACHE
from images.push.refused import Refused

__all__ = ["PUSH_TIMEOUT_S", "auth_file", "helm_program", "run"]

PUSH_TIMEOUT_S = 1800
"""Enough for one image on a slow line; after that it hangs."""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a program to its end or its deadline; the caller reads what it printed."""
    try:
        return subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=False, timeout=PUSH_TIMEOUT_S
        )
    except FileNotFoundError:
        raise Refused(f"{command[0]} is not installed (a Debian package of that name)") from None
    except subprocess.TimeoutExpired:
        raise Refused(f"{Path(command[0]).name} did not end within {PUSH_TIMEOUT_S // 60} minutes") from None


def helm_program() -> str:
    """Return Helm, from where `make helm` looks for it and puts it."""
    folder = os.environ.get("BUTLERS_CLUSTER_BIN") or str(CACHE / "bin")
    found = os.environ.get("HELM") or shutil.which("helm", path=folder) or shutil.which("helm")
    if found is None:
        raise Refused("helm is not here, and charts are pushed by it: make helm")
    return found


def auth_file(environment: Mapping[str, str], user: int) -> Path:
    """Return the file in which `buildah login` stores logins; helm can read it too."""
    if named := environment.get("REGISTRY_AUTH_FILE"):
        return Path(named)
    runtime = environment.get("XDG_RUNTIME_DIR")
    folder = Path(runtime, "containers") if runtime else Path("/run/containers", str(user))
    return folder / "auth.json"
