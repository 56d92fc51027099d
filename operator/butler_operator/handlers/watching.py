"""The framework watches one namespace: several of its operators live in this process, each with its own credentials.

`kopf.run_tasks` is not used: at its end it cancels every task of the loop that is younger than its operator.
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
    """Feed `runtime` with what happens in `namespace`; ends only by failing, or when it is cancelled."""
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
    # Each of its operators takes the process's signals for itself.
    claim_signals()
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        # A task that has ended with an error keeps it; one that is cancelled cleans up first.
        ended = [task for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in ended:
        await task
