"""Messenger and a specialist lose their database and get it back: not ready meanwhile, at work again by themselves."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.faults.postgres.instance import Instance
from tests.faults.postgres.traffic import readiness
from tests.integration.messenger import household as messenger
from tests.integration.specialist import household as specialist
from tests.support.database import Provision
from tests.support.switchboard_service import until

pytestmark = pytest.mark.xdist_group("own-postgres")


async def _becomes(url: str, status: int) -> dict[str, str]:
    async def reached() -> dict[str, str] | None:
        try:
            found, checks = await readiness(url)
        except httpx.TransportError:  # a busy machine: it is asked again
            return None
        return checks if found == status else None

    checks: dict[str, str] = await until(reached, what=f"/readyz says {status}", deadline_s=90)
    return checks


async def test_a_specialist_finishes_what_it_had_accepted_before_its_database_went_away(
    provision_here: Provision, instance: Instance, tmp_path: Path
):
    async with specialist.household(provision_here, tmp_path) as place, place.specialist() as client:
        first = specialist.envelope("I paid 12 EUR for lunch")
        assert (await client.execute(first)).status == "accepted"
        instance.stop()
        checks = await _becomes(client.base, 503)
        assert checks["database"] != "ok"
        assert "password" not in str(checks)
        instance.start()
        await _becomes(client.base, 200)
        assert (await place.switchboard.completed(specialist.id_of(first))).status == "ok"
        assert (await client.done(specialist.envelope("I paid 30 EUR for the taxi"))).status == "ok"
        assert [record["amount"] for record in await place.records()] == [12, 30]


async def test_messenger_refuses_retryably_without_its_database_and_delivers_once_it_is_back(
    provision_here: Provision, instance: Instance, tmp_path: Path
):
    wish = messenger.notify("You spent 12 euro.", recipient=str(messenger.ADA), idempotency_key="lunch")
    async with messenger.household(provision_here, tmp_path) as place, place.messenger() as client:
        instance.stop()
        checks = await _becomes(client.base, 503)
        assert "password" not in str(checks)
        refused = await client.notify(wish)
        assert refused.status == "error"
        assert refused.error is not None
        assert refused.error.retryable
        instance.start()
        await _becomes(client.base, 200)
        answer = await client.notify(wish)
        assert answer.delivery is not None
        await place.until_status(str(answer.delivery.delivery_id), "sent")
        again = await client.notify(wish)
        assert again.delivery is not None
        assert again.delivery.delivery_id == answer.delivery.delivery_id
        assert len(place.telegram.sent) == 1
