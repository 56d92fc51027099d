"""Regular checks whether a command line could run: its program is installed, and its model's key is set.

Invariant: nothing is started and no model is asked, since that may cost; a fault that a session found (a refused key,
an unknown model) is cleared by a session, or passes by itself (a server that asked for a pause).
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from butler_kit.runtime.api.faults import FaultKind, ModelFault, is_over
from butler_kit.runtime.commandline.family import CommandLineFamily
from butler_kit.runtime.process import sweep
from butler_kit.runtime.standing import RuntimeStanding
from butler_kit.time import wait_until_set

__all__ = ["ProgramLook"]

logger = logging.getLogger(__name__)

_EVERY_S: Final = 10.0
_SEEN_BY_A_LOOK: Final = frozenset({FaultKind.NOT_INSTALLED.value, FaultKind.NO_KEY.value})


class ProgramLook:
    """The checks of one process, made by `run`; `there` is the result of the last one."""

    def __init__(self, family: CommandLineFamily, standing: RuntimeStanding) -> None:
        self._family = family
        self._standing = standing
        self.there = False
        self.look()

    async def run(self, stopping: asyncio.Event) -> None:
        """Check until stopped, and remove what is left of sessions whose butler was killed."""
        while not stopping.is_set():
            swept = await asyncio.to_thread(sweep)
            if swept:
                logger.warning("removed %d directories that sessions had left", swept)
            self.look()
            await wait_until_set(stopping, _EVERY_S)

    def look(self) -> None:
        """Check once, and update the standing."""
        try:
            self._family.check()
        except ModelFault as fault:
            self.there = False
            self._standing.failed(fault)
            return
        self.there = True
        known = self._standing.fault
        if known is None:
            return
        if known.kind in _SEEN_BY_A_LOOK or is_over(known.kind, quiet_s=self._standing.quiet_s):
            self._standing.had()
