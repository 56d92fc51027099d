"""Restricts a model's prompts to the words of the message (SWB-03.8, SWB-04.1; pure).

A butler acts on its prompt in the name of the message's writer. If others have spoken in the thread, a model that
obeys them could put their words into the writer's mouth.
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
    """Replace each prompt that adds words by its part of the message, or by all of it if there is none."""
    own = _words(f"{message.subject or ''} {message.text}")
    targets = tuple(
        target
        if target.butler == GENERAL or _words(target.prompt) <= own
        else _as_written(target, message.text)
        for target in judged.targets
    )
    return replace(judged, targets=targets)


def quotes(prompt: str, subject: str | None, text: str) -> bool:
    """Return whether each line of a prompt occurs verbatim in the message or its subject, ignoring spaces."""
    said = [_spaced(part) for part in (text, subject or "", f"Subject: {subject}\n\n{text}")]
    return all(any(_spaced(line) in part for part in said) for line in prompt.splitlines())


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _as_written(target: Target, text: str) -> Target:
    return replace(target, prompt=target.segment.excerpt(text).strip() or text)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
