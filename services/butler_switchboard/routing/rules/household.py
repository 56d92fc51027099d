# ruff: noqa: E501 - patterns stay on one line
"""Evidence from talk about a household's lists, about where its things are, and about people (pure).

A list is a list however it is mentioned; the place of a thing is no journey; who lives where, likes what or called is
about people, told and asked alike, so that a question goes where the fact went. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from butler_kit.textmodel.entities import Entity
from butler_switchboard.routing.explanation import Evidence

__all__ = ["HOUSEHOLD", "of_the_household"]

_LISTS = re.compile(
    r"\b(?:(?:shopping|grocery|groceries|packing|to-?do|chores?)[ -]list|(?:einkaufs|pack|koffer|to-?do-?)(?:liste|zettel)|(?:auf|vom) (?:dem|den|der|die) (?:liste|zettel)"
    r"|liste (?:de(?:s)? )?(?:courses|bagages|t[âa]ches)|(?:sur|dans|de) la liste|lista de (?:la )?(?:compras?|maleta|equipaje|tareas)|(?:en|a|de) la lista"
    r"|on the list|off the list)\b"
    r"|^\W*groceries\s*[:?]"
    r"|^\W*(?:packing|to pack|pack|einpacken|(?:[àa] mettre|mettre) dans la valise|para la maleta|in den koffer|f[üu]r den koffer)\s*:"
    r"|\b(?:what|anything|was|que|qu[ée]|quoi)\b.{0,30}\b(?:to pack|left to pack|(?:in|en|dans) (?:the |la |den |der |de[mr] )?(?:suitcase|koffer|valise|maleta))\b"
    r"|^\W*(?:put|stick|add|pop|chuck|throw|bung|setz|schreib|pack|mets|ajoute|rajoute|pon|a[ñn]ade|apunta)e?\b.{2,80}\b(?:on (?:there|it)|drauf|dessus|ah[íi])\b"
    r"|\b(?:still|remains|left) to (?:buy|get|be bought)\b|\b(?:por|que) comprar\b|\b[àa] acheter\b|\bzu kaufen\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"^\W*(?:(?:to ?-?do|task|aufgabe|t[âa]che|tarea)\s*[:-]|(?:things to do|muss noch|(?:noch )?zu (?:tun|erledigen)|[àa] faire|reste [àa] faire|por hacer|pendientes?)\s*:)\s",
    re.IGNORECASE,
)
_CHORE = re.compile(
    r"^\W*(?:(?:i|we) )?(?:(?:still |really )*(?:need|have) to|must|should|gotta) (?:call|ring|phone|renew|return|send back|order|clean|fix|mend|repair|collect|post|print|sort|tidy|wash|iron|cancel|sign|register)\b"
    r"|^\W*(?:ich|wir) (?:muss|m[üu]ssen|sollte|sollten) .{2,120}\b(?:anrufen|abholen|zur[üu]ckschicken|bestellen|putzen|sortieren|aufr[äa]umen|reparieren|drucken|anmelden|abmelden|k[üu]ndigen|erneuern|machen)\W*$"
    r"|^\W*(?:il (?:me |nous )?faut|il faudrait|je dois|on doit|nous devons) (?:[^.!?]{2,30}, )?(?:appeler|renouveler|rendre|renvoyer|ramasser|ranger|nettoyer|r[ée]parer|commander|imprimer|tondre|laver|inscrire|r[ée]silier)\b"
    r"|^\W*(?:hay que|tengo que|tenemos que|debo) (?:llamar|renovar|devolver|recoger|pedir|limpiar|arreglar|ordenar|imprimir|enviar|lavar|planchar|apuntar|cancelar)\b",
    re.IGNORECASE,
)
"""What somebody has to do, whomever it involves: calling the insurance is not a matter of money."""
_SHOPPING = re.compile(
    r"^\W*(?:(?:bring|kauf|hol|besorg)(?:e|t|st)? (?:du |bitte |mir |uns |noch |auch |mal )*.{2,200}\bmit\b\W*$"
    r"|f[üu]r (?:den|die|das) (?:baumarkt|markt|supermarkt|drogerie|apotheke|laden|b[äa]cker|metzger) brauchen wir\b"
    r"|(?:wir|we|on|nous) (?:brauchen|need|avons besoin|a besoin)\b(?! to\b)"
    r"|was brauchen wir\b|what (?:do|should) we (?:still )?(?:need|get|buy)\b"
    r"|(?:ya )?(?:no (?:nos )?quedan?|se (?:nos )?(?:ha|han) acabado|hay que comprar)\b"
    r"|(?:on|y|il|nous)\b.{0,12}\bplus d[e'’])"
    r"|\b(?:qu[ée] (?:necesitamos|hace falta)|was brauchen wir|what do we need|de quoi on a besoin)\W*$",
    re.IGNORECASE,
)
_LENT = re.compile(
    r"\b(?:(?:lent|borrowed|lend)\b|(?:aus|ver)?geliehen\b|pr[êe]t[ée]e?\b|emprunt[ée]e?\b|(?:he |ha |hemos )?prestado\b|prest[ée]\b)",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"(?<!number )(?<!nummer )(?<!nr )(?<!no )(?<!num[ée]ro )(?<!n[úu]mero )\b\d", re.IGNORECASE
)
"""A number that may be a sum, not a house number."""
_WHERE = re.compile(
    r"^\W*(?:(?:no|nein|non|and|und|et|y)\W+)?(?:(?:where(?:'s|s| is| are)|wo (?:ist|sind|liegt|liegen|is|h[äa]ngt|steht)|o[ùu] (?:est|sont|se trouve)|(?:il|elle) est o[ùu]|d[óo]nde (?:est[áa]n?|queda|guard\w+))\s+"
    r"(?:the|my|our|der|die|das|mein\w*|unser\w*|le|la|les|l['’]|mon|ma|mes|notre|nos|el|los|las|mi|mis|nuestr\w+)"
    r"|(?:el|la|los|las) \w{3,30} (?:est[áa]n?|se guardan?) (?:en|debajo|detr[áa]s|encima|dentro|al lado)\b"
    r"|he (?:guardado|dejado|puesto) )",
    re.IGNORECASE,
)
_PUT_AWAY = re.compile(
    r"\bwhere (?:did|do|have) (?:i|we|you) (?:put|keep|leave|store|stash|hide)\b|\bwo (?:hab|habe|haben) (?:ich|wir) .{2,60}\b(?:hingelegt|hingestellt|hingetan|versteckt|gelassen)\b"
    r"|\bo[ùu] (?:est-ce qu['’](?:on a|il a)|est-ce que j['’]ai|j['’]ai|ai-je|on a|avons-nous) (?:mis|rang[ée]|laiss[ée])\b|\bd[óo]nde (?:puse|pusimos|dej[ée]|guard[ée]|tenemos|he puesto|hemos puesto|est[áa]n guardad\w+)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"^\W*(?:(?:fyi|btw|the|our|die|der|das|unser\w*|le|la|les|l['’]|el|los|las|nuestr\w+)\s*){1,2}[\w'’ ]{3,40} (?:is|are|ist|sind|liegt|liegen|h[äa]ngt|h[äa]ngen|steht|stehen|est|sont|se trouve\w*|est[áa]n?)"
    r" (?:kept |stored |hanging )?(?:in|under|behind|inside|on top of|next to|im|unter|unterm|hinter|hinterm|neben|auf|dans|sous|derri[èe]re|sur|en|debajo de|detr[áa]s de|encima de|dentro de)"
    r" (?:the|our|der|dem|den|le|la|les|el|los|las|l['’])\b",
    re.IGNORECASE,
)
_JOURNEY = re.compile(
    r"\b(?:pain|ache|rash|fever|schmerz\w*|douleur|dolor|fi[èe]vre|fieber|flights?|hotel|train|airport|station|gate|platform|airbnb|booking|boarding|passport|flug|zug|bahnhof|flughafen|gleis|hostel|vol|gare|a[ée]roport|vuelo|tren|aeropuerto|estaci[óo]n|viaje|reise|trip|meeting|dentist|party)\b",
    re.IGNORECASE,
)
_NAME = r"(?:[A-ZÄÖÜÉ][\w'’-]{2,30}(?: [A-ZÄÖÜÉ][\w'’-]{2,30})?)"
_KIN = r"(?i:(?:my |our |meine?[rmn]? |unsere?[rmn]? |mon |ma |mi |la |el |the )?(?:mum|mom|mummy|mommy|daddy|mutti|vati|dad|mother|father|grandma|grandpa|grandmother|grandfather|granny|gran|nan|granddad|aunt(?:ie)?|uncle|sister|brother|cousin|oma|opa|mama|papa|mutter|vater|tante|onkel|schwester|bruder|mamie|papi|papy|maman|m[èe]re|p[èe]re|s[œo]e?ur|fr[èe]re|tonton|abuel[oa]|madre|padre|t[íi][oa]|herman[oa]|prim[oa]))"
_WHO = rf"(?:{_NAME}|{_KIN}(?: {_NAME})?)"
_LOW = r"(?!(?i:the|it|this|that|we|you|they|he|she|i|es|das|man|wir|sie|er|il|elle|on|nous|tu|je|yo)\b)[^\W\d_][\w'’-]{2,30}"
"""A name in a question, where it is just as often in lower case."""
_PEOPLE = re.compile(
    rf"(?:^|[\s,.!])(?:{_WHO} (?i:(?:now |just |has |jetzt |ahora |a )?(?:lives?|moved|wohnt|lebt|habite|vive|d[ée]m[ée]nag[ée])) (?i:at|in|on|now|to|with|jetzt|bei|[àa]|au|en|chez|ahora|con|am|im)\b"
    rf"|{_WHO} (?i:turns|is turning|cumple) \d{{1,3}}\b|{_WHO} (?i:wird am .{{3,20}} \d{{1,3}}(?: jahre(?: alt)?)?\W*$)"
    rf"|{_WHO} (?i:likes|loves|hates|mag|liebt|hasst|aime|adore|d[ée]teste) \w"
    rf"|(?i:a) {_WHO} (?i:le (?:gustan?|encantan?))"
    rf"|{_WHO} (?i:rang|called|phoned|texted|a appel[ée]|(?:hat |)(?:heute |gestern |vorhin |eben )*angerufen|llam[óo]|ha llamado)\b|{_WHO} (?i:hat) (?:\w+ )?(?i:angerufen)\b"
    rf"|(?i:ha llamado|llam[óo]) {_WHO}"
    rf"|{_WHO}['’]s (?:new |old |favou?rite )?(?:teacher|boyfriend|girlfriend|wife|husband|partner|school|job)\b|{_NAME} takes (?:(?:her|his|their) )?(?:coffee|tea|milk|sugar)\b)"
)
_PEOPLE_ASKED = re.compile(
    rf"^\W*(?i:(?:and |und |et |y )?(?:where (?:does|do) {_LOW} (?:\w+ )?live|how old (?:is|will|are) {_LOW}|wie alt (?:ist|wird) {_LOW}|quel [âa]ge a {_LOW}|cu[áa]ntos a[ñn]os (?:tiene|cumple) {_LOW}|where is {_LOW} living|wo wohnt {_LOW}|o[ùu] (?:habite|vit) {_LOW}|{_LOW} habite o[ùu]|d[óo]nde vive {_LOW}"
    rf"|what (?:does|do|did) {_LOW} (?:\w+ )?(?:like|love|hate|want|drink)|does {_LOW} (?:like|drink)|was (?:mag|trinkt|hasst|wollte|will) {_LOW}|(?:qu['’]est[- ]ce qu['’](?:elle|il)|qu['’]est[- ]ce que \w+|que|elle|il) (?:aime|adore|d[ée]teste)(?: quoi)?,? {_LOW}"
    rf"|qu['’]est-ce que {_LOW} (?:aime|adore|d[ée]teste)|qu[ée] le (?:gusta|encanta) a {_LOW}"
    rf"|(?:what|who)(?:['’]s|s| is| was| are)? {_LOW}['’]?s (?:\w+ )?(?:teacher|boyfriend|girlfriend|wife|husband|partner|dog|cat|school|job|address|email|e-mail|number|phone|surname|name)|(?:wer|wie|was) (?:ist|hei(?:ß|ss)t|war) {_LOW}s (?:\w+ )?(?:lehrer|lehrerin|freund|freundin|frau|mann|adresse|nummer|name)"
    rf"|(?:c['’]est quoi|quelle est|quel est|tu as|donne-moi|cu[áa]l es|me das|me dices|tienes) (?:l['’]adresse|le (?:num[ée]ro|tel|t[ée]l[ée]phone)|la direcci[óo]n|el (?:n[úu]mero|tel[ée]fono|m[óo]vil)) (?:de |d['’]|del )(?:la |mi |ma |mon )?{_LOW}"
    rf"|how (?:does|do) {_LOW} (?:take|like|drink|eat)|(?:isst|trinkt|mag) {_LOW}|when (?:did|has) {_LOW} (?:last )?(?:call|ring|phone|rang|text|visit)|wann hat {_LOW}(?: \w+)? (?:zuletzt )?angerufen|quand (?:est-ce que? |est-ce qu['’])?{_LOW}(?: {_LOW})? (?:a[- ](?:t-(?:il|elle) )?)?(?:appel[ée])|cu[áa]ndo (?:llam[óo]|ha llamado) {_LOW}"
    rf"|how (?:do|can) (?:i|we) (?:reach|contact|call|ring|get hold of) {_LOW}|wie erreiche? ich {_LOW}|comment (?:joindre|appeler) {_LOW}|c[óo]mo (?:llamo|contacto) a {_LOW}"
    rf"))"
)


_DIET = re.compile(
    rf"(?:^|[\s,.!])(?:{_WHO} (?i:(?:is|ist|est|es) (?:a |an |eine? |un |une )?(?:vegan|vegetar|veggie|vegano|v[ée]g[ée])\w*))"
    rf"|^\W*(?i:what (?:does|do) {_LOW} eat|was isst {_LOW}|qu[ée] come {_LOW}|que mange {_LOW})\W*$"
)
_CANNOT_EAT = re.compile(
    r"\b(?:allergic|allerg(?:y|ies)|allergi(?:sch|e|en|ques?)|al[ée]rgic[oa]s?|alergias?|intol[ée]ran\w*|coeliac|celiac|unvertr[äa]glichkeit\w*"
    r"|(?:can['’]?t|cannot|mustn['’]?t|doesn['’]?t|won['’]?t) (?:\w+ )?(?:eat|drink)\b|vertr[äa]gt (?:\w+ )?kein\w*|darf (?:\w+ )?(?:kein\w*|nicht) .{0,20}essen|isst (?:\w+ )?kein\w*"
    r"|was (?:darf|vertr[äa]gt|kann) \w+ nicht\b|(?:ne |n['’])?(?:peut|doit|mange) (?:pas|plus) (?:manger|boire|de |d['’])|no puede (?:comer|tomar|beber)|no come\b)",
    re.IGNORECASE,
)


HOUSEHOLD: Final = "home"
"""The topic of tasks and things lent or put away; the catch-all keeps them, even beside a home butler."""


def of_the_household(text: str, found: tuple[Entity, ...]) -> Iterator[Evidence]:
    """Yield what speaks for the catch-all's lists and things, or for people."""
    money = any(entity.kind in ("money", "iban") for entity in found)
    task = _TASK.match(text)
    if task is not None:
        yield Evidence("a task", task.group().strip(), HOUSEHOLD, 14.0)
    elif (
        not money
        and (chore := _CHORE.search(text))
        and not any(entity.kind in ("date", "time") for entity in found)
    ):
        yield Evidence("a task", chore.group().strip()[:60], HOUSEHOLD, 9.0)
    listed = _LISTS.search(text)
    if listed and not money:
        yield Evidence("a list", listed.group(), "shopping", 14.0)
    elif not money and (shop := _SHOPPING.search(text)):
        yield Evidence("something to be bought", shop.group()[:60], "shopping", 4.0)
    lent = _LENT.search(text)
    if lent and not money and not _SUM.search(text):
        yield Evidence("a thing that was lent", lent.group(), HOUSEHOLD, 9.0)
    elsewhere = _JOURNEY.search(text) is not None
    where = _PUT_AWAY.search(text) or (None if elsewhere else _WHERE.search(text) or _PLACED.search(text))
    if where and not money:
        yield Evidence("where a thing is", where.group(), HOUSEHOLD, 9.0)
    cannot_eat = _CANNOT_EAT.search(text)
    if cannot_eat and not money:
        yield Evidence("what somebody cannot eat", cannot_eat.group(), "health", 9.0)
        return
    people = _PEOPLE.search(text) or _PEOPLE_ASKED.search(text) or _DIET.search(text)
    if people and not money:
        yield Evidence("what is known of somebody", people.group().strip(), "relationship", 6.0)
