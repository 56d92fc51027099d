"""Which binding may be written, when the copy in memory is read again."""

from __future__ import annotations

import pytest

from butler_kit.auth import ConnectorBinding, Role
from butler_switchboard.registry.subjects import (
    QUIET_S,
    REFRESH_S,
    AlreadyBound,
    Binding,
    DeclaredSubjects,
    binds,
    refresh_in,
)

BOT = Binding(
    "system:serviceaccount:home:connector-bot",
    connector=ConnectorBinding("telegram_bot", "telegram:bot:example", "interactive"),
)
FINANCE = Binding("system:serviceaccount:home:butler-finance", butler="finance")


def raised(tier: str) -> Binding:
    return Binding(BOT.subject, connector=ConnectorBinding("telegram_bot", "telegram:bot:example", tier))


def test_a_new_binding_and_another_tier_are_written_and_the_same_again_is_not() -> None:
    assert binds(BOT, [])
    assert binds(FINANCE, [])
    assert binds(raised("high_priority"), [BOT])
    assert not binds(BOT, [BOT])
    assert not binds(FINANCE, [FINANCE])


def test_a_subject_speaks_for_one_caller() -> None:
    both = Binding(BOT.subject, butler="finance")
    with pytest.raises(AlreadyBound, match=r"speaks for telegram_bot connector 'telegram:bot:example'"):
        binds(both, [BOT])
    other = Binding(BOT.subject, connector=ConnectorBinding("imap", "telegram:bot:example", "default"))
    with pytest.raises(AlreadyBound, match="undeclare that before it speaks for imap connector"):
        binds(other, [BOT])


def test_a_caller_has_one_subject() -> None:
    usurper = Binding("system:serviceaccount:home:connector-copy", connector=BOT.connector)
    with pytest.raises(AlreadyBound, match=rf"is declared with the subject '{BOT.subject}'"):
        binds(usurper, [BOT])
    with pytest.raises(AlreadyBound, match="butler 'finance' is declared with the subject"):
        binds(Binding("system:serviceaccount:home:other", butler="finance"), [FINANCE])


def test_a_binding_between_two_others_is_refused_whichever_comes_first() -> None:
    wanted = Binding(FINANCE.subject, connector=BOT.connector)
    for known in ([BOT, FINANCE], [FINANCE, BOT]):
        with pytest.raises(AlreadyBound):
            binds(wanted, known)


def test_the_copy_answers_what_was_declared_and_notes_what_it_misses() -> None:
    subjects = DeclaredSubjects()
    subjects.replace([BOT, FINANCE])
    bot, finance = subjects.find(BOT.subject), subjects.find(FINANCE.subject)
    assert bot is not None
    assert (bot.role, bot.connector) == (Role.CONNECTOR, BOT.connector)
    assert finance is not None
    assert (finance.role, finance.name) == (Role.BUTLER, "finance")
    assert not subjects.asked.is_set()
    assert subjects.find("system:serviceaccount:home:nobody") is None
    assert subjects.asked.is_set()
    subjects.replace([FINANCE])
    assert subjects.find(BOT.subject) is None


def test_a_miss_makes_the_copy_be_read_again_at_most_once_a_second() -> None:
    assert QUIET_S == 1.0
    assert [refresh_in(age, asked=True) for age in (0.0, 0.25, 1.0, 4.0)] == [1.0, 0.75, 0.0, 0.0]
    assert [refresh_in(age, asked=False) for age in (0.0, 1.0, 5.0, 60.0)] == [5.0, 4.0, 0.0, 0.0]
    assert REFRESH_S <= 60, "the bound of CNX-16.2"
