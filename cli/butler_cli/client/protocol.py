"""What a verb needs of a household, wherever it runs: on this machine, or on a cluster.

Invariant: a hint names a command that exists where the household is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from butler_cli.errors import UserError

__all__ = ["LOCAL", "Hints", "Household"]


@dataclass(frozen=True)
class Hints:
    """How hints name commands and places."""

    program: str
    """The command before its verbs."""
    log: str
    """Where the log of a service is."""
    foreign: str
    """What to look at when somebody else answers at a service's address."""


LOCAL: Final = Hints(
    program="butlers",
    log="its log in the state directory has the reason",
    foreign="does another program listen there? `butlers status` shows the household's ports",
)


class Household(Protocol):
    """A household that can be asked."""

    @property
    def hints(self) -> Hints:
        """How hints name its commands and places."""
        ...

    def url(self, service: str, path: str) -> str:
        """Return the base URL of `path` (`ops`, `mcp`) of `switchboard`, `messenger` or a specialist.

        Raises `UserError`.
        """
        ...

    def specialists(self) -> Sequence[str]:
        """Return the names of the butlers that keep records. Raises `UserError`."""
        ...

    def token(self, service: str) -> str:
        """Return a token that the service accepts now. Raises `UserError`."""
        ...

    def not_answering(self, service: str, url: str, why: str) -> UserError:
        """Return the error for a service that cannot be reached."""
        ...

    def not_accepting(self, service: str, said: str) -> UserError:
        """Return the error for a service that does not take the token."""
        ...
