"""Keeps private answers out of a group: what may be the sender's alone goes to their own chat (pure; ADR 0100).

Invariant: whether something is left out depends only on the question, never on the records.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from butler_specialist.locale import noop, say
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.profiles.subject import Subject
from butler_specialist.questions.asked_again import person_named
from butler_specialist.understanding.about_me import (
    asks_about_me,
    asks_of_me,
    forgets_all,
    talked_about,
)
from butler_specialist.understanding.reading import Reading

__all__ = ["asks_privately", "openly"]

_BETWEEN: Final = noop("That is between you and me.")
_ASK_ME: Final = noop("That is between you and me; ask me in our own chat.")


def asks_privately(subject: Subject, reading: Reading, answering: Answering) -> bool:
    """Return whether the answer may be for the sender alone; a question about a named person is open.

    What was spoken of is told in a group as far as it was said there.
    """
    if answering.memory and talked_about(reading.text) is not None:
        return False
    if answering.memory:
        own = asks_of_me(reading.text) and subject.remembers_in_passing
        if asks_about_me(reading.text) or forgets_all(reading.text) or own:
            return True
    lookup = subject.asked(reading)
    if lookup is None or not answering.policy.tells_privately(lookup.kinds):
        return False
    return person_named(reading) is None


def openly(safe: Reply, whole: Reply, reading: Reading, answering: Answering) -> Reply:
    """Return what is said in the group, `safe` for all there.

    `whole` goes to the sender apart, if possible.
    """
    between = say(reading.language, _BETWEEN if answering.apart else _ASK_ME)
    text = f"{safe.text} {between}" if safe.keeps else between
    aside = whole.text if answering.apart else ""
    return replace(whole, text=text, question=None, claims=(), silent=False, aside=aside)
