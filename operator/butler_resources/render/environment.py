"""The environment of a process as data: plain values, and references that its place resolves.

A place (a pod, or the local supervisor) tells where things are in `Surroundings`; the renderers add the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from butler_resources.kinds import SecretRef
from butler_resources.kinds.telemetry import Logging, Telemetry

__all__ = [
    "Environment",
    "IfThere",
    "Surroundings",
    "authorities_environment",
    "collector_environment",
    "collector_of",
    "logging_environment",
]


@dataclass(frozen=True)
class IfThere:
    """An optional secret: without it the variable is not set and the process runs all the same."""

    ref: SecretRef


Environment = Mapping[str, str | SecretRef | IfThere]
"""Variable name → its value, or the secret that holds the value."""


@dataclass(frozen=True)
class Surroundings:
    """Where a process finds what its place provides; paths and URLs as that process sees them."""

    switchboard_url: str
    """MCP endpoint of the Switchboard: `…/mcp`, or `…/sse` for a client that speaks only that (D36)."""
    jwks_file: str
    token_file: str
    revoked_file: str
    host: str = "127.0.0.1"
    """Address that the process listens on."""
    names: Sequence[str] = ()
    """Butlers only: the host names under which callers reach it."""
    subjects_file: str | None = None
    """Subjects known without a declaration, where tokens come from elsewhere."""
    database_url_file: str | None = None
    """Butlers only: a file with the database's URL, where an earlier step writes one."""
    signing_key_file: str | None = None
    """Switchboard only."""
    contacts_file: str | None = None
    """Messenger only: the document of `contactsFrom` (D49)."""
    cursor_file: str | None = None
    """Connectors only."""
    instructions_file: str | None = None
    """Specialists whose instructions are in a ConfigMap."""
    ca_file: str | None = None
    """The household's own certificate authorities, where it has any."""
    collector: str | None = None
    """The household's collector, for the spans and metrics of processes that name none."""
    log_format: str = "json"
    log_level: str = "info"


def logging_environment(telemetry: Logging | None, surroundings: Surroundings) -> dict[str, str]:
    """Return the log settings of a process: the manifest's, else the place's."""
    said = telemetry or Logging()
    return {
        "BUTLERS_LOG_FORMAT": said.log_format or surroundings.log_format,
        "BUTLERS_LOG_LEVEL": said.log_level or surroundings.log_level,
    }


def collector_environment(telemetry: Telemetry | None, surroundings: Surroundings) -> dict[str, str]:
    """Return where a process exports its spans and metrics; empty without a collector."""
    collector = collector_of(telemetry, surroundings.collector)
    return {} if collector is None else {"OTEL_EXPORTER_OTLP_ENDPOINT": collector}


def collector_of(telemetry: Telemetry | None, household: str | None) -> str | None:
    """Return the manifest's collector, else the household's."""
    return (telemetry.otlp_endpoint if telemetry is not None else None) or household


def authorities_environment(surroundings: Surroundings) -> dict[str, str]:
    """Return the authorities that a process trusts besides the system's (`butler_kit.tls`)."""
    return {} if surroundings.ca_file is None else {"BUTLERS_CA_FILE": surroundings.ca_file}
