"""The state directory: where the local place keeps everything, readable by its user alone.

Invariant: nothing is written outside it; directories are 0700 and files 0600; one supervisor at a time holds the
lock, and the lock ends with its process however that dies.
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from butler_cli.errors import UserError

__all__ = [
    "DEFAULT_STATE",
    "AlreadyUp",
    "StateDir",
    "SupervisorLock",
    "command_to_start",
    "place_of",
    "read_json",
    "write_private",
]

DEFAULT_STATE: Final = Path(".butlers")


class AlreadyUp(UserError):
    """Another supervisor runs on this state directory."""

    def __init__(self, root: Path, pid: int | None) -> None:
        by = f" (process {pid})" if pid is not None else ""
        super().__init__(
            f"the household of {root} is already up{by}; `butlers status` shows it, `butlers down` stops it"
        )
        self.pid = pid


@dataclass(frozen=True)
class StateDir:
    """Paths inside one state directory; `root` is absolute."""

    root: Path

    @classmethod
    def at(cls, path: Path) -> StateDir:
        """The state directory at `path`, made absolute."""
        return cls(path.expanduser().absolute())

    @property
    def endpoints_file(self) -> Path:
        """Where things are, for people and scripts."""
        return self.root / "endpoints.json"

    @property
    def secrets_dir(self) -> Path:
        """One folder per secret, one file per key."""
        return self.root / "secrets"

    @property
    def keys_dir(self) -> Path:
        """Signing keys, key set, deny list."""
        return self.root / "keys"

    @property
    def jwks_file(self) -> Path:
        """The key set that every service verifies tokens with."""
        return self.keys_dir / "jwks.json"

    @property
    def revoked_file(self) -> Path:
        """The deny list."""
        return self.keys_dir / "revoked.json"

    @property
    def logs_dir(self) -> Path:
        """One file per process."""
        return self.root / "logs"

    @property
    def run_dir(self) -> Path:
        """What is valid only while running, and the connectors' checkpoints."""
        return self.root / "run"

    @property
    def lock_file(self) -> Path:
        """Held by the supervisor."""
        return self.run_dir / "supervisor.lock"

    @property
    def status_file(self) -> Path:
        """What the supervisor last saw."""
        return self.run_dir / "status.json"

    def token_file(self, process: str) -> Path:
        """A process's own token."""
        return self.root / "tokens" / f"{process}.jwt"

    def config_file(self, butler: str) -> Path:
        """A butler's rendered configuration."""
        return self.root / "config" / butler / "butler.toml"

    def authorities_file(self, process: str) -> Path:
        """The certificate authorities that a process trusts besides the system's."""
        return self.root / "config" / process / "authorities.pem"

    def instructions_file(self, butler: str) -> Path:
        """The instructions for a butler's model, if they are in a ConfigMap."""
        return self.root / "config" / butler / "instructions.md"

    def log_file(self, process: str) -> Path:
        """What a process wrote to stdout and stderr."""
        return self.logs_dir / f"{process}.log"

    def cursor_file(self, connector: str) -> Path:
        """A connector's checkpoint; it outlives restarts."""
        return self.run_dir / "connectors" / connector / "cursor.json"

    @property
    def contacts_file(self) -> Path:
        """The household's contacts, as their secret holds them."""
        return self.root / "config" / "messenger" / "contacts.yaml"

    def create(self) -> None:
        """Create the directory and what is always in it; an existing one is closed to other users."""
        folders = (self.secrets_dir, self.keys_dir, self.root / "tokens", self.root / "config", self.logs_dir)
        for folder in (self.root, *folders, self.run_dir, self.run_dir / "connectors"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)

    def supervisor_pid(self) -> int | None:
        """Return the pid that holds the lock now, 0 if it does not say, None if nobody holds it."""
        try:
            file = self.lock_file.open("r", encoding="ascii")
        except FileNotFoundError:
            return None
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = file.read().strip()
                return int(text) if text.isdigit() else 0
        return None


def place_of(state: StateDir) -> str:
    """Return the option that names the household, where it is not found without it."""
    return "" if state.root == StateDir.at(DEFAULT_STATE).root else f" --state {state.root}"


def command_to_start(state: StateDir, directory: Path | str, port_base: int | None = None) -> str:
    """Return the command that starts the household of `directory` again, here."""
    ports = "" if port_base is None else f" --port-base {port_base}"
    return f"butlers up -f {directory}{place_of(state)}{ports} --detach"


class SupervisorLock:
    """Held from `butlers up` to its end."""

    def __init__(self, state: StateDir) -> None:
        descriptor = os.open(state.lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        file = os.fdopen(descriptor, "r+", encoding="ascii")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            text = file.read().strip()
            file.close()
            raise AlreadyUp(state.root, int(text) if text.isdigit() else None) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._file = file

    def release(self) -> None:
        """Let the next supervisor start. Safe to repeat."""
        if not self._file.closed:
            self._file.truncate(0)
        self._file.close()


def write_private(path: Path, text: str) -> None:
    """Replace `path` in one step by a file that only its owner may read; creates its folders as 0700."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    beside.replace(path)


def read_json(path: Path) -> Any:
    """The JSON document at `path`, or None when there is none that can be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
