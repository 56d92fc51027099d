"""Find the running household of a state directory: its endpoints, and tokens that its services accept.

Invariant: whatever is wrong with the directory, the person reads which one it was and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from butler_cli.client.protocol import LOCAL, Hints
from butler_cli.errors import UserError
from butler_cli.local.keys import local_key_file, operator_token
from butler_cli.local.state import StateDir, read_json
from butler_cli.local.status import not_up

__all__ = ["HouseholdNotUp", "RunningHousehold", "running_household"]

TOKEN_TTL_S: Final = 120
"""Longer than any one call; a new token is signed for each."""


class HouseholdNotUp(UserError):
    """There is nothing to talk to."""


@dataclass(frozen=True)
class RunningHousehold:
    """A household with known endpoints; whether it still answers shows when it is asked."""

    state: StateDir
    endpoints: Mapping[str, Any]
    hints: Hints = LOCAL

    def url(self, service: str, path: str) -> str:
        """Return the base URL of `path` (`ops`, `mcp`) of a butler. Raises `UserError`."""
        found = self.endpoints.get(service) or self.services().get(service)
        url = found.get(path) if isinstance(found, Mapping) else None
        if not isinstance(url, str):
            raise UserError(
                f"{self.state.endpoints_file} names no {service}; this household runs none, "
                "or was started by another version: `butlers down`, then `butlers up -f DIR`"
            )
        return url

    def services(self) -> Mapping[str, Any]:
        """Return every butler's addresses, by its name."""
        found = self.endpoints.get("butlers")
        return found if isinstance(found, Mapping) else {}

    def specialists(self) -> Sequence[str]:
        """Return the names of the butlers that keep records."""
        return [name for name in self.services() if name not in ("switchboard", "messenger")]

    def token(self, service: str) -> str:
        """Return a fresh token of the household's operator for one service."""
        return operator_token(self.state, audience=service, ttl_s=TOKEN_TTL_S)

    def not_answering(self, service: str, url: str, why: str) -> HouseholdNotUp:
        """Return the error for a service that cannot be reached."""
        if self.state.supervisor_pid() is None:
            return HouseholdNotUp(not_up(self.state))
        return HouseholdNotUp(
            f"{service} {why} at {url}; `butlers status` shows what is up, {self.state.log_file(service)} why"
        )

    def not_accepting(self, service: str, said: str) -> UserError:
        """Return the error for a service that does not take the token."""
        return UserError(
            f"{service} does not accept the operator token of {self.state.root}: {said}; "
            "is this the state directory of the household that runs there? Name it with --state DIR"
        )


def running_household(state: StateDir) -> RunningHousehold:
    """Return the household of `state`. Raises `UserError` if it is missing, not up, or still starting."""
    if not state.root.is_dir():
        raise HouseholdNotUp(
            f"{state.root} is not a state directory; name the household's with --state DIR, "
            "or start one with `butlers up -f DIR`"
        )
    if not state.endpoints_file.exists():
        if state.supervisor_pid() is None:
            raise HouseholdNotUp(not_up(state))
        raise HouseholdNotUp(
            f"the household of {state.root} is still starting; `butlers status` shows when it is ready"
        )
    endpoints = read_json(state.endpoints_file)
    if not isinstance(endpoints, dict):
        raise UserError(
            f"{state.endpoints_file} cannot be read as JSON; `butlers down`, then `butlers up -f DIR` writes it anew"
        )
    if not local_key_file(state).exists():
        raise UserError(
            f"{local_key_file(state)} is missing, so no token can be signed; `butlers down`, then `butlers up -f DIR`"
        )
    return RunningHousehold(state, endpoints)
