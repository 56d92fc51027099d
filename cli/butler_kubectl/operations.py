"""Request operations as ButlerOperations, in the caller's name, and wait for their outcome (D4).

Invariant: nothing is requested twice; an operation that is not seen to end is named, so that it can be looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from butler_cli.errors import UserError
from butler_kubectl.kubectl import Kubectl, KubectlError
from butler_kubectl.refused import Role
from butler_kubectl.targets import Wanted

__all__ = ["Asked", "Wish", "ask", "await_end", "whoami"]

FINAL: Final = frozenset({"Succeeded", "Failed", "Expired"})
FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 1.0
RESOURCE: Final = "butleroperation.butlers.dev"


@dataclass(frozen=True)
class Wish:
    """What is to be done to each target."""

    action: str
    reason: str
    params: Mapping[str, str] = field(default_factory=dict)

    def document(self, target: Wanted, requested_by: str) -> dict[str, Any]:
        """The ButlerOperation to create."""
        spec: dict[str, Any] = {
            "action": self.action,
            "target": target.document,
            "reason": self.reason,
            "requestedBy": requested_by,
        }
        if self.params:
            spec["params"] = dict(self.params)
        return {
            "apiVersion": "butlers.dev/v1alpha1",
            "kind": "ButlerOperation",
            "metadata": {"generateName": f"{self.action}-{target.key[:20].rstrip('-.')}-".lower()},
            "spec": spec,
        }


@dataclass(frozen=True)
class Asked:
    """One operation as it is now; `error` says why it could not even be requested."""

    target: Wanted
    body: dict[str, Any]
    error: str | None = None

    @property
    def name(self) -> str:
        """The object's name."""
        return str(self.body.get("metadata", {}).get("name") or "")

    @property
    def phase(self) -> str:
        """Its phase."""
        return str((self.body.get("status") or {}).get("phase") or "Pending")

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.error is not None or self.phase in FINAL

    @property
    def message(self) -> str:
        """The operator's words."""
        return str(((self.body.get("status") or {}).get("result") or {}).get("message") or "")


def whoami(kubectl: Kubectl) -> str:
    """Return the user name under which the cluster knows this person. Raises `UserError`."""
    found = kubectl.json("auth", "whoami")
    name = ((found.get("status") or {}).get("userInfo") or {}).get("username")
    if not isinstance(name, str) or not name:
        raise UserError(
            "the cluster does not say who you are (`kubectl auth whoami`), so nothing can be asked in your name"
        )
    return name


def ask(kubectl: Kubectl, wish: Wish, targets: Sequence[Wanted], *, dry_run: str) -> list[Asked]:
    """Create one operation for each target; a refused one is kept with its reason. Raises `UserError`."""
    if not wish.reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    requested_by = whoami(kubectl)
    asked = []
    for target in targets:
        document = wish.document(target, requested_by)
        try:
            asked.append(Asked(target, kubectl.create(document, dry_run=dry_run, role=Role.EDIT)))
        except KubectlError as error:
            asked.append(Asked(target, document, error=error.message))
    return asked


def await_end(
    kubectl: Kubectl,
    asked: Sequence[Asked],
    *,
    timeout_s: float,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> list[Asked]:
    """Return the operations once each has ended, or as they are when time runs out. Raises `UserError`."""
    deadline = monotonic() + timeout_s
    current, pause_s = list(asked), FIRST_PAUSE_S
    while not all(one.ended for one in current) and (left := deadline - monotonic()) > 0:
        pause(min(pause_s, left))
        pause_s = min(pause_s * 1.5, LONGEST_PAUSE_S)
        current = [one if one.ended else _again(kubectl, one) for one in current]
    return current


def _again(kubectl: Kubectl, asked: Asked) -> Asked:
    found = kubectl.json("get", f"{RESOURCE}/{asked.name}", "--ignore-not-found", role=Role.VIEW)
    if not found:
        return Asked(
            asked.target, asked.body, error=f"butleroperation/{asked.name} was deleted before it had ended"
        )
    return Asked(asked.target, found)
