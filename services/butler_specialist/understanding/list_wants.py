# ruff: noqa: E501 - patterns stay on one line
"""How people say that something has to be bought, packed or done, without saying "list" (pure). EN, DE, FR, ES.

All are matched against a folded clause; `items` is what goes on the list.
"""

from __future__ import annotations

import re
from typing import Final

from butler_kit.wording.folding import words
from butler_specialist.understanding.list_names import BAG, LIST, SHOPS

__all__ = [
    "ELLIPTIC",
    "HEADED",
    "NOT_TO_FORGET",
    "PUT",
    "PUT_AT_THE_END",
    "PUT_ON_THE_LIST",
    "PUT_THERE",
    "TO_DO",
    "TO_PACK",
    "UNSAID",
    "WANTED",
    "is_goods",
]

_LEAD: Final = (
    r"^\W*+(?:(?:oh|ah|ach|hey|hi|hallo|hello|hola|salut|btw|by the way|ubrigens|au fait|por cierto|ok|okay|so|and|und|et|y|also|auch|then|dann|danach|puis|ensuite|luego|despues"
    r"|aussi|please|pls|bitte|stp|svp|s'il te plait|por favor|can (?:you|u|ya)|could (?:you|u)|would you(?: kindly)?|kindly|can (?:some|any)(?:one|body)|could (?:some|any)(?:one"
    r"|body)|kannst du|konntest du|kann (?:jemand|wer)|peux-tu|tu peux|tu peux nous|puedes|podrias|ah oui|just|damn|mist|ups|oops|argh"
    r"|ay|oye|pues|quick one|ps|noch|mum|mama|dad|papa|schatz|love|darling|cherie?|hijo|hija|tio|tia|mira|sei so (?:lieb|gut|nett)(?: und)?|seid so lieb(?: und)?"
    r"|(?:ois|alles) klar|passt|would you (?:mind|be so (?:kind|good) (?:as to|and))|be a (?:dear|love)(?: and)?|auriez-vous (?:la gentillesse|l'amabilite|la bonte) d[e']"
    r"|(?:aurais-tu|tu aurais) la gentillesse d[e']|seriez-vous assez (?:aimable|gentille?) pour|hazme el favor de|me haces el favor de|wurdest du|konnten sie|wurden sie)(?:\b|(?<='))[\s,.:!-]*+)*+"
)
_ITEMS: Final = r"(?P<items>[^.!?\n]{2,600})"
_FEW: Final = r"(?P<items>[^.!?,;:\n]{2,60}?)"
_AGAIN: Final = r"\W*+(?:again|now|too|btw|already|wieder|schon|langsam|jetzt|ubrigens|encore|deja|otra vez|ya|tambien|as well|completely|sadly|noch|non plus|tampoco|auch|!)*\W*$"
_ALMOST: Final = r"(?:(?:all|completely|nearly|almost|just|totally|clean|already|getting|running|run|ran|have|now|also|really|fresh)\s++)*+"
_AUCH: Final = r"(?:(?:noch|auch|wieder|mal|dringend|unbedingt|bitte|schnell|ganz|jetzt|langsam|bald|fast|schon|leider|gleich|aber)\s++)*+"
_SOME: Final = r"(?=(?:du|de la|des|de l'|d'|une?|deux|trois|quatre|cinq|six|\d)\b|de l'|d')"

UNSAID: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # what is used up
        rf"{_LEAD}(?:(?:(?:we|i|you)(?:'re|'m|'ve| are| am| have)?|were|im|weve|ive)\s++)?{_ALMOST}"
        rf"(?:out of|short of|short on|low on|down to (?:the|our) last(?: of)?)\s++{_ITEMS}",
        rf"{_LEAD}(?:there(?:'s| is| are|s|'re)|(?:we|i)(?:'ve| have)(?: got)?|weve(?: got)?|got) (?:hardly any|almost no|barely any"
        rf"|no)(?: more)? {_FEW} (?:left|any ?more|in the (?:house|fridge))\b.{{0,20}}$",
        rf"{_LEAD}(?:there (?:isn't|isnt|aren't)|(?:we|i) (?:haven't|havent)(?: got)?|(?:we|i) don't have) any(?: more)? {_FEW}"
        r" (?:left|any ?more)\W*$",
        rf"{_LEAD}(?:(?:i|we|someone|somebody|leo)(?:'ve| have|'s| has)? )?(?:just )?(?:used(?: up)?|finished|drank|ate|eaten|drunk|had|took) (?:the last(?: of)?(?: the)?|up the) {_FEW}{_AGAIN}",
        rf"{_LEAD}(?:(?:i|we)(?:'ve| have)? )(?:just )?(?:used up|finished) (?:the |all the |our ){_FEW}{_AGAIN}",
        rf"{_LEAD}(?:that was|there goes) the last of (?:the )?{_FEW}{_AGAIN}",
        rf"{_LEAD}(?:(?:ich|wir|jemand|wer) )?(?:hab|habe|haben|hat) (?:grad |gerade |eben )?(?:das |die |den )letzten? {_FEW} (?:genommen|verbraucht|aufgegessen|gegessen|getrunken|aufgebraucht|benutzt){_AGAIN}",
        rf"{_LEAD}(?:j'ai|on a|nous avons|quelqu'un a) (?:fini|termine|utilise (?:le dernier|la derniere|les derniers|les dernieres)) (?:le |la |les |l')?{_FEW}{_AGAIN}",
        rf"{_LEAD}(?:(?:nos|me) (?:hemos |he )?(?:quedado|quedamos|quede|quedo)|estamos|estoy) sin {_ITEMS}",
        rf"{_LEAD}(?:(?:he|hemos) (?:terminado|acabado|gastado)) (?:el ultimo |la ultima |los ultimos |las ultimas |el |la |los |las ){_FEW}{_AGAIN}",
        rf"{_LEAD}no (?:more {_FEW}(?: left)?{_AGAIN})",
        rf"{_LEAD}no {_FEW} left{_AGAIN}",
        rf"{_LEAD}(?:the |our )?{_FEW}(?:'s| is| are| has| have)? (?:(?:all|nearly|almost|just) (?:gone|out|empty|finished)|run out|ran out"
        rf"|running out|running low|getting low|used up){_AGAIN}",
        rf"{_LEAD}(?!wir |das |es |sie |die kinder |ihr )(?:der |die |das |unser[e]? )?{_FEW} (?:ist|sind|is|war|waren) {_AUCH}(?:alle"
        rf"|aufgebraucht|verbraucht|ausgegangen){_AGAIN}",
        rf"{_LEAD}(?:die |das |der )?{_FEW} (?:ist|sind|is) (?:fast|bald|gleich|so gut wie) (?:leer|weg|alle|aus){_AGAIN}",
        rf"{_LEAD}(?:die |das |der )?{_FEW} (?:geht|gehen) {_AUCH}(?:uns )?(?:zur neige|zu ende|aus){_AGAIN}",
        rf"{_LEAD}(?:uns|mir) (?:ist|sind|geht|gehen) {_AUCH}(?:der |die |das )?{_FEW} (?:ausgegangen|aus|alle){_AGAIN}",
        rf"{_LEAD}(?:(?:wir haben|wir ham|ich hab[e]?|haben wir|es (?:ist|gibt)|ist|is|ham) )?{_AUCH}keine?n? {_FEW} mehr(?: da| im"
        rf" (?:haus|kuhlschrank))?{_AGAIN}",
        rf"{_LEAD}(?:(?:on n'|on |nous n'|j'|je n'|il n'|il |y'?|n')?(?:a|avons|ai|y a|en a)|y'a|ya) (?:presque |bientot )?plus (?:de |d')"
        rf"(?!\d|deux|trois|quatre|cinq|six|dix|vingt|cent|mille){_ITEMS}",
        rf"{_LEAD}plus (?:de |d')(?!\d|deux|trois){_FEW}{_AGAIN}",
        rf"{_LEAD}(?:on est |je suis |nous sommes )?(?:presque )?(?:a court|en panne|en rade) (?:de |d'){_ITEMS}",
        rf"{_LEAD}(?:le |la |les |l'){_FEW} (?:est|sont) (?:presque |bientot )?(?:finie?s?|epuisee?s?){_AGAIN}",
        rf"{_LEAD}il (?:nous |me )?manque (?:plus que )?{_SOME}{_ITEMS}",
        rf"{_LEAD}(?:y'?a|il y a|on a) plus (?:de |d')(?!\d|deux|trois){_FEW}{_AGAIN}",
        rf"{_LEAD}(?:ya )?(?:no |casi no )(?:nos |me )?quedan? (?:ya )?(?:mas )?{_ITEMS}",
        rf"{_LEAD}ya no (?:hay|tenemos) {_ITEMS}",
        rf"{_LEAD}(?:ya )?se (?:nos |me )?(?:(?:ha|han|esta|estan) )?(?:acabado|terminado|agotado|acabando|terminando|acabo|acabaron|acaba"
        rf"|termino) {_ITEMS}",
        rf"{_LEAD}(?:el |la |los |las ){_FEW} se (?:nos |me )?(?:ha|han|esta|estan|) ?(?:acabado|terminado|agotado|acabando|acabo){_AGAIN}",
        rf"{_LEAD}(?:tambien )?(?:nos |me )?(?:faltan?|hacen? falta) (?:tambien )?(?!que|comprar|meter|por|para|poco|\d){_ITEMS}",
    )
)
"""Things that are used up and have to be bought."""

WANTED: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_LEAD}(?:(?:we|i)(?:'ll| will| also| still| really| do|'d)*\s++)?(?:need|could do with)\s++(?:(?:some|more|also)\s++)*+"
        rf"(?!to\b|the\b|my\b|your\b|his\b|her\b|help|you\b|him\b|it\b|that\b|this\b|them\b){_ITEMS}",
        rf"{_LEAD}(?:(?:we|i|someone|somebody|you)(?: (?:should|must|need to|needs to|have to|has to|can|could))?\s++|need to |gotta"
        rf" |remember to |if you(?:'re| are) [^,]{{2,40}}, ?)?(?:get|buy|grab|pick up|fetch|bring(?: home| back)?)\s++(?:us |me )?"
        rf"(?!the\b|my\b|our\b|your\b|his\b|her\b|him\b|it\b|that\b|them\b|me\b|us\b|to\b|up\b|in\b|out\b|back\b|rid\b|ready\b|well\b|on\b|down\b|over\b|along\b"
        rf"|off\b|better\b){_ITEMS}",
        rf"{_LEAD}(?:schreibe?|schreibst du|schreiben sie|notiere?|notierst du) {_AUCH}(?:(?:mir|uns|du|sie)\s++)*+(?P<items>[^.!?\n]{{2,300}}?) (?:auf|drauf|dazu){_AGAIN}",
        rf"{_LEAD}{_FEW} (?:hatte?n?|mochte?n?|brauchte?n?|hatt) (?:ich|wir) (?:(?:auch|noch|bitte|wieder|eh)\s)*gerne?(?: noch| auch)*\W*$",
        rf"{_LEAD}(?:(?:wir|ich) )?(?:brauchen|brauch|brauche|benotigen) (?:wir |ich )?{_AUCH}(?!kein|nicht|nix|die\b|den\b|das\b|dein"
        rf"|euer|ihre){_ITEMS}",
        rf"{_LEAD}(?:fur|aus|vom|im|beim|von) (?:(?:den|die|das|dem|der)\s)?{SHOPS} (?:brauchen|brauche?|fehlen uns|fehlt uns) (?:wir |ich )?{_AUCH}(?!kein|nicht){_ITEMS}",
        rf"{_LEAD}{_FEW} (?:brauchen wir|brauchen ma|brauchma|brauch ma|brauch ich|brauche ich|fehlt|fehlen|brauchten wir)(?: uns)?(?: auch| noch| wieder| dringend| bald)*\W*$",
        rf"{_LEAD}(?:uns |es )(?:fehlt|fehlen) {_AUCH}{_ITEMS}",
        rf"{_LEAD}(?P<items>(?!wir\b|ich\b|mir\b|uns\b|es\b|da\b|die kinder\b)[^.!?;:\n]{{2,200}}?(?:,| und )[^.!?;:\n]{{2,200}}?) fehlen(?: uns| noch| auch| wieder| langsam)*\W*$",
        rf"{_LEAD}(?:bringe?|bringst du|bringt|kaufe?|kaufst du|hole?|holst du|besorge?|nimm|denke? an|denkt an) (?:(?:mir|uns|du|bitte"
        rf"|noch|no|auch|a|mal|dann|doch)\s++)*+(?!mich|ihn|sie\b|es\b|out\b|in\b|up\b|down\b|over\b|along\b|raus\b)(?P<items>[^.!?\n]{{2,600}}?)(?: mit| ein)?{_AGAIN}(?<! ab)",
        rf"{_LEAD}(?:(?:wir|ich|du|jemand|einer|man) (?:mussen|muss|sollten|sollte|soll|kannst|konntest|konnte)\s++)?{_AUCH}"
        rf"(?P<items>[^.!?\n]{{2,300}}?) (?:mit )?(?:ein)?(?:kaufen|holen|besorgen|mitbringen|mitnehmen|nachkaufen|draufschreiben|aufschreiben|dazuschreiben|draufsetzen|draufpacken)\W*$",
        rf"{_LEAD}(?:(?:il (?:nous |me )?|)(?:faut|faudra|faudrait)|on doit|on devrait|je dois|pense[rsz]?|n'oublie[rsz]? pas|quelqu'un doit"
        rf"|il faudrait qu'on) (?:(?:aussi|encore|absolument|penser a|a|de)\s++|d')*+(?:(?:prendre|acheter|racheter|ramener|rapporter"
        rf"|prenne)\s++){_ITEMS}",
        rf"{_LEAD}il (?:nous |me )?(?:faut|faudra|faudrait) (?:aussi |encore ){{0,2}}{_SOME}{_ITEMS}",
        rf"{_LEAD}(?:(?:on a|j'ai|nous avons) )?(?:aussi )?besoin (?:de |d')(?!toi|vous|quoi|savoir|parler){_ITEMS}",
        rf"{_LEAD}(?:r?achete[rz]?|prends|prenez|ramene[rz]?|rapporte[rz]?|prendre) (?:(?:nous|moi|aussi)\s++)*+{_SOME}{_ITEMS}",
        rf"{_LEAD}(?:necesitamos|necesito) (?:tambien )?(?!que|ayuda|saber|el\b|la\b|tu\b){_ITEMS}",
        rf"{_LEAD}(?:hay que|tenemos que|tengo que|habria que|deberiamos|no (?:te )?olvid\w+|acuerdate de|acordaos de|alguien tiene que"
        rf"|toca) (?:comprar|traer|coger|pillar) {_ITEMS}",
        rf"{_LEAD}(?:compra|comprad|trae|traed|pilla|pillad|comprar|traer)(?:me|nos)? (?:tambien )?(?!a\b|al\b){_ITEMS}",
    )
)
"""Things that are asked for, or to be bought."""

_PUT_VERB: Final = (
    r"(?:add|put|stick|pop|chuck|bung|throw|jot down|jot|write down|write|append|note|setz[et]*|schreib\w*|pack\w*|nimm|notier\w*|tu|fuge?"
    r"|(?:r?ajoute|mets|mettez|note|marque|inscris|rajoute)[rz]?|anade|anadid|pon|poned|agrega|apunta|apuntad|mete|добавь|добавьте)(?:me|nos|le)?"
)
_THERE: Final = (
    r"(?:(?:on|onto|to|in) (?:there|it|that(?: list)?|the list)|(?:auf (?:die|der|unsere|den) (?:liste|zettel) )?(?:drauf|dazu|hinzu)"
    r"|auf (?:die|unsere) liste|auf den zettel|auf|dessus|(?:sur|a|dans) la liste|ahi|en la lista|a la lista|alli)"
)
PUT_THERE: Final = re.compile(
    rf"{_LEAD}{_PUT_VERB}\s++(?:(?:bitte|noch|auch|mal|aussi|tambien|also|then)\s++)*+(?P<items>[^.!?\n]{{2,400}}?)\s++{_THERE}{_AGAIN}"
)
"""On the list mentioned before."""
PUT_AT_THE_END: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_LEAD}(?P<items>[^.!?\n]{{2,300}}?)\s++(?:mit )?(?:auf|in) (?:die|den|unsere|meine) (?:{LIST}|(?:list|liste|zettel)\b)"
        r"\s*+(?:bitte )?(?:tun|setzen|schreiben|packen|nehmen|stellen)\W*$",
        rf"{_LEAD}(?:mettre|ajouter|noter|rajouter|marquer|poner|apuntar|anadir|meter)(?:me|nos)? (?P<items>[^.!?\n]{{2,300}}?)"
        rf"\s++(?:sur|dans|a|en) (?:la|ma|notre|mi|nuestra) (?:{LIST}|(?:liste|lista)\b)\W*$",
    )
)
"""With the verb last, as after "kannst du": "kannst du bitte Tabs auf die Liste tun?"."""
PUT_ON_THE_LIST: Final = re.compile(
    rf"{_LEAD}{_PUT_VERB}\s++(?:(?:down|me|us|bitte|noch|mir|uns)\s++)*+(?:(?:on|to) (?:the|our|my)|auf (?:die|den|unsere)|sur (?:la|ma|notre)|en (?:la|mi|nuestra)|a (?:la|mi)) "
    rf"(?:{LIST}|(?:list|liste|lista|zettel|compra|super|courses)\b)\s*+:?\s*+(?:bitte |noch |please )?(?P<items>[^.!?\n]{{2,400}})"
)
"""The list before the things: "ponme en la lista arroz y lentejas"."""
NOT_TO_FORGET: Final = re.compile(
    rf"{_LEAD}(?:(?:(?:don't|dont|do not|pls don't) forget|remember)\s++(?!to\b|that\b|when\b|how\b)|(?:vergiss(?:t)?(?: bitte| mir)? nicht|denke?t? an)\s++(?!dass\b|zu\b)"
    r"|(?:n'oublie[sz]? pas|faut pas oublier)\s++(?!que\b|qu'|d'[a-z]+(?:er|ir|re)\b|de [a-z]+(?:er|ir|re)\b)(?:d'|de )?"
    r"|(?:no (?:te |se |os )?olvid(?:es|e|eis)|acuerdate)(?: de)?\s++(?!que\b|[a-z]+(?:ar|er|ir)(?:me|te|lo|la|nos)?\b))(?P<items>[^.!?\n]{3,300})"
)
"""Several things: "don't forget milk, eggs and bread"."""
ELLIPTIC: Final = re.compile(
    rf"{_LEAD}(?P<items>[^.!?,;:\n]{{2,40}}?) (?:auch|ebenfalls|genauso|too|as well|aussi|pareil|tambien|igual)(?: bald| schon| fast| soon| nearly| bientot| casi)*\W*$"
)
"""What continues a part about something used up: "nappies are all gone, wipes too"."""
PUT: Final = re.compile(
    rf"{_LEAD}(?:add|(?:r?ajoute|rajoute|mets)[rz]?|anade|agrega|apunta|pon)(?:me|nos)?\s++(?:(?:also|aussi|encore|tambien|moi|nous)\s++)*+"
    rf"(?!que\b|a\b|au\b|en\b|el cumple|la cita|that\b|a (?:note|task|reminder)){_ITEMS}"
)
"""Without saying where to."""
HEADED: Final = re.compile(
    rf"^\W*+(?:(?:the|our|my|die|la|ma|mi|unsere|fur|fur die|fur den|pour la|para la|here is the|new|for|for the|on the|to the|auf(?: die| den)?|en|sur|dans|a mettre"
    rf"|meter|einpacken|noch|zum|von(?: der)?)\s++)*+(?:{LIST}|(?:the )?(?P<bag>{BAG}|to pack|einpacken|packen|a emballer|para meter)|(?:to buy|zu kaufen|einkaufen|a (?:acheter|prendre)|(?:por|para) comprar)(?=\s*+:))\s*+"
    r"(?:[:\-]|\+?=|\+|\b(?:noch|auch|bitte|kommt|kommen|pon|anade|apunta|mete|mets|ajoute|rajoute|muss|mussen|gehort)\b(?: noch| auch| aussi"
    r"| tambien)?)\s*+(?P<items>.+)",
    re.DOTALL,
)
_HAS_TO: Final = (
    r"(?:to ?-?do'?s?|things to do|(?:(?:i|we) )?(?:still |also )?(?:must|have to|need to|got to)(?: still)?(?: do)?"
    r"|(?:(?:ich|wir) )?(?:muss|mussen)(?: ich| wir)?(?: noch| heute| morgen| diese woche)*|noch zu (?:tun|erledigen|machen)|zu (?:tun|erledigen|machen)"
    r"|(?:il (?:me|nous) )?(?:reste )?a faire|(?:je dois|on doit)(?: encore| aussi)?"
    r"|(?:tengo|tenemos|hay) que(?: hacer)?|(?:me|nos) (?:queda|quedan|falta|faltan)(?: por hacer)?|por hacer|pendientes?)"
)
HEADED_TASKS: Final = re.compile(
    rf"{_LEAD}(?:(?P<put>(?:add|put|setz|schreib|ajoute|mets|pon|anade|apunta)e?(?: (?:this|these|bitte|please))? (?:to|on|auf|in|a|sur|dans|en) (?:my|our|the|meine?|unsere|die|mes|la|mis)"
    r" (?:tasks?|to-?dos?|aufgaben|taches|tareas|liste des taches|lista de tareas)(?:[- ]?list\w?)?)|(?:(?:in|im|am|at|for|fur|furs|pour|para|dans|en|au|on) [^:,\n]{2,30} )?"
    rf"{_HAS_TO})(?: (?:this|diese|dieses|cette|ce|esta|este|for|fur|pour|para|today|heute|hoy|am|on|before|vor|avant)\b[^:,\n]{{0,30}})?"
    r"\s*(?::|[-–](?=\s))\s*(?P<items>.{3,600})$",
    re.DOTALL,
)
"""Several things to do, each possibly with its day: "muss noch: Rezept anfordern, Antrag bis 30.11."."""
TASKS_AT_THE_END: Final = re.compile(
    r"^\W*+(?P<items>\w.{2,600}?)\s?[-–—,.:;]{1,3}\s?(?:(?:all (?:of (?:it|that) )?)?for me to do|(?:put|add|stick) (?:that|them|it|these|this|all)(?: all)? (?:on|to) (?:my|the|our) (?:to-?dos?|to-?do list|tasks|task list))\W*$",
    re.DOTALL,
)
TO_PACK: Final = re.compile(
    rf"{_LEAD}(?:pack|einpacken|(?:don't forget to |remember to |we (?:need|have) to )pack|wir mussen|hay que (?:meter|llevar)|il faut (?:prendre"
    rf"|emporter|mettre)|meter|mettre)\s++(?P<items>[^.!?\n]{{2,300}}?)\s*+(?:(?:in|dans|en) (?:the |my |our |la |les |el |mi )?{BAG}|einpacken"
    r"|in den koffer|for the trip)\W*$"
)
TO_DO: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_LEAD}(?:someone|somebody|one of us|we|i)?(?: (?:really|still|also|all))*(?: ?needs? to| ?has to| ?have to| must| should|'ve got to"
        rf"| ought to) (?!say|admit|go\b|leave|run\b|be\b|have\b|not\b|know|ask|tell|talk|hurry|pay|wait|meet|eat|see\b|sleep|rest|work\b|think|take (?:my |a |an |the |some )?(?:\w+ )?(?:pills?|tablets?|med\w*|shower|nap|break|look|day)\b|stop\b|get (?:up|out|some|going)){_ITEMS}",
        rf"{_LEAD}(?:jemand|einer|wir|man|ich) (?:muss|mussen|musste|sollte|sollten)(?: mal)? {_AUCH}(?!nicht|los\b|reden|sagen|[^.!?]{{0,60}}\b(?:arbeiten|schlafen|gehen|fahren|zahlen|warten|essen|nehmen|sein|haben)\W*$){_ITEMS}",
        rf"{_LEAD}(?:to ?-?do|things to do|muss noch|noch zu (?:tun|erledigen|machen)|zu (?:tun|erledigen)|a faire|reste a faire|por hacer|pendientes?)\s*+:\s*+{_ITEMS}",
        rf"{_LEAD}(?:il (?:nous |me )?faut|il faudra|il faudrait|on doit|on devrait|quelqu'un doit|faut|je dois|nous devons) (?!dire|que |qu'|savoir|payer|[^.!?]*\b(?:quoi|ou|quand|comment)\b)(?P<items>[a-z]{{2,}}(?:er|ir|re|oir)"
        r"\b,? [^.!?\n]{2,200})",
        rf"{_LEAD}(?:hay que|tenemos que|tengo que|alguien tiene que|habria que|debo) (?!ver|decir|pagar|hablar|irse|ir\b)(?P<items>[a-z]{{2,}}(?:ar|er|ir)"
        r"\b [^.!?\n]{2,200})",
    )
)
"""Things somebody has to do: a task, if no day is named."""

_NO_GOODS: Final = words(
    "to the town office here time order control hospital touch money cash luck breath reach work patience energy question school bed my your"
    " his her our their lust zeit geld hilfe urlaub nerven ahnung kraft termin arzt fieber fievre temps argent aide courage raison place"
    " tiempo dinero ganas ayuda fiebre prisa razon holiday help advice sleep rest break appointment doctor lift nap hand ride minute moment"
    " favour favor reminder answer number code password job what que quoi was wie how it that this them you him me us uns mir dich ihn toi lui"
    " expense note notes task tasks birthday reminder invoice bill rappel note rendez-vous rdv depense anniversaire numero cumpleanos cita gasto"
    " recordatorio nota termine notiz ausgabe rechnung geburtstag une-note wir ich er sie es je on nous il elle yo dolor douleur schmerzen idea ideas idee ideen idees plan"
    " headache kopfschmerzen battery akku tank mucho mucha poco poca fiesta haircut frisor party urlaub ferien sleep schlaf"
)
"""First words of what is no thing to buy."""


_ARTICLE: Final = re.compile(r"^(?:(?:an?|some|eine?n?|ne|nen|une?|una|uno|new|neue[ns]?|bit|of)\s++)*+")


def is_goods(item: str) -> bool:
    """Return whether a folded item may be a thing, and not a person, a time, a feeling or a story."""
    first = _ARTICLE.sub("", item).split()[:1]
    return bool(first) and first[0].strip("'") not in _NO_GOODS and len(item.split()) <= _MOST_WORDS


_MOST_WORDS: Final = 9
"""The most words of one item; anything longer is a story."""
