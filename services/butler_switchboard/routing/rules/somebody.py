# ruff: noqa: E501 - patterns stay on one line
"""Whom "his birthday is on the 28th" is about: a person that a message before it named (SWB-03.2; pure).

The butler that keeps birthdays did not hear "I got Jonas a telescope", which another one was told. It gets the name
with the message.

Invariant: only for a statement of the household's own people that names nobody itself, only within `FOLLOWED`, only
from what other butlers were told, and only names: nothing else of what was said before is passed on.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Final

from butler_kit.textmodel.features import fold
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.rules.carry import names_in
from butler_switchboard.routing.rules.conversation import FOLLOWED
from butler_switchboard.routing.rules.follow_up import own_words

__all__ = ["speaks_of_somebody", "with_somebody"]

_MOST_CHARS: Final = 160
_MOST_BEFORE: Final = 3
"""How many of the messages before are looked at."""
_OF_A_PERSON: Final = re.compile(
    r"\b(?:his|her) (?:\d+\w* |new |mobile |home |e-?mail )*(?:birthday|bday|b-day|name day|phone|number|mobile|address|e-?mail|mail)\b"
    r"|\b(?:he|she)(?:'s| is| will be) (?:turning )?\d|\b(?:he|she) turns \d"
    r"|\b(?:sein|ihr)(?:e|en|em|er)? (?:\d+\. |neuer? )*(?:geburtstag|namenstag|(?:handy|telefon)?nummer|adresse|anschrift|e-?mail\w*|mail\w*)\b"
    r"|\b(?:er|sie) (?:wird \d|hat (?:am|an|im|morgen|heute|ubermorgen)\b.{0,40}\bgeburtstag)"
    r"|\b(?:son|sa) (?:nouvelle? |nouvel )?(?:anniversaire|anniv|numero|portable|telephone|adresse|e-?mail|mail)\b"
    r"|\bsu (?:nuev[oa] )?(?:cumpleanos|cumple|numero|telefono|movil|direccion|correo|e-?mail)\b"
)


def speaks_of_somebody(message: RoutingMessage) -> bool:
    """Return whether it states something of "him" or "her" and names nobody."""
    said = own_words(message.text, message.subject)
    own = message.sender_class == "household" and not message.automatic
    if not own or not said or len(said) > _MOST_CHARS or "\n" in said or "?" in said:
        return False
    found = _OF_A_PERSON.search(fold(said))
    return found is not None and not _named_before(said, found.group())


def with_somebody(text: str, message: RoutingMessage, butler: str) -> str:
    """Return `text`, followed by who was named in the last message that names somebody, if it is about them.

    What `butler` was told itself it knows.
    """
    names = _last_named(message, butler) if speaks_of_somebody(message) else ()
    return f"{text}\n\n(Said before: {'; '.join(names)})" if names else text


def _last_named(message: RoutingMessage, butler: str) -> tuple[str, ...]:
    recent = (one for one in message.spoke if one.ago <= FOLLOWED and one.to)
    said = [tuple(group) for _, group in groupby(recent, key=lambda one: one.request)]
    for answers in said[:_MOST_BEFORE]:
        if names := names_in(answers[0].to):
            return names if butler not in {one.butler for one in answers} else ()
    return ()


def _named_before(said: str, about: str) -> bool:
    """Return whether a name stands in the message itself; a German noun of what is told is none."""
    return any(fold(name) not in about for name in names_in(said))
