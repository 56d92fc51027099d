"""Keeps what a model made of a message to the words of that message (SWB-03.8, SWB-04.1; pure).

What a butler is given it does in the name of whoever wrote the message. Where others have spoken in the thread, a model
that obeys them could put their words into that person's mouth.
"""

from __future__ import annotations

import re
from dataclasses import replace

from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import GENERAL
from butler_switchboard.routing.verdict import Target, Verdict

__all__ = ["in_own_words", "quotes"]

_WORD = re.compile(r"\w+")


def in_own_words(judged: Verdict, message: RoutingMessage) -> Verdict:
    """The verdict, each prompt that has a word of its own replaced by its part of the message, else by all of it."""
    own = _words(f"{message.subject or ''} {message.text}")
    targets = tuple(
        target
        if target.butler == GENERAL or _words(target.prompt) <= own
        else _as_written(target, message.text)
        for target in judged.targets
    )
    return replace(judged, targets=targets)


def quotes(prompt: str, subject: str | None, text: str) -> bool:
    """Whether each line of a prompt stands in the message as it is, or in its subject; spaces do not count."""
    said = [_spaced(part) for part in (text, subject or "", f"Subject: {subject}\n\n{text}")]
    return all(any(_spaced(line) in part for part in said) for line in prompt.splitlines())


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _as_written(target: Target, text: str) -> Target:
    return replace(target, prompt=target.segment.excerpt(text).strip() or text)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
