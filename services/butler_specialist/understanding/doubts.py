# ruff: noqa: E501 - patterns stay on one line
"""Clauses that name a day, a sum or a value without stating a fact (pure). EN, DE, FR, ES.

Suppositions ("if the car were ready on Friday"), what does not happen ("isn't coming tomorrow"), what strangers to
the household paid, what a value ought to be. Invariant: each says which claim it removes, and never a member's
claim about themselves.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from butler_specialist.understanding.sentence import Sentence

__all__ = [
    "does_not_happen",
    "is_aim",
    "is_full",
    "is_of_a_thing",
    "is_of_an_outsider",
    "is_of_the_same_day",
    "is_own_invoice",
    "is_supposed",
    "is_theirs",
    "outsider_pays",
    "replaces",
    "says_spent",
    "spends_nothing",
    "tells_of_an_outsider",
    "was_or_was_thought",
]

_SUPPOSED: Final = re.compile(
    r"\b(?<!as )(?<!even )(?<!not sure )(?<!know )(?<!ask )(?<!wonder )(?:if|unless)(?! (?:possible|needed|necessary|not\b|so\b|any\b|you (?:like|want|can|could)))"
    r" (?:i|i'm|we|we're|he|she|it|its|it's|they|you|the|my|our|his|her|that|this|there|nobody|everyone|all)\b"
    r"|\bin case (?:i|we|he|she|it|they|the|my|our)\b|\bassuming (?:i|we|he|she|it|they|the|that)\b"
    r"|\bfalls\b(?! (?:moglich|notig))|\b(?:wenn|sollte)\b[^.!?]{0,80}\b(?:ware|waren|wurde|wurden|hatte|hatten|konnte|konnten|sollte)\b"
    r"|(?<!\bsais )(?<!\bmeme )(?<!\bcomme )\bsi (?:on|je|j'|tu|il|elle|nous|vous|ils|elles|la|le|les|mon|ma|notre|jamais|c'est|ca)\b|\bau cas ou\b"
    r"|\bs'ils? (?!(?:te|vous) plait)\w"
    r"|\bsi (?:me|te|nos|el|los|las|no|mi|hace|hay|llueve|puedo|podemos|viene|vienen|todo|al final)\b|\ben caso de que\b"
)
_WISHED: Final = re.compile(
    r"\b(?:i wish|if only|wunschte|ojala|si seulement|j'aurais (?:tant |bien )?aime|hatt ich nur|hatte ich (?:nur|doch|bloss))\b"
)
_YES: Final = re.compile(r"\b[Ss]í\b")
_IRREAL: Final = re.compile(
    r"\b(?:nearly|almost) (?:bought|paid|spent|booked|ordered|went|got|took)\b|\b(?:would|could|should)(?:'ve| have|ve) \w+"
    r"|\b(?:fast|beinahe) (?:hatt|hatte|hatten|war|ware|waren) (?=(?:ich|er|sie|wir|der|die|das)\b)"
    r"|\b(?:fast|beinahe) [^.!?]{0,60}\b(?:gekauft|bezahlt|gezahlt|ausgegeben|gebucht|genommen|zahlen sollen)\b|\b(?:hatt|hatte|hatten)\b[^.!?]{0,60}\b(?:sollen|konnen|mussen)\b"
    r"|\b(?:ai|as|a|avons|ont) failli\b|\b(?:aurais|aurait|aurions|auraient) (?:du|pu)\b"
    r"|\bcasi (?:me |lo |la )?(?:compr|pag|gast|reserv)\w+|\b(?:habria|hubiera|tendria que haber)\b"
)
_NOT: Final = r"(?:not|never|isn't|isnt|aren't|arent|wasn't|wasnt|won't|wont|can't|cant|cannot|didn't|didnt|doesn't|doesnt|don't|dont)"
_DOES_NOT_HAPPEN: Final = re.compile(
    rf"\b{_NOT} (?:\w+ )?(?:coming|come|do|make|take place|taking place|happening|happen|going|go|make it|making it|turn(?:ed)? up|show(?:ed)? up|attend\w*|be (?:here|there|in|able))\b"
    r"|\bno more (?:\w+ ){0,2}(?:lessons?|training|class(?:es)?|practice|school|football)\b|\bkeine? \w*(?:stunden?|kurs|training|unterricht|probe)\b[^.!?]{0,40}\bmehr\b|\bplus de (?:cours|lecons?|entrainement)\b"
    r"|\b(?:cancell?ed|called off|fell through|falls through|no longer (?:on|comes?|coming|happening|takes?)|nobody (?:came|comes|showed|turned)|no[- ]one (?:came|showed|turned)"
    r"|(?:was|were) supposed to)\b(?!.{0,80}\b(?:now|instead|new one|rather)\b)"
    r"|\b(?:kommt|kommen|findet|finden|geht|gehen|fahrt|fahren|klappt)\b[^.!?]{0,60}\b(?:nicht|keine?r?)\b(?! (?:vor|nur|erst|spater|wahr))"
    r"|\b(?:fallt|fallen|fiel)\b[^.!?]{0,60}\baus\b|\b(?:abgesagt|ausgefallen|geplatzt|gestrichen|verpennt|verpasst|verschwitzt)\b|\bniemand (?:ist )?(?:kam|gekommen)\b"
    r"|\b(?:neither|auch nicht|non plus|tampoco)\W*$"
    r"|\bhat\b[^.!?]{0,40}\b(?:doch )?keinen? (?:\w*termin|\w*arzt|training|schule|kurs|unterricht|probe)\b"
    r"|\b(?:vient|viennent|va|vais|vas|vont|aura|passe|passera|pourra\w*)(?: plus| pas)\b|\b(?:annulee?s?|n'a pas lieu|tombe a l'eau)\b|\bpersonne n'est venu\b"
    r"|\bno (?:viene|vienen|vendra|vendran|hay(?! (?:problema|prisa))|habra|va|vamos|voy|podemos|puedo|puede|se hace)\b|\b(?:cancelad[oa]s?|suspendid[oa]s?|anulad[oa]s?|se cancela|se cancelo)\b|\bno (?:vino|se presento) nadie\b|\bnadie vino\b"
)
_FULL: Final = re.compile(
    r"\b(?:(?:over|fully )booked|sold out|booked up|ausgebucht|uberbucht|ausverkauft|complete?s?(?= (?:pour|le|du|jusqu)|\W*$)|surbooke\w*|agotad[oa]s?|esta(?:ba)? (?:complet[oa]|llen[oa]))\b"
)
"""There was no place left, so nobody has one."""
_FORMERLY: Final = re.compile(
    r"\b(?:i|we|he|she|they|you|it) used to\b|\bfruher (?:immer )?(?:sind|haben|hatten|waren|gingen?|flogen?|fuhren)\b|\b(?:solia|soliamos|solian)\b|\bavant,? (?:on|nous|je|il|elle) \w+ai(?:t|s|ent)\b"
)
_MISTAKEN: Final = re.compile(
    r"\bi (?:thought|dream(?:ed|t)|assumed|believed)\b(?! (?:of|about))|\b(?:ich|wir) (?:dachten?|glaubten?)\b|\bich habe? \w{0,10} ?getraumt\b|\b(?:je|on) (?:croyais|croyait|pensais|pensait)\b|\bj'ai reve\b|\b(?:creia|pensaba|sone) (?:que|con)\b"
)
_OF_A_THING: Final = re.compile(
    r"\b(?:sensor|thermostat|oven|ofen|backofen|heizung|boiler|fridge|kuhlschrank|freezer|gefrierschrank|radiator|pool|engine|frigo|piscine|horno|nevera|piscina|calefaccion|chaudiere)\b"
)
_GOES_ON: Final = re.compile(
    r"\b(?:but|instead|rather|now on|new one|sondern|dafur|stattdessen|neuer termin|mais|plutot|nouveau|nouvelle|sino|en cambio|nueva|nuevo)\b"
)
"""The replacement is stated in the same clause."""
_OF_THE_WRITER: Final = r"(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr\w+)"
_OUTSIDER: Final = (
    r"(?:grandson|granddaughter|grandchild(?:ren)?|grandkids?|nephew|niece|enkel(?:in|kind|kinder)?|neffe|nichte|petit-fils|petite-fille|neveu|niet[oa]s?|sobrin[oa]s?|sister|brother|mother|mum|mom|father|dad|aunt|uncle|cousin|grandma|grandpa|gran|parents|in-laws|neighbou?rs?|friends?|mate|colleagues?|boss|landlord|patients?|roommate|flatmate|housemate"
    r"|schwester|bruder|mutter|vater|tante|onkel|cousine?|oma|opa|eltern|nachbar(?:in|n)?|freund(?:in|e)?|kolleg(?:e|in|en)|chef(?:in)?|vermieter(?:in)?|patient(?:in|en)?|mitbewohner(?:in)?"
    r"|s(?:oe|œ)ur|frere|mere|pere|maman|papa|tante|oncle|cousine?|grand-mere|grand-pere|parents|voisine?s?|amie?s?|copain|copine|collegues?|patronne?|proprio|patiente?s?|coloc\w*"
    r"|hermana|hermano|madre|padre|tia|tio|prim[oa]|abuel(?:a|o|ita|ito)|padres|vecin[oa]s?|amig[oa]s?|coleg[oa]s?|companer[oa]s?|compi|jef[ea]|caser[oa]|paciente)"
)
_OUTSIDER_PAYS: Final = re.compile(
    rf"^\W*(?:(?:and|und|et|y|so|well) )?(?:{_OF_THE_WRITER}|the|a|der|die|eine?|le|la|les|une?|el|un|l')? ?(?:[\w-]+ )?{_OUTSIDER}(?: [a-z]+)? "
    r"(?:has |just |really |hat |haben |a |ont |ha |han |se |have )?(?:\w+ )?(?:got|won|inherited|received|eu|recu|herite|touche|tenido|recibido|ganado|heredado|spent|paid|pays|bought|earns|blew|wasted|(?:[^.!?]|\.(?=\d)){0,60}(?:ausgegeben|bezahlt|gezahlt|gekauft|verdient|bekommen|gewonnen|geerbt)|verdient|zahlt|depensent?|payent?|paient|depense|paye|achete|gagne|gastan|pagan|gasta|gasto|gastado|pago|paga|compro|comprado|gana)\b"
)
_FOR_US: Final = re.compile(
    r"\b(?:me|us|for our|back|owes?|mir|uns|mich|fur uns|zuruck|m'\w*|nous|nos|moi|me ha|debe|deben)\b"
)
_SPENDS_NOTHING: Final = re.compile(
    r"\b(?:geldautomat\w*|am automaten|bankomat\w*|cash ?machine|cashpoint|atm|distributeur|cajero)\b|"
    r"\b(?:needs?|goes up|go up|went up|going up|rises?|rose|increases?d?|raised|brauch\w*|steigt|stieg|gestiegen|sinkt|erhoht|besoin|monte|augmente|augmentent|baisse|necesitan?|sube|subio|suben|baja|bajan"
    r"|(?:insurance|versicherung|krankenkasse|kasse|mutuelle|assurance|seguro) (?:pays|covers|zahlt|ubernimmt|paie|rembourse|paga|cubre)|lost|stole|stolen|nicked|pickpocketed|worth|brought|owes?|owed|verloren|geklaut|gestohlen|wert|brachte|gebracht|mitgebracht|schuldet\w*|schulden|schuldig"
    r"|perdue?s?|volee?s?|valait|vaut|apporte|doi[st]|doivent|devais|devait|devions|perdi|perdido|perdimos|robado|robaron|vale|valia|trajo|traido|debe|deben|debia|debiamos)\b"
)
"""Money that was lost, received or is owed, or a thing's worth."""
_PASSED_ON: Final = re.compile(
    r"\b(?:lent|loaned|lends|borrowed|lieh|leiht|geliehen|verliehen|ausgeborgt|(?:a|ont|lui ai|leur ai|avons) (?:prete|emprunte|avance)|prest(?:o|e|ado|amos|aron))\b"
    r"|\b(?:gave|gives|given|handed)\b[^.!?]{0,30}\bback\b|\b(?:zuruckgegeben|zuruckgezahlt|wiedergegeben)\b|\b(?:a|ont) rendu\b|\b(?:devuelto|devolvio|devolvieron)\b"
    r"|\b(?:landed|came through|hit (?:my|our|the) account|eingegangen|eingetroffen|gutgeschrieben|(?:ist|sind) (?:auf dem konto|da)\W*$|creditee?|ha (?:entrado|llegado) (?:el|la) (?:pago|dinero|transferencia))\b"
)
"""Money that is lent, repaid or received, by anyone.

If the profile makes it no debt and no income, it is no expense either.
"""
_SPENT: Final = re.compile(
    r"\b(?:paid|pay|spent|bought|cost|bezahlt|gezahlt|ausgegeben|gekauft|gekostet|paye|achete|depense|coute|pagado|pague|pagamos|comprado|compre|gastado|gaste|costo)\b"
)
_OWN_INVOICE: Final = re.compile(
    r"\b(?:i|we|just|i've|we've) (?:have |just )*(?:sent|send|wrote|issued|made out|billed|invoiced)\b[^.!?]{0,60}\b(?:invoice|bill|for)\b|\b(?:invoice|bill)\b[^.!?]{0,40}\bto [^.!?]{1,40}\b(?:sent|issued|is out|went out)\b|\b(?:sent|issued) (?:the |an? |my |our )?(?:invoice|bill)\b"
    r"|\brechnung\b(?:[^!?]){0,40}\ban\b[^!?]{1,40}\b(?:raus|rausgegangen|geschickt|gestellt|geschrieben|gesendet|verschickt)\b|\b(?:habe?|haben)\b[^.!?]{1,60}\brechnung\b[^.!?]{0,40}\b(?:geschickt|gestellt|geschrieben|verschickt)\b"
    r"|\bfacture\b[^.!?]{0,40}\benvoyee? a\b|\b(?:j'ai|on a|nous avons) (?:envoye|emis|fait) (?:la |une |ma )?facture\b|\bfactura\b[^.!?]{0,40}\benviada a\b|\b(?:he|hemos) (?:enviado|emitido|mandado) (?:la |una |mi )?factura\b"
)
"""What others have to pay."""
_PER_NIGHT: Final = re.compile(
    r"\b(?:\d+|a|one|two|three|eine?|zwei|drei|une?|deux|trois|una|dos|tres) (?:nights?|nachte?|nuits?|noches?) (?:at|for|a|zu|je|fur|pour|por) [€$£]?\d|\d ?(?:€|euros?|eur)? (?:a|per|pro|par|la|por) (?:night|nacht|nuit|noche)\b"
)
"""A price per night is no sum that was paid."""
_INSTEAD: Final = re.compile(
    r"\b(?:instead of|rather than|no longer|statt(?! dessen)|anstatt|anstelle|nicht mehr|au lieu d[eu']|plutot qu[e']|en vez de|en lugar de|ya no)\b[^,.;]{0,25}?(?:\d|\b(?:morgens?|abends?|mittags?|morning|evening|night|noon|matin|soir|midi|manana|noche|tarde)\b)"
)
"""The old sum or time beside the new one."""
_REPORTED: Final = re.compile(
    r"\bhätten?\b.{0,120}\bwären?\b|\bwären?\b.{0,120}\bhätten?\b|\bhätten?\b[^.!?]{0,80}\b(?:gekostet|bezahlt|gezahlt|ausgegeben|gekauft|verdient)\b",
    re.IGNORECASE,
)
"""Reported speech, or what would have been."""
_TELLS: Final = re.compile(
    r"\b(?:told|tells|said|says|mentioned|mentions|claims?|bragged|erzahlt\w*|sagt\w*|gesagt|meinte?|behauptet|schwarmt|(?:a|ont) (?:dit|raconte)|dit|raconte|dice|dijo|ha dicho|conto|cuenta|ha contado)\b"
)
_KIN_TELLS: Final = re.compile(rf"^\W*{_OUTSIDER}(?: [a-z]+)? (?:hat |has |a |ha )?{_TELLS.pattern}")
_NAMED_TELLS: Final = re.compile(
    r"^\W*(?P<who>[A-ZÄÖÜÉ][\w-]+) (?:hat |has |a |ha )?(?:told|said|says|mentioned|erzählt\w*|sagt\w*|meint\w*|behauptet|dit|raconte|dice|dijo|cuenta)\b"
)
_THEIRS: Final = re.compile(
    r"^\W*(?:that |dass |que |qu'|because |weil )?(?:his|her|their|he|she|they|sein\w*|ihr\w*|er|sie|son|sa|ses|leurs?|il|elle|ils|elles|su|sus|el|ella|ellos)\b"
)
_SAME_DAY: Final = re.compile(
    r"\b(?:(?:the |that )?same (?:day|evening|morning|night)|(?:am |an dem)?selben (?:tag|abend|morgen)|(?:le |ce )?meme (?:jour|soir|matin)|(?:el |la )?mism[oa] (?:dia|noche|manana|tarde))\b"
)
_AIM: Final = re.compile(
    r"\b(?:wants? (?:to|my|me|it|her|his)|would like|need to (?:get|be)|should (?:be|weigh|stay|not)|supposed to|goal|target|aim\w*|ideally|keep (?:it|my|his|her)\b.{0,30}\b(?:under|below)"
    r"|get (?:down|back|up) to|(?:go|goes|gets|rises) (?:over|above|below|under)|at most|no more than"
    r"|soll(?:te|ten|en)?|ziel\w*|mochte|will (?:auf|unter|ich)|wunschgewicht|idealgewicht|hochstens|nicht (?:uber|mehr als)"
    r"|objectif|devrait|voudrais|voudrait|veut que|faudrait|en dessous de|ne (?:doit|devrait) pas|au maximum"
    r"|objetivo|deberia|quiere que|quiero (?:llegar|bajar|pesar)|por debajo de|como maximo|no (?:debe|deberia) pasar)\b"
)
_OWN_VALUE: Final = re.compile(
    rf"\b{_OF_THE_WRITER} (?:blood|bp|weight|temp\w*|pulse|fever|sugar|\w*druck|gewicht|puls|fieber|zucker|tension|poids|pouls|fievre|glycemie|presion|peso|pulso|fiebre|azucar)|\b(?:i|ich|je|j'ai|yo|tengo|peso)\b"
)
_OF_AN_OUTSIDER: Final = re.compile(
    rf"\b(?:{_OF_THE_WRITER}|a|the|one of {_OF_THE_WRITER}|eine?n?|der|die|une?|le|la|el|al|unos?) (?:[\w-]+ ){{0,2}}?{_OUTSIDER}\b"
)


def is_supposed(sentence: Sentence) -> bool:
    """Return whether it says what would be if something were, or nearly was."""
    if _REPORTED.search(sentence.text) or sentence.has(_WISHED):
        return True
    return sentence.has(_IRREAL) or (sentence.has(_SUPPOSED) and not _YES.search(sentence.text))


def does_not_happen(sentence: Sentence) -> bool:
    """Return whether it says that something does not take place, without a replacement."""
    if not sentence.has(_DOES_NOT_HAPPEN):
        return False
    instead = _GOES_ON.search(sentence.folded)
    return instead is None or all(day.start < instead.start() for day in sentence.days)


def is_full(sentence: Sentence) -> bool:
    """Return whether what it names had no place left."""
    return sentence.has(_FULL)


def was_or_was_thought(sentence: Sentence) -> bool:
    """Return whether it says what was once a habit, or what somebody only thought."""
    return sentence.has(_FORMERLY) or sentence.has(_MISTAKEN)


def is_of_a_thing(sentence: Sentence) -> bool:
    """Return whether its value is that of a thing in the house."""
    return sentence.has(_OF_A_THING)


def outsider_pays(sentence: Sentence) -> bool:
    """Return whether it says what somebody outside the household spent, and not on us."""
    return sentence.has(_OUTSIDER_PAYS) and not sentence.has(_FOR_US)


def spends_nothing(sentence: Sentence) -> bool:
    """Return whether its sum was lost, received, is owed or is a worth, and nothing says that it was paid."""
    if sentence.has(_PASSED_ON):
        return True
    return (sentence.has(_SPENDS_NOTHING) or sentence.has(_PER_NIGHT)) and not sentence.has(_SPENT)


def says_spent(sentence: Sentence) -> bool:
    """Return whether a word of it says that something was paid."""
    return sentence.has(_SPENT)


def replaces(sentence: Sentence) -> bool:
    """Return whether it names the old beside the new, so that its values are of both."""
    return sentence.has(_INSTEAD)


def tells_of_an_outsider(sentence: Sentence, members: Collection[str]) -> bool:
    """Return whether it reports what somebody said who is none of `members`, by their first names."""
    if not sentence.has(_TELLS):
        return False
    named = _NAMED_TELLS.match(sentence.text)
    stranger = named is not None and named["who"].casefold() not in members
    return stranger or sentence.has(_OF_AN_OUTSIDER) or sentence.has(_KIN_TELLS)


def is_theirs(sentence: Sentence) -> bool:
    """Return whether it is about the person named before it: "his new car cost 38,000"."""
    return sentence.has(_THEIRS)


def is_own_invoice(sentence: Sentence) -> bool:
    """Return whether it is about a bill that others got from us."""
    return sentence.has(_OWN_INVOICE)


def is_of_the_same_day(sentence: Sentence) -> bool:
    """Return whether its day was named before it."""
    return sentence.has(_SAME_DAY)


def is_aim(sentence: Sentence) -> bool:
    """Return whether its value is a goal or a limit."""
    return sentence.has(_AIM)


def is_of_an_outsider(sentence: Sentence) -> bool:
    """Return whether its value may be that of somebody named only by their relation to us."""
    return sentence.has(_OF_AN_OUTSIDER) and not sentence.has(_OWN_VALUE)
