"""A Messenger as a process that kills itself at a chosen point of its first provider call.

`python -m tests.integration.messenger.program CONFIG POINT`; its port is the only line on stdout. POINT: `before_mark`,
`after_mark`, `after_call`, `never`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from butler_kit.config import load_config
from butler_kit.telemetry import configure_logging
from butler_kit.time import SystemClock
from butler_messenger.app import build_service
from butler_messenger.delivery.channels.configured import configured_channels
from butler_messenger.delivery.channels.port import Channel, Mark, Outgoing
from butler_messenger.delivery.decisions import Evidence
from butler_messenger.delivery.outcomes import ProviderOutcome
from butler_messenger.settings import MessengerConfig


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingChannel:
    """The real channel, and the process dies at one point of its call."""

    def __init__(self, inner: Channel, point: str) -> None:
        self._inner = inner
        self._point = point
        self.name, self.keeps_records, self.autofile = inner.name, inner.keeps_records, inner.autofile
        self.carries_files = inner.carries_files

    def tool_for(self, outgoing: Outgoing) -> str:
        return self._inner.tool_for(outgoing)

    def part_count(self, outgoing: Outgoing) -> int:
        return self._inner.part_count(outgoing)

    def enclosed(self, outgoing: Outgoing, part: int) -> tuple[int, ...]:
        return self._inner.enclosed(outgoing, part)

    async def records_problem(self) -> str | None:
        return await self._inner.records_problem()

    async def send(self, outgoing: Outgoing, *, part: int, mark: Mark) -> ProviderOutcome:
        async def marked() -> None:
            if self._point == "before_mark":
                die()
            await mark()
            if self._point == "after_mark":
                die()

        outcome = await self._inner.send(outgoing, part=part, mark=marked)
        if self._point == "after_call":
            die()
        return outcome

    async def evidence(self, outgoing: Outgoing) -> Evidence:
        return await self._inner.evidence(outgoing)

    def record_id(self, outgoing: Outgoing) -> str:
        return self._inner.record_id(outgoing)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def main(config_file: Path, point: str) -> int:
    config = load_config(config_file, MessengerConfig, os.environ)
    configure_logging("messenger", "info", "json")
    real = configured_channels(config, os.environ, SystemClock())
    channels = {name: DyingChannel(channel, point) for name, channel in real.items()}
    app = build_service(config, os.environ, channels=channels)
    serving = asyncio.create_task(app.serve(signals=True))
    started = asyncio.create_task(app.started.wait())
    await asyncio.wait({serving, started}, return_when=asyncio.FIRST_COMPLETED)
    print(app.port, flush=True)
    return await serving


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), sys.argv[2])))
