"""Become a program that ends when its parent ends, even when the parent is killed.

Run by path as `python -I -S child.py PARENT_PID PROGRAM ARGUMENTS…`: it starts fast, imports nothing of ours, and
does between fork and exec what must not be done in a forked copy of a threaded program.
Linux only, like the signal on the parent's death (prctl(2), PR_SET_PDEATHSIG); elsewhere the program just starts.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with(parent_pid: int) -> None:
    """Ask for SIGKILL when the parent ends; give up when it has already."""
    if sys.platform.startswith("linux"):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) != 0:
            raise SystemExit(f"prctl: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent_pid:
        raise SystemExit("the parent process is gone")


def main(arguments: list[str]) -> None:
    """Arrange the end, then become the program."""
    parent_pid, *command = arguments
    die_with(int(parent_pid))
    os.execv(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
