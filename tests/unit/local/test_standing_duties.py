"""A duty of the supervisor outlives a full disk, a database that cannot start and a closed terminal."""

from __future__ import annotations

import asyncio

import pytest

from butler_cli.local.duties import every
from butler_cli.local.postgres import LocalPostgresError

FULL = OSError(28, "No space left on device")


class Duty:
    """Fails with these errors in turn, then does its work."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)
        self.done = asyncio.Event()

    def __call__(self) -> None:
        if self._errors:
            raise self._errors.pop(0)
        self.done.set()


async def said_until_done(duty: Duty, said: list[str]) -> None:
    task = asyncio.create_task(every(0.0, duty, said.append))
    async with asyncio.timeout(60):
        await duty.done.wait()
    task.cancel()
    await asyncio.wait({task})


async def test_what_the_disk_does_not_take_is_said_once_and_tried_until_it_does():
    said: list[str] = []
    await said_until_done(Duty(FULL, FULL, LocalPostgresError("only 3 MB free"), FULL), said)
    full = "[Errno 28] No space left on device; trying again"
    assert said == [full, "only 3 MB free; trying again", full]


async def test_a_report_that_cannot_be_written_ends_no_duty():
    duty = Duty(FULL)

    def closed(line: str) -> None:
        raise BrokenPipeError(line)

    task = asyncio.create_task(every(0.0, duty, closed))
    async with asyncio.timeout(60):
        await duty.done.wait()
    task.cancel()
    await asyncio.wait({task})


async def test_a_defect_of_a_duty_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        await every(0.0, Duty(ZeroDivisionError()), print)
