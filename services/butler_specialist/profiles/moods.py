"""Answers to a mood: something short and kind; nothing is kept (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import noop, say
from butler_specialist.understanding.moods import Mood

__all__ = ["mood_text"]

_SAID: Final[Mapping[Mood, str]] = {
    Mood.SAD: noop(
        "I am sorry to hear that. I am only a program, but I am here; talking to somebody often helps."
    ),
    Mood.CROSS: noop("I am sorry. Say it in other words, and I try again; “help” shows what I understand."),
    Mood.TIRED: noop("That sounds like a long day. I am sorry; I hope you get some rest soon."),
    Mood.GRUMBLE: noop("Oh dear. I hope it gets better soon."),
    Mood.PROUD: noop("Congratulations, well done! I am glad for you."),
    Mood.HOPING: noop("Good luck! I keep my fingers crossed for you."),
    Mood.FOND: noop("That is kind of you, thank you. You are always welcome."),
    Mood.GLAD: noop("I am glad to hear that."),
    Mood.LAUGH: "😄",
}


def mood_text(mood: Mood, language: Language) -> str:
    """Return the answer, in the sender's language."""
    return say(language, _SAID[mood])
