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


async def kept(running: RunningPlace) -> dict[str, list[str]]:
    """Every message, record and reminder by its id, of all butlers."""
    tables = await running.rows(
        "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables"
        " WHERE tablename IN ('message_inbox', 'records', 'reminders')"
    )
    ids = {"message_inbox": "request_id", "records": "record_id", "reminders": "reminder_id"}
    found = {}
    for name in (table["name"] for table in tables):
        rows = await running.rows(f"SELECT {ids[name.partition('.')[2]]}::text AS id FROM {name}")
        found[name] = [row["id"] for row in rows]
    return found


async def test_a_household_that_lost_its_database_answers_as_of_its_last_dump(fresh_place: Place) -> None:
    place = fresh_place
    (place.root / "dumps").mkdir()
    dumps = Dumps(place.root / "dumps")
    async with place.up() as running:
        await say(running, "Add milk to the shopping list")
        await say(running, "Remind me on 2030-01-02 at 09:00 to call the dentist")
        made = await dumps.back_up(running.household.endpoints["database"]["dsn"])
        assert made.code == 0, made.text
        known = await kept(running)
        assert {name.partition(".")[2] for name, ids in known.items() if ids} == {
            "message_inbox", "records", "reminders",
        }  # fmt: skip
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
        again = await kept(running)
        assert {name: sorted(ids) for name, ids in again.items()} == {
            name: sorted(ids) for name, ids in known.items()
        }
        said = await say(running, LISTED)
        assert ("milk" in said, "bread" in said) == (True, False)
        await say(running, "Add eggs to the shopping list")
        assert "eggs" in await say(running, LISTED)
