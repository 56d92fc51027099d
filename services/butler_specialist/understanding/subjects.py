# ruff: noqa: E501 - patterns stay on one line
"""Whom a health fact is about (pure): the sender, or the person named around it.

A proper name is recognised by what stands next to it: "Leo's temperature", "Leo has a fever", "5 ml for Leo". A
contact's name is recognised without capitals too. `UNKNOWN` is "she", "his" with nobody named before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from butler_kit.wording.folding import fold, one_of, unaccented, words
from butler_specialist.understanding.calendar_words import MONTHS, WEEKDAYS
from butler_specialist.understanding.household import KIN
from butler_specialist.understanding.joints import AND

__all__ = ["UNKNOWN", "Mention", "about", "mentions", "named_in"]

UNKNOWN: Final = "?"


@dataclass(frozen=True, slots=True)
class Mention:
    """A person in a sentence, at a place: a name, None for the sender, `UNKNOWN`.

    `weak` after a preposition.
    """

    who: str | None
    start: int
    end: int
    weak: bool = False


_HEALTH: Final = (
    r"(?i:blood pressure|bp|blutdruck|tension|presion|pression|weight|gewicht|poids|peso|pulse?|heart rate|pouls|pulso"
    r"|temp(?:erature?|eratur|eratura)?|fever|fieber|fievre|fiebre|glucose|glucosa|glycemie|(?:blood )?sugar|(?:blut)?zucker"
    r"|azucar|height|taille|estatura|grosse|medic\w{1,20}|medikament\w{0,20}|dose|dosis|allerg\w{1,20}|alergia\w{0,20})"
)
_NAME: Final = r"\b[A-ZА-Я][\w-]{1,30}(?: [A-ZА-Я][\w-]{1,30}){0,2}"
_TITLED: Final = r"(?i:mrs?|ms|miss|frau|herrn?|mme|madame|monsieur|sra?|senora?|don|dona)\.? (?!(?:and|und|et|y)\b)[^\W\d_][\w-]{1,30}"
_KIN_WORD: Final = one_of(KIN)
_KIN: Final = (
    rf"(?:(?i:(?:my|our|the|mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|das|die|der|mon|ma|notre|le|la|mi|nuestr[oa]|el)"
    rf" (?:{_KIN_WORD}))|(?i:mama|papa|maman|oma|opa|mum|mom|dad|baby|grandma|grandpa|granny|nan|nana|mamie|papi))"
)
_RELATED: Final = (
    r"(?i:(?:my|our|mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|mon|ma|notre|mi|nuestr[oa]) (?:[\w-]+ )?(?:grandson|granddaughter|grandchild|nephew|niece|cousine?|stepson|stepdaughter|godson|goddaughter"
    r"|enkel(?:in|kind|sohn|tochter)?|neffe|nichte|patenkind|petit-fils|petite-fille|neveu|filleule?|niet[oa]|sobrin[oa]|prim[oa]))"
)
"""Somebody's relation to the sender, before their name; without a name it is nobody."""
_OPENS: Final = (
    rf"(?:^|[.,;:!?(\n–-]\s*|\b(?i:{AND}|that|dass|que|today|yesterday|now|heute|gestern|jetzt|aujourd'hui|hier|hoy|ayer"
    r"|morning|afternoon|evening|night|week|later|again|morgen|abend|nacht|mittag|woche|spater|wieder|matin|soir|nuit|noche"
    r"|tarde|so|because|since|while|says?|said|sagt|weil|denn|car|porque|poor|little|arme[rs]?|kleine[rs]?|petite?|pobre"
    r"|friend|freund(?:in)?|amie?|amig[oa]|ago|tagen|wochen|jours|semaines|mois|dias|semanas|meses|uhr|vorgestern|anteayer|avant-hier"
    rf"|{one_of({*WEEKDAYS, *MONTHS})})\s+)"
)
_VERB: Final = (
    r"(?i:has|had|ha|did|didn't|didnt|does|doesn't|doesnt|hasn't|hasnt|isn't|isnt|wasn't|wasnt|can't|cant|couldn't|stays|stayed|went|goes|woke|slept|missed|geht|ging|blieb|bleibt|kann|konnte|liegt|schlief|fehlt|n'est|n'a|n'avait|ne|reste|dort|no|fue|falto|sigue|durmio|threw|vomit(?:s|ed)|cough(?:s|ed)|hustet|erbricht|fait|faisait|vomit|tousse|tose|is|was|weighs|weighed|takes|took|gets|got|needs|feels|soll|sollte|muss|darf|must|should|doit|debe|ran|swam|walked|hiked|jogged|cycled|biked|schwamm|lief|joggte|radelte|corrio|nado|camino|pedaleo|nageait|courut|hat|hatte|ist|war|wiegt|wog|nimmt|nahm"
    r"|bekommt|bekam|misst|a|avait|est|etait|pese|pesait|mesure|prend|prenait|tiene|tuvo|tenia|esta|es|pesa|peso|pesaba|mide|toma|tomo)"
)
_NOT_NAMES: Final = words(
    "grad celsius fahrenheit kilo kilos kilogramm uhr am pm mmhg bpm ungefahr circa etwa noch"
    " gegen auf wegen still also only just always already again immer noch auch wieder toujours encore aussi todavia tambien"
    " i he she it we you they the this that these there today yesterday tomorrow tonight now morning evening night"
    " noon afternoon her his my our their its your what when who how is was has had does did do can may should please"
    " note breakfast lunch dinner everyone everybody anyone someone somebody nobody doctor dr yes no and but also"
    " reading result results update meds home left right measured value values check clinic hospital pharmacy monday"
    " tuesday wednesday thursday friday saturday sunday january february march april june july august september"
    " october november december covid asthma flu diabetes migraine ich du er sie es wir ihr man das der die den dem"
    " ein eine mein meine heute gestern morgen abend jetzt morgens abends mittags nachts vormittags nachmittags"
    " montags dienstags mittwochs donnerstags freitags samstags sonntags montag dienstag mittwoch donnerstag freitag"
    " samstag sonntag januar februar marz mai juni juli oktober dezember arzt arztin alles bitte wer wie wann hat"
    " hatte ist war bedarf schmerzen kopfschmerzen bauchschmerzen husten grippe erkaltung schlaf messung werte wert ergebnis"
    " zuhause praxis mesure resultat medida valor resultado je tu il elle on nous vous ils elles ce c'est cela"
    " aujourd'hui hier ma mon le la les un une quel quelle est body resting core oral ear average mean high low last first new latest old own current yo el ella usted nosotros ellos esto hoy ayer mi los"
    " las una que cual esta tiene which whom welche welcher wessen qui quien quienes comment combien quand ou como"
    " cuando donde cuanto noel sugar sugars zucker azucar glucose weight temp fever fieber pulse puls bp tension sleep steps water schritte wasser sommeil pas eau sueno pasos agua"
)
_ALSO_WORDS: Final = words(
    "will may mark rose hope joy grace april june august art dawn eve bill summer autumn jack"
)
"""Names that are also words: recognised only with a capital."""
_PRONOUN_NAMES: Final = frozenset({"ella"})
_SELF: Final = re.compile(
    r"\b(?:i|i'm|i've|my|me|mine|ich|mein(?:e[mnrs]?)?|mir|mich|je(?! (?:eine?[nr]?|zwei|drei|\d+|nach|mehr|desto)\b)|moi|mon|ma|mes|yo|mi|mis|tengo|tenia|tome)\b|\bj'"
)
_PRONOUN: Final = re.compile(
    r"\b(?:kids|children|twins|kinder|zwillinge|enfants|jumeaux|ninos|gemelos|parents|eltern|padres)\b"
    r"|\b(?:kind|kid|child|enfant|hij[oa]) \d\b"
    r"|\b(?:gave|given|giving|give) (?:him|her|them)\b|\b(?:habe?|haben|gab|gaben|gebe) (?:ihm|ihr|ihnen)\b|\b(?:lui|leur) (?:ai|a|avons|ont|donne)\b|\b(?:le|les) (?:he|hemos|di|dimos|doy) (?:dado )?"
    r"|\bthey (?:have|had)\b"
    rf"|\b(?:he|she)(?: {_VERB}|'s)\b|\b(?:his|her) (?:\w+ )?{_HEALTH}"
    r"|\b(?:er|sie) (?:hat|hatte|wiegt|wog|nahm|nimmt|ist)\b"
    rf"|\b(?:seine?|ihre?) {_HEALTH}|\b(?:il|elle) (?:a|avait|pese|prend|est) (?!\w+ h\b)"
    rf"|\b(?:el|ella) (?:tiene|tuvo|pesa|tomo|toma) |\b(?:son|sa|su) {_HEALTH}"
)
_GAVE: Final = re.compile(r"\b(?:gave|given|giving|gegeben|gab|donne|di|dado|dimos)\b")
"""The giver of a medicine is not its taker."""
_CLAUSE_ENDS: Final = re.compile(r"[,;]|\b(?:and|und|et|y)\b")
_FAR: Final = 40


_ASKED: Final = re.compile(
    rf"\b(?i:does|did|has|is|was|can|may|hat|ist|hatte|war|darf|wiegt|tiene|es|pesa|pese) (?P<who>{_NAME})\b"
)


_OF_HEALTH: Final = re.compile(_HEALTH)
_FIGURE: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _Naming:
    """A way to name a person; it cannot occur without what it `needs` in the text."""

    pattern: re.Pattern[str]
    weak: bool = False
    needs: re.Pattern[str] | None = None


@lru_cache(maxsize=64)
def _patterns(known: tuple[str, ...]) -> tuple[_Naming, ...]:
    """Return the ways to name a person."""
    sure = "|".join(_spelt(name) for name in known) or "(?!)"
    who = rf"(?:(?:{_KIN}|{_RELATED}),? )?(?P<who>{sure}|{_TITLED}|{_KIN}|{_NAME})"
    only = rf"(?P<who>{sure}|{_KIN})"
    strong = (
        (_OF_HEALTH, rf"\b{who}'s? (?:[\w-]+ ){{0,2}}{_HEALTH}"),
        (_OF_HEALTH, rf"\b{_HEALTH} {only}\b"),
        (None, rf"{_OPENS}{who} (?i:allergic|allergisch|allergique|alergic[oa])\b"),
        (None, rf"\b(?i:ist|is|est|es) (?P<who>{_NAME}) (?i:allergic|allergisch|allergique|alergic[oa])\b"),
        (None, rf"\b{who}'s (?i:got|running|having|feverish|allergic)\b"),
        (_OF_HEALTH, rf"\b(?P<who>{_NAME})s {_HEALTH}\b"),
        (_OF_HEALTH, rf"\b(?P<who>{_KIN})s {_HEALTH}\b"),
        (_OF_HEALTH, rf"^(?P<who>[A-ZА-Я][\w-]{{1,30}}) {_HEALTH}:? (?=\d)"),
        (None, rf"\b(?:[Aa]|to) {who} (?:le|les) (?:he|hemos|han|ha|di|dimos|doy|dio|ont)\b"),
        (None, rf"{_OPENS}{who} {_VERB}\b"),
        (
            _OF_HEALTH,
            rf"^(?P<who>[a-z]{{2,20}})(?:'s| (?i:has|had|hat|hatte|tiene|a)(?: an?| de la)?) {_HEALTH}",
        ),
        (
            None,
            r"^(?P<who>(?!(?:she|they|who|kids|the|everyone|baby|somebody|someone)\b)[a-z]{3,20}) (?i:threw up|has thrown up|vomited|is ill|is sick|hat gespuckt|hat erbrochen|a vomi|ha vomitado)\b",
        ),
        (
            None,
            r"^(?P<who>[a-z]{3,20}) (?i:weighs|weighed|wiegt|wog|pesa|pese|measures|misst|mide|mesure) (?=\d)",
        ),
        (None, rf"\b(?i:start|started|starting|put|putting) {who} (?i:on)\b"),
        (None, rf"\b(?i:gave|giving|to give|(?:never|not|don't) give) {who}\b"),
        (None, rf"\b(?i:habe?|haben|gab|gebe) {who} (?=\d|(?i:eine?n?|zwei) )"),
        (None, rf"\b(?i:has|had|does|did|is|was|can|may|hat|hatte|ist|war|wiegt|nahm|darf) {only}\b"),
        (None, rf"\b(?i:tiene|tenia|tuvo|pesa|toma|tomo|prend|pese) {only}\b"),
        (
            None,
            rf"\b(?i:hat|hatte|wiegt|wog) (?P<who>{_NAME})"
            rf" (?=\d|{_HEALTH}|(?i:eine?n?|wieder|noch|schon|auch|leicht\w*|hoh\w*)\b)",
        ),
        (None, rf"(?:^|[,;\n] *){only}(?: ?[–-] ?| (?=\d|{_HEALTH}))"),
        (
            _FIGURE,
            rf"(?:^|[,;\n] *|\b(?i:{AND}) |(?<=\d) ){who} (?=(?:3[5-9]|4[01])[.,]\d\b|\d{{2,3}} ?/ ?\d{{2,3}}\b)",
        ),
        (None, rf"\b(?i:wog|wiegt|pesait|pese|pesa|pesaba|weighed|weighs) {who} (?=\d)"),
        (None, rf"\b(?i:measured|gemessen|weighed|mesure|pese|medido|pesado) {who}\b"),
        (None, rf"(?:^|[,;\n] *){who} ?: ?(?=\d|{_HEALTH})"),
    )
    weak = (
        rf"(?P<prep>\b(?i:for|of|to|fur|von|bei|beim|pour|chez|de|para|a|al) |\bd')(?P<who>{sure}|{_KIN}|{_NAME})\b",
        rf"\d(?: ?(?i:°? ?[cf]?|kg|bpm|mmhg))?,? {who}[.!]?$",
    )
    return (
        *(_Naming(re.compile(pattern), needs=needs) for needs, pattern in strong),
        *(_Naming(re.compile(pattern), weak=True) for pattern in weak),
    )


def _spelt(name: str) -> str:
    """Return a pattern for the name: in lower case too, unless it is then another word."""
    return re.escape(unaccented(name)) if fold(name) in _ALSO_WORDS else rf"(?i:{re.escape(fold(name))})"


def mentions(
    text: str, *, known: tuple[str, ...] = (), things: Collection[str] = (), asking: bool = False
) -> tuple[Mention, ...]:
    """Return the people of a sentence in order; `things` are its medications, which are no people."""
    if not any(character.isalpha() for character in text):
        return ()
    plain = unaccented(text)
    no_names = {fold(thing) for thing in things}
    absent = [needed for needed in (_OF_HEALTH, _FIGURE) if needed.search(plain) is None]
    found = [
        mention
        for naming in (*_patterns(known), *((_Naming(_ASKED),) if asking else ()))
        if naming.needs not in absent
        for match in naming.pattern.finditer(plain)
        if (mention := _named(text, match, naming.weak, known, no_names))
    ]
    folded = fold(text)
    found += [Mention(UNKNOWN, match.start(), match.end()) for match in _PRONOUN.finditer(folded)]
    found += [
        mention
        for thing in no_names
        for match in re.finditer(rf"(?P<who>{_NAME})'s (?:[\w-]+ ){{0,2}}(?i:{re.escape(thing)})\b", plain)
        if (mention := _named(text, match, False, known, no_names))
    ]
    if found and _GAVE.search(folded):
        return tuple(sorted(_each_once(found), key=lambda mention: mention.start))
    taken = [(mention.start, mention.end) for mention in found]
    found += [
        Mention(None, match.start(), match.end())
        for match in _SELF.finditer(folded)
        if not any(start <= match.start() < end for start, end in taken)
    ]
    return tuple(sorted(_each_once(found), key=lambda mention: mention.start))


def named_in(text: str, names: Sequence[str]) -> str | None:
    """Return the first of `names` in the text, in full or its first word, also in the genitive."""
    plain = unaccented(text)
    for name in names:
        for spelt in dict.fromkeys((name, name.split()[0])):
            opening = "(?<!^)(?<!in )(?<!since )" if fold(spelt) in _ALSO_WORDS else ""
            if len(spelt) > 1 and re.search(rf"{opening}\b{_spelt(spelt)}(?:'?s|')?(?!\w)", plain):
                return name
    return None


def about(found: Sequence[Mention], start: int, end: int, text: str, before: str | None) -> str | None:
    """Return whom the fact at a place is about: named before it, else after it, else `before`."""
    folded = fold(text)
    for mention in reversed(found):
        if mention.start < end and (
            not mention.weak or _same_clause(folded[mention.end : max(mention.end, start)])
        ):
            return mention.who if mention.who != UNKNOWN else before or UNKNOWN
    if (goes_on := _GOES_ON.search(folded[:start])) is not None:
        named = [one for one in found if one.end <= goes_on.start() and one.who != UNKNOWN]
        if named:
            return named[-1].who
    after = next((one for one in found if one.weak and one.start >= end), None)
    if after is not None and after.start - end <= _FAR and _same_clause(folded[end : after.start]):
        return after.who
    return before


_GOES_ON: Final = re.compile(
    r"(?:\b(?:and|und|et|y)|,) (?:now |jetzt |also |auch )?(?:is|has|had|was|weighs|measures|ist|hat|wiegt|misst|war|est|a|pese|mesure|tiene|pesa|mide)\b[^,;.!?\d]{0,20}$"
)
"""A verb without a subject continues about the person named: "Leo weighs 23 kilos and is 121 cm tall"."""


_OF_A_DOCTOR: Final = re.compile(
    r"\w+(?:arzt|arztin|arztes|praxis|klinik|termin|impfung|therapie|untersuchung|kontrolle|apotheke)"
)
"""German nouns with a capital that are nobody's name."""


def _same_clause(between: str) -> bool:
    return _CLAUSE_ENDS.search(between) is None


def _named(
    text: str, match: re.Match[str], weak: bool, known: tuple[str, ...], no_names: Collection[str]
) -> Mention | None:
    start, said = match.start("who"), text[match.start("who") : match.end("who")]
    kin = said.split()[-1] if re.fullmatch(_KIN, unaccented(said)) else None
    folded_known = {fold(name) for name in known}
    if kin is None and fold(said) not in folded_known:
        said = _name(said, no_names, opens=start == 0)
    said = said.title() if said.islower() and kin is None and fold(said) not in folded_known else said
    return Mention(kin or said, start, match.end("who"), weak) if said else None


def _name(said: str, no_names: Collection[str], *, opens: bool) -> str:
    """Return the words of a name, from the first possible one to the next that is not.

    "Ella" is "she" if it `opens` the text, else somebody's name.
    """
    kept: list[str] = []
    for word in said.split():
        folded = fold(word)
        if re.fullmatch(_HEALTH, folded):
            # "Leos Temperatur": another pattern takes the genitive's s away.
            return "" if kept and kept[-1].endswith("s") else " ".join(kept)
        if _OF_A_DOCTOR.fullmatch(folded):
            return "" if not kept else " ".join(kept)
        if (folded in _NOT_NAMES and (opens or folded not in _PRONOUN_NAMES)) or folded in no_names:
            if kept:
                break
            continue
        kept.append(word)
    return " ".join(kept)


def _each_once(found: Sequence[Mention]) -> Iterator[Mention]:
    """Yield one mention per place, the sure before the weak, the longest first."""
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda one: (one.weak, one.start - one.end)):
        if not any(mention.start < other.end and other.start < mention.end for other in kept):
            kept.append(mention)
            yield mention
