# ruff: noqa: E501 - patterns stay on one line
"""Questions about a list, also without the word: "what do we need?", "is milk on it?" (pure).

EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.list_items import bare
from butler_specialist.understanding.list_names import ANY_LIST, BAG, PACKING, SHOPPING, SHOPS, TASKS, name_in
from butler_specialist.understanding.list_wants import is_goods
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["ListAsked", "list_asked"]

_LEAD: Final = re.compile(
    r"^\W*+(?:(?:hey|hi|hallo|hola|salut|ok|okay|so|and|und|et|y|also|ah|oh|please|bitte|sag mal|dis(?:-moi)?|dime|oye|at the shop(?: now)?"
    rf"|(?:i'm|im|i am) (?:at|in) (?:the )?{SHOPS}(?: now)?|(?:[^,.?!:]{{2,40}}? )?{SHOPS}(?: now| jetzt| gleich| ahora| maintenant)?(?=[,.!:])|(?:ich )?bin (?:gerade |jetzt )?(?:im|beim|bei) {SHOPS}|je suis (?:au|a) {SHOPS}"
    rf"|estoy en (?:el )?{SHOPS})\b[\s,.:!;-]*+)*+¿?"
)
_ITEM: Final = r"(?P<items>[^.!?,;:\n]{2,60}?)"
_ON_IT: Final = (
    rf"(?:(?:down )?on (?:it|there|(?:the |our |my )?list|(?:the |our |my )?{ANY_LIST})|auf (?:dem|der|unserer|unserem) {ANY_LIST}|auf der liste|drauf"
    rf"|aufgeschrieben|draufgeschrieben|notiert|(?:sur|dans) (?:la|notre|ma) (?:liste\b|{ANY_LIST})|en (?:la|nuestra|mi) (?:lista\b|{ANY_LIST})"
    r"|apuntad[oa]s?|dessus)"
)
_OF_AN_ITEM: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:is|are|(?:did|have|has) (?:we|you|i|anyone|anybody|someone|somebody)(?: already)?(?: got| put| add| added| write| written)?"
        rf"|do (?:we|i|you) have|is there|are there) {_ITEM} (?:already |still )?{_ON_IT}(?: yet| already)?\W*$",
        rf"(?:did|has|have) (?:anyone|anybody|someone|somebody|you|we|i) (?:put|add|added|written|write) {_ITEM} (?:on|down)(?: yet| already)?\W*$",
        r"do (?:we|i|you) (?:still |also )?need (?:any |some |more )*(?!anything|something|to\b)(?P<items>[^.!?,;:\n]{2,40}?)(?: too| still"
        r"| from .{2,30})?\W*$",
        r"(?:do|did) (?:we|i) (?:still )?(?:have|need) to (?:buy|get) (?!anything|something)(?P<items>[^.!?,;:\n]{2,40}?)(?: or .{2,40})?\W*$",
        r"(?:hatte ich|hatten wir|hab ich|habe ich|haben wir) (?:schon |denn |die |den |das )*(?P<items>[^.!?,;:\n]{2,40}?) (?:schon |auch )*(?:aufgeschrieben|draufgeschrieben|notiert)\W*$",
        r"(?:j'avais|on avait|j'ai|on a) (?:deja )?(?:mis|note|marque) (?P<items>[^.!?,;:\n]{2,40}?)(?: deja)?\W*\?",
        r"(?:habia|habiamos|he|hemos) (?:ya )?(?:apuntado|puesto|anotado) (?:ya )?(?:las? |los? |el )?(?P<items>[^.!?,;:\n]{2,40}?)(?: ya)?\W*$",
        rf"{_ITEM} (?:is |are )?(?:already )?on the list\W*\?",
        rf"(?:ist|sind|steht|stehen|haben wir|hab ich|habe ich|hat (?:jemand|wer|einer)) (?:(?:schon|auch|noch|die|der|das|den)\s)*{_ITEM}"
        rf" (?:(?:schon|auch|noch)\s)*{_ON_IT}\W*$",
        r"(?:brauchen wir|brauch(?:e)? ich) (?:auch |noch |eigentlich )*(?!was|etwas|irgendwas)(?P<items>[^.!?,;:\n]{2,40}?)\W*\?",
        rf"(?:esta|estan|hay|(?:hemos|has|ha alguien) (?:puesto|apuntado|metido)|tenemos) (?:ya )?{_ITEM} (?:ya )?{_ON_IT}\W*$",
        rf"(?:(?:est-ce qu(?:e |')|y a(?:-t-il)? |il y a |ya |a (?=des?\b|du\b)))*(?:(?:on|tu|t'|quelqu'un) (?:a|as) (?:deja )?(?:mis|note|marque) )?(?:deja )?{_ITEM}"
        rf" (?:est |sont )?(?:deja )?{_ON_IT}\W*$",
        r"(?:est-ce qu')?(?:il faut|on a besoin) (?:encore |aussi )?(?P<items>(?:du|de la|des|de|d')\W?[^.!?,;:\n]{2,40}?)\W*\?",
        r"(?:hace|hacen) falta (?!algo|comprar)(?P<items>[^.!?,;:\n]{2,40}?)\W*\?",
    )
)
_WHEN: Final = (
    rf"(?:\W+(?:(?:from|at|in) (?:the )?{SHOPS}|(?:aus|von|vom|im|beim|aus dem|ausm|fur den|fur die)(?: dem| der)? {SHOPS}"
    rf"|(?:du|au|de la|a la) {SHOPS}|(?:del|en el|de la) {SHOPS}|today|tonight|still|again|now|exactly|then|else|please|noch|alles"
    r"|heute|jetzt|so|denn|eigentlich|bitte|encore|deja|aujourd'hui|maintenant|hoy|ahora|todavia|mas))*\W*$"
)
_SHOPPING: Final = tuple(
    re.compile(pattern + _WHEN)
    for pattern in (
        r"(?:what|which things|whats) (?:else )?(?:do|should|must|shall|can) (?:we|i|you) (?:still |also |all )*(?:need|(?:need to |have to |got"
        r" to )?(?:buy|get|pick up|bring))(?: to (?:buy|get|pick up))?",
        r"what(?:'s|s| is| are|'re)? (?:we |i )?(?:still |left |missing |needed |needing )*(?:to (?:buy|get)|needed|missing)",
        r"what (?:remains|is left|is still left|still has) to (?:be bought|buy|get)",
        r"(?:do (?:we|i|you)|does anyone|did we) (?:still )?need (?:anything|something)(?: else)?",
        r"(?:need|want) anything",
        rf"anything (?:else )?(?:(?:i|we) (?:need|should (?:get|buy|bring))|to (?:get|buy|bring)|needed|from (?:the )?{SHOPS})(?: to (?:get|buy))?",
        r"(?:read|show|give|tell|send|list)(?: me| us| out)*(?: the| our| my)?(?: whole| entire)? (?:groceries|shopping|list)(?: list| out)?",
        rf"(?:the |our |die |der |la |mein )?(?:list|liste|lista|{ANY_LIST})",
        r"was (?:brauchen|brauchn|brauch|brauche) (?:wir|ich|ma)",
        r"was (?:fehlt|fehlen|geht)(?: uns| noch| alles| aus)*",
        r"was (?:muss|mussen|soll|sollen|sollte|kann) (?:ich|wir) .{0,40}?(?:kaufen|holen|besorgen|mitbringen|einkaufen|mitnehmen)",
        r"(?:brauchen|brauchst|braucht|brauche) (?:wir|du|ihr|wer|jemand|ich) (?:noch )?(?:was|etwas|irgendwas)",
        r"was (?:steht|ist|stand) (?:(?:noch|alles|schon|denn|nun|jetzt)\s)*(?:drauf|zu kaufen)",
        r"(?:qu'est-ce qu'(?:on|il)|que|quoi|qu'est ce qu'(?:on|il)) (?:(?:nous|encore)\s)*(?:doit|faut|reste a|reste-t-il a|faut-il|dois-je)"
        r"(?: encore)?(?: acheter| prendre| ramener| racheter)",
        r"qu'est-ce qu'il (?:(?:nous|me|encore)\s)*(?:manque|faut)",
        r"(?:il )?faut (?:encore )?(?:acheter|prendre|ramener) quoi(?: en fait| deja)?",
        r"(?:il|on) (?:(?:nous|me|encore)\s)*(?:manque|faut|reste|a besoin de|doit (?:acheter|prendre)) (?:encore )?quoi(?: (?:a|comme)"
        r" (?:acheter|prendre|courses))?",
        r"(?:il (?:nous )?(?:faut|manque)|on a besoin de|besoin de) (?:encore )?quelque chose",
        r"quoi (?:acheter|prendre)",
        r"que (?:(?:nos|me)\s)*(?:hace|hacen) falta",
        r"que (?:(?:nos|me)\s)*faltan?(?: (?:por )?comprar)?",
        r"que (?:hay|tenemos|tengo|queda|quedan|falta|faltan) (?:que|por) comprar",
        r"que (?:compro|traigo|necesitamos|compramos)",
        r"(?:necesitamos|(?:nos )?(?:hace )?falta) algo",
        r"(?:que|q) (?:(?:me|nos)\s)*(?:falta|queda)n? (?:por|que|de) (?:comprar|coger|pillar)",
        r"(?:il (?:me|nous) )?reste (?:encore )?quoi (?:a|comme) (?:acheter|prendre|courses?)",
        r"was (?:fehlt|fehlen|brauchen wir|brauch ich|muss ich) (?:(?:denn|jetzt|uns|mir|alles)\s)*noch (?:(?:alles|so)\s)*(?:vom|vom|fur den|beim|an|auf dem) (?:einkauf|einkaufen|zettel|einkaufszettel)",
        r"what(?:'s|s| is)? (?:still )?(?:left|missing) (?:to (?:buy|get)|(?:of|from) the (?:shopping|shop))",
    )
)
_PLAIN: Final = rf"(?:{ANY_LIST}|(?:list|liste|lista)\b)"
_WHOLE: Final = tuple(
    re.compile(pattern + _WHEN)
    for pattern in (
        r"(?:what|whats|which things|how many(?: things| items)?|(?:is|are) there (?:anything|something|things)|anything)(?:'s|s| is| are)?"
        rf"(?: (?:there|else|still|left|now|remaining))* on (?:the |our |my )?{_PLAIN}",
        rf"was (?:ist|steht|stehen|haben wir|hab ich)(?: (?:noch|alles|jetzt|so|schon))* (?:auf|in) (?:der|dem|unserer|unserem|meiner|meinem) {_PLAIN}",
        rf"steht (?:noch |schon )*(?:was|etwas|irgendwas) auf (?:der|dem|unserer|unserem) {_PLAIN}",
        r"(?:qu'est-ce qui (?:reste|est)|qu'est-ce qu'(?:il y a|il reste|on a)|il (?:reste|y a) quoi|quoi)(?: encore)?"
        rf" (?:sur|dans) (?:la |notre |ma )?{_PLAIN}",
        rf"que (?:hay|queda|quedan|tenemos|sigue)(?: todavia| aun| ya)? en (?:la |nuestra |mi )?{_PLAIN}",
    )
)
"""Everything on it: "what's left on the list?"."""
_TASKS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"what (?:chores|tasks|jobs|to-?dos)\b.{0,40}$",
        r"(?:any|which|what) (?:chores|tasks|jobs) (?:are )?(?:left|open|still|to do|outstanding)\b.{0,20}$",
        r"what(?:'s|s| is)? (?:still |left |there |there still |there left )*(?:for (?:me|us) )?(?:to do|to be done|left to do|undone)\W*$",
        r"what (?:still )?(?:needs|has) (?:doing|to be done)\b.{0,20}$",
        r"was (?:ist|gibt es|gibt's|bleibt|muss|haben wir) (?:(?:noch|alles)\s)*(?:zu tun|zu erledigen|gemacht werden|erledigt werden|offen)\W*$",
        r"(?:qu'est-ce qu'il|il|que) (?:nous )?(?:reste|y a|reste-t-il) (?:encore )?(?:quoi )?a faire\W*$",
        r"que (?:queda|hay|falta|nos queda|tenemos) (?:por|que) hacer\W*$",
        r"que tareas\b.{0,30}$",
        r"what (?:do|must|should) (?:i|we) still (?:have to|need to|got to|gotta)? ?do\W*$|what(?:'s|s| is) (?:still )?(?:left|open|outstanding)(?: to do)?\W*$",
        r"was (?:muss|mussen|soll|sollen) (?:ich|wir) (?:denn |jetzt )?noch (?:alles )?(?:machen|tun|erledigen)\W*$|was steht (?:noch )?an\W*$|was (?:habe|hab) ich noch zu (?:tun|erledigen)\W*$",
        r"(?:qu'est-ce qu'il|il|que) (?:me|nous|te) reste(?: encore)?(?: quoi)?(?: a faire)?\W*$|qu'est-ce que (?:je dois|on doit) encore faire\W*$",
        r"(?:que|q) (?:me|nos) (?:queda|falta)n?(?: por hacer)?\W*$|que tengo que hacer (?:todavia|aun)\W*$|que tengo pendiente\W*$",
        r"what (?:else )?(?:is|'s|s)? ?(?:still |left )?(?:open|outstanding|pending|undone)(?: then| now)?\W*$|what else (?:is there )?(?:to do|do (?:i|we) (?:have|need) to do)\W*$",
        r"was (?:steht|ist|bleibt|ware) (?:(?:denn|jetzt|alles|sonst)\s)*noch (?:(?:alles|so)\s)*(?:offen|ubrig|zu (?:tun|machen|erledigen))\W*$",
        r"(?:il (?:me|nous) )?reste (?:encore )?quoi (?:a faire|comme (?:taches|trucs))\W*$",
    )
)
_FOR_A_LIST: Final = tuple(
    re.compile(
        pattern
        + r" (?:the |our |my |la |le |les |l'|el |los |las |die |den |das |der )?(?P<list>[^\W\d_]{3,20})\W*$"
    )
    for pattern in (
        r"what(?:'s|s| is)? (?:still |else )?(?:missing|left|needed|to get|to buy) for",
        r"was fehlt (?:noch |uns noch )?fur",
        r"(?:qu'est-ce qu'il (?:nous )?(?:manque|reste a acheter)|il (?:nous )?manque quoi|(?:il reste )?quoi (?:a )?acheter)(?: encore)? pour",
        r"que (?:nos )?(?:falta|hace falta|queda por comprar)(?: todavia)? para",
    )
)
_PACK: Final = re.compile(
    rf"\b(?:to pack|left to pack|{BAG}|einpacken|eingepackt|emballer|pack(?:ing)?[- ]?list\w*|packed|llevar de viaje)\b"
)
_WHAT: Final = re.compile(
    r"(?:what|whats|anything|is there anything|was\b|fehlt|que\b|quoi|qu'est-ce|il (?:reste|manque)|queda|falta|did (?:we|i)|show|read)"
)


_NO_ITEM: Final = re.compile(
    r"(?:qu'|que\b|quoi\b|what|was\b|anything|something|quelque chose|algo\b|alles\b|etwas\b)"
)


@dataclass(frozen=True, slots=True)
class ListAsked:
    """The list asked about; with an `item`, whether that is on it."""

    name: str
    item: str = ""


def list_asked(reading: Reading) -> ListAsked | None:
    """Return what the first question about a list asks.

    A clause that only names a list is left to the callers that recognise questions.
    """
    if reading.days and not reading.has(_PACK):
        return None
    return next(
        (found for sentence in reading.sentences if (found := _asked(sentence, reading)) is not None), None
    )


def _asked(sentence: Sentence, reading: Reading) -> ListAsked | None:
    folded = sentence.folded
    lead = _LEAD.match(folded)
    begin = lead.end() if lead else 0
    if any(pattern.match(folded, begin) for pattern in _WHOLE):
        return ListAsked(name_in(folded) or reading.at_list or SHOPPING)
    for pattern in _OF_AN_ITEM:
        match = pattern.match(folded, begin)
        if match is not None and match["items"]:
            start, end = match.span("items")
            item = bare(sentence.text[start:end])
            if is_goods(fold(item)) and not _NO_ITEM.match(fold(item)):
                return ListAsked(name_in(folded) or reading.at_list or SHOPPING, item)
    if any(pattern.match(folded, begin) for pattern in _TASKS):
        return ListAsked(TASKS)
    for pattern in _FOR_A_LIST:
        match = pattern.match(folded, begin)
        if match is not None:
            return ListAsked(match["list"])
    if _WHAT.match(folded, begin) and _PACK.search(folded):
        return ListAsked(PACKING)
    if any(pattern.match(folded, begin) for pattern in _SHOPPING):
        return ListAsked(name_in(folded) or SHOPPING)
    return None
