"""What a command line is told of a session, and what it tells of it (pure).

Invariant: what a line of output says never decides anything about the message: calls arrive at the session's door. A
line tells what the model took, or why it could not be had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from butler_kit.runtime.api.endpoint import Endpoint, Provider
from butler_kit.runtime.budget import Tokens
from butler_kit.runtime.family import SessionJob
from butler_kit.runtime.process import Subprocess

__all__ = [
    "KEY",
    "SERVER",
    "TOKEN",
    "Amiss",
    "Asked",
    "CommandLine",
    "Heard",
    "TooLong",
    "Took",
    "base_env",
    "count",
    "prompt",
]

SERVER = "butler"
"""What the session's own tool server is called, to the model too."""
TOKEN = "BUTLER_SESSION_TOKEN"  # noqa: S105 - the name of a variable
KEY = "BUTLER_MODEL_KEY"
_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Asked:
    """One session of a command line: what it is to do, whom it asks, and the door to its tools.

    `program` is its path; `ca_file` names the household's own authorities besides the system's.
    """

    job: SessionJob
    model: str
    endpoint: Endpoint
    program: str
    door_url: str
    token: str = field(repr=False)
    ca_file: str | None = None

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the session's tools."""
        return tuple(tool.name for tool in self.job.tools.tools)

    @property
    def key(self) -> str:
        """The model's key; a server of one's own may need none, and takes any."""
        return self.endpoint.key or "none"

    @property
    def timeout_ms(self) -> int:
        """The session's time, as bound of each single step."""
        return max(1_000, int(self.job.deadline_s * 1000))


@dataclass(frozen=True)
class Took:
    """What the model read and wrote since the last of these; `wants_more`: it called tools and goes on."""

    tokens: Tokens
    wants_more: bool = False


@dataclass(frozen=True)
class Amiss:
    """The model could not be had; `status` is what its server answered, None where nothing did; `took`: before that."""

    status: int | None
    took: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True)
class TooLong:
    """The program itself ended the session, at the turns that it was given."""

    took: Tokens = field(default_factory=Tokens)


Heard = Took | Amiss | TooLong


class CommandLine(Protocol):
    """One command line that thinks; everything about it is pure."""

    @property
    def name(self) -> str:
        """The family's, as manifests call it."""

    @property
    def program(self) -> str:
        """The program's, as a shell finds it."""

    @property
    def provider(self) -> Provider:
        """Whose protocol it speaks."""

    def launch(self, asked: Asked) -> Subprocess:
        """How to run it for one session."""

    def read(self, said: Mapping[str, Any]) -> Heard | None:
        """What one line of its output says, as a JSON object; None for what is not used."""


def prompt(job: SessionJob) -> str:
    """What is written to stdin: the payload, never at the beginning, where some take a `/` for an order of theirs."""
    return f"What is to be worked on:\n{job.payload}"


def base_env(asked: Asked) -> dict[str, str]:
    """What every command line gets; HOME and TMPDIR are the runner's."""
    folder = asked.program.rpartition("/")[0]
    # The program may be a script whose interpreter lies beside it.
    path = f"{folder}:{_PATH}" if folder else _PATH
    env = {"PATH": path, "LANG": "C.UTF-8", "NO_COLOR": "1", TOKEN: asked.token}
    if asked.ca_file is not None:
        env |= {"NODE_EXTRA_CA_CERTS": asked.ca_file}
    return env


def count(value: object) -> int:
    """A number of tokens in a line of output; 0 for what is none."""
    return value if isinstance(value, int) and value > 0 else 0
