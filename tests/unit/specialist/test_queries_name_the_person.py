"""Every query of a specialist that reads what people told takes who asks (D68, ADR 0100)."""

from __future__ import annotations

import re
from importlib import resources
from typing import Final

import pytest

from butler_kit.db import NamedQueries

FOLDER = resources.files("butler_specialist") / "sql"
READS = re.compile(r"\b(?:FROM|JOIN|USING)\s+(?:records|record_changes|reminders|memory_episodes)\b")
PERSON = re.compile(
    r"may_see\("
    r"|coalesce\((?:records\.)?contact_id::text, (?:records\.)?source_channel \|\| ':' \|\| "
    r"lower\((?:records\.)?sender\)\)\s*= \$\d"
    r"|\b(?:person|teller) = \$\d"
)
NOBODYS: Final = {
    "bookings.claim": "ids and versions; `wish_of` lets only what is the household's into the calendar",
    "bookings.of_work": "ids of the writer's own message",
    "bookings.records_of": "read for `wish_of`, which lets only what is the household's into the calendar",
    "bookings.wanted": "ids alone",
    "former.changed_others": "says yes or no of the writer's own message",
    "memory.drop_episodes": "deletes by age and gives nothing back",
    "memory.drop_forgotten": "deletes by age and gives nothing back",
    "memory.how_much_is_known": "numbers for the operator, who reads no word of it",
    "memory.how_much_was_spoken": "numbers for the operator, who reads no word of it",
    "memory.last_episodes": "the fold of a thread by its own person, who is in the arguments; nobody is told",
    "memory.people": "whom upkeep looks after, by key; nobody is told",
    "memory.told_by": "what this very order kept",
    "ops.ended_reminders": "the operator's page",
    "ops.newest_records": "the operator's page",
    "ops.request_changes": "the operator's page",
    "ops.request_records": "the operator's page",
    "ops.waiting_reminders": "the operator's page",
    "orders.change": "the operator's order",
    "orders.last_change": "the operator's order",
    "orders.lock": "the operator's order",
    "orders.made": "the operator's order",
    "people.elsewhere": "moves reminders to their persons' clock; nobody is told",
    "records.of_everybody": "what each is reminded of, told to its teller alone",
    "reminders.find": "the reminder that is due, told to its person",
    "reminders.find_told": "its person is compared in find_told, which says no more than that it is another's",
    "retention.drop_reminders": "deletes by age and gives nothing back",
    "upcoming.ended": "what each is reminded of, told to its teller alone",
    "upcoming.keep": "what each is reminded of, told to its teller alone",
    "upcoming.lapse": "what each is reminded of, told to its teller alone",
    "upcoming.waiting": "what each is reminded of, told to its teller alone",
    "records.move_to_contacts": "gives a record to the contact who told it; nothing is read out",
}
"""Queries without a person, and why nobody learns anything of another by them."""


def queries() -> dict[str, str]:
    found: dict[str, str] = {}
    for file in sorted(FOLDER.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".sql"):
            named = NamedQueries("butler_specialist.sql", file.name)
            names = re.findall(r"^-- name: (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
            found |= {f"{file.name.removesuffix('.sql')}.{name}": named[name] for name in names}
    return found


READING = {name: sql for name, sql in queries().items() if READS.search(sql)}


def test_there_are_queries_that_read() -> None:
    assert len(READING) > 20
    assert set(NOBODYS) <= set(READING), "an exception that is none any more"


@pytest.mark.parametrize("name", sorted(READING))
def test_a_query_that_reads_what_people_told_takes_who_asks(name: str) -> None:
    assert (PERSON.search(READING[name]) is not None) != (name in NOBODYS), READING[name]
