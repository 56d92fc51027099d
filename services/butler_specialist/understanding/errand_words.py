# ruff: noqa: E501 - patterns and word lists stay on one line
"""Requests that somebody outside, or a hand in the house, would have to fulfil: by kind and language, folded (pure).

Each is matched from the start of a clause, after polite words: a verb that asks, never one that tells.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ASKED", "ERRANDS", "LEAD", "OURS", "TRANSFERS"]

_POLITE: Final = (
    r"please|pls|plz|hey|hi|hello|ok(?:ay)?|oh|sorry|and|so|then|also|just|now|kindly|quickly|butlers?|jarvis|alexa|siri|(?:ok|hey) google|maybe"
    r"|(?:can|could|would|will|cud) (?:you|u|ya)|(?:would you )?mind|(?:i want|i need|i'd like|we need|we want) you to|do me a favou?r and|go and|thanks|fine"
    r"|bitte|mal|eben|doch|schnell|kurz|jetzt|ach|und|dann|hallo|danke|(?:kannst|konntest|wurdest|magst) du|konnt ihr|konnen sie|geh|sei so lieb und"
    r"|s'il (?:te|vous) plait|stp|svp|(?:est-ce que )?tu peux|peux-tu|t'peux|tu pourrais|pourrais-tu|pouvez-vous|vous pouvez|pourriez-vous|tu veux bien|et|alors|bonjour|salut|vite|nous|me|moi|lui|m'|fais"
    r"|por ?fa(?:vor)?|puedes|podrias|podeis|me puedes|nos puedes|me podrias|oye|hola|y|pues|anda|venga|quieres|me|nos|le"
)
LEAD: Final = rf"^\W*+(?:(?:{_POLITE})(?![\w'])[\s,!.:;-]*+|m')*+"
ASKED: Final = re.compile(
    r"^\W*+(?:(?:please|pls|hey|hi|hello|ok|and|so|bitte|und|hallo|s'il te plait|stp|et|oye|hola|y|por favor)\b[\s,!.:;-]*+)*+"
    r"(?:(?:can|could|would|will) (?:you|u)(?: please| pls| kindly| maybe| quickly)?|(?:i want|i need|i'd like) you to|(?:kannst|konntest|wurdest|magst) du|(?:est-ce que )?tu (?:peux|pourrais)|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous"
    r"|(?:(?:me|nos) )?(?:puedes|podrias))\s+(?P<what>(?:mir |uns |bitte |mal |me |nous |m'|lui )*(?P<verb>[a-z']+).*)"
)
"""A request to do something; `verb` is English, French or Spanish, in German it comes last."""
OURS: Final = re.compile(
    r"\W*(?:add|put|note|write (?:it |that |this )?down|remember|save|keep|log|record|remind|show|list|tell|give|delete|remove|cancel|move|change|correct|update|undo|mark|tick|help|see|say|check|find|look|repeat|explain|read|answer|understand|speak|know|forget|clear|stop|do|be|are|count|sum|add up|split|send me|let me know"
    r"|ajouter|mettre|noter|retenir|garder|rappeler|montrer|dire|donner|supprimer|enlever|annuler|deplacer|changer|corriger|aider|voir|repeter|effacer|parler|comprendre|faire|m'aider|t'occuper|oublier|arreter|lister|me dire|me rappeler"
    r"|anadir|anadirme|apuntar|apuntarme|anotar|poner(?:me)? .*lista|guardar|recordar(?:me)?|mostrar(?:me)?|decir(?:me)?|dar(?:me)?|borrar|quitar|cancelar|mover|cambiar|corregir|ayudar(?:me)?|ver|repetir|hablar|entender|hacer|olvidar|parar)\b"
    r"|.*\b(?:merken|notieren|aufschreiben|eintragen|hinzufugen|setzen|schreiben|speichern|erinnern|zeigen|sagen|geben|loschen|streichen|stornieren|verschieben|andern|korrigieren|helfen|sehen|wiederholen|sprechen|verstehen|machen|tun|vergessen|aufhoren|auflisten|nennen|behalten|packen|erklaren)\W*(?:bitte)?\W*$"
)
"""What a household's butler is asked to do, or may be able to do."""
TRANSFERS: Final = re.compile(
    rf"{LEAD}(?:transfer|wire|send \W?\d|uberweise?|vire[rz]?|verse[rz]?|transfiere|transferir|envia \d|manda \d)"
)

_EN_OBJECT: Final = r"(?:(?:my|the|our|a|an|his|her|their|dr|mr|mrs|ms|up|him|them|back)\b|(?!with\b|at\b|from\b|about\b|it\b|off\b|me\b|this\b|that\b|for\b|on\b|in\b|is\b|was\b|to\b|and\b|club\b|back\b|list\b)[a-z])"
_TICKETS: Final = r"(?:tickets?|seats?|flights?|hotel|table|taxi|cab|uber|pizza|sushi|takeaway)"
ERRANDS: Final[dict[str, tuple[str, ...]]] = {
    "contact": (
        rf"(?:call|ring|phone(?! (?:had|has|is|was|bill|number|died|call|charger|contract|broke|case))|dial|facetime) {_EN_OBJECT}",
        r"(?:write|send|compose|draft|type|reply)(?: back)? (?:\w+ ){0,3}(?:e-?mail|mail|letter|message|text|sms|postcard|reply|answer|whatsapp|invitation|apology)s?\b|write to \w|(?:e-?mail|text|message|dm|tweet|post) (?:my|the|our|him|her|them|this|that|it|about|on|to)\b|reply to \w",
        r"(?:tell|inform|let) (?:him|her|them)\b",
        r"rufe? .{1,80}\ban\b|rufe? (?:bei )?(?:mein\w*|den|die|der|beim|bei|unser\w*) |.{0,80}\b(?:anrufen|telefonieren|bescheid (?:sagen|geben)|ausrichten)\b|schreibe? (?:mir )?(?:mein\w+|dem|der|den|an|unser\w+|eine?n?) ?.{0,40}(?:dass|ob|mail|nachricht|brief|sms|chef|\ban\b)"
        r"|schicke? .{0,60}(?:mail|nachricht|whatsapp|sms|brief)|.{0,60}\b(?:e-?mail|mail|nachricht|brief|sms) .{0,40}(?:schreiben|schicken|senden)|sage? (?:ihm|ihr|ihnen) ",
        r"(?:appelle[rz]?|telephone[rz]?)(?!-moi)[ -](?:a |au |le |la |les |l'|ma |mon |mes |notre |\w)|(?:ecri(?:s|re|vez)|envoie[rz]?|envoyer|redige[rz]?)[ -](?:[\w']+ ){0,3}(?:mail|message|sms|courriel|lettre|texto|mot|whatsapp)\b|(?:dis|dites|dire)[- ](?:lui|leur)\b|previens[- ](?:le|la|les)\b|ecri(?:s|re) a ",
        r"(?:llama|llamar|telefonea|telefonear)(?:le|lo|la|les)? ?(?:a |al |a la )|llam(?:ale|alo|ala)\b|(?:escrib|mand|envi|redact)(?:e|a|ir|ar)(?:le|me|les)? (?:\w+ ){0,3}(?:correo|mensaje|e?mail|whatsapp|carta|sms)\b|(?:dile|diles|avisale|avisa) ",
    ),
    "arrange": (
        r"prend[rsz]*(?:[- ](?:moi|nous))? (?:un )?(?:rdv|rendez-vous)\b|pid(?:e|eme|enos)(?: una| la)? (?:hora|cita)\b|mache? (?:mir |uns )?(?:einen |nen )?termin\b",
        rf"(?:buy|get|grab|find|order|book|reserve|hire|rent) (?:[\w'-]+ ){{0,4}}{_TICKETS}\b(?! (?:is|was|are|cost))",
        r"order (?:me|us|some|a|an|the|my|more|two|three|four|another|\w+s)\b(?! (?:arrived|came|is|was|from|has|number))|book (?:me|us|a|an|the|two|three|four)\b(?! (?:club|fair|shop))|(?:make|cancel) (?:me |us )?an? (?:reservation|booking|appointment (?:at|with|for me))",
        r"(?:kaufe?|besorge?|hole?|bestelle?|buche?|reserviere?|organisiere?) (?:[\w-]+ ){0,4}\w*(?:karten|tickets?|tisch|taxi|flug|fluge|hotel|pizza|pizzen|sushi|essen|zimmer)\b|.{0,80}\b(?:bestellen|buchen|reservieren|uberweisen)\W*$|bestelle? (?:mir|uns|bitte|eine?n?|zwei|drei|vier|mal)\b|uberweise? ",
        r"(?:commande|reserve|achete|prend|loue)[rsz]?(?:e[rz])?(?:-(?:moi|nous))? (?:[\w'-]+ ){0,4}(?:billets?|places?|tickets?|table|taxi|hotel|pizzas?|sushis?|vol|chambre)\b|(?:commander|reserver) |commande[rz]?(?:-(?:moi|nous))? (?:une?|des|du|deux|trois|\d)|(?:vire|verse)[rz]? (?:\d|de l'argent)",
        r"(?:compra|reserva|pide|encarga|pilla|saca|consigue)(?:r|me|nos|rme|rnos)? (?:[\w'-]+ ){0,4}(?:entradas?|billetes?|mesa|taxi|hotel|pizzas?|sushi|vuelos?|habitacion)\b|(?:pedir|pedirme|reservar|reservarme|encargar) |transfier\w+ |transferir ",
        r"(?:transfer|wire|send) \W?\d",
    ),
    "see": (
        r"look (?:what|how|at (?:this|that|these|him|her|what|my))\b|(?:what|which) (?:kind|sort|type|breed) of [\w ]{2,25} (?:is|are) (?:this|that|these|it)\b|what(?:'?s| is) (?:this|that)(?: (?:rash|spot|plant|bug|thing|insect|flower|mushroom))?\W*$|is (?:this|that) an? [\w ]{3,30}\?|(?:isn'?t|is) (?:he|she|it|this) (?:\w+ )?(?:cute|adorable|gorgeous|beautiful)\b",
        r"(?:read|open|scan|summari[sz]e|look at|listen to) (?:(?:this|that|these)\b(?! \w+ (?:on|at|by)\b)|(?:my|the) (?:photo|picture|pic|pdf|file|attachment|document|letter|scan|contract|invoice|voice|recording)\b)|did you (?:get|hear|see|receive|listen to) (?:my|the) (?:voice|photo|picture|pic|recording|audio|file|pdf|document)\w*|(?:do you|can you) (?:listen to|hear|see|read|open|understand) (?:voice|photo|picture|image|pdf|file|document|recording|attachment)\w*",
        r"(?:schau|guck|sieh|kuck)e?t?(?: (?:mal|dir|doch|hier|her))* (?:was|wie|das|mal|die|den|hier|an)\b|ist das (?:ein|eine) [\w ]{3,30}\?|was ist das(?: denn)?(?: fur [\w ]{2,30})?\W*$|hast du meine? (?:sprachnachricht|foto|bild|aufnahme|datei)\w*|(?:kannst du |bitte )?(?:das|die datei|den brief|das bild|das foto|sprachnachrichten|bilder|fotos) (?:mal |bitte )?(?:lesen|vorlesen|anschauen|ansehen|anhoren|offnen|sehen)\b",
        r"regarde[sz]? (?:ca|comme|ce|cette|la photo|moi|un peu|qui)\b|c'est quoi (?:ca|cette?|ce) ?[\w ]{0,25}\W*$|c'est (?:bien )?une? [\w ]{3,25} (?:ca )?\?|(?:lire|voir|ouvrir|ecouter|regarder) (?:ca|ce|cette|la photo|le pdf|mon vocal|les? vocaux|les photos)\b|(?:me )?faire le total\b|tu as (?:eu|recu|ecoute|vu) (?:mon|ma) (?:vocal|message vocal|photo|fichier)",
        r"mirad? (?:que|esto|como|lo que|la foto|a quien|a mi)\b|que es (?:esto|eso)\W*$|esto es una? [\w ]{3,25}\?|(?:leer|ver|abrir|escuchar|oir|leerme) (?:esto|este|esta|la foto|el pdf|mi audio|los audios|las fotos)\b|has (?:recibido|oido|escuchado|visto) mi (?:audio|foto|mensaje de voz|archivo)",
    ),
    "home": (
        r"(?:switch|turn|set|change|put) (?:the |my )?(?:tv|telly|television|radio|channel|heating|thermostat|ac|oven)\b.{0,30}\b(?:to|at|on) \w|(?:mache?|stelle?|drehe?|schalte?) (?:bitte |mal )?(?:die |das |den )?(?:heizung|thermostat|tv|fernseher|radio|licht|ofen|backofen|klima)\b.{0,20}\bauf \w",
        r"(?:turn|switch)(?: the| my| all the| a)? ?.{0,40}\b(?:on|off|up|down)\b(?! (?:the|my|our|to the)(?: \w+)? list)|put (?:on |off |the |my )+(?:tv|telly|radio|kettle|lights?|heating|fan|oven|washing|dishwasher|ac)\b|(?:dim|lock|unlock|open|close|shut) (?:the |my |all the )?(?:\w+ )?(?:doors?|windows?|blinds?|shutters?|curtains?|garage|gate|lights?|lamp|heating|tap)\b|lights? (?:on|off)\b",
        r"(?:start|stop|run|empty) the (?:\w+ )?(?:washing machine|dishwasher|vacuum|hoover|robot|oven|dryer|coffee\w*|car|kettle)|set the (?:heating|thermostat|temperature|oven|ac)|make (?:me |us )?(?:an? |some )?(?:coffee|tea|sandwich|dinner|breakfast|lunch)|(?:hoover|vacuum|mop|cook|iron) (?:the|me|us|my|some)\b",
        r"(?:mache?|schalte?|drehe?|stelle?|fahre?|dimme?) (?:[\w-]+ ){0,5}(?:an|aus|auf|zu|hoch|runter|herunter|ein|heller|dunkler|lauter|leiser|warmer|kalter|ab|hoher|niedriger)\W*$|(?:licht|heizung|fernseher|tv|radio|musik|herd|ofen|lampe)\w* (?:an|aus|hoch|runter|lauter|leiser|einschalten|ausschalten|anmachen|ausmachen)\b"
        r"|.{0,60}\b(?:einschalten|ausschalten|anschalten|anmachen|ausmachen|hochdrehen|runterdrehen|aufsperren|abschliessen|hochfahren|runterfahren|aufmachen|zumachen|staubsaugen|putzen|kochen|aufraumen)\W*$|(?:offne|schliesse?|sperre?) (?:bitte |mal )?(?:die|das|den|alle) |koche? (?:mir|uns) |(?:mache?) (?:mir|uns) (?:[\w-]+ ){0,2}(?:kaffee|tee|essen|fruhstuck)",
        r"(?:allume|eteins|eteindre|eteigne)[rz]? |(?:baisse|monte|augmente|regle|coupe)[rz]? (?:un peu )?(?:le |la |les |l')(?:chauffage|son|volume|temperature|stores?|lumiere|volets?|clim\w*|radio|tele)|(?:ouvre|ferme|verrouille)[rz]? (?:la |le |les |l')(?:porte|portail|volets?|fenetres?|garage|stores?|rideaux?)|(?:lance|demarre)[rz]? (?:la |le |l')(?:machine|aspirateur|lave\w*|four|cafe\w*|robot)"
        r"|(?:mets|mettre) (?:le |la |l')(?:chauffage|lumiere|tele|clim\w*|radio|four)|(?:fais|faire|prepare[rz]?)[ -](?:moi |nous )?(?:du |un |le |la )(?:cafe|the|menage|vaisselle|diner|repas)",
        r"(?:enciende|encender|apaga|apagar|prende|prender) |(?:sube|subir|baja|bajar|ajusta|pon|poner) (?:un poco )?(?:la |el |las )(?:calefaccion|volumen|temperatura|persianas?|luz|luces|aire|tele|radio|lavadora|lavavajillas|horno)|(?:abre|abrir|cierra|cerrar) (?:la |el |las |los )(?:puertas?|ventanas?|persianas?|garaje|cortinas?|porton)|(?:haz|hazme|prepara|preparame|hacer(?:me)?) (?:un |el |la )?(?:cafe|te|cena|comida|desayuno)\b",
    ),
    "play": (
        r"play(?! ?(?:date|ground|group|dough|school|station|with|dates|off|at)\b) \w|sing(?:ing)? |put (?:on )?(?:some |a )?(?:music|song|playlist|tunes)|(?:tell|give) (?:me|us) (?:a|an|another|one more|some|your best) (?:\w+ )?(?:jokes?|story|stories|riddle|poem|fun fact)|know any (?:\w+ )?jokes|make me laugh|read (?:me|us) (?:a|the) (?:\w+ )?(?:story|book|poem)|(?:draw|paint) |show me (?:an? |some )?(?:picture|photo|video|film)s? of|write (?:me )?(?:a|an) (?:poem|song|story|essay)|let'?s play",
        r"spiele? (?:\w+ )?(?:mir|uns|etwas|was|musik|mal|bitte|die|das|den|ein\w*|von|meine)\b|singe? |erzahle? (?:mir |uns |mal |bitte |doch )*(?:[a-z]+ )?(?:[a-z]+ )?(?:witz\w*|geschichte\w*|marchen|ratsel)|(?:mach|leg)e? (?:\w+ )?musik|lies (?:mir|uns) .*vor|zeige? mir (?:ein )?(?:bild|foto|video)|(?:male?|zeichne?) mir|.{0,60}\b(?:musik|lied|song|witz|geschichte|gedicht)\w* (?:\w+ )?(?:spielen|abspielen|erzahlen|singen|vorlesen|anmachen|schreiben)\b|bring mich zum lachen|kennst du (?:einen |nen )?(?:guten )?witz",
        r"joue[rz]? |chante[rz]?[ -]|raconte[rz]?(?:[- ](?:moi|nous))? (?:une?|la|des) (?:[a-z]+ )?(?:blague|histoire|conte|devinette)s?|(?:mets|mettre|lance[rz]?|passe[rz]?)(?:[- ](?:moi|nous))? (?:de la |la |une |un peu de |du )?(?:musique|chanson|playlist|son|jazz|rock)|lis[- ]moi|dessine|fais[- ]moi rire|t'as une blague|tu connais une blague",
        r"(?:pon|poner|ponme|ponnos|ponerme|reproduce|reproducir) (?:[a-z]+ ){0,3}(?:musica|cancion|canciones|playlist|lista de reproduccion)|canta(?:r|me)? |toca (?:una|algo)|cuent(?:a|ame|anos)|contar(?:me|nos)? (?:un|otro|una)|lee(?:me|nos) |dibuja|hazme reir|sabes algun chiste",
    ),
    "look_up": (
        r"(?:do|finish|write) (?:me )?my (?:\w+ )?(?:homework|essay|assignment)|mache? (?:mir )?(?:meine )?hausaufgaben|fais (?:mes|les) devoirs|haz(?:me)? (?:mis|los) deberes|what'?s a good |how long (?:do|does|should) (?:you|i|it|we|an?|the)(?: \w+)? (?:boil|cook|bake|fry|steam|defrost)\b|wie lange (?:kocht|backt|brat|gart) |(?:donne|file)[rz]?(?:[- ](?:moi|nous))? (?:une|la|ta) recette|(?:dame|pasame) (?:una |la )?receta|(?:gib mir|hast du) (?:ein |das )?rezept\b|give me a recipe|c'est ouvert |esta abiert[oa] (?:el|la|los|las) ",
        r"google |search (?:the|for|online|google|up|me|on)\b|look up (?!my\b|our\b)|look .{1,60} up\b|translate |calculate |convert |spell |(?:find|recommend|suggest) (?:me |us )?(?:an? |some |the (?:nearest|best|cheapest)|good |cheap )|(?:define|explain) ",
        r"\d[\d.,]* ?(?:(?:%|percent) of|times|plus|minus|x|\*|divided by|multiplied by|\+|\^) ?\d[\d.,]*\W*$",
        r"(?:what'?s|what is|whats|how much is) \d|how (?:do|would|can) (?:you|i|we|u) (?:say|spell|pronounce|cook|make|bake|boil|remove|get rid|fix|get to|clean|write)\b|what(?:'?s| is| are|s| does) .{1,60}\b(?:in (?:german|french|spanish|english|dutch|italian|polish|latin|flemish|portuguese|turkish|arabic)|mean|stand for)\W*$|what time is it\b|what(?:'?s|s| is) the (?:time|capital|population|score|exchange rate|price of|distance|meaning|recipe|news|date of easter)",
        r"who(?:'?s| is| was|s) (?:the |currently |now |actually )*(?:current )?(?:president|prime minister|king|queen|pope|chancellor|ceo|mayor|inventor|best)\b|who (?:won|wins|is winning|invented|wrote|discovered|painted|sings|sang|scored|plays)\b|(?:what(?:'?s|s| is)|how(?:'?s| is)) (?:the )?(?:bitcoin|btc|stock|dollar|euro|dow|ethereum)\b|how (?:many .{1,40} (?:are (?:there )?in|in) an?|far is (?:it )?(?:to|from|the)|tall is the|old is the|high is the|deep is the)|did .{1,30} win\W*$|what(?:'?s|s| is) on (?:tv|telly|netflix|at the cinema)|what(?:'?s|s| is) (?:playing|showing)|is there life|why is the sky",
        r"google|googel\w* |googl|suche? (?:mir|uns|im|nach|bitte|mal|eine?n?|das|die|den) |finde? (?:mir |uns |bitte |mal )*(?:heraus|raus|eine?n? |den |das |die )|ubersetze? |rechne |berechne |(?:empfiehl|erklar\w*|definiere?|buchstabiere?) |was (?:heisst|heißt|bedeutet) |wie (?:heisst(?! (?:der|die|das|mein\w*|unser\w*|ihr\w*|sein\w*|noch|nochmal|doch)\b)|sagt man|schreibt man|macht man|kocht man|backt man|bekommt man|komme ich)\b|was ist \d|wie ?viel\w* (?:ist|sind|macht|sind es)? ?\d|\d+ ?(?:mal|plus|minus|geteilt durch|prozent von|% von) ?\d[\d.,]*\W*$",
        r"wer (?:ist|war|wird)(?: (?:eigentlich|gerade|der|die|denn|jetzt|momentan|aktuell))* (?:\w*kanzler\w*|\w*prasident\w*|konig\w*|papst|\w*minister\w*|trainer|burgermeister\w*)|wer hat .{1,60}(?:gewonnen|erfunden|geschrieben|entdeckt|gespielt)|wie hat .{1,40} gespielt|(?:was|wie) (?:ist|heisst|heißt) die hauptstadt|wie spat (?:ist|haben)|wieviel uhr|wie viel uhr|was (?:kommt|lauft) (?:heute |gerade |denn )*(?:im (?:tv|fernsehen|kino)|auf)|wie (?:weit ist es|hoch ist der|alt ist der|steht (?:der|es))|(?:wie steht|was macht) (?:der )?(?:bitcoin|dax|euro|dollar)|.{0,60}\b(?:ubersetzen|googeln|nachschlagen|nachschauen|ausrechnen|heraussuchen|raussuchen|recherchieren|empfehlen)\W*$",
        r"cherche[rz]?(?:[- ](?:moi|nous))? |google|trouve[rz]?(?:[- ](?:moi|nous))? (?:une?|le|la|les|des) |tradui(?:s|re|sez)\b|calcule[rz]? |combien (?:font|fait|ca fait) \d|comment (?:on dit|dit-on|se dit|ca se dit|on ecrit|faire (?:cuire|une?|des|du))|(?:que|qu'est-ce que|ca) (?:veut dire|signifie)|(?:c'est quoi|quelle? est|quel est) (?:la capitale|le president|la traduction|la population|la distance|le sens|la recette|l'heure|le cours|le score|le prix de)|qui (?:est|etait) (?:le |la |l'|actuellement )*(?:president\w*|roi|reine|pape|premier ministre|maire|inventeur)|qui a (?:gagne|invente|ecrit|decouvert|marque|peint)|quelle heure (?:est-il|il est)|il est quelle heure|(?:recommande|conseille|explique)[rz]?[- ]|qu'est-ce qu'il y a (?:a la tele|au cine)|quel est le score|\d+ ?(?:fois|plus|moins|divise par|% de) ?\d[\d.,]*\W*$",
        r"busca(?:r|me|nos|rme)? |goog?lea|traduc(?:e|ir|elo|eme|irme|ir(?:lo)?)\b|calcula(?:r|me)? |cuanto (?:es|son|hacen) \d|como (?:se dice|se escribe|se hace|se cocina|digo|puedo cocinar)|que (?:significa|quiere decir)|quien (?:es|era|fue) (?:el|la|ahora|actualmente) ?(?:el |la )?(?:actual )?(?:president\w*|rey|reina|papa|primer ministro|alcalde|entrenador)|quien (?:gano|ha ganado|gana|invento|escribio|descubrio|marco|canta)|(?:cual es|que es) la capital|capital de|que hora es|(?:recomiend|explic|encuentr)(?:a|ame|anos|ar|arme)|que (?:ponen|echan|dan) (?:hoy )?en (?:la tele|el cine)|a cuanto esta (?:el )?(?:bitcoin|dolar|euro)|como (?:quedo|va) el (?:partido|marcador)|\d+ ?(?:por|mas|menos|entre|% de) ?\d[\d.,]*\W*$",
    ),
}
