"""What each specialist understands of the household's example messages, and says: one golden file.

Set `UPDATE_GOLDEN=1` to write it anew, then read the difference as a person would.
"""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml

from butler_specialist.store.model import RecordDraft
from tests.golden.specialist.conversations import Butlers, moment_of, prompt_of
from tests.support.messages import load_examples

GOLDEN = Path(__file__).with_name("household.yaml")


async def test_every_example_message_is_understood_as_the_golden_file_says() -> None:
    told = await _told()
    text = yaml.safe_dump(told, allow_unicode=True, sort_keys=False, width=110)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert told == yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))


async def test_a_stranger_is_told_nothing_that_the_household_said() -> None:
    butlers = Butlers()
    for position, message in enumerate(load_examples()):
        for name in message.butlers:
            if message.reply == "yes" and not message.duplicate_of:
                await butlers.tell(
                    name, prompt_of(message, name), moment_of(message, position), sender=message.sender
                )
    moment = moment_of(load_examples()[0], 0)
    for name, question in (
        ("finance", "How much did you spend this month?"),
        ("health", "What was the last blood pressure?"),
        ("travel", "When is the next flight?"),
        ("relationship", "When is Clara's birthday?"),
        ("general", "What is on the shopping list?"),
    ):
        reply = await butlers.tell(name, question, moment, household=False, sender="stranger")
        for record in butlers.records[name].rows[:-1]:
            for said in (record.title, record.code, str(record.amount or ""), record.occurred_on.isoformat()):
                assert not said or said in question or said not in reply.text.replace("shopping", "")


async def _told() -> dict[str, Any]:
    butlers = Butlers()
    told: dict[str, Any] = {}
    for position, message in enumerate(load_examples()):
        if message.duplicate_of:
            continue
        for name in message.butlers:
            reply = await butlers.tell(
                name,
                prompt_of(message, name),
                moment_of(message, position),
                household=message.reply == "yes",
                sender=message.sender,
            )
            told[f"{message.id} -> {name}"] = {
                "says": reply.text,
                "keeps": [_plain(draft) for draft in reply.records],
            }
    return told


def _plain(draft: RecordDraft) -> dict[str, Any]:
    known = {item.name: getattr(draft, item.name) for item in fields(RecordDraft) if item.name != "text"}
    return {
        name: value if isinstance(value, dict | int) else str(value) for name, value in known.items() if value
    }
