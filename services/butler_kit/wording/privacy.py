# ruff: noqa: E501 - patterns stay on one line
"""Who may know a thing: "keep this to yourself", "share that with the family" (pure). EN, DE, FR, ES.

Invariant: the words have to be a clause of their own, so that "split it between us" and "dinner for everyone" do not
count. Each function takes its caller's way to fold a text: lower case, no accents, same length. Linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["PrivacyWord", "keeps_private", "privacy_word", "private_clause"]

Fold = Callable[[str], str]
Audience = Literal["household", "private", "people"]

_IT: Final = r"(?:this|that|it|these|those|das|es|dies|dieses|ca|cela|ceci|le|la|les|esto|eso|lo|la)"
_PRIVATE: Final = (
    rf"keep {_IT} (?:(?:all |just |only )?to yourself|private|secret|quiet|(?:just |only )?between (?:us|you and me))",
    rf"(?:{_IT}(?:'s| is| stays)? )?(?:just |only |strictly )between (?:us|you and me)|{_IT} (?:is|stays) between (?:us|you and me)",
    r"(?:don't|do not|dont|never) (?:tell|show|share (?:this|that|it) with) (?:this |that |it )?(?:to )?(?:anyone|anybody|any one|the others|the family)(?: else)?(?: (?:about )?(?:this|that|it))?",
    rf"(?:{_IT}(?:'s| is| stays) )?(?:private|confidential|a secret|for me only|only for me|for my eyes only)",
    r"(?:can|could) (?:you|u) keep a secret|(?:it's|its|it is|that's|this is) (?:a|our|my) (?:little )?secret",
    r"(?:kannst du|kannst du mir) ein geheimnis (?:fur dich )?(?:be|be-)?(?:halten|bewahren)|(?:tu sais|sais-tu|tu peux) garder un secret|(?:sabes|puedes) guardar un secreto",
    rf"behalte? (?:{_IT} )?(?:bitte )?(?:fur dich|geheim|privat|nur fur dich)",
    rf"(?:{_IT} )?(?:bleibt|soll) (?:bitte )?unter uns(?: bleiben)?|(?:nur )?unter uns(?: gesagt)?",
    rf"(?:sage?|erzahle?|verrate?) (?:{_IT} )?(?:bitte )?(?:niemandem|niemand|keinem|den anderen nicht|der familie nicht)(?: (?:davon|was|etwas|weiter))?",
    rf"(?:{_IT} ist )?(?:privat|geheim|vertraulich|nur fur mich)",
    rf"garde(?:-le|-la|z)? (?:{_IT} )?(?:bien )?(?:pour toi|secret|prive|entre nous)",
    rf"(?:{_IT} reste |c'est |juste |que )?entre nous(?: deux)?",
    r"n'en parle (?:pas|a personne)(?: aux autres)?|ne le (?:dis|dites|raconte) (?:a personne|pas aux autres)",
    rf"(?:(?:c'est|{_IT} (?:est|reste)) )?(?:prive|confidentiel|un secret|pour moi seule?|en prive)",
    rf"guarda(?:telo|lo|te)? (?:{_IT} )?(?:para ti|en secreto|en privado)|guardatelo",
    rf"(?:que quede |{_IT} queda |solo )?entre (?:nosotros|tu y yo)",
    r"no se lo (?:digas|cuentes|ensenes) a (?:nadie|los demas|la familia)|no (?:digas|cuentes) nada(?: de esto)? a nadie",
    rf"(?:(?:{_IT} )?es )?(?:privado|privada|secreto|confidencial|solo para mi)",
)
_ALL: Final = r"(?:everyone|everybody|the (?:whole )?family|the household|all of us|us all|the others|all)"
_ALLE: Final = r"(?:allen|der (?:ganzen )?familie|den anderen)"
_TOUS: Final = r"(?:tout le monde|tous|toute la famille|la famille|aux? autres|les autres)"
_TODOS: Final = r"(?:todos|toda la familia|la familia|los demas)"
_HOUSEHOLD: Final = (
    rf"share {_IT} with {_ALL}|(?:you (?:can|may) )?tell {_ALL}(?: (?:this|that|it|about (?:this|that|it)))?|make {_IT} (?:public|visible to {_ALL})",
    rf"{_ALL} (?:may|can|should|is allowed to) know(?: (?:this|that|it|about (?:this|that|it)))?|(?:{_IT} is )?for {_ALL}(?: to know)?",
    rf"teile? {_IT} mit {_ALLE}|sagt? (?:{_IT} )?{_ALLE}(?: bescheid)?|erzahle? (?:{_IT} )?{_ALLE}",
    rf"(?:{_IT} )?(?:durfen|konnen|sollen) (?:{_IT} )?alle(?: {_IT})? wissen|alle (?:durfen|konnen|sollen) {_IT} wissen|(?:{_IT} ist )?fur (?:alle|die (?:ganze )?familie)",
    rf"partage(?:-le|-la|z)? (?:{_IT} )?avec {_TOUS}|dis(?:-le)? (?:{_IT} )?a {_TOUS}|{_TOUS} peu(?:t|vent) (?:le )?savoir|(?:c'est )?pour {_TOUS}",
    rf"comparte(?:lo|la)? (?:{_IT} )?con {_TODOS}|(?:di|dile|diles|diselo|cuentaselo|cuentale) (?:{_IT} )?a {_TODOS}|{_TODOS} (?:pueden?|deben?) saberlo|(?:{_IT} )?es para {_TODOS}|para {_TODOS}",
)
_WHO: Final = (
    r"(?P<{}>[^\W\d_][\w'.-]*(?: [^\W\d_][\w'.-]*){{0,2}}?(?:(?:,| and| und| et| y) [^\W\d_][\w'.-]*){{0,4}})"
)
_PEOPLE: Final = (
    rf"share {_IT} (?:only |just )?with {_WHO.format('a')}(?: (?:only|too))?|(?:you (?:can|may) )tell {_WHO.format('b')}(?: (?:this|that|it))?|{_WHO.format('c')} (?:may|can) know(?: (?:this|that|it))?(?: too)?",
    rf"teile? {_IT} (?:nur |auch )?mit {_WHO.format('d')}|{_WHO.format('e')} (?:darf|durfen|kann) (?:das|es) (?:auch )?wissen",
    rf"partage(?:-le|-la|z)? (?:{_IT} )?(?:seulement )?avec {_WHO.format('f')}|{_WHO.format('g')} peut (?:aussi )?le savoir",
    rf"comparte(?:lo|la)? (?:{_IT} )?(?:solo )?con {_WHO.format('h')}|{_WHO.format('i')} puede saberlo(?: tambien)?",
)
_NOW: Final = r"(?: (?:now|jetzt|nun|ab jetzt|maintenant|ya|ahora))?"
_ABOUT: Final = r"(?P<{}>[^\W\d_][^,.!?;:\n]{{1,60}}?)"
_PEOPLE_ABOUT: Final = (
    rf"you (?:can|may) (?:now )?(?:let {_WHO.format('a')} know|tell {_WHO.format('b')}) about {_ABOUT.format('what_a')}{_NOW}",
    rf"{_WHO.format('c')} (?:may|can){_NOW} know about {_ABOUT.format('what_c')}{_NOW}",
    rf"du (?:darfst|kannst) {_WHO.format('d')}{_NOW} (?:vo[nm]|uber) {_ABOUT.format('what_d')}{_NOW} (?:erzahlen|sagen)",
    rf"{_WHO.format('e')} (?:darf|kann){_NOW} (?:vo[nm]|uber) {_ABOUT.format('what_e')}{_NOW} wissen",
    rf"tu peux{_NOW} (?:le )?dire a {_WHO.format('f')}{_NOW} pour {_ABOUT.format('what_f')}{_NOW}",
    rf"(?:ya )?puedes (?:contar|decir)le a {_WHO.format('h')}{_NOW} lo de(?:l| la| los| las)? {_ABOUT.format('what_h')}{_NOW}",
)
"""Clauses that name what was told before: "you can let Tom know about the telescope now"."""
_BEFORE: Final = r"(?:^|[.!?;:,(\n–—-])\s{0,3}"
_POLITE: Final = r"(?:(?:please|but|and|so|also|oh|ok|okay|bitte|aber|und|ach|also|s'il te plait|stp|mais|et|por favor|pero|y)[ ,]{1,2}){0,3}"
_AFTER: Final = r"(?:[ ,]{1,2}(?:please|bitte|s'il te plait|stp|por favor|thanks|danke|merci|gracias)){0,2}(?=\s{0,3}(?:$|[.!?;:,)\n–—-])|(?P<that>\s(?:that|dass|que)\s))"


def _clause(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"{_BEFORE}(?P<said>{_POLITE}(?:{'|'.join(patterns)}){_AFTER})")


_CLAUSES: Final[tuple[tuple[Audience, re.Pattern[str]], ...]] = (
    ("private", _clause(_PRIVATE)),
    ("household", _clause(_HOUSEHOLD)),
    ("people", _clause(_PEOPLE_ABOUT)),
    ("people", _clause(_PEOPLE)),
)
_MOST_CHARS: Final = 4_000
_SPLIT: Final = re.compile(r",\s*|\s+(?:and|und|et|y)\s+")
_LEFT: Final = re.compile(r"[\w]")


@dataclass(frozen=True, slots=True)
class PrivacyWord:
    """Who may know a thing; `names` as written, if it is for people by name. `rest` is the text without the clause.

    `about` names something that was told before; empty if it is what was told last, or is told with the clause.
    """

    audience: Audience
    rest: str
    said: str
    names: tuple[str, ...] = ()
    about: str = ""

    @property
    def points_back(self) -> bool:
        """Whether nothing else is said, so that it is about what was told before."""
        return _LEFT.search(self.rest) is None


def privacy_word(text: str, fold: Fold, *, known: Mapping[str, object] | None = None) -> PrivacyWord | None:
    """Return a text's first such clause, private ones first; names must be in `known` (folded), if given."""
    folded = fold(text[:_MOST_CHARS])
    if len(folded) != len(text[:_MOST_CHARS]):
        return None
    for audience, pattern in _CLAUSES:
        for found in pattern.finditer(folded):
            names = _names(found, text) if audience == "people" else ()
            if audience == "people" and not _are_known(names, known, fold):
                continue
            start, end = found.span("said")
            said = text[start:end].strip(" ,")
            return PrivacyWord(
                audience, _without(text, start, _end(found, end)), said, names, _about(found, text)
            )
    return None


def private_clause(text: str, fold: Fold) -> str | None:
    """Return the words by which a text says that it is not for others; None where it does not."""
    found = privacy_word(text, fold)
    return found.said if found is not None and found.audience == "private" else None


def keeps_private(text: str, fold: Fold) -> bool:
    return private_clause(text, fold) is not None


def _names(found: re.Match[str], text: str) -> tuple[str, ...]:
    said = found.groupdict()
    group = next((name for name in "abcdefghi" if said.get(name) is not None), None)
    return tuple(_SPLIT.split(text[slice(*found.span(group))])) if group is not None else ()


def _about(found: re.Match[str], text: str) -> str:
    """Return the words for what was told before, as they were written."""
    named = (name for name, said in found.groupdict().items() if name.startswith("what_") and said)
    group = next(named, None)
    return text[slice(*found.span(group))].strip() if group is not None else ""


def _are_known(names: tuple[str, ...], known: Mapping[str, object] | None, fold: Fold) -> bool:
    return bool(names) and (known is None or all(fold(name) in known for name in names))


def _end(found: re.Match[str], end: int) -> int:
    return found.end("that") if found["that"] is not None else end


def _without(text: str, start: int, end: int) -> str:
    before, after = text[:start].rstrip(), text[end:].lstrip()
    if before.endswith(("(", ",", "–", "—", "-", ":")):
        before = before[:-1].rstrip()
    if not before or after[:1] in (")", ",", ":", ";", "-", "–", "—"):
        after = after.lstrip(" ,:;.!?)-–—")
    if not _LEFT.search(after):
        after = ""
    return f"{before} {after}".strip()
