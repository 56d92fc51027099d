"""Watch one namespace with kopf; this process runs several kopf operators, each with its own credentials.

`kopf.run_tasks` is not used: on exit it cancels every task in the loop that is younger than its operator.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any, cast

import kopf

from butler_operator.control.runtime import Runtime
from butler_operator.settings import configure

__all__ = ["watch_namespace"]


async def watch_namespace(
    namespace: str, runtime: Runtime, *, claim_signals: Callable[[], None] = lambda: None
) -> None:
    """Feed `runtime` with the events of `namespace`; ends only on failure or when cancelled."""
    settings = kopf.OperatorSettings()
    configure(settings)
    tasks = await kopf.spawn_tasks(
        namespaces=[namespace],
        standalone=True,
        settings=settings,
        memo=kopf.Memo(runtime=runtime),
        # Otherwise kopf asks for the name of the process's user, which a container's user need not have.
        identity=cast(Any, os.environ.get("HOSTNAME", "butlers-operator")),
    )
    # Each kopf operator installs its own handlers for the process's signals.
    claim_signals()
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        # A task that failed keeps its error; a cancelled one cleans up first.
        ended = [task for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in ended:
        await task
