# ruff: noqa: E501 - patterns stay on one line
"""German."""

from __future__ import annotations

from typing import Final

from butler_switchboard.extraction.rules.language import language_of
from butler_switchboard.extraction.signals import SignalType

__all__ = ["GERMAN"]

_I_HAVE: Final = r"\b(?:[Ii]ch habe?|[Hh]abe? ich|[Hh]ab|[Hh]abe|[Ww]ir haben)"
_I_WAS: Final = r"\b(?:[Ii]ch war|[Ww]ir waren|[Ww]ar)"
_WHEN: Final = (
    r"(?:(?:heute|gestern|vorgestern|gerade|vorhin|eben|letzte Woche|am Wochenende|wieder|endlich) ){0,2}"
)
_MUCH: Final = r"(?:sehr |so |echt |ziemlich |etwas |ein bisschen )?"
_FEELING: Final = (
    "sauer|wütend|traurig|stolz|besorgt|enttäuscht|glücklich|einsam|gestresst|genervt|eifersüchtig|dankbar"
)
_NUMBER: Final = "(?:Nummer|Telefonnummer|Handynummer|Adresse|Anschrift|E-?Mail(?:-?[Aa]dresse)?|Mailadresse)"
_SOME: Final = r"(?:ein\w{0,2}|das|die|den|zwei|drei|meine?n?|\d+) "
_DAY: Final = "(?:Geburtstag|Namenstag|Hochzeitstag)"

GERMAN: Final = language_of(
    kin=(
        r"(?:[Mm]ein(?:e[mnr]?)?|[Uu]nsere?[mnr]?) (?:(?:beste|kleine|große|ältere|jüngere|neue|alte)[nr]? )?"
        r"(?:Mutter|Mama|Mutti|Vater|Papa|Eltern|Schwester|Bruder|Geschwister|Frau|Mann|Partner(?:in)?|Freund(?:in)?|Verlobten?|Sohn|Tochter|Kinder|Kind|Tante|Onkel|Cousine?|Nichte|Neffen?|Oma|Opa|Großmutter|Großvater|Großeltern|Schwieger(?:mutter|vater|eltern|sohn|tochter)|Schwägerin|Schwager|Chefin|Chef|Kolleg(?:in|en|e)|Nachbar(?:in|n)?|Patenkind|Enkel(?:in)?|Mitbewohner(?:in)?)"
        r"(?![\w-])"
    ),
    no_names=(
        "Ich|Du|Er|Sie|Es|Wir|Ihr|Der|Die|Das|Den|Dem|Des|Ein|Eine|Einen|Einer|Mein|Meine|Meinen|Meiner|Meinem|Unser|Unsere|Dein|Deine|Sein|Seine|Ihre|Und|Aber|Oder|Was|Wer|Wie|Wo|Wann|Warum|Wenn|Ob|Dass|Da|Hier|Dort|So|Ja|Nein|Bitte|Danke|Hallo"
        "|Leider|Endlich|Übrigens|Angeblich|Zum|Weil|Während|Nachdem|Haben|Wird|Kann|Sind|Dann|Jedenfalls|Offenbar"
        "|Heute|Gestern|Morgen|Jetzt|Alle|Alles|Keiner|Niemand|Jemand|Jeder|Man|Herr|Frau|Noch|Auch|Schon|Nur|Mit|Von|Bei|Für|Am|Im|In|An|Auf|Habe|Hab|Hat|Ist|War"
        "|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Weihnachten|Ostern"
        "|[A-ZÄÖÜ][a-zäöüß]+(?:ung|ungen|heit|keit|schaft|tion|tionen)"
    ),
    joins=("dass", "weil", "und", "aber"),
    undoes=r"\b(?:nicht|nie|niemals|kein\w*|wenn|falls|ob|würde\w*|hätte\w*|wäre\w*|vielleicht|könnte\w*|sollte\w*|wünschte|kaum|angeblich)\b",
    phrases={
        SignalType.CONTACT: (
            rf"\b(?:[Dd]ie )?(?:neue )?{_NUMBER} von WHO (?:ist|lautet):? VALUE",
            rf"\b(?:[Dd]ie )?(?:neue )?{_NUMBER} von WHO (?:ist|lautet):? [\w.+-]{{1,60}}@[\w.-]{{1,60}}",
            rf"HEADOWNS (?:neue )?{_NUMBER} (?:ist|lautet):? VALUE",
            r"HEADWHO ist (?:jetzt )?unter VALUE zu erreichen",
        ),
        SignalType.INTERACTION: (
            rf"{_I_HAVE} (?:mich )?{_WHEN}(?:lange |kurz )?mit WHO {_WHEN}(?:telefoniert|gesprochen|geredet|gegessen|gefrühstückt|zu Mittag gegessen|zu Abend gegessen|getroffen|Kaffee getrunken|ein Bier getrunken)",
            rf"{_I_HAVE} {_WHEN}KIN {_WHEN}(?:getroffen|besucht|gesehen|angerufen)",
            rf"{_I_HAVE} {_WHEN}WHO angerufen",
            rf"{_I_WAS} {_WHEN}mit WHO (?:essen|spazieren|wandern|im Kino|einkaufen|schwimmen|Kaffee trinken)",
            rf"{_I_WAS} {_WHEN}bei WHO (?:zu Besuch|zum Essen|eingeladen)",
        ),
        SignalType.LIFE_EVENT: (
            r"HEADWHO ist (?:schwanger|verlobt|gestorben|verstorben|in Rente(?: gegangen)?|umgezogen|nach REST gezogen|(?:Mutter|Vater|Oma|Opa) geworden|befördert worden)(?!\w)",
            rf"HEADWHO hat {_WHEN}(?:geheiratet|sich verlobt|sich scheiden lassen|ein (?:Baby|Kind) bekommen|einen neuen Job|eine neue Stelle|(?:ihren|seinen) (?:Job|Abschluss|Führerschein) (?:verloren|gemacht))(?!\w)",
            rf"HEADWHO (?:heiratet|zieht {_WHEN}(?:um|nach REST)|erwartet ein (?:Baby|Kind)|bekommt ein (?:Baby|Kind)|lässt sich scheiden)(?!\w)",
        ),
        SignalType.DATE: (
            rf"HEADWHO hat am VALUE? ?{_DAY}",
            rf"\b(?:[Dd]er )?{_DAY} von WHO ist (?:am )?VALUE",
            rf"HEADOWNS {_DAY} ist (?:am )?VALUE",
            r"HEADWHO (?:ist|wurde) am VALUE ?geboren",
            r"HEADWHO wird (?:am [^,;!?\n]{1,30} )?\d{1,3}(?: Jahre alt)?(?=[.,;!]|$)",
        ),
        SignalType.FACT: (
            r"HEADWHO ist (?:allergisch (?:gegen|auf) REST|Vegetarier(?:in)?|Veganer(?:in)?|vegan|vegetarisch|laktoseintolerant|Linkshänder(?:in)?|Diabetiker(?:in)?)(?!\w)",
            r"HEADWHO (?:arbeitet (?:jetzt )?(?:bei|als|im|in|für) REST|wohnt (?:jetzt )?(?:in|bei) REST|lebt (?:jetzt )?in REST|spricht [A-ZÄÖÜ]\w+|studiert [A-ZÄÖÜ]\w+)",
            r"HEADWHO (?:mag|liebt|hasst|isst gerne?|trinkt gerne?) (?!mich\b|dich\b|uns\b|es\b|das\b)REST",
        ),
        SignalType.SENTIMENT: (
            rf"HEADWHO (?:ist|war|wirkt|wirkte|klang) {_MUCH}(?:{_FEELING})\b(?: (?:auf|über|wegen) REST)?",
            r"\b[Ii]ch (?:vermisse|liebe) KIN",
            rf"\b[Ii]ch bin {_MUCH}(?:stolz|sauer|wütend) auf WHO",
            r"\b[Ii]ch mache? mir (?:große |etwas )?Sorgen um WHO",
        ),
        SignalType.GIFT: (
            r"HEADWHO hat (?:mir|uns) REST geschenkt",
            rf"{_I_HAVE} WHO(?= {_SOME}) REST geschenkt",
            r"\bGeschenk(?:e|idee|ideen)? für WHO",
        ),
        SignalType.LOAN: (
            r"HEADWHO hat (?:mir|uns) REST (?:geliehen|geborgt|ausgeliehen)",
            rf"{_I_HAVE} WHO(?= {_SOME}) REST (?:geliehen|geborgt)",
            r"HEADWHO schuldet (?:mir|uns) (?:noch )?REST",
            r"\b[Ii]ch schulde WHO (?:noch )?REST",
            rf"{_I_HAVE} (?:mir )?(?:von|bei) WHO REST (?:geliehen|ausgeliehen|geborgt)",
        ),
    },
)  # fmt: skip
"""The phrases of German."""
