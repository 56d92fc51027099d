"""Whom "her" and "and 37.9 now" are about: the person of the conversation's last facts.

The conversation is only read for a message that needs it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Final

from butler_specialist.store.earlier import Conversation, Earlier
from butler_specialist.understanding.bare_heat import bare_heat
from butler_specialist.understanding.reading import Reading, Spoken

__all__ = ["with_person"]

_FOLLOWED: Final = timedelta(hours=3)
_MOST: Final = 4
_HIM: Final = re.compile(
    r"\b(?:him|her|his|he|she|ihm|ihr|ihn|er|sie|lui|l'|il|elle|le (?:he|hemos|di|dimos)|el|ella)\b"
)
_FACTS: Final = frozenset({"measurement", "medication"})


async def with_person(reading: Reading, conversation: Conversation) -> Reading:
    """Return the reading with the one person of the last facts told, if it may mean them."""
    if reading.subject or len(reading.sentences) > _MOST or not _may_mean_them(reading):
        return reading
    last = next((one for one in await conversation.earlier() if one.in_thread and one.told), None)
    if last is None or last.ended_at < reading.moment - _FOLLOWED:
        return reading
    spoken = _spoken_of(last)
    return reading if spoken is None else replace(reading, spoken_of=spoken)


def _may_mean_them(reading: Reading) -> bool:
    return reading.has(_HIM) or any(bare_heat(one.folded) is not None for one in reading.sentences)


def _spoken_of(last: Earlier) -> Spoken | None:
    """Return the person; None if the last message had no facts about a body, or about several people."""
    facts = [row for row in last.told if row.kind in _FACTS and not row.withdrawn]
    people = {row.party for row in facts}
    if len(people) != 1:
        return None
    return Spoken(people.pop(), hot=any(row.code == "temperature" for row in facts))
