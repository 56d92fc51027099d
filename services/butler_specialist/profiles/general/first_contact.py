"""Answers to hello, thanks, help or nothing at all, in the sender's language (pure). Nothing is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_specialist.locale import noop, say
from butler_specialist.profiles.alarm import whom_to_call
from butler_specialist.profiles.general.abilities import ABILITIES
from butler_specialist.profiles.general.entries import drafts_of
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.small_talk import Talk, talk_of

__all__ = ["first_contact_text", "small_talk"]

_NOTED: Final = "👍"
"""An answer, since silence looks like a loss; without words, since there is nothing to say."""
_HELLO: Final = noop("Hello{name}.")
_WHO: Final = noop(
    "I am the butler of your household: a program that keeps what you tell it and answers from that."
)
_HINT: Final = noop("Write “help” to see what I understand.")
_SHORT: Final[Mapping[Talk, tuple[str, ...]]] = {
    Talk.WHO: (_HELLO, _WHO, _HINT),
    Talk.HELLO: (_HELLO, _HINT),
    Talk.HOW: (_HELLO, noop("All is well here, thank you for asking. I hope you are well too.")),
    Talk.MORNING: (noop("Good morning{name}."),),
    Talk.EVENING: (noop("Good evening{name}."),),
    Talk.NIGHT: (noop("Good night{name}."),),
    Talk.BYE: (noop("Goodbye{name}."),),
    Talk.THANKS: (noop("You are welcome."),),
    Talk.NOISE: (noop("I did not understand that, and nothing of it is kept."), _HINT),
    Talk.STOP: (
        noop(
            "“stop” alone ends nothing: I write when a message has come in, when"
            " a reminder is due, and at the hours that your household has set, such as in the morning."
        ),
        noop("“Which reminders do I have?” shows those that I keep for you."),
        noop("Nothing is cancelled and nothing is deleted by it."),
        noop("To hear no more of me, mute this chat, or ask whoever runs your household to take you out."),
    ),
}
_HELPED: Final = frozenset({Talk.START, Talk.HELP})


def small_talk(reading: Reading) -> Talk | None:
    """Return the kind of small talk; None if a greeting's subject states something."""
    talk = talk_of(reading.text)
    if talk in (Talk.HELLO, Talk.HOW) and reading.subject:
        told = drafts_of(reading.with_subject())
        return talk if all(draft.kind == "note" for draft in told) else None
    return talk


def first_contact_text(talk: Talk, reading: Reading) -> str:
    """Return the answer; known people are called by their first name."""
    if talk is Talk.NOD:
        return _NOTED
    language = reading.language
    called = reading.whose.names.get(reading.whose.me, "").split()[:1]
    parts = (_HELLO, _WHO) if talk in _HELPED else _SHORT[talk]
    said = " ".join(say(language, part, name="".join(f" {name}" for name in called)) for part in parts)
    return f"{said} {_examples(reading)}" if talk in _HELPED else said


def _examples(reading: Reading) -> str:
    language = reading.language
    examples = "\n".join(f"• {say(language, ability.example)}" for ability in ABILITIES)
    languages = say(
        language, "I understand English, German, French and Spanish, and answer in the language you write."
    )
    number = whom_to_call(reading.moment.tzinfo, language)
    urgent = say(language, "I am no emergency service: in an emergency call {number}.", number=number)
    invited = say(language, "You can write, for example:")
    return f"{invited}\n{examples}\n{languages} {urgent}"
