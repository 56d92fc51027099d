# ruff: noqa: E501 - patterns stay on one line
"""Moods, chatter and opinions of us: nothing to record, but something to answer (pure).

Invariant: a message is a mood only if every clause of it is one, and none has a sum, a day other than today, an
hour or a measured value. English, German, French, Spanish.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.small_talk import talk_of

__all__ = ["Mood", "mood_of"]


class Mood(StrEnum):
    """The moods; of several, the first listed is answered."""

    SAD = "sad"
    CROSS = "cross"
    TIRED = "tired"
    GRUMBLE = "grumble"
    PROUD = "proud"
    HOPING = "hoping"
    FOND = "fond"
    GLAD = "glad"
    LAUGH = "laugh"


_I: Final = r"(?:(?:i|i'?m|im|am|we|we're|ich|wir|bin|je|j'|suis|on|estoy|me|yo|so|today|just|feel|feeling|really|do|heute|total|echt|so|voll|boah|ganz|fuhle?|mich|fuhl|gerade|tellement|vraiment|trop|tan|muy|hoy|siento|been|have|oh|ugh|god|omg|a bit|bit|rather|pretty|sooo*|completely|absolutely|super|muerto|muerta) ?)*"
_WE: Final = r"(?:(?:i'?ve|we'?ve|i'?m|i|we|just|finally|guess what|omg|yes+|ich|wir|hab|habe|haben|bin|sind|wurde|endlich|j'ai|je|nous avons|nous|on a|enfin|ca y est|he|hemos|yo|por fin|really|so|really really|echt|voll|auch|also|how|oh|ugh|god|man|tio|ay) )*"
"""The sender about themselves: about anybody else it is something to record."""
_FORMS: Final[dict[Mood, str]] = {
    Mood.SAD: rf"{_I}(?:lonely|alone\b|sad\b|depressed|miserable|heartbroken|cry(?:ing)?|cried|down\b|low\b|not (?:well|ok|okay|good|great)|homesick|hopeless|anxious|scared|worried sick)|.{{0,30}}\b(?:feel|feeling) (?:\w+ ){{0,2}}(?:lonely|alone|sad|depressed|down|low|awful|terrible|hopeless|empty|like crying)|i miss \w|.{{0,20}}\b(?:had a row|had a fight|broke up|split up)\b with \w+|.{{0,20}}\b(?:had a row|had a fight|broke up|split up)\b|bad day|rough day|awful day|(?:everything|it|this|life)(?:'?s| is| gets| feels)? (?:\w+ ){{0,2}}too much|.{{0,40}}\bwent (?:so |really |very |pretty )?(?:bad|badly|wrong|horribl[ey]|terribl[ey])|.{{0,40}}\b(?:wanna|want to|could) (?:just )?cry|.{{0,30}}\bwould have been (?:our|his|her|my) [\w ]{{0,20}}(?:anniversary|birthday)|.{{0,20}}\b(?:mind|head) (?:goes|going|spins|spinning)[\w ]{{0,20}}|{_I}(?:traurig|einsam|allein(?:e)?\b|deprimiert|niedergeschlagen|verzweifelt)|(?:mir|es) (?:geht|gehts)(?:'s| es)?(?: mir)? (?:\w+ ){{0,3}}(?:schlecht|nicht gut|mies|dreckig|beschissen)|.{{0,30}}\bgeweint|ich vermisse|.{{0,30}}\b(?:zum heulen|mir (?:alles )?zu viel|alles zu viel)|.{{0,30}}\b(?:schief|daneben)gegangen|{_I}(?:triste|seule?\b|deprimee?|mal\b|malheureu\w+|pas bien)|.{{0,30}}\b(?:me sens|sens) (?:\w+ )?(?:seule?|triste|mal|vide)|ca va pas|j'ai (?:\w+ )?pleure|(?:tu|il|elle) me manque|.{{0,20}}\b(?:envie de pleurer|mal passee?|(?:c'est|tout est) trop(?: dur)?)|{_I}(?:triste|sol[oa]\b|deprimid[oa]|mal\b|hundid[oa]|fatal)|.{{0,20}}\bme siento (?:\w+ )?(?:sol[oa]|triste|mal|vaci[oa])|he llorado|echo de menos|.{{0,20}}\b(?:ganas de llorar|quiero llorar|ha ido (?:\w+ )?(?:mal|fatal)|salio (?:\w+ )?mal|(?:todo|esto) es demasiado)",
    Mood.CROSS: r"(?:you'?re|you are|ur|you) (?:\w+ ){0,2}(?:useless|stupid|dumb|an idiot|annoying|rubbish|wrong|no help|not helping|not listening|suck)|that'?s (?:not what i(?: \w+){1,3}|wrong|rubbish|nonsense|useless)|(?:this|it) (?:is|does) ?n'?t work|you (?:don'?t|didn'?t|never) (?:understand|listen|get it)|(?:wrong|bad) answer|du (?:bist|nervst|verstehst) ?(?:\w+ ){0,2}(?:doof|dumm|blod|nutzlos|unbrauchbar|nichts|nicht|bescheuert)?|das (?:ist|war) (?:quatsch|unsinn|blodsinn|nicht was ich|falsch)|(?:t'es|tu es|vous etes) (?:\w+ )?(?:nul\w*|bete|inutile|con\w*)|tu (?:ne )?(?:comprends|sers a) (?:rien|pas)|n'importe quoi|c'est nul|eres (?:\w+ )?(?:inutil|tont[oa]|un inutil|idiota)|no (?:me entiendes|sirves(?: para nada)?|entiendes nada)|vaya mierda de",
    Mood.TIRED: rf"{_I}(?:tired|exhausted|knackered|shattered|wiped out|worn out|beat\b|dead tired|sleepy|wrecked|burnt out|(?:can'?t|cannot|couldn'?t) sleep(?: (?:these|at) nights?)?|stressed(?: out)?|need (?:a )?(?:nap|holiday|break|coffee|sleep))|(?:long|hard|tough|exhausting) (?:day|week|night|shift)|what a (?:day|week|night)|{_I}(?:(?:\w+ )?mude|kaputt|fertig|erschopft|k\.?o\b|platt|am ende|erledigt heute|ausgelaugt|hundemude|todmude|gestresst|ausgebrannt)|.{{0,30}}\b(?:kann nicht schlafen|brauche? (?:eine )?(?:pause|urlaub|kaffee))|was fur ein tag|{_I}(?:fatiguee?|crevee?|epuisee?|mort[e]? de fatigue|claquee?|naze|vannee?|lessivee?|stressee?)|.{{0,10}}\b(?:j'en|en) peux plus|.{{0,20}}\bn'en peux plus|quelle journee|journee (?:pourrie|de merde|longue|difficile)|{_I}(?:cansad[oa]|agotad[oa]|reventad[oa]|de sueno|hech[oa] polvo|molid[oa]|estresad[oa])|no puedo mas|vaya dia|que dia|me muero de sueno",
    Mood.GRUMBLE: rf"(?:ugh+|argh+|pff+|bah|grr+|meh|sigh|hmm+|puh|uff|oje|tja|menno|mist|verdammt|scheisse|scheiße|damn|shit|crap|fuck|bloody hell|merde|putain|zut|joder|mierda|jo|vaya|uf)(?:\W|$)[^,;.:\d]{{0,60}}|{_WE}(?:hate|hasse|deteste|odio) \w[^,;.:\d]{{0,30}}|[^,;.:\d]{{0,30}}\b(?:bored(?: af)?|starving|hungry|fed up|sick of|stressed|freezing|boring|ill\b|annoyed)\b[^,;.:\d]{{0,30}}|i (?:can'?t|cannot) (?:anymore|any more|even)|[^,;.:\d]{{0,20}}\bdying (?:to|for|of)\b[^,;.:\d]{{0,30}}|[^,;.:\d]{{0,30}}\b(?:langweilig|langweile|gestresst|genervt|hunger|keine lust|keinen bock|nervt|zum kotzen|fad|ode|scheisse|scheiße|satt)\b[^,;.:\d]{{0,20}}|ich kann nicht mehr|[^,;.:\d]{{0,20}}\b(?:marre|ras le bol|m'ennuie|m'enerve|stresse\w*|faim|flemme|chiant|saoule|plus en peux)\b[^,;.:\d]{{0,30}}|[^,;.:\d]{{0,20}}\b(?:hart[oa]|aburrid[oa]|estresad[oa]|hambre|asco|no puedo mas|pereza|rollo|me aburro)\b[^,;.:\d]{{0,20}}|(?:my|mein|meine|mon|ma|mi|se me ha|el|le) ?(?:\w+ )?(?:phone|handy|akku|telephone|portable|movil|muerto|battery|tel) ?(?:\w+ ){{0,3}}(?:died|dead|tot|leer|mort|muerto|movil|bateria)\b[^,;.:\d]{{0,30}}",
    Mood.PROUD: rf"{_WE}(?:passed (?:my|the|our) [^,;.:\d]{{0,30}}\b(?:tests?|exams?|finals?|course|interview|driving|theory|degree|maths?)\b|aced \w|won(?: (?:the|our|my) [^,;.:\d]{{0,20}}(?:match|game|cup|race|final|league|prize|tournament))?\b|graduated|made it|did it|nailed it|got (?:the job|engaged|promoted|a promotion|in(?:to (?:uni|college|university))?|my (?:licen[cs]e|degree|diploma))\b)[^,;.:\d]{{0,20}}|it'?s a (?:boy|girl)|(?:guess what )?i(?:'m| am) pregnant|{_WE}(?:\w+ ){{0,4}}(?:bestanden|gewonnen|befordert(?: worden)?|verlobt|geschafft)|{_WE}(?:eu|reussi|decroche|obtenu) (?:mon|le|ma|la) (?:permis|bac|diplome|examen|exam|concours|job|poste|licence|brevet)[^,;.:\d]{{0,15}}|{_WE}(?:gagne|reussi)|{_WE}(?:aprobado|ganado|aprobe|gane|ganamos|conseguido el trabajo)(?: (?:el|la|mi|todo)\b[^,;.:\d]{{0,25}})?|me han (?:dado el (?:trabajo|puesto|premio)|cogido|ascendido|admitido)[^,;.:\d]{{0,20}}",
    Mood.HOPING: r"(?:please )?(?:wish|wishing) (?:me|us)(?: (?:all the|some|a bit of))? (?:luck|best)(?: (?:today|tomorrow|please|for .{1,30}))?|(?:keep your )?fingers crossed(?: for (?:me|us))?|(?:bitte )?(?:drucke?|druckt|druck) (?:mir|uns) (?:bitte |mal )?die daumen|wunsche?t? (?:mir|uns) (?:viel )?(?:gluck|erfolg)|souhaite[- ](?:moi|nous) bonne chance|croise les doigts(?: pour (?:moi|nous))?|desea(?:me|nos) (?:mucha )?suerte|cruza los dedos",
    Mood.FOND: r"(?:i |we )?(?:love|luv|adore|like) (?:you|u|ya)\b[^,;.:\d]{0,20}|you'?re (?:\w+ ){0,2}(?:the best|a star|great|amazing|awesome|lovely|brilliant|sweet|an angel|a gem|a legend|so kind|a lifesaver|wonderful|cute|funny|clever|smart)[^,;.:\d]{0,30}|(?:what would i do without you|miss you|hugs?|kiss(?:es)?|xo+|xx+)\W*$|(?:ich )?(?:hab|habe) dich (?:\w+ )?lieb[^,;.:\d]{0,10}|ich liebe dich|du bist (?:\w+ ){0,2}(?:toll|super|ein schatz|lieb|der beste|die beste|das beste|klasse|spitze|ein engel|genial|grossartig)[^,;.:\d]{0,20}|was wurde ich ohne dich[^,;.:\d]{0,20}|je t'(?:aime|adore)[^,;.:\d]{0,20}|(?:t'es|tu es|merci t'es) (?:\w+ ){0,2}(?:un amour|le meilleur|la meilleure|super|genial\w*|top|un ange|trop (?:bien|fort|gentil)|adorable)[^,;.:\d]{0,20}|bisous?\W*|te (?:quiero|amo|adoro)[^,;.:\d]{0,15}|eres (?:\w+ ){0,2}(?:un sol|el mejor|la mejor|un crack|genial|lo mejor|un angel|un cielo|increible|majo)[^,;.:\d]{0,20}|besos?\W*|un abrazo",
    Mood.GLAD: r"(?:yay+|woo+h?oo*|hooray|hurrah|finally|yes+!+|juhu+|hurra|endlich|youpi|hourra|enfin|yupi|bien+!+|por fin)\W*[^,;.:\d]{0,30}|(?:that'?s|it'?s|what|how) (?:\w+ )?(?:great|good|wonderful|lovely|fantastic|amazing|nice)(?: news| to hear| of you)?|[^,;.:\d]{0,20}\b(?:so|very|really) (?:happy|glad|excited|proud)\b[^,;.:\d]{0,30}|i'?m happy[^,;.:\d]{0,20}|das (?:hast du|war) (?:\w+ )?(?:gut|toll|super|prima|klasse|schon)(?: gemacht)?|gut gemacht|ich (?:bin|freue mich) (?:\w+ )?(?:glucklich|froh|so|sehr)?|(?:bien joue|bravo|super|c'est genial|je suis (?:\w+ )?(?:contente?|heureu\w+))[^,;.:\d]{0,20}|(?:bien hecho|que bien|genial|estoy (?:\w+ )?(?:content[oa]|feliz)|me alegro)[^,;.:\d]{0,20}",
    Mood.LAUGH: r"(?:(?:a?h?(?:ha|he|hi|ja|je){2,}h?|l+o+l+|rofl|lmf?ao|mdr+|ptdr|xd+|xddd*|haha\w*|jaja\w*|hihi\w*)\W*)+|[^,;.:\d]{0,20}\b(?:muero|morte?|mort|muert[oa]|sterbe|lache mich|piss(?:e|ing)|dead|dying)(?: \w+)? ?(?:de|of|vor|from|tot)? ?(?:risa|rire|lachen|laughing|laughter|tot|me)\b[^,;.:\d]{0,15}",
}
_TAIL: Final = (
    r"(?:\W+(?:today|tonight|now|right|again|really|so|very|much|omg|lol|x+|honestly|tbh|man|all|day|of|this|it|life|here"
    r"|everything|and|at|work|the|after|with|\d{1,2} ?(?:h|hr|hrs|hours?|std|stunden|heures|horas)|shift|schicht|heute"
    r"|mal|wieder|gar|echt|jetzt|und|alles|doch|sehr|aujourd'hui|la|ce|soir|moi|et|trop|tellement|ya|hoy|mucho|y|de"
    r"|todo|ultimamente|dia|aqui|ahora|en|semana|week|woche|semaine|days?|lately|journee|pourrie|dure|longue|heut|er|der|die|das|chef|arbeit|tag|diesem|diesen|cette|esta|este|nights?|these|ach|och|oh|ah|ay|naja|af|rn|fr|ngl|too|auch|aussi|tambien)\b)*+"
    r"(?:\W+(?:since|because|as|weil|seit|da|parce qu\w*|depuis|car|desde|porque)\b[^,;:\d]{0,60})?\W*"
)
"""What may follow a mood without stating a fact: a few words, or why."""
_MOODS: Final = {mood: re.compile(rf"\W*(?:{form}){_TAIL}") for mood, form in _FORMS.items()}
_ALONE: Final = re.compile(_TAIL)
_PIECES: Final = re.compile(r"[,;…]|\.{2,}")
_AT_MOST: Final = 16
"""The most words of a clause."""


def mood_of(reading: Reading) -> Mood | None:
    """Return the mood of the whole message; None if a clause says anything else."""
    if reading.subject or len(reading.sentences) > 4:
        return None
    found = _joined(_of_a_clause(sentence) for sentence in reading.sentences)
    return found if isinstance(found, Mood) else None


def _of_a_clause(sentence: Sentence) -> Mood | bool | None:
    """Return its mood; True for a greeting or thanks beside one."""
    today = all(day.on("nearest") == sentence.today for day in sentence.days)
    facts = sentence.amounts or sentence.times or sentence.measurements or sentence.doses
    if facts or not today or sentence.folded.count(" ") >= _AT_MOST:
        return None
    return _joined(_of_a_piece(piece) for piece in _PIECES.split(sentence.text) if piece.strip())


def _of_a_piece(piece: str) -> Mood | bool | None:
    folded = fold(piece)
    found = next((mood for mood, form in _MOODS.items() if form.fullmatch(folded)), None)
    return found or (True if talk_of(piece) is not None or _ALONE.fullmatch(f" {folded.strip()}") else None)


def _joined(pieces: Iterable[Mood | bool | None]) -> Mood | bool | None:
    """Return the first mood of them; None if one is neither a mood nor small talk."""
    found = list(pieces)
    moods = [one for one in found if isinstance(one, Mood)]
    return None if None in found else min(moods, key=list(Mood).index, default=True)
