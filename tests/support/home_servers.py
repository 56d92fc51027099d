"""What the example of a butler of one's own needs beside a household: a model that switches lamps, and the lamps.

`python -m tests.support.home_servers` serves both until a signal; TEST_PROVIDERS_LISTEN names the address. A lamp
that is switched is a line on the terminal.
"""

from __future__ import annotations

import asyncio
from typing import Final

from examples.home.lamps import Lamps, lamps_app
from tests.support.loopback import LISTEN, LoopbackServer, terminated
from tests.support.model_api import Answer, Asked, Call, ModelServer

__all__ = ["LAMPS_PORT", "MODEL_PORT", "switches_lamps"]

MODEL_PORT: Final = 40111
LAMPS_PORT: Final = 40187


def switches_lamps(asked: Asked) -> Answer:
    """Switches where it has the tool, says so, and says it where it has not."""
    if not any(tool["name"] == "lamps_switch" for tool in asked.tools):
        return Answer(
            calls=(Call.of("answer", text="The lamps cannot be reached now; nothing was switched."),)
        )
    if asked.told:
        return Answer(calls=(Call.of("answer", text="The kitchen lamp is on."),))
    return Answer(calls=(Call.of("lamps_switch", room="kitchen", on=True),))


class _Told(Lamps):
    def switch(self, room: str, on: bool) -> str:
        print(f"switched: {room} {'on' if on else 'off'}", flush=True)
        return super().switch(room, on)


async def serve() -> None:
    """Both servers until SIGTERM or SIGINT."""
    app = lamps_app(_Told(), host=LISTEN)
    async with (
        ModelServer(switches_lamps, port=MODEL_PORT),
        app.router.lifespan_context(app),
        LoopbackServer(app, port=LAMPS_PORT),
    ):
        print(f"a model and lamps listen at {LISTEN}", flush=True)
        await terminated()


if __name__ == "__main__":
    asyncio.run(serve())
