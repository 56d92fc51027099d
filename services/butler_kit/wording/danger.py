"""Whether the words of a clause say that somebody may be in danger, and in which (pure). In doubt, they may be.

Ignored are only things with such a name ("chest pain form"), denials ("no chest pain") and idioms. What a clause dates
to the past is for who can read days; `may_be_danger` cannot. English, German, French, Spanish.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.danger_words import SIGNS, Danger
from butler_kit.wording.folding import fold
from butler_kit.wording.misspelt import mended

__all__ = ["MOST_CLAUSES", "Danger", "Sign", "cries_for_help", "gravest", "may_be_danger", "signs_in"]

Sign = tuple[Danger, Language]
_NAMES_A_THING: Final = (
    r"[\s-]+(?:forms?|leaflets?|insurance|questionnaires?|appointments?|course|training|clinic|check-?ups?|unit"
    r"|book|article|podcast|awareness|charity|prevention|squad|formular|fragebogen|termin|kurs|vorsorge)\b"
)
_ABOUT_A_THING: Final = re.compile(
    r"\b(?:courses?|class(?:es)?|training|lessons?|talk|lecture|films?|movies?|books?|article|podcast|series|insurance"
    r"|alarm test|drill|first aid|erste hilfe|premiers secours|primeros auxilios"
    r"|kurs|vortrag|film|buch|artikel|serie|ubung|versicherung"
    r"|cours|formation|livre|expose"
    r"|assurance|exercice|curso|taller|charla|pelicula|libro|seguro|simulacro)\b"
    r".{0,40}\b(?:about|on|against|for|in case of|called|uber|zum?|gegen|sur|contre|de|du|sobre|contra)\b.{0,60}$"
)
_ABOUT_CHARS: Final = 160
"""More than the longest such words with all that may stand between them."""
_IDIOMS: Final = re.compile(
    r"\b(?:nearly|almost|fast|beinahe|presque|failli|casi|gave me|given me|faire avoir)\b.{0,20}"
    r"(?:heart attack|stroke|died|herzinfarkt|herzanfall|crise cardiaque|infarctus|avc|infarto|ataque al corazon)"
    r"|\b(?:shel(?:f|ves)|roof|tent|cake|bed|market|shed|bridge|wall|deal|company|bank|prices?|system|server|website"
    r"|app|internet|wifi|computer|laptop|printer|phone|watch|boiler|queue|traffic|tv|router|netz|drucker|rechner|zelt"
    r"|regal|kuchen|handy|heizung|auto|stau|telephone|portable|ordi\w*|movil|ordenador|impresora)(?:'s)?"
    r" (?:[\w'-]+ ){0,4}(?:collapsed|responding|moving|wake up|drowned|stroke|no pulse|zusammengebrochen"
    r"|reagiert|umgekippt|bouge|reagit|reacciona|respira)\w*"
    r"|\b(?:i|we|i just|ich|wir) (?:\w+ )?collapsed (?:on|onto|into) (?:the|my|our) (?:sofa|bed|couch|chair)"
    r"|\b(?:glass|vase|bike|tree|bottle|milk|glas|vase|fahrrad|milch|flasche|baum) (?:\w+ ){0,2}umgekippt"
)
"""Idioms that only sound like danger."""
_DENIED: Final = r"\b(?:no|not|without|never had|keinen?|keine|nicht|ohne|pas de|sans|sin|ningun)\s+"


def _compiled(patterns: Iterable[str]) -> re.Pattern[str]:
    signs = "|".join(patterns)
    return re.compile(rf"(?P<denied>{_DENIED})?(?<!\w)(?:{signs})(?![\w])(?!{_NAMES_A_THING})")


_SIGNS: Final = {
    (danger, language): _compiled(kinds[danger]) for danger in Danger for language, kinds in SIGNS.items()
}
"""In search order."""
_CRIED: Final = re.compile(r"\W*(?:help|hilfe|zu hilfe|a l'aide|ayuda|sos)\s*(?:!\s*){2,}\W*")
_CLAUSE_ENDS: Final = re.compile(r"[.!?;\n]")
MOST_CLAUSES: Final = 60
"""The most clauses read; nobody in need writes a document."""
_MOST_CHARS: Final = 4_000
_CRY_CHARS: Final = 200


def cries_for_help(folded: str) -> bool:
    """Return whether a whole folded text is nothing but a cry."""
    return _CRIED.fullmatch(folded[:_CRY_CHARS]) is not None


def signs_in(folded: str) -> Iterator[Sign]:
    """Yield the dangers that a folded clause may be about, with their languages."""
    if not any(character.isalpha() for character in folded):
        return
    read = _IDIOMS.sub(" - ", mended(folded))
    for sign, pattern in _SIGNS.items():
        said = (match.start() for match in pattern.finditer(read) if match["denied"] is None)
        if any(not _is_about_a_thing(read, start) for start in said):
            yield sign


def gravest(found: Collection[Sign]) -> Sign:
    """Return the gravest of the dangers found, of which there is one."""
    return next(sign for sign in _SIGNS if sign in found)


def may_be_danger(text: str) -> bool:
    """Return whether a message may be about danger, whenever that was."""
    folded = fold(text[:_MOST_CHARS])
    clauses = islice(_CLAUSE_ENDS.split(folded), MOST_CLAUSES)
    return cries_for_help(folded) or any(True for clause in clauses for _ in signs_in(clause))


def _is_about_a_thing(folded: str, start: int) -> bool:
    return _ABOUT_A_THING.search(folded[max(0, start - _ABOUT_CHARS) : start]) is not None
