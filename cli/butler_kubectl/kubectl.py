"""The real `kubectl`, run as a subprocess, so that all its kubeconfigs, credential helpers and flags work.

Invariant: no shell, a deadline on every call, and a failure is one line that says what to do.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from butler_cli.errors import UserError
from butler_cli.local.launch import child
from butler_kubectl.durations import seconds_of
from butler_kubectl.refused import Role, refusal

__all__ = ["Flags", "Kubectl", "KubectlError", "program"]

CALL_TIMEOUT_S: Final = 30.0
GRACE_S: Final = 5.0
"""The time that a call may take beyond kubectl's own `--request-timeout`."""


class KubectlError(UserError):
    """kubectl failed; `words` is all that it said."""

    def __init__(self, message: str, words: str = "") -> None:
        super().__init__(message)
        self.words = words


@dataclass(frozen=True)
class Flags:
    """kubectl's own flags, as they were given."""

    kubeconfig: str | None = None
    context: str | None = None
    cluster: str | None = None
    user: str | None = None
    as_user: str | None = None
    as_groups: tuple[str, ...] = ()
    namespace: str | None = None
    request_timeout: str | None = None

    def arguments(self) -> list[str]:
        """The flags of any call."""
        named = {
            "--kubeconfig": self.kubeconfig,
            "--context": self.context,
            "--cluster": self.cluster,
            "--user": self.user,
            "--as": self.as_user,
            "--namespace": self.namespace,
        }
        given = [f"{flag}={value}" for flag, value in named.items() if value is not None]
        return [*given, *(f"--as-group={group}" for group in self.as_groups)]

    def limit(self) -> list[str]:
        """`--request-timeout`, which a stream that stays open does without."""
        return [] if self.request_timeout is None else [f"--request-timeout={self.request_timeout}"]

    @property
    def where(self) -> str:
        """The namespace in words."""
        return f"namespace {self.namespace}" if self.namespace else "this namespace"


def program(environment: Mapping[str, str] = os.environ) -> str:
    """Return the path of kubectl: `$KUBECTL`, else from PATH. Raises `UserError`."""
    named = environment.get("KUBECTL")
    found = shutil.which(named or "kubectl", path=environment.get("PATH"))
    if found is not None:
        return str(Path(found).absolute())
    if named:
        raise UserError(f"KUBECTL is {named}, and there is no such program; correct it, or unset it")
    raise UserError("kubectl is not on PATH; install it, or name it with KUBECTL=/path/to/kubectl")


@dataclass(frozen=True)
class Kubectl:
    """One kubectl with the flags of this command line."""

    flags: Flags
    path: str

    @classmethod
    def found(cls, flags: Flags) -> Kubectl:
        """The kubectl of this machine. Raises `UserError`."""
        return cls(flags, program())

    def run(
        self,
        *arguments: str,
        stdin: str | None = None,
        role: Role | None = None,
        timeout_s: float = CALL_TIMEOUT_S,
    ) -> str:
        """Return what kubectl prints. `role` is named if RBAC refuses. Raises `KubectlError`."""
        limit_s = self._limit_s(timeout_s)
        try:
            done = subprocess.run(  # noqa: S603 - a list of arguments, no shell
                self._command(*arguments),
                stdin=subprocess.DEVNULL if stdin is None else None,
                input=stdin,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise KubectlError(
                f"kubectl did not end within {limit_s:g} s; does the cluster answer? --request-timeout asks for less"
            ) from None
        except OSError as error:
            raise KubectlError(f"{self.path} cannot be run: {error.strerror}") from None
        if done.returncode != 0:
            raise KubectlError(refusal(done.stderr, role=role, where=self.flags.where), done.stderr)
        return done.stdout

    def json(self, *arguments: str, role: Role | None = None) -> dict[str, Any]:
        """Return the object that `--output=json` prints; empty if there is none. Raises `KubectlError`."""
        return _object(self.run(*arguments, "--output=json", role=role))

    def items(self, *arguments: str, role: Role | None = None) -> list[dict[str, Any]]:
        """Return the objects of `kubectl get`, one or many. Raises `KubectlError`."""
        found = self.json("get", *arguments, role=role)
        if not found:
            return []
        items: list[dict[str, Any]] = found.get("items", [found])
        return items

    def create(
        self, document: Mapping[str, Any], *, dry_run: str = "none", role: Role | None = None
    ) -> dict[str, Any]:
        """Create one object; return it as the server keeps it. Raises `KubectlError`."""
        printed = self.run(
            "create", f"--dry-run={dry_run}", "--filename=-", "--output=json",
            stdin=json.dumps(document), role=role,
        )  # fmt: skip
        return _object(printed)

    def stream(self, *arguments: str) -> int:
        """Run kubectl on this terminal until it or the person ends it; return its exit code."""
        process = subprocess.Popen(self._command(*arguments))  # noqa: S603 - no shell
        try:
            return process.wait()
        finally:
            _end(process)

    def start(
        self, *arguments: str, stdout: int, stderr: int
    ) -> tuple[subprocess.Popen[bytes], Callable[[], None]]:
        """Start a kubectl without time limit; it is ended by the second value, or with this process."""
        command = [self.path, *arguments, *self.flags.arguments()]
        guarded = [sys.executable, "-I", "-S", str(child.__file__), str(os.getpid()), *command]
        process = subprocess.Popen(  # noqa: S603 - no shell
            guarded, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr
        )
        return process, lambda: _end(process)

    def _command(self, *arguments: str) -> list[str]:
        return [self.path, *arguments, *self.flags.arguments(), *self.flags.limit()]

    def _limit_s(self, timeout_s: float) -> float:
        asked = seconds_of(self.flags.request_timeout or "")
        return timeout_s if not asked else asked + GRACE_S


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _object(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise KubectlError("kubectl printed something that is no JSON object; is KUBECTL another program?")
    return found
