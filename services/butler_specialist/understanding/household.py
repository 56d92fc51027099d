"""Who somebody is (pure): a contact, whichever address they write from; an unknown address; or a name.

Invariants: a name that two contacts share is neither of them; nobody is a contact because of what they call
themselves; each person's mother is a person of her own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from butler_contracts.people import PeopleV1
from butler_kit.wording.folding import fold

__all__ = ["KIN", "NOBODY", "Whose", "kin_of", "teller_key"]

_SAID: Final = {
    "mother": "mother mom mum mama mutter mere maman madre",
    "father": "father dad papa vater vaters pere padre",
    "grandmother": "grandmother grandma granny nan nana oma grossmutter grand-mere mamie abuela",
    "grandfather": "grandfather grandpa opa grossvater grand-pere papi abuelo",
    "sister": "sister schwester soeur hermana",
    "brother": "brother bruder bruders frere hermano",
    "aunt": "aunt tante tia",
    "uncle": "uncle onkel oncle tio",
    "wife": "wife frau femme esposa mujer",
    "husband": "husband mann mannes mari esposo marido",
    "son": "son sohn sohnes sohns fils hijo",
    "daughter": "daughter tochter fille hija",
    "baby": "baby bebe",
    "child": "child kid kind kindes kleine kleiner kleinen enfant petit petite nino nina peque toddler",
}
KIN: Final[Mapping[str, str]] = {word: kin for kin, said in _SAID.items() for word in said.split()}
"""The words for kin in the four languages, folded, each with the one word that is stored."""


def kin_of(name: str) -> str | None:
    """Return the kin that a name stands for: `mother` for `Mama`; None for a proper name."""
    return KIN.get(fold(name).replace("œ", "oe").replace("ß", "ss").strip())


@dataclass(frozen=True, slots=True)
class Whose:
    """Who wrote, and who the household's people are. People are identified by keys."""

    me: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    """The contacts' names, by key."""

    @classmethod
    def of(cls, people: PeopleV1 | None, contact_id: UUID | None, channel: str, sender: str) -> Whose:
        """Return the sender's: the contact, else the address."""
        names = {str(person.contact_id): person.name for person in people.members} if people else {}
        return cls(teller_key(contact_id, channel, sender), names)

    @property
    def known(self) -> tuple[str, ...]:
        """The names of contacts: the full name and the first name."""
        called = (spelt for name in self.names.values() for spelt in (name, name.split()[0]))
        return tuple(sorted(dict.fromkeys(called), key=lambda spelt: -len(spelt)))

    def contact(self, name: str) -> str | None:
        """Return the key of the one contact of that name, by the full name or else by the first."""
        wanted = _spoken(name)
        for part in (slice(None), slice(1)):
            found = [key for key, whole in self.names.items() if _spoken(whole)[part] == wanted]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def key(self, name: str | None, teller: str | None = None) -> str:
        """Return the key of the person `teller` (by default the sender) means by `name`.

        None means themselves.
        """
        teller = self.me if teller is None else teller
        if name is None:
            return teller
        if (contact := self.contact(name)) is not None:
            return contact
        kin = kin_of(name)
        return f"{teller}/{kin}" if kin is not None else f"name:{' '.join(_spoken(name))}"

    def kept(self, name: str | None) -> str | None:
        """Return the name under which a fact is stored: the contact's own, or the one word for kin.

        None for me.
        """
        if name is None or (found := self.contact(name)) == self.me:
            return None
        return self.names[found] if found else kin_of(name) or name


NOBODY: Final = Whose()


def teller_key(contact_id: UUID | None, channel: str, sender: str) -> str:
    """Return the key of who told something: a contact, or an unknown address."""
    return str(contact_id) if contact_id is not None else f"{channel}:{sender.lower()}"


def _spoken(name: str) -> list[str]:
    return fold(name).split()
