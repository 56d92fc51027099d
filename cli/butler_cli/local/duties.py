"""The standing duties of a running household: repeated, whatever the disk does meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from butler_cli.local.postgres import LocalPostgresError

__all__ = ["every"]


async def every(seconds: float, duty: Callable[[], None], report: Callable[[str], None]) -> None:
    """Run `duty` every so many seconds until cancelled.

    A full disk, or a database that cannot start on one, does not end the household: it is reported once and retried.
    """
    said = ""
    while True:
        await asyncio.sleep(seconds)
        try:
            duty()
        except (OSError, LocalPostgresError) as error:
            if str(error) != said:
                with suppress(OSError):
                    report(f"{error}; trying again")
            said = str(error)
        else:
            said = ""
