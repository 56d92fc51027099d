"""A program on a terminal of its own, as a person has it: what is on the screen, and what is typed.

Invariant: every wait has a deadline, and leaving the context ends the program.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import re
import signal
import termios
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

__all__ = ["Terminal", "on_a_terminal"]

DEADLINE_S = 60.0
_CHUNK_BYTES = 65_536


class Terminal:
    """`screen` is all that was shown so far; `typed` counts the lines that were entered."""

    def __init__(self, descriptor: int, process: asyncio.subprocess.Process) -> None:
        self._descriptor = descriptor
        self._process = process
        self._news = asyncio.Event()
        self._read_to = 0
        self.screen = ""
        self.typed = 0
        self.over = False

    async def shows(self, pattern: str, *, deadline_s: float = DEADLINE_S) -> re.Match[str]:
        """Wait until the pattern comes up behind what was awaited before; AssertionError with the screen if not."""
        try:
            async with asyncio.timeout(deadline_s):
                while (found := re.compile(pattern).search(self.screen, self._read_to)) is None:
                    assert not self.over, f"it ended before {pattern!r} came up on:\n{self.screen}"
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{pattern!r} did not come up on:\n{self.screen}") from None
        self._read_to = found.end()
        return found

    def type(self, line: str) -> None:
        """Enter a line."""
        self.typed += 1
        os.write(self._descriptor, f"{line}\n".encode())

    async def interrupted(self) -> int:
        """Press Ctrl-C until the program ends, once a second as a person does; its exit code.

        A signal that comes after Python looked for one and before it reads waits for the next key.
        """
        async with asyncio.timeout(DEADLINE_S):
            while not self.over:
                os.write(self._descriptor, b"\x03")
                with suppress(TimeoutError):
                    await self.ended(deadline_s=1.0)
        return await self.ended()

    async def ended(self, *, deadline_s: float = DEADLINE_S) -> int:
        """Wait for the end of the program; its exit code."""
        async with asyncio.timeout(deadline_s):
            while not self.over:
                self._news.clear()
                await self._news.wait()
            return await self._process.wait()

    def read(self) -> None:
        """Take what the program wrote; called by the loop."""
        try:
            self.screen += os.read(self._descriptor, _CHUNK_BYTES).decode("utf-8", "replace")
        except BlockingIOError:
            return
        except OSError:  # nobody has the other end any more
            self.over = True
            asyncio.get_running_loop().remove_reader(self._descriptor)
        self._news.set()


def _take_the_terminal() -> None:
    """In the new process: its keys, Ctrl-C too, are this terminal's; whoever runs the tests may ignore that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@asynccontextmanager
async def on_a_terminal(*command: str, env: Mapping[str, str], cwd: Path) -> AsyncIterator[Terminal]:
    """Run the command on a new pseudo-terminal."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=env,
        cwd=cwd,
        start_new_session=True,
        preexec_fn=_take_the_terminal,
    )
    os.close(theirs)
    terminal, loop = Terminal(ours, process), asyncio.get_running_loop()

    loop.add_reader(ours, terminal.read)
    try:
        yield terminal
    finally:
        loop.remove_reader(ours)
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        os.close(ours)
