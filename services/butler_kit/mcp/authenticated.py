"""The MCP server of a process, set up from its environment: accepted tokens and allowed host names."""

from __future__ import annotations

from butler_kit.auth import SubjectDirectory, SubjectsFile
from butler_kit.auth.signer import audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.config import ProcessEnvironment
from butler_kit.mcp.server import ToolServer
from butler_kit.telemetry import Metrics
from butler_kit.time import Clock
from butler_kit.version import VERSION

__all__ = ["authenticated_server"]


def authenticated_server(
    name: str,
    environment: ProcessEnvironment,
    *,
    metrics: Metrics,
    clock: Clock,
    subjects: SubjectDirectory | None = None,
) -> ToolServer:
    """Return a server without tools; `subjects` replaces the environment's file. Raises `KeyFileError`."""
    if subjects is None and environment.subjects_file is not None:
        subjects = SubjectsFile(environment.subjects_file, clock)
    verifier = TokenVerifier(
        environment.jwks_file,
        audience_of(name),
        clock,
        revoked_file=environment.revoked_file,
        subjects=subjects,
    )
    return ToolServer(
        name,
        VERSION,
        verifier=verifier,
        allowed_hosts=(environment.host, name, *environment.names),
        metrics=metrics,
    )
