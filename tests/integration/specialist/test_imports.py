"""A specialist's process imports what it works with, and nothing of Spark, training, mail or the Bot API."""

from __future__ import annotations

import asyncio
import signal

from tests.integration.specialist.household import Place, envelope
from tests.support.loaded import BOT_API, FOR_NOBODY_HERE, MAIL_IN, MAIL_OUT, needless, program
from tests.support.loopback import free_port


async def test_a_specialist_imports_nothing_of_spark_training_mail_or_the_bot_api(place: Place) -> None:
    report = place.folder / "loaded"
    async with place.process(free_port(), program=program(report, "butler_specialist")) as (
        child,
        specialist,
    ):
        await specialist.done(envelope("Paid 42.50 EUR for groceries"))
        child.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(child.wait(), 90) == 0
    unwanted = FOR_NOBODY_HERE | MAIL_IN | MAIL_OUT | BOT_API | {"httpx", "yaml"}
    assert needless(report, unwanted) == set()
