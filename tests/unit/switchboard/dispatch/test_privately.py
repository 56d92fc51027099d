"""Every part of a message that says it is private is told so (ADR 0100)."""

from __future__ import annotations

from butler_switchboard.dispatch.privately import told_privately
from tests.unit.switchboard.dispatch.test_limited import plan


def prompts(text: str, *parts: str) -> list[str]:
    made = plan(*("finance", "general")[: len(parts)])
    targets = tuple(
        type(one)(one.position, one.segment_id, one.butler, part)
        for one, part in zip(made.targets, parts, strict=True)
    )
    changed = told_privately(type(made)(**{**made.__dict__, "targets": targets}), text)
    return [one.prompt for one in changed.targets]


def test_the_part_without_the_words_gets_them_in_the_message_s_own() -> None:
    text = "Keep this to yourself: I paid 40 EUR. And buy milk"
    assert prompts(text, "Keep this to yourself: I paid 40 EUR.", "And buy milk") == [
        "Keep this to yourself: I paid 40 EUR.",
        "Keep this to yourself\nAnd buy milk",
    ]


def test_other_messages_stay_as_they_are() -> None:
    assert prompts("I paid 40 EUR, split between us", "I paid 40 EUR, split between us") == [
        "I paid 40 EUR, split between us"
    ]
