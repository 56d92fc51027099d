"""A child process of a test: started from this interpreter, read line by line, always ended.

Invariant: every wait has a deadline, and leaving the context kills what is still running.
"""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

_REPOSITORY = Path(__file__).parents[2]
_DEADLINE_S = 90.0


class ChildProcess:
    """One running `python -m MODULE …`; `read_line` gives what it prints."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, cwd=_REPOSITORY, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._lines: queue.Queue[str] = queue.Queue(maxsize=1000)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @classmethod
    def python_module(cls, module: str, *arguments: str) -> Self:
        return cls([sys.executable, "-m", module, *arguments])

    def _read(self) -> None:
        if self._process.stdout is None:
            raise RuntimeError("the child has no stdout")
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))

    def read_line(self) -> str:
        """The next line of stdout; raises queue.Empty after 30 seconds of silence."""
        return self._lines.get(timeout=_DEADLINE_S)

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Signal it and wait; returns its exit code (negative: the signal that ended it)."""
        self._process.send_signal(with_signal)
        return self._process.wait(timeout=_DEADLINE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(timeout=_DEADLINE_S)
        self._reader.join(timeout=_DEADLINE_S)
        if self._process.stdout is not None:
            self._process.stdout.close()
