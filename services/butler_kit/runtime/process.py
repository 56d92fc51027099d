"""The one owner of a family's subprocess: private directory, scrubbed environment, caps, and a guaranteed end.

Invariants: the child inherits nothing from us; however the run ends, its whole process group is dead and its
directory gone; if we are killed ourselves, it dies with us. Output past the caps ends the run; text on stderr
is kept in part for the log, never interpreted.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from butler_contracts.errors import InternalFailure
from butler_kit.runtime.family import RuntimeUnavailable

__all__ = ["OutputCaps", "Subprocess", "run_subprocess", "sweep"]

_PREFIX = "butlers-session-"
_REAP_S = 5.0
_REMOVALS = 15
_REMOVAL_PAUSE_S = 0.2
_LAST_OUTPUT_S = 1.0
"""Time to read what the program had written before it ended."""
_EXIT_POLL_S = 0.05
_PR_SET_PDEATHSIG = 1
_prctl = getattr(ctypes.CDLL(None), "prctl", lambda *_: 0)


@dataclass(frozen=True)
class Subprocess:
    """Run `argv` in a private empty directory that holds only `files` (relative path → text).

    `env` is the whole environment besides HOME and TMPDIR, which the runner sets to that directory.
    `stdin` is the prompt.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""


@dataclass(frozen=True)
class OutputCaps:
    """How much a child may write before it is ended."""

    line_bytes: int = 1024 * 1024
    total_bytes: int = 8 * 1024 * 1024
    stderr_bytes: int = 64 * 1024


OnLine = Callable[[str], Awaitable[None]]


async def run_subprocess(
    launch: Subprocess, on_line: OnLine, *, caps: OutputCaps | None = None, parent: Path | None = None
) -> tuple[int, str]:
    """Run to the end; hand every line of stdout to `on_line`; return the exit code and the head of stderr.

    `parent` is where private directories are made (default: the system's). Raises `RuntimeUnavailable`
    when the program cannot be started, `InternalFailure` past the caps. The caller sets the deadline by
    cancelling.
    """
    caps = caps or OutputCaps()
    async with _private(parent, launch.files) as folder, _child(launch, folder, caps) as child:
        stdin, stdout, stderr = _pipes(child)
        left = asyncio.create_task(_kill_what_it_left(child), name="session-leavings")
        try:
            async with asyncio.TaskGroup() as streams:
                streams.create_task(_feed(stdin, launch.stdin))
                head = streams.create_task(_head(stderr, caps.stderr_bytes))
                streams.create_task(_lines(stdout, on_line, caps))
            return await child.wait(), head.result()
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            left.cancel()
            await asyncio.wait({left})


@asynccontextmanager
async def _private(parent: Path | None, files: Mapping[str, str]) -> AsyncIterator[Path]:
    """Yield the session's directory with its files; locked while we live, so that `sweep` knows orphans."""
    async with AsyncExitStack() as stack:
        try:
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            stack.push_async_callback(asyncio.to_thread, _remove, folder)
            lock = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX)
            _write_files(folder, files)
        except OSError as error:
            raise RuntimeUnavailable(
                f"no directory for a session can be made here: {error.strerror or error}"
            ) from error
        yield folder


def _remove(folder: Path) -> None:
    """Remove the directory, though a dying process may still write into it; leftovers are swept later."""
    for _ in range(_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_REMOVAL_PAUSE_S)


def sweep(parent: Path | None = None, *, older_than_s: float = 60.0) -> int:
    """Remove the directories of sessions whose butler was killed; return how many there were."""
    now = time.time()
    return sum(
        _swept(folder, before=now - older_than_s)
        for folder in Path(parent or tempfile.gettempdir()).glob(f"{_PREFIX}*")
    )


def _swept(folder: Path, *, before: float) -> bool:
    with ExitStack() as stack, contextlib.suppress(OSError):
        lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        stack.callback(os.close, lock)
        if os.fstat(lock).st_mtime > before:
            return False
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
        return True
    return False


@asynccontextmanager
async def _child(
    launch: Subprocess, folder: Path, caps: OutputCaps
) -> AsyncIterator[asyncio.subprocess.Process]:
    try:
        child = await asyncio.create_subprocess_exec(
            *launch.argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
            env={**launch.env, "HOME": str(folder), "TMPDIR": str(folder)},
            start_new_session=True,
            preexec_fn=_die_with_us,
            limit=caps.line_bytes,
        )
    except OSError as error:
        raise RuntimeUnavailable(f"cannot start {launch.argv[0]}: {error.strerror or error}") from error
    try:
        yield child
    finally:
        await _end(child)


def _die_with_us() -> None:
    """Run in the child before exec, so that no session outlives a butler, even a killed one (Linux)."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


async def _end(child: asyncio.subprocess.Process) -> None:
    """Kill the whole group, even after a normal exit: the child's own children must not survive."""
    _kill_group(child)
    # In a task of its own: it goes on even if the session itself is being cancelled.
    await asyncio.wait({asyncio.create_task(_reaped(child), name="session-reaper")}, timeout=_REAP_S)
    # A process that has left the group may hold them open: closing them ends the reaper.
    _close_pipes(child)


async def _reaped(child: asyncio.subprocess.Process) -> None:
    """Read the pipes to their end: a transport whose reading is paused never notices the end."""
    for stream in (child.stdout, child.stderr):
        while stream is not None and await stream.read(65536):
            pass
    await child.wait()


def _pipes(
    child: asyncio.subprocess.Process,
) -> tuple[asyncio.StreamWriter, asyncio.StreamReader, asyncio.StreamReader]:
    if child.stdin is None or child.stdout is None or child.stderr is None:
        raise RuntimeError("a session's process was started without its three pipes")
    return child.stdin, child.stdout, child.stderr


async def _kill_what_it_left(child: asyncio.subprocess.Process) -> None:
    """After the exit, close our pipes, so that not even a process that left the group holds them open."""
    # asyncio's wait() returns only when the pipes are closed too, so poll for the exit itself.
    while child.returncode is None:  # noqa: ASYNC110
        await asyncio.sleep(_EXIT_POLL_S)
    _kill_group(child)
    await asyncio.sleep(_LAST_OUTPUT_S)
    _close_pipes(child)


def _close_pipes(child: asyncio.subprocess.Process) -> None:
    transport = child._transport  # type: ignore[attr-defined]
    for number in (1, 2):
        pipe = transport.get_pipe_transport(number)
        if pipe is not None:
            pipe.close()


def _kill_group(child: asyncio.subprocess.Process) -> None:
    # A dead leader's children are still in its group; an empty group is no error.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def _write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        target = (folder / name).resolve()
        if not target.is_relative_to(folder.resolve()):
            raise ValueError(f"a session's file has to stay in its directory: {name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch(mode=0o600)
        target.write_text(text, encoding="utf-8")


async def _feed(stdin: asyncio.StreamWriter, text: str) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stdin.write(text.encode("utf-8", "replace"))
        await stdin.drain()
    stdin.close()


async def _head(stderr: asyncio.StreamReader, limit: int) -> str:
    kept = bytearray()
    while chunk := await stderr.read(65536):
        kept += chunk[: limit - len(kept)]
    return kept.decode("utf-8", "replace")


async def _lines(stdout: asyncio.StreamReader, on_line: OnLine, caps: OutputCaps) -> None:
    total = 0
    while True:
        try:
            line = await stdout.readline()
        except ValueError as error:
            raise InternalFailure(f"the session wrote a line longer than {caps.line_bytes} bytes") from error
        if not line:
            return
        total += len(line)
        if total > caps.total_bytes:
            raise InternalFailure(f"the session wrote more than {caps.total_bytes} bytes")
        await on_line(line.decode("utf-8", "replace").rstrip("\r\n"))
