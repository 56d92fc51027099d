"""What the household's people have for themselves, as Switchboard reads it and tells it to butlers."""

from __future__ import annotations

from butler_kit.time import SystemClock
from butler_switchboard.dispatch.limited import limits_of, may_ask
from butler_switchboard.ingress.contacts import Contacts
from tests.support.database import Provision
from tests.support.switchboard import switchboard_database

SETTINGS = "UPDATE shared.contacts SET settings = $2 WHERE name = $1"


async def test_only_who_has_any_is_told_and_what_cannot_be_read_is_as_the_household_has_it(
    provisioned: Provision,
) -> None:
    database = await switchboard_database(provisioned)
    pool = await database.pool("switchboard")
    assert await Contacts(pool, SystemClock()).settings() == {}
    owner = await database.pool("shared")
    await owner.execute(SETTINGS, "Ben Example", {"timezone": "Asia/Kolkata", "shoeSize": 43})
    await owner.execute(SETTINGS, "Ada Example", {"timezone": "Mars/Olympus"})
    ben = await pool.fetchval("SELECT contact_id FROM shared.contacts WHERE name = 'Ben Example'")
    assert await Contacts(pool, SystemClock()).settings() == {str(ben): {"timezone": "Asia/Kolkata"}}


async def test_a_messenger_of_the_release_before_knows_no_settings(provisioned: Provision) -> None:
    database = await switchboard_database(provisioned)
    owner = await database.pool("shared")
    await owner.execute("ALTER TABLE shared.contacts DROP COLUMN settings")
    contacts = Contacts(await database.pool("switchboard"), SystemClock())
    assert len((await contacts.book()).people) == 2
    assert await contacts.settings() == {}


async def test_nothing_is_told_while_nobody_is_known(provisioned: Provision) -> None:
    database = await switchboard_database(provisioned)
    await (await database.pool("shared")).execute("DELETE FROM shared.contacts")
    assert await Contacts(await database.pool("switchboard"), SystemClock()).settings() is None


async def test_a_child_whose_settings_cannot_be_read_stays_a_child_who_asks_nobody(
    provisioned: Provision,
) -> None:
    database = await switchboard_database(provisioned)
    owner = await database.pool("shared")
    await owner.execute(SETTINGS, "Ben Example", {"standing": "child", "timezone": "Mars/Olympus"})
    book = await Contacts(await database.pool("switchboard"), SystemClock()).book()
    [ben] = [one.contact_id for one in book.people if one.name == "Ben Example"]
    limits = limits_of(book.settings[ben])
    assert limits is not None
    assert not may_ask(limits, "general")
    assert book.owner == "Ada Example"


async def test_an_adult_whose_settings_cannot_be_read_stays_within_limits_if_they_had_any(
    provisioned: Provision,
) -> None:
    database = await switchboard_database(provisioned)
    owner = await database.pool("shared")
    said = {"limits": {"askFirst": ["finance"]}, "timezone": "Mars/Olympus"}
    await owner.execute(SETTINGS, "Ben Example", said)
    await owner.execute(SETTINGS, "Ada Example", {"timezone": "Mars/Olympus"})
    book = await Contacts(await database.pool("switchboard"), SystemClock()).book()
    [(contact, settings)] = book.settings.items()
    limits = limits_of(settings)
    assert [one.name for one in book.people if one.contact_id == contact] == ["Ben Example"]
    assert limits is not None
    assert not may_ask(limits, "general")
