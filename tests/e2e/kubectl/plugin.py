"""`kubectl butler` as a person runs it: the cluster's kubectl finds the plugins of this checkout on PATH."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.cluster import Cluster

__all__ = ["kubectl"]


def kubectl(
    cluster: Cluster, plugin: str, *arguments: str, timeout_s: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """`kubectl PLUGIN ARGUMENTS…`; plugins take kubectl's flags after their name."""
    path = os.pathsep.join([str(Path(sys.executable).parent), str(cluster.programs), os.environ["PATH"]])
    program = str(cluster.programs / "kubectl")
    return subprocess.run(
        [
            program,
            plugin,
            *arguments,
            f"--kubeconfig={cluster.kubeconfig}",
            f"--namespace={cluster.namespace}",
        ],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env={**os.environ, "PATH": path, "KUBECTL": program, "NO_COLOR": "1"},
    )
