"""Become a program that refuses to run as root, and that ends when our parent ends.

Run by path as `python -I unprivileged_exec.py PARENT_PID METHOD PROGRAM ARGUMENTS…`, so that it starts fast
and imports nothing of ours. METHOD: `plain` (already an ordinary user), `namespace` (a user namespace that
shows root as uid 65534: files stay root's, no user is made), `setuid` (containers that forbid namespaces:
become uid 65534, keeping only the capability to walk through root's directories).
Linux only, like the signal on the parent's death (prctl(2), PR_SET_PDEATHSIG).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

NOBODY = 65534
_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG, _PR_SET_KEEPCAPS, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 1, 8, 47, 2
_CAPABILITY_VERSION_3 = 0x20080522
_CAP_DAC_OVERRIDE = 1

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter_namespace() -> None:
    """Make root look like uid 65534 to this process and its children."""
    uid, gid = os.geteuid(), os.getegid()
    _check(_libc.unshare(_CLONE_NEWUSER), "unshare")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{NOBODY} {uid} 1"),
        ("gid_map", f"{NOBODY} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def drop_to_nobody() -> None:
    """Become uid 65534 for good, able to pass through directories that only root may enter."""
    _check(_libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0), "prctl(KEEPCAPS)")
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    mask = 1 << _CAP_DAC_OVERRIDE
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)
    _check(_libc.capset(header, sets), "capset")
    _check(_libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_OVERRIDE, 0, 0), "prctl(AMBIENT)")


def die_with(parent_pid: int) -> None:
    """Ask for SIGINT (PostgreSQL's fast shutdown) when the parent ends; give up when it has already."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGINT), 0, 0, 0), "prctl(PDEATHSIG)")
    if os.getppid() != parent_pid:
        raise SystemExit("the parent process is gone")


def main(arguments: list[str]) -> None:
    parent_pid, method, *command = arguments
    if method == "namespace":
        enter_namespace()
    elif method == "setuid":
        drop_to_nobody()
    die_with(int(parent_pid))  # after the change of credentials, which clears it
    os.execv(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
