"""A household on a cluster, for the verbs of the command line: token and port-forward by kubectl (D3).

Invariant: nothing of it stays when the `with` block ends.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final, Self

from butler_cli.client.protocol import Hints
from butler_cli.errors import UserError
from butler_kubectl.forward import PortForward
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.refused import Role

__all__ = ["HINTS", "PERSON", "READER", "ClusterHousehold"]

READER: Final = "butlers-reader"
"""ServiceAccount whose token reads a household."""
PERSON: Final = "butlers-person"
"""What the ServiceAccounts of people begin with, whose tokens are an operator's."""
TOKEN_LIFE: Final = "10m"  # noqa: S105 - a length of time, the least that the API server grants
TOKEN_FRESH_S: Final = 300.0
HINTS: Final = Hints(
    program="kubectl butler",
    log="`kubectl butler logs` of it has the reason",
    foreign="does the household run another version than this command?",
)


class ClusterHousehold:
    """The household of a namespace, asked as its reader, or as a person who may act; use it in a `with` block."""

    def __init__(self, kubectl: Kubectl, *, operator: str | None = None) -> None:
        self._kubectl = kubectl
        self._account = READER if operator is None else f"{PERSON}-{operator}"
        self._right = Role.READER if operator is None else Role.PERSON
        self._roles: dict[str, str] = {}
        self._tokens: dict[str, tuple[str, float]] = {}
        self._forwards: dict[str, PortForward] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for forward in self._forwards.values():
            forward.close()
        self._forwards.clear()

    @property
    def hints(self) -> Hints:
        """How hints name its commands and places."""
        return HINTS

    def url(self, service: str, path: str) -> str:
        """Return the ops API's base URL of a service, on loopback. Raises `UserError`."""
        if path != "ops":
            raise UserError(f"only the ops API of {service} is reached from here")
        forward = self._forwards.get(service)
        if forward is None or not forward.open:
            if forward is not None:
                forward.close()
            name = f"butler-{self._name(service)}"
            forward = self._forwards[service] = PortForward(self._kubectl, name, self._port(name))
        return f"http://127.0.0.1:{forward.port}/ops/v1"

    def specialists(self) -> Sequence[str]:
        """Return the names of the butlers that keep records. Raises `UserError`."""
        return [name for name, role in self._known().items() if role == "specialist"]

    def token(self, service: str) -> str:
        """Return a token of that account for one service. Raises `UserError`."""
        known = self._tokens.get(service)
        if known is not None and time.monotonic() - known[1] < TOKEN_FRESH_S:
            return known[0]
        made = self._kubectl.run(
            "create", "token", self._account, f"--audience=butlers.dev/{self._name(service)}",
            f"--duration={TOKEN_LIFE}", role=self._right,
        ).strip()  # fmt: skip
        self._tokens[service] = (made, time.monotonic())
        return made

    def not_answering(self, service: str, url: str, why: str) -> UserError:
        """Return the error for a service that cannot be reached."""
        return UserError(
            f"{service} {why} through kubectl port-forward; `kubectl butler diagnose` shows what is wrong"
        )

    def not_accepting(self, service: str, said: str) -> UserError:
        """Return the error for a service that does not take the token."""
        return UserError(
            f"{service} does not accept a token of ServiceAccount {self._account}: {said}; `kubectl butler diagnose` "
            "looks at the trust document"
        )

    def _known(self) -> dict[str, str]:
        """Return the role of each butler, by its name."""
        if not self._roles:
            found = self._kubectl.items("butlers.butlers.dev", role=Role.VIEW)
            self._roles = {str(one["metadata"]["name"]): str(_spec(one).get("role")) for one in found}
        return self._roles

    def _name(self, service: str) -> str:
        """Return the name of the butler with that role, or of that name."""
        known = self._known()
        found = next((name for name, role in known.items() if role == service), None)
        if found is None and known.get(service) == "specialist":
            return service
        if found is None:
            raise UserError(
                f"no Butler with role {service} in {self._kubectl.flags.where}; -n names the household's, "
                "`kubectl butler status -A` shows where one is"
            )
        return found

    def _port(self, name: str) -> int:
        found = self._kubectl.json("get", "service", name, role=Role.READER)
        ports = _spec(found).get("ports") or [{}]
        named = next((port for port in ports if port.get("name") == "http"), ports[0])
        if not isinstance(named.get("port"), int):
            raise UserError(f"service/{name} has no port; `kubectl butler diagnose` shows what is wrong")
        return int(named["port"])


def _spec(found: dict[str, Any]) -> dict[str, Any]:
    spec = found.get("spec")
    return spec if isinstance(spec, dict) else {}
