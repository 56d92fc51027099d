"""What the next days bring and what is on the lists: nothing that is past, done, taken back or a stranger's."""

from __future__ import annotations

from datetime import date, time, timedelta

from butler_dashboard.reads.agenda import household_agenda
from tests.support.dashboard_rows import add_record

TODAY = date(2026, 11, 23)


async def test_the_week_that_comes_is_in_the_order_of_its_days(served, admin):
    async def add(butler, title, days, kind="appointment", **more):
        await add_record(
            admin, butler, title, title=title, kind=kind, occurred_on=TODAY + timedelta(days=days), **more
        )

    await add("finance", "electricity", 4, kind="bill")
    await add("general", "dentist", 2, occurred_at=time(15, 30))
    await add("general", "hairdresser", 2, occurred_at=time(9))
    await add("general", "call the school", 0, kind="task")
    await add("general", "the last day of it", 7)
    await add("general", "yesterday's", -1)
    await add("general", "too far away", 8)
    await add("finance", "paid", 3, kind="bill", done_on=TODAY)
    await add("general", "taken back", 3, withdrawn_at=await admin.fetchval("SELECT clock_now()"))
    await add("general", "a stranger's", 3, sender_class="external")
    await add("general", "a plain note", 3, kind="note")
    await add("general", "some day", 0, kind="task", details='{"day": "of the message"}')
    found = await household_agenda(served.reader, TODAY)
    assert [(record.title, record.butler) for record in found.coming] == [
        ("call the school", "general"),
        ("hairdresser", "general"),
        ("dentist", "general"),
        ("electricity", "finance"),
        ("the last day of it", "general"),
    ]


async def test_a_list_has_what_was_put_there_and_not_taken_off_later(served, admin):
    async def add(title, kind="list_item", code="shopping", **more):
        await add_record(admin, "general", title, title=title, kind=kind, code=code, **more)

    for title in ("milk", "bread", "Milk", "eggs"):
        await add(title)
    await add("MILK", kind="list_removal")
    await add("eggs", kind="list_removal", code="garden")
    await add("bulbs", code="garden")
    await add("bulbs", kind="list_removal", code="garden")
    await add("Milk", occurred_on=TODAY)
    await add("fix the tap", kind="task", code=None)
    await add("done already", kind="task", code=None, done_on=TODAY)
    found = await household_agenda(served.reader, TODAY)
    lists = {one.name: [item.title for item in one.items] for one in found.lists}
    assert lists == {"shopping": ["bread", "eggs", "Milk"], "to-do": ["fix the tap"]}
