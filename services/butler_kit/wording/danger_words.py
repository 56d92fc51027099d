# ruff: noqa: E501 - patterns and word lists stay on one line
"""What people write if somebody is in danger, by kind and language, folded (pure).

A pattern is a way to say it, never one sentence: `_near(a, b)` allows a few words between its two halves.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from butler_contracts.language import Language

__all__ = ["SIGNS", "Danger"]


class Danger(StrEnum):
    """The possible dangers; of several, the first listed is answered."""

    LIFE = "life"
    FIRE = "fire"
    GAS = "gas"
    POISON = "poison"
    VIOLENCE = "violence"
    DESPAIR = "despair"


def _near(first: str, second: str, most: int = 4) -> str:
    return rf"(?:{first})[ ,]+(?:[\w'-]+[ ,]+){{0,{most}}}?(?:{second})"


_EN_NOT: Final = r"(?:not|does not|isn'?t|won'?t|doesn'?t|can'?t|cannot|couldn'?t|can not|stopped|never)"
_EN_POISON: Final = r"batter(?:y|ies)|bleach|poison|detergent|cleaner|disinfectant|antifreeze|petrol|weed ?killer|magnets?|white spirit|drain \w+|dishwasher \w+|washing (?:liquid|powder)|laundry pods?|nail polish \w+|rat poison"
_EN_PILLS: Final = r"pills|tablets|painkillers|sleeping pills|paracetamol|ibuprofen|medication|medicine|meds"
_EN_KIN: Final = (
    r"husband|wife|partner|boyfriend|girlfriend|ex|dad|father|mum|mom|mother|step\w+|brother|son|he|she"
)
_EN_PLACES: Final = r"house|kitchen|flat|apartment|building|roof|attic|cellar|basement|garage|car|oven|toaster|curtains?|bed|sofa|tree|pan|room|bin|everything|something|neighbou?rs?(?:'s?)?"
_EN: Final[Mapping[Danger, tuple[str, ...]]] = {
    Danger.LIFE: (
        r"unconscious|unresponsive|passed out|fainted|collapsed|lifeless|out cold|lost consciousness",
        rf"{_EN_NOT} (?:\w+ )?(?:wak(?:e|ing)(?: \w+)? up(?! (?:before|early|at|on time|until|till|in the))|wak(?:e|ing)\W*$|responding(?! to)|react(?:ing)?(?! to)|moving(?! (?:in|out|house|on|to|there|until|til))|com(?:e|ing) round)",
        r"(?:can'?t|cannot|couldn'?t) wake (?:him|her|them|my|the|[a-z]+ up)",
        r"(?:not|stopped|isn'?t|barely|hardly|no longer) breath\w*",
        r"(?:can'?t|cannot|can not|can hardly|can barely|struggling to|struggles to|unable to) (?:breathe?(?! (?:thru|through|in here|out my))|get (?:any |enough )?(?:air|breath))",
        r"(?:difficulty|trouble|problems?) (?:with )?breathing|gasping for (?:air|breath)|no pulse|short of breath",
        r"(?:turn(?:ing|ed)|going|gone|went) blue(?! (?:about|with envy))|(?:lips|face) (?:are|is) (?:turning )?blue|blue lips",
        r"chok(?:ing|ed)(?! up)",
        r"chest pains?|chest (?:\w+ ){0,2}(?:hurts?|feels|is (?:really |so |very )?tight|tightness|pressure)",
        _near(
            r"pains?|pressure|tightness|heaviness|squeezing|crushing|stabbing|weight",
            r"(?:in|on|across|around) (?:(?:my|his|her|the|'s) )?chest",
        ),
        r"heart attack|cardiac arrest|heart (?:has )?stopped(?! being)",
        r"(?<!back)(?<!breast)(?<!brush)(?<!swimming )(?<!breast )(?<!brush )(?<!back )(?<!key)(?<!two-)(?<!his )(?<!her )(?<!the )(?<!'s )(?<!first )(?<!after a )(?<!last )stroke(?! of\b| the\b| my\b)",
        r"(?:face|mouth) (?:is |has |just )*(?:droop\w*|dropp(?:ed|ing)|lopsided|numb|fallen)|(?:drooping|lopsided) (?:face|mouth)|slurr(?:ed|ing)|slurs",
        rf"{_EN_NOT} (?:move|lift|feel|raise) (?:(?:my|the) (?:left|right)|(?:his|her)(?: left| right)?|one) (?:arm|leg|side|face|hand)",
        r"(?:left|right|one) (?:arm|leg|side) (?:(?:of|his|her|my|face|body|the) )*(?:is|went|has gone|feels) (?:numb|weak|paraly[sz]ed)",
        r"bleed(?:ing|s)? (?:heavily|badly|out|everywhere|to death|a lot|so much|really badly)|severe bleeding|bleeding (?:\w+ )?(?:won'?t|doesn'?t|will not|can'?t) stop",
        r"(?:won'?t|doesn'?t|can'?t|can not|not) stop (?:the )?bleeding|blood (?:everywhere|(?:\w+ )?(?:won'?t|doesn'?t|will not) stop|(?:is |was )?(?:pouring|gushing|spurting|pumping)\w*)|los(?:t|ing) (?:a lot of|so much|too much|lots of) blood",
        r"seizures?|convuls\w+|having a fit|anaphyla\w+|(?:throat|tongue) (?:is )?(?:swelling|closing|swollen shut)",
        r"(?:lips?|face|mouth) (?:is |are |has |have )?(?:\w+ )?(?:swelling|swollen|swelled|puffing)\b[^.!?]{0,40}\b(?:wheez\w+|breath\w*|throat|hives)|wheez\w+[^.!?]{0,40}\b(?:lips?|face|mouth) [^.!?]{0,15}(?:swell|swollen)\w*",
        r"drowning(?! in (?:work|paper|mail|debt|laundry))|drowned|electrocuted|electric shock|(?:my|her) waters? (?:just |has )?brok(?:e|en)",
        r"(?:call|send|need|get|fetch) (?:me |us |for )?(?:an? |the )?(?:ambulance|911|999|112|fire brigade|fire department|paramedics?|firemen)",
    ),
    Danger.FIRE: (
        rf"(?:{_EN_PLACES})(?:'s| is| are| has| just| caught)*(?: on| caught) fire|(?:house|kitchen|flat|building|garage|roof) is burning(?! up)",
        r"there(?:'?s| is) (?:a |been a )?(?:\w+ )?fire(?! (?:drill|alarm|place|work|station|escape|exit|door|pit|engine))\b|^\W*fire\W*$|fire in the (?:kitchen|house|flat|building|attic|cellar|basement|garage|bin|oven|stair\w+|hallway)",
        r"smoke (?:is |was |keeps )?(?:com(?:es|ing)|pouring|everywhere|filling|rising|billowing)|(?:full of|so much|lots of) smoke",
    ),
    Danger.GAS: (
        _near(
            r"smell(?:s|ing|ed)?|stinks?|stinking|reeks?|whiff",
            r"(?:of |like )?gas(?! (?:station|bill|grill|pump))\b",
            3,
        ),
        r"gas (?:is )?leak(?:ing|s)?(?! (?:test|check|sensor))|leaking gas|carbon monoxide (?:alarm|poison\w*)",
    ),
    Danger.POISON: (
        _near(r"swallow(?:ed|ing)?|drank|drunk|drinking|ingested|ate|eaten", _EN_POISON),
        rf"(?:swallowed|took|taken|eaten|ate|had) (?:a|the) (?:whole|entire|full) (?:box|bottle|pack(?:et|age)?|strip) of (?:\w+ )?(?:{_EN_PILLS})",
        rf"(?:swallowed|took|taken|ate|eaten|had) (?:all|(?:way |far )?too (?:many|much)|loads|a (?:lot|handful)|lots) (?:of )?(?:(?:the|my|his|her|your) )?(?:\w+ )?(?:{_EN_PILLS})",
        r"overdos\w+|poisoned|swallowed (?:a )?(?:button|coin|nail|pin)\b",
    ),
    Danger.VIOLENCE: (
        rf"\b(?:{_EN_KIN}) (?:(?:just|has|is|keeps?|also|always|often|again|sometimes) ){{0,2}}(?:hits?|hitting|beats?|beating|beat up|punche[sd]|punching|slap(?:s|ped)|kick(?:s|ed)|strangle[sd]|choke[sd]|attack(?:s|ed)|threaten(?:s|ed)|abuse[sd]|hurts?|hurting) (?:me|us|my (?:mum|mom|mother|sister|brother|kids|children)|the kids|the children)\b(?! (?:at|in|on|to|with|up|by|back)\b)",
        r"(?:afraid|scared|terrified|frightened) (?:of my (?:husband|wife|partner|boyfriend|girlfriend|father|dad|mother|ex)|to go home|he'?ll (?:hit|hurt|kill))",
        r"raped|sexually (?:assaulted|abused)|molested|domestic (?:violence|abuse)|(?:going|threatened) to (?:kill|hurt) (?:me|us)",
        r"(?:burglars?|intruders?|someone|somebody)(?:'s| is| are) (?:breaking in|in (?:the|my|our) house|trying to (?:get|break) in)",
    ),
    Danger.DESPAIR: (
        r"suicid\w+|kill(?:ing)? (?:myself|himself|herself)(?! laughing)|end(?:ing)? (?:my|his|her) (?:own )?life|end it all|take my (?:own )?life",
        r"(?:want|wants|wanna|like|ready) to die(?! (?:of|from|for|laughing))|wish i (?:was|were) (?:dead|never born)|rather be dead|better off dead",
        r"(?:do not|don'?t|didn'?t) (?:want to|wanna) (?:be here any ?more|be alive|exist|wake up (?:any ?more|again|tomorrow)|live(?: any ?more)?(?! (?:in|at|with|on|near|here|there|next|so|like|together)\b))",
        r"(?:better|easier) (?:off )?(?:for (?:everyone|everybody|all|them) )?(?:without me|if i (?:was|were|wasn'?t|weren'?t|was not|were not|am not|didn'?t|did not) (?:not )?(?:here|around|alive|dead|gone|exist))",
        r"(?:no|not any|don'?t see (?:a|any)|what'?s the) (?:point|reason|sense) (?:in |to |of )?(?:liv(?:e|ing)|going on|go on|being alive|life)\b",
        r"can(?:'?t|not) go on (?:any ?more|like this|living)|life (?:isn'?t|is not|is no longer) worth|(?:nobody|no one|noone) would miss me",
        r"self[- ]?harm\w*|(?:harm(?:ing)?|cutting|hurting) (?:myself|herself|himself)|(?:want|going|urge|need) to (?:hurt|cut|harm) (?:myself|herself|himself)",
    ),
}

_DE_POISON: Final = r"\w{0,10}(?:batterien?|knopfzellen?|magnete?|reiniger|spulmittel|waschmittel|putzmittel|bleiche|gift|frostschutz\w*|benzin|entkalker|munzen?|murmeln?|chlor\w*|spiritus|nagellack\w*)"
_DE_PILLS: Final = r"\w{0,14}(?:tabletten|pillen|medikamente|schlafmittel)"
_DE_KIN: Final = (
    r"mann|freund|freundin|frau|partner|partnerin|ex|vater|papa|mutter|mama|stiefvater|bruder|sohn|er|sie"
)
_DE_PLACES: Final = r"haus|kuche|wohnung|dach|auto|keller|ofen|herd|toaster|garage|zimmer|pfanne|vorhang|mulltonne|sofa|bett|alles"
_DE: Final[Mapping[Danger, tuple[str, ...]]] = {
    Danger.LIFE: (
        r"bewusstlos\w*|ohnmachtig|(?:nicht|kaum) (?:mehr |noch )?ansprechbar|umgekippt|zusammengebrochen|leblos|kollabiert",
        r"(?:wacht|wird) (?:\w+ )?nicht (?:mehr )?(?:auf|wach)|kommt nicht (?:mehr )?zu sich|(?:reagiert|ruhrt sich|bewegt sich) (?:\w+ ){0,2}nicht(?! auf)|nicht wach (?:zu )?(?:kriegen|bekommen)",
        r"atme[tn]? (?:\w+ ){0,2}(?:nicht|kaum|schwer|schlecht|komisch|seltsam|flach)|(?:nicht|kaum|schwer) (?:mehr )?atmen|atemnot|hort auf zu atmen",
        r"(?:bekomm|krieg)\w* (?:\w+ ){0,2}(?:keine|kaum|schlecht|schwer|zu wenig) luft|keine luft(?! (?:im|in den) )|luft (?:bleibt|weg)|schnappt nach luft",
        r"kein(?:en)? puls|(?:lauft|wird|ist) (?:\w+ ){0,2}blau (?:an)?(?=\W|$)(?! (?:und|machen|vom))|blau angelaufen|blaue lippen",
        r"erstick(?:t|e|en)|am ersticken|(?:nuss|bissen|bonbon|essen|apfel\w*|wurst\w*|traube) (?:\w+ ){0,3}im hals",
        r"brustschmerz\w*|schmerz\w* (?:\w+ ){0,2}in der brust|(?:druck|enge|stechen|brennen|ziehen) (?:\w+ ){0,2}(?:auf|in) der brust|brust (?:\w+ ){0,2}(?:tut (?:\w+ )?weh|schmerzt|druckt|sticht)|brustenge",
        r"herzinfarkt|herzanfall|herzattacke|herzstillstand|schlaganfall",
        r"mundwinkel|gesicht (?:\w+ ){0,3}(?:hangt|gelahmt|schief)|halbseitig\w*|gelahmt|lallt|(?:arm|bein|seite) (?:\w+ ){0,2}(?:taub|nicht (?:mehr )?(?:heben|bewegen|spuren))|redet (?:\w+ )?wirr",
        r"blutet (?:\w+ ){0,2}(?:stark|heftig|wie|uberall|nicht auf|so|sehr|ohne)|starke blutung|hort nicht auf zu bluten|(?:blutung|blut|bluten) (?:\w+ ){0,2}(?:stoppt|hort|aufhor\w+|uberall|nicht)|(?:viel|alles voll|alles voller|uberall) blut(?! abgenommen)\b|verblutet",
        r"krampfanfall|krampft|epileptisch\w* anfall|anaphyla\w+|allergische(?:r|n)? schock|(?:zunge|hals|rachen) (?:\w+ ){0,2}(?:schwillt|geschwollen zu)",
        r"(?:lippen?|gesicht|mund) (?:\w+ ){0,2}(?:schwillt|schwellen|geschwollen|dick)\b[^.!?]{0,40}\b(?:luft|atmet|atem\w*|pfeift|rochelt)",
        r"ertrinkt|ertrunken|stromschlag|fruchtblase (?:\w+ )?geplatzt",
        r"(?:ruf\w*|hol\w*|brauch\w*|schick\w*|alarmier\w*) (?:\w+ ){0,3}(?:krankenwagen|rettungswagen|notarzt|rettung|feuerwehr|sanitater|112|144)|zu hilfe",
    ),
    Danger.FIRE: (
        rf"(?:es|hier) brennt(?! (?:noch )?(?:licht|in den augen|auf der haut|nichts?|kein|beim))|(?:{_DE_PLACES}) (?:\w+ ){{0,2}}brennt(?! nichts)|brennt (?:die|das|der|unser\w*|mein\w*) (?:{_DE_PLACES})",
        r"^\W*feuer\W*$|(?:feuer|brand) (?:im|in der|in unser\w*|auf dem|ausgebrochen)|(?:steht|stehen) (?:\w+ )?in flammen|in brand geraten|hausbrand|wohnungsbrand",
        r"(?:rauch|qualm) (?:kommt|dringt|steigt|quillt|im|in|aus|uberall)|es qualmt|alles voller? (?:rauch|qualm)|verraucht",
    ),
    Danger.GAS: (
        r"(?:riecht|riechts|stinkt|stinkts|gerochen)(?:'s)? (?:[\w-]+ ){0,4}nach gas\b|gasgeruch|gasleck|gas (?:tritt|stromt) aus|nach gas (?:riecht|stinkt)|kohlenmonoxid",
    ),
    Danger.POISON: (
        rf"(?:{_DE_POISON}) (?:\w+ ){{0,2}}(?:verschluckt|geschluckt|getrunken|gegessen|runtergeschluckt)|(?:verschluckt|schluckt|trinkt|trank) (?:\w+ ){{0,3}}(?:{_DE_POISON})",
        rf"(?:ganze|komplette|alle|zu viele?|viel zu viele?) (?:(?:packung|schachtel|seine|ihre|meine|die) )?(?:{_DE_PILLS})",
        r"uberdosis|uberdosiert|vergiftet|vergiftung(?!szentrale)",
    ),
    Danger.VIOLENCE: (
        rf"\b(?:{_DE_KIN}) (?:\w+ )?(?:schlagt|schlug|verprugelt|wurgt|tritt|bedroht|misshandelt) (?:\w+ )?(?:mich|uns|die kinder|mein\w+ (?:mutter|mama|kinder|schwester))(?! (?:im|in|beim|am|vor|auf)\b)",
        r"(?:hat|haben) (?:mich|uns) (?:\w+ ){0,2}(?:geschlagen|verprugelt|gewurgt|vergewaltigt|missbraucht|bedroht|misshandelt)|werde (?:\w+ ){0,2}(?:geschlagen|misshandelt|bedroht)|vergewaltigt",
        r"angst (?:\w+ ){0,2}(?:vor (?:meine[mr]|ihm) (?:mann|freund|frau|partner|vater|ex)\b|nach hause)|hausliche gewalt",
        r"einbrecher|(?:jemand|wer) (?:\w+ )?(?:bricht|versucht) (?:\w+ )?(?:ein|einzubrechen)",
    ),
    Danger.DESPAIR: (
        r"selbstmord\w*|suizid\w*|lebensmude|(?:mich|sich|mir) (?:\w+ ){0,3}(?:umbringen|umzubringen|das leben nehmen|(?:et)?was antun|weh tun)|bringe? mich um",
        r"(?:will|mocht\w*|mag|wollte) (?:\w+ ){0,3}nicht mehr (?:leben|weiterleben|da sein|hier sein|aufwachen|sein)|nicht mehr (?:leben|weiterleben|da sein|aufwachen) (?:will|mocht\w*|mag|wollen)",
        r"(?:will|mocht\w*|wollte) (?:\w+ ){0,2}sterben\b|sterben (?:will|mocht\w*)|ware (?:\w+ ){0,2}tot|tot ware",
        r"besser (?:\w+ ){0,4}(?:ohne mich|wenn (?:es mich|ich) (?:\w+ ){0,2}(?:nicht|tot|weg))|wenn es mich nicht (?:mehr )?(?:gabe|gibt)",
        r"(?:leben|weiterleben|weitermachen) (?:\w+ ){0,3}(?:keinen sinn|sinnlos)|keinen sinn mehr (?:im|zu|am) leben|ritze mich|mich (?:\w+ )?(?:ritzen|geritzt)|selbst ?verletz\w*",
    ),
}

_FR_POISON: Final = r"piles?|javel|lessive|detergent|produit\w*|poison|desherbant|aimants?|billes?|pieces?|white[- ]spirit|essence|antigel|deboucheur|liquide vaisselle|pastille de lave\w*|mort[- ]aux[- ]rats"
_FR_PILLS: Final = r"comprimes|cachets|medicaments|somniferes|medocs|pilules"
_FR_KIN: Final = (
    r"mari|copain|conjoint|compagnon|mec|femme|copine|pere|mere|beau-pere|frere|ex|papa|maman|il|elle"
)
_FR_PLACES: Final = r"maison|cuisine|appart\w*|immeuble|toit|voiture|cave|garage|four|grille-pain|chambre|rideaux?|poubelle|poele"
_FR: Final[Mapping[Danger, tuple[str, ...]]] = {
    Danger.LIFE: (
        r"inconscient\w*|evanoui\w*|perdu connaissance|tombee? dans les pommes|inanimee?|sans connaissance",
        r"(?:reagit|bouge) (?:plus|pas)|tomb\w+ (?:[\w']+ ){0,5}repond (?:plus|pas)|se reveille (?:plus|pas)|(?:arrive|peux|peut) (?:plus|pas) a (?:le|la) reveiller",
        r"respir\w+ (?:\w+ )?(?:plus|pas|mal|a peine|difficilement|bizarrement)|(?:arrive|peux|peut|arrives?) (?:plus|pas|a peine) (?:a )?(?:bien )?respirer|mal a respirer",
        r"(?:devient|deviens|est) (?:tout |toute )?bleue?(?=\W*$| et| du)|levres bleues|pas de pouls|plus de pouls",
        r"s'etouffe\w*|etouffe (?:avec|sur)|en train de s'etouffer|s'etrangle|fausse route",
        r"(?:douleurs?|mal|oppression|pression|serrement|poids|brulure) (?:[\w']+ ){0,4}(?:a|dans|sur|de) la poitrine|poitrine (?:\w+ ){0,2}(?:serre|fait mal|oppressee)",
        r"crise cardiaque|infarctus|arret cardiaque|\bavc\b|attaque cerebrale|coeur (?:s'est )?arrete|fait un malaise",
        r"(?:visage|bouche) (?:\w+ ){0,3}(?:paralysee?|de travers|tombe|tordue?|deformee?)|(?:bras|jambe|cote) (?:\w+ ){0,2}(?:paralysee?|engourdie?|qui ne bouge)|parle (?:\w+ )?bizarrement|arrive (?:plus|pas) a (?:parler|lever le bras|bouger (?:le|la|son|sa))",
        r"saign\w+ (?:\w+ )?(?:beaucoup|enormement|fort|abondamment|sans arret)|(?:arrete|arret|s'arrete) (?:pas|plus) de saigner|(?:plein de|couvert de|pisse le|perd (?:beaucoup|trop) de) sang|sang partout|hemorragie",
        r"convuls\w+|crise d'epilepsie|choc (?:allergique|anaphylactique)|oedeme de quincke|(?:levres?|visage) (?:\w+ ){0,3}gonfle\w*[^.!?]{0,40}(?:respir|siffl)\w*|(?:gorge|langue) (?:\w+ ){0,2}gonfle",
        r"se noie|noyade|electrocutee?|perdu les eaux",
        r"(?:appell\w+|faut|besoin d'|envoi\w+|vite) (?:[\w']+ ){0,3}(?:ambulance|samu|pompiers|le 15|le 18|le 112|secours)|besoin d'une ambulance|au secours|a l'aide\W*!",
    ),
    Danger.FIRE: (
        rf"y a le feu|il y a le feu|^\W*au feu\W*$|le feu (?:a pris|dans|au|chez)|(?:prend|pris|prit|est en|en) feu(?! (?:rouge|vert|de|d'))\b|en flammes|(?:{_FR_PLACES}) (?:\w+ )?brule",
        r"(?<!assurance )(?<!assurance-)(?<!alarme )(?<!contre l')(?<!securite )(?<!porte )(?<!exercice )incendie(?! (?:assurance|alarme))|fumee (?:qui )?(?:sort|monte|partout|dans|noire|envahit)|plein de fumee",
    ),
    Danger.GAS: (
        r"(?:sent|sentait|pue|odeur|fuite) (?:[\w']+ ){0,3}(?:le |de |du )?gaz\b|monoxyde de carbone",
    ),
    Danger.POISON: (
        _near(r"aval(?:e|ee|er)|bu|bois|mange|ingere", _FR_POISON),
        rf"aval\w+ toute (?:une|la|ma|sa) (?:boite|plaquette) de (?:{_FR_PILLS})|(?:pris|prend|avale|avalee) (?:beaucoup )?(?:trop de|tous (?:mes|ses|les)|plein de) (?:{_FR_PILLS})",
        r"surdose|overdose|empoisonn\w+|intoxiqu\w+",
    ),
    Danger.VIOLENCE: (
        rf"\b(?:{_FR_KIN}) (?:\w+ )?(?:(?:me|nous) (?:\w+ )?(?:frappe|tape|bat|cogne|etrangle|menace|viole|tabasse)|m'a (?:\w+ )?(?:frappee?|tapee?|battue?|etranglee?|violee?|menacee?|agressee?|tabassee?))(?! (?:aux?|a la|sur|dans|a l'epaule)\b)",
        r"peur (?:de (?:mon (?:mari|copain|pere|conjoint|ex|mec)|rentrer)|qu'il me)|violences? conjugales?|(?:ete|suis) (?:violee?|battue|agressee?)",
        r"cambrioleurs?|quelqu'un (?:\w+ ){0,3}(?:entrer chez|defonce|force la porte)",
    ),
    Danger.DESPAIR: (
        r"suicid\w+|me tuer|me foutre en l'air|en finir(?! avec (?:ce|cette|ces|le|les|mon|ma|mes|l'|la (?!vie))(?!\s*vie))|mettre fin a (?:mes|ses) jours",
        r"(?:veu[xt]|envie de|voudrais|prefere) (?:\w+ )?mourir(?! de)|(?:plus|pas|aucune) (?:du tout )?envie de (?:vivre|continuer a vivre|me reveiller|me lever le matin)|veu[xt] (?:plus|pas) (?:vivre|etre la|me reveiller)",
        r"mieux (?:[\w']+ ){0,4}(?:sans moi|si je (?:n'etais|n'existais|etais) (?:plus|pas|mort\w*))|aimerais etre morte?|(?:vie|vivre) (?:\w+ ){0,2}(?:plus de sens|ne vaut|pas la peine)|a quoi bon (?:vivre|continuer a vivre)",
        r"me (?:faire du mal|scarifie\w*|mutile\w*)|me couper les veines",
    ),
}

_ES_POISON: Final = r"pilas?|lejia|detergente|veneno|imanes|iman|monedas?|desatascador|amoniaco|gasolina|producto\w*|matarratas|canicas?|anticongelante|lavavajillas|quitaesmalte|insecticida"
_ES_PILLS: Final = r"pastillas|medicamentos|somniferos|comprimidos|medicinas"
_ES_KIN: Final = r"marido|novio|novia|pareja|mujer|padre|madre|padrastro|hermano|ex|papa|mama|el|ella"
_ES_PLACES: Final = (
    r"casa|cocina|piso|coche|tejado|garaje|sotano|horno|tostadora|edificio|habitacion|cortinas?|sarten"
)
_ES: Final[Mapping[Danger, tuple[str, ...]]] = {
    Danger.LIFE: (
        r"inconsciente?s?|desmay\w+|perdido (?:el conocimiento|la conciencia)|perdio el conocimiento|sin conocimiento|desplom\w+",
        r"no (?:se )?(?:reacciona|despierta|mueve nada)|(?:cai\w*|cayo) (?:\w+ ){0,5}no (?:responde|se mueve|contesta)|no (?:puedo|logro|consigo) despertar\w*",
        r"no (?:\w+ )?(?:respira|puede respirar|puedo respirar)|(?:respira|respirando) (?:\w+ )?(?:mal|raro|con dificultad|apenas)|apenas respira|cuesta (?:\w+ )?respirar|falta el aire|dejado de respirar",
        r"(?:pon\w+|esta|quedando) (?:\w+ )?(?:azul|morad[oa])(?=\W*$| y)|labios (?:azules|morados)|sin pulso|no tiene pulso",
        r"(?:se|me) (?:\w+ )?(?:ahoga|ahogo|ahogando|atragant\w+|asfixi\w+)|esta ahogando(?:se)?|ahogandose|atragant\w+|asfixi\w+",
        r"(?:duele\w*|dolor(?:es)?|presion|opresion|pinchazos?|aprieta) (?:\w+ ){0,4}(?:el |en el |de )?pecho|infarto|ataque al corazon|paro cardiaco",
        r"\bictus\b|derrame(?: cerebral)?|embolia|(?:cara|boca) (?:\w+ ){0,2}(?:torcida|caida|paralizada)|no (?:puede|puedo) (?:mover|levantar|hablar bien|sentir)|(?:brazo|pierna|lado) (?:\w+ ){0,2}(?:dormid[oa]|paralizad[oa])|habla (?:\w+ )?raro",
        r"sangra\w* (?:\w+ )?(?:much\w+|sin parar)|no (?:\w+ )?(?:para|deja|parar) de sangrar|(?:much[ai]s?ima|mucha|tanta) sangre|sangre por todas partes|desangr\w+|hemorragia",
        r"convuls\w+|ataque epileptico|(?:shock|choque|reaccion) (?:anafilactic[oa]|alergic[oa] grave)|(?:labios?|cara) (?:\w+ ){0,3}hincha\w*[^.!?]{0,40}(?:respira|pita|ahoga)\w*|(?:garganta|lengua) (?:\w+ ){0,3}hincha\w*|electrocut\w+|roto aguas",
        r"(?:llam\w+|necesit\w+|manda\w*|pide) (?:\w+ ){0,3}(?:ambulancia|al? 112|bomberos|emergencias)|socorro|auxilio(?! en)",
    ),
    Danger.FIRE: (
        rf"(?<!seguro de )(?<!contra )(?<!alarma de )(?<!simulacro de )incendio(?! forestal en la tele)|hay (?:\w+ )?fuego|^\W*fuego\W*$|fuego en (?:la|el) (?:{_ES_PLACES})|en llamas|(?:{_ES_PLACES}) (?:\w+ )?(?:arde|ardiendo|quema\w*)|se (?:esta )?quema\w* (?:la|el) (?:{_ES_PLACES})",
        r"sal(?:e|iendo) (?:\w+ )?humo|humo (?:\w+ ){0,2}(?:sale|por todas partes|saliendo)|lleno de humo",
    ),
    Danger.GAS: (
        r"huele (?:\w+ ){0,3}a gas\b|olor (?:\w+ )?a gas|(?:fuga|escape) de gas|monoxido de carbono",
    ),
    Danger.POISON: (
        _near(r"trag\w+|bebi\w+|ingeri\w+|comid\w+", _ES_POISON),
        rf"(?:toda (?:una|la) caja|una caja entera|un bote entero) de (?:{_ES_PILLS})|(?:tom\w+|trag\w+) (?:\w+ ){{0,2}}(?:demasiad[oa]s|tod[oa]s (?:mis|sus|l[ao]s)|un monton de) (?:{_ES_PILLS})|demasiadas pastillas",
        r"sobredosis|envenenad\w+|intoxicad\w+",
    ),
    Danger.VIOLENCE: (
        rf"\b(?:{_ES_KIN}) (?:\w+ ){{0,2}}(?:me|nos) (?:\w+ )?(?:pega|pego|golpea|golpeo|maltrata|amenaza|viola|pegado|golpeado|maltratado|violado|amenazado)(?! (?:la|el|un|una|al|en)\b)",
        r"miedo (?:de|a) (?:mi (?:marido|novio|pareja|padre|ex)|volver a casa)|me (?:han|ha) (?:violado|maltratado|pegado)|violencia (?:de genero|domestica|machista)",
        r"(?:ladron|alguien) (?:\w+ ){0,3}(?:entrar en (?:casa|mi casa)|dentro de (?:la )?casa)|entrando a robar",
    ),
    Danger.DESPAIR: (
        r"suicid\w+|matarme|quitarme la vida|acabar con (?:todo(?! (?:el|la|lo|esto antes))|mi vida)|hacerme dano|cortarme(?! (?:el pelo|las unas|las puntas))",
        r"no quiero (?:\w+ )?(?:vivir|viviendo|estar (?:aqui|viv[oa])|despertar\w*)(?! (?:en|con|cerca)\b)|quiero morir\w*(?! de)|(?:no tengo|sin) ganas de vivir|ganas de morir",
        r"mejor (?:\w+ ){0,4}(?:muert[oa]|sin mi\b|si (?:yo )?no (?:estuviera|existiera))|ojala (?:\w+ ){0,2}(?:muert[oa]|no (?:despertar\w*|existier\w*))|vida (?:ya )?no (?:\w+ )?(?:tiene sentido|vale la pena|merece la pena)",
    ),
}
SIGNS: Final[Mapping[Language, Mapping[Danger, tuple[str, ...]]]] = {
    "en": _EN,
    "de": _DE,
    "fr": _FR,
    "es": _ES,
}
