"""The words of days and months in English, German, French, Spanish and (the commonest) Russian, folded (pure)."""

from __future__ import annotations

from typing import Final

__all__ = ["AGO", "COUNTS", "DAY_PARTS", "HOURS", "MONTHS", "RELATIVE_DAYS", "UNITS", "WEEKDAYS", "WITHIN"]

_MONTH_WORDS: Final = (
    "january jan januar janner janvier janv enero ene января",
    "february feb februar fevrier fevr febrero февраля",
    "march mar marz mars marzo mrz марта",
    "april apr avril avr abril abr апреля",
    "may mai mayo мая",
    "june jun juni juin junio июня",
    "july jul juli juillet juil julio июля",
    "august aug aout agosto ago августа",
    "september sep sept septembre septiembre setiembre сентября",
    "october oct oktober okt octobre octubre октября",
    "november nov novembre noviembre ноября",
    "december dec dezember dez decembre diciembre dic декабря",
)
MONTHS: Final = {word: number for number, words in enumerate(_MONTH_WORDS, start=1) for word in words.split()}

_WEEKDAY_WORDS: Final = (
    "monday mon montag lundi lunes",
    "tuesday tue tues dienstag mardi martes",
    "wednesday wed weds mittwoch mercredi miercoles",
    "thursday thu thur thurs donnerstag jeudi jueves",
    "friday fri freitag vendredi viernes",
    "saturday sat samstag sonnabend samedi sabado",
    "sunday sun sonntag dimanche domingo",
)
WEEKDAYS: Final = {word: number for number, words in enumerate(_WEEKDAY_WORDS) for word in words.split()}

DAY_PARTS: Final = "morgen|vormittag|mittag|nachmittag|abend"
"""Parts of the day that German writes behind a weekday or after "jeden"; the night is not among them."""

RELATIVE_DAYS: Final = {
    "the day before yesterday": -2, "day before yesterday": -2, "vorgestern": -2, "avant-hier": -2, "anteayer": -2,
    "yesterday": -1, "last night": -1, "gestern": -1, "hier soir": -1, "hier": -1, "ayer": -1, "anoche": -1,
    "вчера": -1, "yday": -1, "ysterday": -1, "yesterdy": -1,
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "just now": 0,
    "heute": 0, "heut": 0, "aujourd'hui": 0, "ce matin": 0, "ce soir": 0, "cet apres-midi": 0, "esta manana": 0,
    "esta tarde": 0, "esta noche": 0, "hoy": 0, "сегодня": 0,
    "the day after tomorrow": 2, "day after tomorrow": 2, "ubermorgen": 2, "apres-demain": 2, "pasado"
    " manana": 2,
    "tomorrow": 1, "morgen": 1, "demain": 1, "manana": 1, "завтра": 1,
    "tmrw": 1, "tmr": 1, "tmrrw": 1, "tomoz": 1, "tomoro": 1, "tommorow": 1, "tommorrow": 1, "tomorow": 1, "2moro": 1,
    "2mrw": 1, "2morrow": 1, "tonite": 0, "2nite": 0, "2day": 0, "auj": 0, "ajd": 0, "mnn": 1, "mnna": 1,
}  # fmt: skip

UNITS: Final = {
    "day": 1, "days": 1, "tag": 1, "tage": 1, "tagen": 1, "jour": 1, "jours": 1, "dia": 1, "dias": 1,
    "week": 7, "weeks": 7, "woche": 7, "wochen": 7, "semaine": 7, "semaines": 7, "semana": 7, "semanas": 7,
}  # fmt: skip
_COUNT_WORDS: Final = (
    "a one ein eine einem einer einen un une una",
    "two zwei deux dos",
    "three drei trois tres",
    "four vier quatre cuatro",
    "five funf cinq cinco",
    "six sechs seis",
)
COUNTS: Final = {word: number for number, words in enumerate(_COUNT_WORDS, start=1) for word in words.split()}
_HOUR_WORDS: Final = (
    "one eins une una",
    "two zwei deux dos",
    "three drei trois tres",
    "four vier quatre cuatro",
    "five funf cinq cinco",
    "six sechs seis",
    "seven sieben sept siete",
    "eight acht huit ocho",
    "nine neun neuf nueve",
    "ten zehn dix diez",
    "eleven elf onze once",
    "twelve zwolf douze doce",
)
HOURS: Final = {word: number for number, words in enumerate(_HOUR_WORDS, start=1) for word in words.split()}
_N: Final = rf"(?P<n>\d{{1,3}}|{'|'.join(COUNTS)})"

AGO: Final = (rf"\b{_N} (?P<unit>UNIT) ago", rf"\b(?:vor|il y a|hace) {_N} (?P<unit>UNIT)")
WITHIN: Final = (rf"\b(?:in|dans|en) {_N} (?P<unit>UNIT)(?! ago)",)
