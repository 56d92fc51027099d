"""Start a process by executing its program anew: possible on every system, and with nothing loaded before."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from butler_cli.local.launch.process import Launch, Process

__all__ = ["LAUNCHER", "ExecLauncher"]

LAUNCHER: Final = Path(__file__).with_name("child.py")


class ExecLauncher:
    """`child.py` arranges that the process dies with this one, then becomes the program."""

    pid: None = None

    def on_replaced(self, listener: Callable[[], None]) -> None:
        """Nothing is ever replaced."""

    def preload(self, modules: Sequence[str]) -> None:
        """Each process imports for itself."""

    async def launch(self, wanted: Launch) -> Process:
        """Start a process. Raises `OSError` if that is impossible now."""
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), *wanted.argv),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=wanted.log,
            stderr=wanted.log,
            env=dict(wanted.env),
            cwd=wanted.cwd,
            start_new_session=True,
        )

    async def watch(self) -> None:
        """It needs nothing that could end."""

    def close(self) -> None:
        """Nothing is held."""
