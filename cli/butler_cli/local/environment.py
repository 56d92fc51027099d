"""What all processes of a household share: environment variables, and modules in memory.

Imports next to nothing: the fork server is started with it before anything else is imported.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from butler_kit.faults.binding import FAULTS_DIR

__all__ = ["INHERITED", "SHARED_MODULES", "shared_environment"]

INHERITED: Final = (
    "PATH", "LD_LIBRARY_PATH", "HOME", "LANG", "LC_ALL", "TZDIR", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", FAULTS_DIR,
)  # fmt: skip
"""Variables that a process inherits from `butlers up`, besides OTEL_*; never a secret it does not name."""
LOOPBACK: Final = "127.0.0.1,localhost"
SHARED_MODULES: Final = (
    "butler_switchboard.__main__",
    "butler_messenger.__main__",
    "butler_specialist.__main__",
    "butler_dashboard.__main__",
    "butler_connectors.__main__",
    # Imported by these, and by the libraries that they use, only when they begin to serve or to call.
    "uvloop",
    "uvicorn.protocols.http.httptools_impl",
    "uvicorn.lifespan.off",
    "anyio._backends._asyncio",
    "anyio.streams.tls",
    "encodings.idna",
    # The applications of the ops APIs, which are made when they are imported.
    "butler_switchboard.operations.ops_app",
    "butler_messenger.ops_app",
    "butler_specialist.ops.routes",
    "butler_cli.local.rehearsal",
)
"""Modules that the processes of every household import."""


def shared_environment(inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what every process of a household gets: nothing secret, nothing of one process's own."""
    env = {name: inherited[name] for name in INHERITED if name in inherited}
    env |= {name: value for name, value in inherited.items() if name.startswith("OTEL_")}
    no_proxy = inherited.get("NO_PROXY") or inherited.get("no_proxy")
    env["NO_PROXY"] = env["no_proxy"] = f"{no_proxy},{LOOPBACK}" if no_proxy else LOOPBACK
    # Without it `python -m` would put the working directory in front of every import.
    return env | {"PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1"}
