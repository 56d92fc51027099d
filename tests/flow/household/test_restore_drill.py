"""The drill: a household loses its database, all of it but the last dump, and answers as it did."""

from __future__ import annotations

import shutil

from butler_cli.local.postgres import EmbeddedPostgres
from tests.support.dumps import Dumps
from tests.support.household import Place, RunningPlace

ADA = "1001"
LISTED = "What is on the shopping list?"


async def say(running: RunningPlace, text: str) -> str:
    done = await running.place.verb("send", "--channel", "telegram", "--from", ADA, text, "--wait")
    assert done.code == 0, done.stderr
    return done.stdout


async def test_a_household_that_lost_its_database_answers_as_of_its_last_dump(fresh_place: Place) -> None:
    place = fresh_place
    (place.root / "dumps").mkdir()
    dumps = Dumps(place.root / "dumps")
    async with place.up() as running:
        await say(running, "Add milk to the shopping list")
        await say(running, "Remind me on 2030-01-02 at 09:00 to call the dentist")
        made = await dumps.back_up(running.household.endpoints["database"]["dsn"])
        assert made.code == 0, made.text
        known = {
            row["request_id"]
            for row in await running.rows("SELECT request_id FROM switchboard.message_inbox")
        }
        refused = await dumps.restore(running.household.endpoints["database"]["dsn"], REPLACE="yes")
        assert (refused.code, "suspend the household first" in refused.text) == (1, True)
        await say(running, "Add bread to the shopping list")
    # Keys, passwords and checkpoints are elsewhere, as a cluster's Secrets and volumes are.
    shutil.rmtree(place.state.root / "pg")
    server = EmbeddedPostgres(place.state.root)
    server.start()
    try:
        done = await dumps.restore(server.admin_dsn)
    finally:
        server.stop()
    assert done.code == 0, done.text

    async with place.up() as running:
        rows = await running.rows("SELECT request_id FROM switchboard.message_inbox")
        assert {row["request_id"] for row in rows} >= known
        said = await say(running, LISTED)
        assert ("milk" in said, "bread" in said) == (True, False)
        await say(running, "Add eggs to the shopping list")
        assert "eggs" in await say(running, LISTED)
