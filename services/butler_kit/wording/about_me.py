# ruff: noqa: E501 - patterns stay on one line
"""Statements of people about themselves, and questions about what is known of them (pure). EN, DE, FR, ES.

"Remember that I am vegetarian" tells something about its writer; "remember that the key is under the mat" does not
and is a note of the household; an allergy is a health record. Switchboard sends the first to a butler that remembers,
which keeps it. Each function takes its caller's way to fold a text: lower case, no accents, same length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from butler_kit.wording.talked_about import talked_about

__all__ = [
    "AboutMe",
    "asks_about_me",
    "asks_of_me",
    "forgets_all",
    "speaks_of_memory",
    "statement_in",
    "told_about_me",
]

MemoryKind = Literal["fact", "preference"]
Fold = Callable[[str], str]

_MOST_CHARS: Final = 300
_POLITE: Final = (
    r"^\W*+(?:(?:please|hey|hi|ok|okay|bitte|hallo|stp|s'il te plait|por favor|oye|butlers?)\b[\s,!:]*+)*+"
)
_REMEMBER: Final = re.compile(
    rf"{_POLITE}(?:"
    r"(?:(?:always |please )?(?:remember|keep in mind|bear in mind)|(?:don't|do not|never) forget)(?: (?:please|for me))*[\s,:]+(?:that )?"
    r"|(?:merke? dir|behalte?(?: bitte)? (?:im kopf|im hinterkopf|in erinnerung)|vergiss(?: bitte)? nicht)(?: bitte)?[\s,:]+(?P<dass>dass |das )?"
    r"|(?:souviens-toi|rappelle-toi|retiens|garde en tete|n'oublie pas)(?: bien)?[\s,:]+(?:que |qu')?"
    r"|(?:recuerda|acuerdate(?: de)?|ten en cuenta|no olvides)[\s,:]+(?:que )?"
    r")"
)
_ABOUT_ME: Final = re.compile(
    r"(?:i|i'm|i've|i'd|my|call me)\b"
    r"|(?:ich|mein(?:e|en|em|er|es)?|mir|mich|nenn mich)\b"
    r"|(?:je|mon|ma|mes|appelle-moi)\b|j'"
    r"|(?:yo|no )?\s*(?:soy|estoy|tengo|vivo|trabajo|prefiero|odio|detesto|adoro|bebo|me (?:llamo|gustan?|encantan?)|llamame)\b|mis?\b|no (?:como|puedo|bebo)\b"
)
_NO_FACT: Final = re.compile(
    r"(?:i|i've|i'd)(?:'ll| will| have to| need to| must| should| want to| would| owe| paid| spent| bought)\b"
    r"|i'd like\b|ich (?:muss|soll|will|werde|schulde|habe)\b|je (?:dois|vais)\b|j'ai (?:paye|achete)\b|tengo que\b"
)
"""Duties, plans and payments: the profiles keep entries of those, as of an allergy."""

_TASTE: Final = re.compile(
    r"(?:i (?:really |just |absolutely )?(?P<en>like|love|enjoy|adore|prefer|hate|dislike|detest|can't stand|cannot stand|(?:don't|do not) (?:like|eat|drink|want)) (?P<a>.+)"
    r"|ich (?P<de>mag|liebe|hasse|bevorzuge|esse|trinke) (?P<b>.+)"
    r"|(?:j'(?P<fr>aime|adore)|je (?P<fr2>deteste|prefere|n'aime pas|ne (?:mange|bois) pas|n'aime plus)) (?P<c>.+)"
    r"|(?P<no>no )?(?:me (?P<es>gustan?|encantan?)|(?P<es2>odio|prefiero|detesto|adoro)) (?P<d>.+))$"
)
_DIET: Final = re.compile(
    r"\b(?:vegetarian|vegan|pescatarian|pescetarian|omnivore|vegetarier(?:in)?|veganer(?:in)?|vegetarisch|vegetarien(?:ne)?|vegane?|vegetalien(?:ne)?|vegetarian[oa]|vegan[oa])\b"
)
_SLOTS: Final = (
    (
        "home",
        re.compile(
            r"i(?:'ve)? (?:now )?(?:live|moved) (?:in|to)\b|ich (?:wohne|lebe)\b|j'habite\b|je vis (?:a|en)\b|vivo en\b"
        ),
    ),
    (
        "work",
        re.compile(r"i work (?:as|at|for|in)\b|ich arbeite\b|je travaille\b|trabajo (?:como|en|para|de)\b"),
    ),
    (
        "name",
        re.compile(
            r"my name is\b|call me\b|i'm called\b|ich heisse\b|nenn mich\b|je m'appelle\b|appelle-moi\b|me llamo\b|llamame\b"
        ),
    ),
)
_MINE: Final = re.compile(
    r"(?:my (?P<en>[\w' -]{1,60}?) (?:is|are)|mein\w* (?P<de>[\w -]{1,60}?) (?:ist|sind)"
    r"|m(?:on|a|es) (?P<fr>[\w' -]{1,60}?) (?:est|sont)|mis? (?P<es>[\w -]{1,60}?) (?:es|son))\b"
)
_ALLERGY: Final = re.compile(
    r"\b(?:allergic to|allergisch (?:gegen|auf)|allergique (?:a|aux?)|alergic[oa] al?)\b"
)
_FAVOURITE: Final = re.compile(r"(?:favou?rite|lieblings|prefere|favorit|preferid)")
_POINTS: Final = re.compile(
    r"taste:(?:(?:it|that|this|them|these|those|you|him|her|das|es|dich|sie|ihn|ca|cela|lo|eso|esto)\b|to\b)"
)
"""Tastes that only point at something, or wish for something."""
_IN_PASSING: Final = ("home", "name", "diet")

_ASKS: Final = re.compile(
    rf"{_POLITE}(?:so |and |tell me )?(?:"
    r"what (?:else )?(?:do|can) you (?:actually |already |even |really |still )?(?:know|remember|tell me) (?:about|of) me|what have you (?:learned|learnt|remembered|stored|saved|kept) about me"
    r"|(?:what|everything|all) you know about me"
    r"|was (?:alles )?weisst du (?:(?:alles|noch|eigentlich|denn|so|schon|jetzt|inzwischen) ){0,4}(?:uber|von) mich?|was weisst du (?:(?:noch|eigentlich|denn|so|schon|jetzt) ){0,3}von mir|was hast du (?:dir )?(?:uber|von) mi(?:ch|r) (?:gemerkt|gespeichert)|was merkst du dir uber mich"
    r"|(?:que|qu'est-ce que tu|ce que tu) (?:sais|sais-tu|connais)(?:-tu)? (?:de|sur|a propos de) moi|que retiens-tu (?:de|sur) moi"
    r"|que (?:sabes|recuerdas|tienes guardado) (?:de|sobre|acerca de) mi"
    r")(?:,? (?:now|by now|so far|then|actually|exactly|jetzt|inzwischen|bisher|eigentlich|denn|so|maintenant|ahora)){0,2}\W*$"
)
_OF_ME: Final = re.compile(
    r"\W*(?:(?:where|what|which|how|who|when)(?:'s| is| are| do| did| was)?(?: \w+){0,2} (?:i|my)\b|(?:am|do|did) i\b|is my\b"
    r"|(?:wo|was|wie|welche\w*) (?:\w+ ){0,2}(?:ich|mein\w*)\b|(?:bin|mag|esse|trinke|wohne|habe) ich\b|ist mein\w*\b"
    r"|(?:ou|quel(?:le)?s?|qu'est-ce que|comment|que)(?:'| )(?:\w+ ){0,2}(?:je|j'|j|mon|ma|mes)\b|est-ce que (?:je|j')|suis-je\b"
    r"|(?:donde|que|cual|cuales|como) (?:\w+ ){0,2}(?:vivo|trabajo|mis?|me)\b|soy\b|me gustan?\b)"
)
_FORGETS_ALL: Final = re.compile(
    rf"{_POLITE}(?:"
    r"forget (?:everything|all|all that|what)(?: that)? you know about me|forget (?:everything|all) about me|delete (?:everything|all)(?: that)? you know about me"
    r"|vergiss alles(?:,)? (?:uber mich|was du (?:uber mich|von mir) weisst)|losche? alles(?:,)? was du uber mich weisst"
    r"|oublie tout(?: ce que tu sais)? (?:de|sur) moi|efface tout ce que tu sais (?:de|sur) moi"
    r"|olvida todo (?:lo que sabes )?(?:de|sobre) mi|borra todo lo que sabes (?:de|sobre) mi"
    r")\W*$"
)
_PIECES: Final = re.compile(r"[^.!?\n]+(?:[.!?]+(?=\s|$)|\n|$)|[^\n]+")


@dataclass(frozen=True, slots=True)
class AboutMe:
    """A statement about its writer: `statement` in the first person, of `kind`; `said` are the original words.

    Of one `slot` only one can be true at a time; empty where nothing is known to contradict it. `asked`: the writer
    asks to have it remembered, and does not only say it in passing.
    """

    said: str
    statement: str
    kind: MemoryKind
    slot: str = ""
    asked: bool = True


def told_about_me(text: str, fold: Fold, *, in_passing: bool = False) -> tuple[AboutMe, ...]:
    """Return the statements of a message about its writer that are to be remembered, in order.

    With `in_passing` a message that is nothing but one counts too, if it is a taste, a diet, a name or a home.
    """
    found = tuple(one for piece in _pieces(text) if (one := _asked_in(piece, fold)) is not None)
    if found or not in_passing:
        return found
    [whole, *more] = [*_pieces(text)] or [""]
    one = statement_in(whole, fold) if not more else None
    if one is None or not _is_plain(one, fold):
        return ()
    return (AboutMe(whole, one.statement, one.kind, one.slot, asked=False),)


def statement_in(text: str, fold: Fold) -> AboutMe | None:
    """Return what a clause in the first person says of its writer; None for any other clause."""
    text = text.strip().rstrip(".!;, ")
    folded = fold(text)
    if (
        not text
        or len(text) > _MOST_CHARS
        or len(folded.split()) < 2
        or not _ABOUT_ME.match(folded)
        or _NO_FACT.match(folded)
        or _ALLERGY.search(folded)
    ):
        return None
    taste = _TASTE.match(folded)
    liked = taste is not None or _FAVOURITE.search(folded) is not None
    return AboutMe(text, text, "preference" if liked else "fact", _slot_of(folded, taste))


def asks_about_me(text: str, fold: Fold) -> bool:
    """Return whether a message asks what is known about its writer, and nothing else."""
    return len(text) <= _MOST_CHARS and _ASKS.match(fold(text).replace("ß", "ss")) is not None


def speaks_of_memory(text: str, fold: Fold) -> bool:
    """Return whether a message asks to remember, to tell or to forget what is known about its writer.

    What was spoken of is known of them too.
    """
    asks = asks_about_me(text, fold) or talked_about(text, fold) is not None
    return asks or forgets_all(text, fold) or bool(told_about_me(text, fold))


def asks_of_me(text: str, fold: Fold) -> bool:
    """Return whether a message is one question about its writer, "where do I live?", saying what is asked."""
    return len(text) <= _MOST_CHARS and text.rstrip().endswith("?") and _OF_ME.match(fold(text)) is not None


def forgets_all(text: str, fold: Fold) -> bool:
    """Return whether a message asks to forget everything that is known about its writer."""
    return len(text) <= _MOST_CHARS and _FORGETS_ALL.match(fold(text).replace("ß", "ss")) is not None


def _pieces(text: str) -> Iterator[str]:
    for found in _PIECES.finditer(text if len(text) <= 2_000 else ""):
        if piece := found.group().strip():
            yield piece


def _asked_in(piece: str, fold: Fold) -> AboutMe | None:
    led = _REMEMBER.match(fold(piece)) if len(piece) <= _MOST_CHARS else None
    if led is None:
        return None
    rest = piece[led.end() :].strip()
    one = statement_in(_in_order(rest, fold) if led["dass"] else rest, fold)
    return AboutMe(piece, one.statement, one.kind, one.slot) if one is not None else None


def _in_order(clause: str, fold: Fold) -> str:
    """Return a German subordinate clause as a main one: "ich in Wien wohne" is "ich wohne in Wien"."""
    words = clause.rstrip(".! ").split()
    if not words:
        return ""
    lead = 2 if fold(words[0]).startswith("mein") else 1
    if len(words) <= lead + 1:
        return " ".join(words)
    return " ".join([*words[:lead], words[-1], *words[lead:-1]])


def _slot_of(folded: str, taste: re.Match[str] | None) -> str:
    for name, pattern in _SLOTS:
        if pattern.match(folded):
            return name
    if taste is not None:
        return f"taste:{_thing_of(taste)}"
    if _DIET.search(folded):
        return "diet"
    mine = _MINE.match(folded)
    if mine is not None:
        return f"my:{next(said for said in mine.groups() if said)}"
    return ""


def _thing_of(taste: re.Match[str]) -> str:
    """Return what is liked or disliked, without the words that only negate it."""
    thing = next(taste[name] for name in "abcd" if taste[name])
    return re.sub(
        r"^(?:kein\w*|nicht|gern|de |du |des |d'|les? |la |los |las |el |any |eating |drinking )\s*|\s+nicht$",
        "",
        thing,
    ).strip()


def _is_plain(one: AboutMe, fold: Fold) -> bool:
    """Return whether a statement lasts by its content, so that nobody needs to ask to remember it."""
    folded = fold(one.statement)
    lasting = (
        one.slot in _IN_PASSING or one.slot.startswith("taste:") or _FAVOURITE.search(folded) is not None
    )
    if _POINTS.match(one.slot):
        return False
    return len(folded.split()) <= 12 and lasting
