# ruff: noqa: E501 - patterns stay on one line
"""Questions that only make sense after earlier messages: "how much was that?", "and Tom's?", "and yesterday?" (pure).

Invariant: the whole message or nothing, and bounded: one word more and it is a question of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from butler_kit.wording.folding import fold, words

__all__ = ["Asked", "FollowUp", "follow_up"]

Asked = Literal["sum", "together", "day", "place", "thing", "other", "choice"]
"""`together`: the total of several sums; `other`: the last question for another person, period or thing.

`choice`: one of the options offered.
"""
_MOST_CHARS: Final = 90
_MOST_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What is asked about earlier messages; `rest` are the new words: `Tom's`, `yesterday`.

    One that is not `marked` has no question mark: "and eggs" may be anything.
    """

    asked: Asked
    rest: str = ""
    marked: bool = True


_LEAD: Final = r"^\W*+(?:(?:and|n|so|but|und|aber|et|y|pero) )?"
_AGAIN: Final = (
    r"(?: (?:again|exactly|nochmal|noch mal|denn|gleich|genau|deja|encore|exactement|otra vez|exactamente))?+"
)
_DIRECT: Final[tuple[tuple[Asked, str], ...]] = (
    (
        "sum",
        r"combien|cuanto"
        r"|how much(?: (?:was|is|were|are|will|did|does) (?:that|it|this|they|those|these))?"
        r"(?: (?:be|cost|come to|again|altogether|in total|exactly)){0,2}"
        r"|what did (?:that|it|this|they) cost"
        r"|wie ?viel(?: (?:war|ist|hat|kostet|kostete|macht|waren) (?:das|es|die))?(?: (?:denn|nochmal|gekostet|insgesamt|zusammen|genau)){0,2}"
        r"|was (?:hat (?:das|es) gekostet|kostete? (?:das|es)|hat das gemacht)"
        r"|(?:c'etait|c'est|ca fait|ca faisait|ca a coute|ca coute) combien"
        r"|combien (?:c'etait|c'est|ca fait|ca a coute|ca coute|ca coutait|etait-ce|est-ce)(?: en tout)?"
        r"|cuanto (?:fue|era|es|costo|cuesta|ha costado|ha sido)(?: (?:eso|esto|todo|en total))?",
    ),
    (
        "together",
        r"(?:(?:both|all|everything|alles|beides|beide|tout|todo|los dos|les deux)(?: (?:days|of them|tage|jours|dias))? )?(?:together|altogether|in total|in all|zusammen|insgesamt|en tout|au total|en total)"
        r"|(?:altogether|all in all|in total) (?:now|then)|(?:what|how much) (?:does|did) (?:that|it|this|all that|all of that) (?:all )?(?:come|add up) to(?: in total| altogether)?"
        r"|(?:was )?(?:macht|ergibt) das(?: alles| jetzt| dann)? (?:zusammen|insgesamt)|(?:jetzt )?(?:insgesamt|zusammen)(?: jetzt)?|(?:maintenant )?(?:en tout|au total)(?: maintenant)?|(?:ahora )?en total(?: ahora)?"
        r"|(?:das )?macht (?:das )?(?:zusammen|insgesamt)|(?:(?:what's |whats )?the )?(?:grand )?total|(?:c'est quoi )?le total|el total|die summe|ca fait (?:combien )?en tout",
    ),
    (
        "day",
        r"when|wann|quand|cuando|(?:at )?what time|um wie ?viel uhr|a quelle heure|a que hora"
        r"|(?:when|what day|which day|on what day|at what time) (?:is|was|will|are|were|does|did)"
        r" (?:that|it|this|they|those)(?: (?:be|start|begin|end|leave|due|again|exactly)){0,2}"
        r"|what time (?:is|was) (?:that|this)|what time (?:was it|does it (?:start|begin|leave)|will it be)|when was it"
        r"|(?:wann|um wie ?viel uhr) war (?:das|es)(?: noch)?|(?:quand|a quelle heure) (?:etait|est)"
        r"|(?:wann|um wie ?viel uhr|an welchem tag|welcher tag) (?:ist|war|wird|sind|beginnt|fangt|geht)"
        r" (?:das|es|sie|er)(?: (?:an|los|nochmal|denn|genau|sein)){0,2}"
        r"|(?:c'est|c'etait|ce sera|ca commence) (?:quand|quel jour|a quelle heure)"
        r"|quand (?:est-ce|c'est|c'etait|etait-ce|est-il|est-elle|sera-ce)|a quelle heure (?:c'est|est-ce)"
        r"|(?:cuando|a que hora|que dia) (?:es|era|fue|sera|empieza)(?: (?:eso|esto))?",
    ),
    (
        "place",
        r"where|wo|ou|donde"
        r"|where (?:is|was|will) (?:that|it|this)(?: (?:be|again|exactly))?"
        r"|wo (?:ist|war) (?:das|es|sie|er)(?: (?:nochmal|denn|genau))?"
        r"|(?:c'est|c'etait) ou|ou (?:est-ce|c'est|c'etait|est-il|est-elle)"
        r"|donde (?:es|era|fue|esta)(?: (?:eso|esto))?",
    ),
    (
        "thing",
        r"(?:what|who) was (?:that|it)(?: again)?|was war das(?: nochmal| gleich)?|wer war das"
        r"|c'etait (?:quoi|qui)(?: deja)?|que (?:era|fue) eso|quien (?:era|fue)",
    ),
    (
        "choice",
        r"(?:yes|yeah|yep|no|nope|ja|nein|nee|oui|ouais|non|si)(?:,? (?:please|thanks|bitte|danke|merci|gracias|por favor))?"
        r"|(?:the |number |no )?(?:first|second|third|fourth|last)(?: one)?(?: please)?|(?:both|all|neither|none)(?: of them)?"
        r"|(?:the other one|that one|this one|the former|the latter)"
        r"|(?:der|die|das|den) (?:erste|zweite|dritte|vierte|letzte|andere)n?|beide|alle|keine?s?(?: davon)?"
        r"|(?:le|la) (?:premiere?|deuxieme|seconde?|troisieme|dernier|derniere|autre)|les deux|l'autre|aucune?"
        r"|(?:el|la|lo) (?:primer[oa]|segund[oa]|tercer[oa]|ultim[oa]|otr[oa])|(?:l[oa]s )?(?:dos|ambos|ambas)|ningun[oa]",
    ),
)
_PATTERNS: Final = tuple((asked, re.compile(rf"{_LEAD}(?:{said}){_AGAIN}\W*+$")) for asked, said in _DIRECT)
_OTHER: Final = re.compile(
    r"^\W*+(?:and (?:what|how) about|(?:what|how) about|and|n|und was ist mit|was ist mit|und wie (?:ist|sieht) es (?:mit|bei)"
    r"|und bei|und|et (?:celui|celle|ceux) (?:de |d')|et|y (?:el|la|lo|los|las) de|y que hay de|que hay de|y) *(?P<rest>.+)$"
)
_ASKING: Final = words(
    "what when where who whose which why how much many do does did is are was were can could will would should have has"
    " wann wo wer wie was wem wen warum viel ist sind war kann hat haben quand ou qui combien comment quoi que est sont"
    " cuando donde quien cuanto como es son you du dir dich toi vous tu usted ti remind erinner rappelle recuerda"
)


def follow_up(text: str) -> FollowUp | None:
    """Return what the message asks about earlier ones; None if it stands for itself."""
    said = text.strip()
    if not 0 < len(said) <= _MOST_CHARS or "\n" in said:
        return None
    folded = fold(said)
    direct = next((asked for asked, pattern in _PATTERNS if pattern.match(folded)), None)
    if direct is not None:
        return FollowUp(direct)
    other = _OTHER.match(folded)
    if other is None:
        return None
    rest = said[other.start("rest") :].strip(" ?!.¿")
    found = re.findall(r"[^\W_]++", fold(rest))
    if not 0 < len(found) <= _MOST_WORDS or any(word in _ASKING for word in found):
        return None
    return FollowUp("other", rest, said.endswith("?"))
