# ruff: noqa: E501 - patterns stay on one line
"""Lead times of reminders: "three days before", "a week before and on the day" (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["LONGEST_LEAD", "MOST_LEADS", "leads_in"]

LONGEST_LEAD: Final = 30
"""Days."""
MOST_LEADS: Final = 3
_NUMBERS: Final = {
    word: number
    for number, said in enumerate(
        (
            "a an one ein eine einen einem einer un une una uno", "two zwei deux dos couple", "three drei trois tres", "four vier quatre cuatro",
            "five funf cinq cinco", "six sechs seis", "seven sieben sept siete", "eight acht huit ocho",
            "nine neun neuf nueve", "ten zehn dix diez",
        ),
        start=1,
    )
    for word in said.split()
}  # fmt: skip
_COUNT: Final = rf"(?P<n>\d{{1,2}}|(?:a )?(?:{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})(?: of)?)"
_WEEK: Final = r"(?:weeks?|wochen?|semaines?|semanas?)"
_BEFORE: Final = r"(?:before(?:hand)?|ahead(?: of)?|earlier|in advance|prior(?: to)?|vorher|davor|zuvor|im voraus|bevor|vor|avant|a l'avance|plus tot|a l'avance|antes(?: de)?|(?:de|con) antelacion)"
_ONE: Final = (
    rf"(?:{_COUNT} (?P<unit>{_WEEK}|days?|tage?n?|jours?|dias?) {_BEFORE}|con {_COUNT.replace('<n>', '<m>')} (?P<other>{_WEEK}|dias?) de antelacion"
    r"|(?P<eve>the day (?:before|ahead)|am (?:tag (?:davor|vorher|zuvor|vor)|vortag)|la veille|le jour avant|la vispera|el dia (?:antes|anterior))"
    r"|(?P<day>on the (?:due |very |same )?(?:day|date|birthday)(?: itself)?|the same day|on that day|am (?:selben |gleichen )?tag(?: selbst)?|le jour (?:meme|j)|(?:el|ese) mismo dia|el dia mismo))"
)
_LEAD: Final = re.compile(rf"\b{_ONE}(?!\w)")
_JOINT: Final = re.compile(
    r"(?:\s*(?:,|&|\b(?:and|und|et|y|also|auch|aussi|tambien|again|nochmals?|noch einmal|encore|otra vez|then|dann|puis)\b)\s*)*"
)


def leads_in(folded: str) -> tuple[tuple[int, ...], str, str] | None:
    """Return the days before, and the text around their words; None without any, or past the limits."""
    first = _LEAD.search(folded)
    if first is None:
        return None
    leads, end = [_days(first)], first.end()
    while len(leads) <= MOST_LEADS:
        joint = _JOINT.match(folded, end)
        following = _LEAD.match(folded, joint.end() if joint else end)
        if following is None:
            break
        leads.append(_days(following))
        end = following.end()
    kept = tuple(sorted(set(leads), reverse=True))
    if len(kept) > MOST_LEADS or kept[0] > LONGEST_LEAD:
        return None
    return kept, folded[: first.start()].strip(), folded[end:].strip()


def _days(match: re.Match[str]) -> int:
    if match["day"] or match["eve"]:
        return 0 if match["day"] else 1
    said = (match["n"] or match["m"]).removeprefix("a ").removesuffix(" of")
    number = int(said) if said.isdigit() else _NUMBERS.get(said, 1)
    weeks = (match["unit"] or match["other"]).startswith(("w", "s"))
    return number * 7 if weeks else number
