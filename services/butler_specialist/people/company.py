"""PURE: whom something of a message may be passed on to, and in which words (ADR 0087, ADR 0127).

Invariants: only another member whom the sender's own lines of this very message ask to be told; and only words of
those lines, in their order. So neither earlier messages, nor search results, nor a quoted or forwarded text can
choose a person or put words into the sender's mouth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from butler_contracts.errors import ValidationFailed
from butler_specialist.people.neighbours import Neighbour
from butler_specialist.store.model import TellingDraft
from butler_specialist.understanding.asked_to_tell import asks_to_tell
from butler_specialist.understanding.household import Whose
from butler_specialist.understanding.prose import senders_lines

__all__ = ["Company"]

_NOT_ASKED: Final = "the writer's own words ask to tell nobody of the household of this name; nobody was told"
_NOT_SAID: Final = "the words are not in the writer's own message, exactly; nobody was told"
_NO_WAY: Final = "{name} has no address to be written to; nobody was told"
_THEMSELVES: Final = "this is the writer; use answer"


@dataclass(frozen=True, slots=True)
class Company:
    """The sender of `text`, and the other members who may be told something of it."""

    text: str
    whose: Whose
    others: tuple[Neighbour, ...]

    def draft(self, person: str, quote: str) -> TellingDraft:
        """Return what to tell whom. Raises `ValidationFailed` in words that a model can pass on."""
        own, words = senders_lines(self.text), quote.strip()
        key = self.whose.contact(person) if person.strip() else None
        if key is not None and key == self.whose.me:
            raise ValidationFailed(_THEMSELVES)
        meant = next((one for one in self.others if str(one.contact_id) == key), None)
        if meant is None or not any(asks_to_tell(own, name) for name in self._names_of(meant)):
            raise ValidationFailed(_NOT_ASKED)
        if not words or words not in own:
            raise ValidationFailed(_NOT_SAID)
        if meant.channel is None:
            raise ValidationFailed(_NO_WAY.format(name=meant.name))
        return TellingDraft(meant.contact_id, words)

    def _names_of(self, meant: Neighbour) -> tuple[str, ...]:
        """Return the names that are this member's alone: the full name, the first name."""
        spelt = (meant.name, meant.name.split()[0])
        return tuple(name for name in spelt if self.whose.contact(name) == str(meant.contact_id))
