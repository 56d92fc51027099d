"""Who somebody is (pure): a contact whichever address they write from, an address that is nobody's, or a name.

Invariants: a name that two contacts share is neither of them; nobody is a contact because of what they call themselves;
somebody's mother is another person than anybody else's.
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
"""What kin are called in the four languages, folded, each with the one word that is kept."""


def kin_of(name: str) -> str | None:
    """The kin that a name is: `mother` of `Mama`; None for a proper name."""
    return KIN.get(fold(name).replace("œ", "oe").replace("ß", "ss").strip())


@dataclass(frozen=True, slots=True)
class Whose:
    """Who wrote, and who the household's people are. People are told apart by keys."""

    me: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    """Of the contacts, by key."""

    @classmethod
    def of(cls, people: PeopleV1 | None, contact_id: UUID | None, channel: str, sender: str) -> Whose:
        """The writer's own: the contact, else the address."""
        names = {str(person.contact_id): person.name for person in people.members} if people else {}
        return cls(teller_key(contact_id, channel, sender), names)

    @property
    def known(self) -> tuple[str, ...]:
        """The names that contacts are called by: the whole and the first."""
        called = (spelt for name in self.names.values() for spelt in (name, name.split()[0]))
        return tuple(sorted(dict.fromkeys(called), key=lambda spelt: -len(spelt)))

    def contact(self, name: str) -> str | None:
        """The key of the one contact who is called so, by the whole name or else by the first."""
        wanted = _spoken(name)
        for part in (slice(None), slice(1)):
            found = [key for key, whole in self.names.items() if _spoken(whole)[part] == wanted]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def key(self, name: str | None, teller: str | None = None) -> str:
        """Whom `teller` (without one, the writer) means by `name`; by None themselves."""
        teller = self.me if teller is None else teller
        if name is None:
            return teller
        if (contact := self.contact(name)) is not None:
            return contact
        kin = kin_of(name)
        return f"{teller}/{kin}" if kin is not None else f"name:{' '.join(_spoken(name))}"

    def kept(self, name: str | None) -> str | None:
        """The name under which a fact about somebody is kept: the contact's own, the one word for kin; None for me."""
        if name is None or (found := self.contact(name)) == self.me:
            return None
        return self.names[found] if found else kin_of(name) or name


NOBODY: Final = Whose()


def teller_key(contact_id: UUID | None, channel: str, sender: str) -> str:
    """Who told something: a contact, or an address that is nobody's."""
    return str(contact_id) if contact_id is not None else f"{channel}:{sender.lower()}"


def _spoken(name: str) -> list[str]:
    return fold(name).split()
