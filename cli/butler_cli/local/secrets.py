"""Resolve `secretRef {name, key}` on one machine: a file, else the environment, else the manifests themselves.

`<state>/secrets/<name>/<key>` must not be readable by other users. No error here repeats a value.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Mapping

from butler_cli.errors import UserError
from butler_cli.local.state import StateDir, write_private
from butler_resources.kinds import Manifests, SecretRef
from butler_resources.render import Environment, IfThere

__all__ = ["MissingSecrets", "Secrets", "secret_variable"]


class MissingSecrets(UserError):
    """Unresolved references, a line each."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__("\nbutlers: ".join(lines))


def secret_variable(ref: SecretRef) -> str:
    """The environment variable that may hold the secret: `BUTLERS_SECRET_<NAME>_<KEY>`."""
    return "BUTLERS_SECRET_" + re.sub(r"[^A-Z0-9]", "_", f"{ref.name}_{ref.key}".upper())


class Secrets:
    """The secrets of one state directory."""

    def __init__(self, state: StateDir, env: Mapping[str, str], manifests: Manifests) -> None:
        self._state = state
        self._env = env
        self._manifests = manifests

    def find(self, ref: SecretRef) -> str | None:
        """Return the value, without the line end of its file; None if there is none."""
        path = self._state.secrets_dir / ref.name / ref.key
        if path.is_file():
            if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise UserError(f"{path} can be read by other users; run `chmod 600 {path}`")
            try:
                return path.read_text(encoding="utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise UserError(f"{path} is no text; write the secret into it again, as one line") from None
        value = self._env.get(secret_variable(ref)) or self._manifests.secret_value(ref)
        return None if value is None else value.rstrip("\r\n")

    def value(self, ref: SecretRef) -> str:
        """Return the value; raises `MissingSecrets` if there is none or it is empty."""
        value = self.find(ref)
        if not value:
            raise MissingSecrets([self.missing_line(ref)])
        return value

    def missing_line(self, ref: SecretRef) -> str:
        """Return what to do about an unresolved reference."""
        path = self._state.secrets_dir / ref.name / ref.key
        return (
            f"secret {ref.name}, key {ref.key} is missing; put its value into {path} (mode 600) "
            f"or into the variable {secret_variable(ref)}"
        )

    def what_to_do(self, ref: SecretRef) -> str | None:
        """Return `missing_line`; None for a resolved reference."""
        return None if self.find(ref) else self.missing_line(ref)

    def resolve(self, environment: Environment) -> dict[str, str]:
        """Return the environment with references resolved and missing optional ones left out."""
        found = {name: self._resolved(value) for name, value in environment.items()}
        return {name: value for name, value in found.items() if value is not None}

    def _resolved(self, value: str | SecretRef | IfThere) -> str | None:
        if isinstance(value, IfThere):
            return self.find(value.ref) or None
        return self.value(value) if isinstance(value, SecretRef) else value

    def keep(self, ref: SecretRef, value: str) -> None:
        """Store a value that the place itself made."""
        write_private(self._state.secrets_dir / ref.name / ref.key, value + "\n")
