# ruff: noqa: E501 - word lists stay on one line
"""Routes a message that names an earlier entry to the butler that was told it in this conversation (ADR 0031; pure).

"Move the dentist to Friday" sounds like health, but the appointment is with the butler that was told "dentist on
Thursday". What was told is read from the requests of the same chat, never from another butler's records.

Invariant: only for the household's own people, only for a change and for questions such as "when?" and "where?", only
if every word that names something was told, and never away from a butler that was told of it too. `told_before` looks
for what a whole clause says is over, and for any other question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from butler_kit.textmodel.features import fold, fold_as_long
from butler_kit.wording.privacy import privacy_word
from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.entry_words import SAID_BESIDE
from butler_switchboard.routing.rules.follow_up import is_plain, own_words
from butler_switchboard.routing.rules.told_before import asks_or_ends, told_what_is_over

__all__ = ["MOST_TOLD", "TOLD", "holder", "looks_back", "may_be_held"]

TOLD: Final = timedelta(days=60)
"""How long an entry is looked for after it was told."""
MOST_TOLD: Final = 200
"""How many of the latest parts of a conversation are searched."""
_MOST_CHARS: Final = 160
_MOST_WORDS: Final = 14
_MOST_NAMES: Final = 3
_ALIKE: Final = 5
"""The least length of a word that begins another of its kind: `Zahnarzt`, `Zahnarzttermin`."""
_ENDED: Final = 4
"""The least length of a word that ends a compound of its kind: `Arzt`, `Kinderarzt`."""
_WORD: Final = re.compile(r"[^\W\d_]++")
_POLITE: Final = (
    r"^\W*+(?:(?:please|pls|can you|could you|hey|hi|ok|so|and|actually|sorry|no|bitte|kannst du|konntest du|und|nein|ach|s'il te plait|stp"
    r"|peux-tu|tu peux|et|non|por favor|puedes|y|no|oye)\b\W*+)*+"
)
_CHANGES: Final = re.compile(
    _POLITE
    + r"(?:move|shift|push|bring forward|put back|postpone|reschedule|change|cancel|delete|remove|drop|scrap"
    r"|verschiebe?|verlege?|andere?|sage?|storniere?|losche?|streiche?|entferne?"
    r"|deplace[rz]?|decale[rz]?|reporte[rz]?|avance[rz]?|change[rz]?|annule[rz]?|supprime[rz]?|efface[rz]?|enleve[rz]?"
    r"|muev[ea]|mover|cambi[ae]r?|aplaza[r]?|pospon(?:er)?|pasa[r]?|adelanta[r]?|cancel[ae]r?|anul[ae]r?|borr[ae]r?|elimin[ae]r?|quit[ae]r?)\b"
)
_SPARED: Final = re.compile(
    r"^\W*+(?:(?:j'ai|on a) (?:pris|achete|trouve) (?:le|la|les|l'|du|de la|des)\b|(?:i|we)(?:'ve| have)? (?:got|bought) the\b|got the\b|bought the\b|ya (?:compre|tengo|cogi) )|\b(?:hab|habe|haben) (?:ich|wir) (?:schon|gekauft|besorgt)\W*$|^\W*+(?:hab|habe) (?:die|das|den) .{2,40}(?:gekauft|besorgt|geholt)\W*$|"
    r"\b(?:konnen|konnt|kannst) (?:wir|ihr|du|ich|man) (?:uns |dir |euch |mir )?(?:doch )?(?:sparen|weglassen)\b|\b(?:raye|barre)-l[ae]s?\b"
)
"""Something on a list that is not needed, or has been bought."""
_MOVED: Final = re.compile(
    r"\b(?:moved|rescheduled|postponed|cancelled|canceled|called off|verschoben|verlegt|abgesagt|fallt (?:leider |doch )?(?:aus|flach|ins wasser)|findet (?:doch )?nicht statt|absagen|verschieben|verlegen|loschen|stornieren"
    r"|reportee?|repoussee?|deplacee?|decalee?|avancee?|annulee?|tombe a l'eau|pushed back|put back|brought forward|aplazad[oa]|cambiad[oa]|movid[oa]|cancelad[oa])\b"
)
_WHEN: Final = re.compile(
    r"^\W*+(?:(?:and|so|und|et|y|hey|ok)\b\W*+)?+(?:when|at what time|what time|what day|which day|where|wann|um wie ?viel uhr|wo|an welchem tag|quand|c'est quand|c'est ou"
    r"|a quelle heure|c'est a quelle heure|quel jour|ou est|cuando|a que hora|que dia|donde)\b"
)
_WHAT: Final = re.compile(
    r"^\W*+(?:(?:and|so|und|et|y|hey|ok)\b\W*+)?+(?:what(?:'s|s| is| was) (?:the )?(?:name|number|code|address|price)\b|wie (?:heisst|hiess|ist die|war die|war der|war das|(?:war|ist|waren|sind) (?:mein|unser|dein)\w*|gross|schwer|viel wiegt|viel wog)\b"
    r"|(?:die )?(?:telefon|handy)?nummer (?:von|vom)\b|how (?:tall|heavy|much does)\b|comment s'appelle|c'est quoi|quel(?:le)? (?:est|etait)\b|combien (?:pese|mesure)|como se llama|cual (?:es|era)\b|cuanto (?:pesa|mide))"
)
"""Other questions about an earlier entry."""


def may_be_held(message: RoutingMessage) -> bool:
    """Return whether it may change an earlier entry, or ask "when?" of it."""
    return _is_ours(message) and bool(_names(message))


def looks_back(message: RoutingMessage) -> bool:
    """Return whether anything told before matters to this message at all."""
    return _is_ours(message) and bool(_names(message) or asks_or_ends(message))


def _is_ours(message: RoutingMessage) -> bool:
    return message.sender_class == "household" and not message.automatic


def holder(message: RoutingMessage, registry: RegistryView, *, clear: str | None) -> Spoken | None:
    """Return the butler that was told what the message names; None if none was, or it is `clear` anyway."""
    names = _names(message) if message.told else frozenset()
    held = [one for one in message.told if names and registry.eligible(one.butler) and _tells(one.to, names)]
    held = held or told_what_is_over(message, registry, or_changed=not names)
    if not held or any(one.butler == clear for one in held):
        return None
    return held[0]


def _names(message: RoutingMessage) -> frozenset[str]:
    """Return the words naming the entry of a change, of a "when?" or of a remark on who may be told of it."""
    said = own_words(message.text, message.subject)
    if not said or len(said) > _MOST_CHARS or "\n" in said:
        return frozenset()
    word = privacy_word(said, fold_as_long)
    told_to = word.about if word is not None else ""
    if not told_to and not _asks(fold(said)):
        return frozenset()
    found = _WORD.findall(fold(told_to or said))
    names = frozenset(
        word for word in found if len(word) > 2 and word not in SAID_BESIDE and not is_plain(word)
    )
    return names if len(found) <= _MOST_WORDS and 0 < len(names) <= _MOST_NAMES else frozenset()


def _asks(folded: str) -> bool:
    return any(pattern.search(folded) for pattern in (_CHANGES, _MOVED, _WHEN, _WHAT, _SPARED))


def _tells(told: str, names: Iterable[str]) -> bool:
    """Return whether an earlier message told of all that is named, and did not only ask for it."""
    folded = fold(told)
    if folded.rstrip().endswith("?") or _asks(folded):
        return False
    said = _WORD.findall(folded)
    return all(any(_of_one_kind(name, word) for word in said) for name in names)


def _of_one_kind(name: str, word: str) -> bool:
    least = min(len(name), len(word))
    opens = least >= _ALIKE and (word.startswith(name) or name.startswith(word))
    return name == word or opens or (len(name) >= _ENDED and word.endswith(name))
