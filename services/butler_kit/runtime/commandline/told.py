"""The input of a command line's session, and the meaning of its output (pure).

Invariant: a line of output never decides anything about the message: calls arrive at the session's door. A line
reports the model's usage, its words, or why the model was unavailable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from butler_kit.runtime.api.endpoint import Endpoint, Limits, Provider
from butler_kit.runtime.budget import Tokens
from butler_kit.runtime.family import SessionJob
from butler_kit.runtime.process import Subprocess

__all__ = [
    "KEY",
    "SERVER",
    "TOKEN",
    "Amiss",
    "Asked",
    "CarriedOut",
    "CommandLine",
    "Heard",
    "Summed",
    "TooLong",
    "Took",
    "Wrote",
    "base_env",
    "count",
    "prompt",
    "words",
]

SERVER = "butler"
"""The name of the session's own tool server, also for the model."""
TOKEN = "BUTLER_SESSION_TOKEN"  # noqa: S105 - the name of a variable
KEY = "BUTLER_MODEL_KEY"
_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Asked:
    """One session of a command line: its job, the model it asks, and the door to its tools.

    `program` is its path; `ca_file` names the household's own authorities besides the system's.
    """

    job: SessionJob
    model: str
    endpoint: Endpoint
    program: str
    door_url: str
    token: str = field(repr=False)
    ca_file: str | None = None

    def within(self, limits: Limits) -> Asked:
        """Return the same session with these limits."""
        return replace(self, endpoint=replace(self.endpoint, limits=limits))

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the session's tools."""
        return tuple(tool.name for tool in self.job.tools.tools)

    @property
    def key(self) -> str:
        """The model's key; a self-hosted server may need none, and accepts any."""
        return self.endpoint.key or "none"

    @property
    def timeout_ms(self) -> int:
        """The session's deadline in milliseconds, as the bound of each single step."""
        return max(1_000, int(self.job.deadline_s * 1000))


@dataclass(frozen=True)
class Took:
    """The model's usage since the last report; `wants_more`: it called tools and goes on.

    `answer` names the model's answer where several lines report the usage of one: its largest figures count. `calls`
    are those of its calls that this line names, which are yet to be carried out.
    """

    tokens: Tokens
    wants_more: bool = False
    answer: str | None = None
    calls: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Summed:
    """The model's usage in the whole session, in place of what was reported of its answers."""

    tokens: Tokens


@dataclass(frozen=True)
class CarriedOut:
    """These calls of the model were carried out; after the last of an answer it is asked again."""

    calls: frozenset[str]


@dataclass(frozen=True)
class Amiss:
    """The model was unavailable; `status` is its server's answer, None without one; `took`: see `Summed`."""

    status: int | None
    took: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True)
class TooLong:
    """The program itself ended the session, at its limit of turns; `took`: see `Summed`."""

    took: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True)
class Wrote:
    """The model's own words, beside its calls; `took` where the same line reports its usage."""

    text: str
    took: Took | None = None


Heard = Took | Summed | CarriedOut | Amiss | TooLong | Wrote


class CommandLine(Protocol):
    """One command line that runs a model; everything about it is pure."""

    @property
    def name(self) -> str:
        """The family's name in manifests."""

    @property
    def program(self) -> str:
        """The program's name, as a shell finds it."""

    @property
    def provider(self) -> Provider:
        """The provider whose protocol it speaks."""

    def launch(self, asked: Asked) -> Subprocess:
        """Return how to run it for one session."""

    def read(self, said: Mapping[str, Any]) -> Heard | None:
        """Interpret one line of its output, given as a JSON object; None for what is not used."""


def prompt(job: SessionJob) -> str:
    """Return the text for stdin: the payload, not at the start, where some take a `/` for a command."""
    return f"What is to be worked on:\n{job.payload}"


def base_env(asked: Asked) -> dict[str, str]:
    """Return the environment of every command line; the runner adds HOME and TMPDIR."""
    folder = asked.program.rpartition("/")[0]
    # The program may be a script whose interpreter lies beside it.
    path = f"{folder}:{_PATH}" if folder else _PATH
    env = {"PATH": path, "LANG": "C.UTF-8", "NO_COLOR": "1", TOKEN: asked.token}
    if asked.ca_file is not None:
        env |= {"NODE_EXTRA_CA_CERTS": asked.ca_file}
    return env


def count(value: object) -> int:
    """Return a number of tokens in a line of output; 0 for anything else."""
    return value if isinstance(value, int) and value > 0 else 0


def words(*said: object, took: Took | None = None) -> Wrote | Took | None:
    """Return the texts of a line of output as the model's words; without any, `took`."""
    text = "\n".join(one for one in said if isinstance(one, str) and one.strip())
    return Wrote(text, took) if text else took
