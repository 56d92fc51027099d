"""Load the household's contacts into the database before any service starts, by Messenger's own program (D49).

Messenger owns schema `shared` and reads the contacts at each start; Switchboard accepts nothing from anybody until it
knows the household, and it starts first. So Messenger's program is run once beforehand, only for this.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from typing import Final

from butler_cli.errors import UserError
from butler_cli.local.launch.process import Launch, Launcher
from butler_cli.local.logs import open_log, tail
from butler_cli.local.plan import ProcessSpec
from butler_cli.local.state import StateDir

__all__ = ["load_contacts"]

DEADLINE_S: Final = 60.0


async def load_contacts(
    messenger: ProcessSpec, *, env: Mapping[str, str], state: StateDir, launcher: Launcher
) -> None:
    """Run `… --sync-contacts`; raises `UserError` with the end of its log if it fails or takes too long."""
    log_file = state.log_file(messenger.name)
    with open_log(log_file) as log:
        errand = Launch(messenger.name, (*messenger.argv, "--sync-contacts"), env, state.root, log)
        process = await launcher.launch(errand)
    try:
        async with asyncio.timeout(DEADLINE_S):
            code = await process.wait()
    except TimeoutError:
        raise UserError(f"the contacts were not loaded within {DEADLINE_S:g} s; see {log_file}") from None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if code != 0:
        excerpt = "".join(f"\n    {line}" for line in tail(log_file, lines=5).splitlines())
        raise UserError(
            f"the contacts could not be loaded (exit code {code}); {log_file} ends with:{excerpt}"
        )
