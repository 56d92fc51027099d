"""The texts of a reminder, and of a missed one, in the language in which it was asked for (pure)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.language import Language
from butler_specialist.locale import texts_in
from butler_specialist.remind.decide import Tell

__all__ = ["moment_text", "telling_text"]

_IN_TIME: Final = timedelta(minutes=2)
"""A reminder later than this says when it was due."""


def telling_text(telling: Tell, text: str, *, now: datetime, zone: ZoneInfo, language: Language) -> str:
    """Return `Reminder: water the plants`; one that is late or missed says when it was due."""
    texts = texts_in(language)
    when = moment_text(telling.last.at, now, zone)
    if telling.count > 1:
        said = texts.gettext(
            "Missed {count} times (the last one was due {when}): {text}. I could not send it then."
        )
        return said.format(count=telling.count, when=when, text=f"“{text}”")
    if telling.missed:
        said = texts.gettext("Missed (it was due {when}): {text}. I could not send it then.")
        return said.format(when=when, text=f"“{text}”")
    if now - telling.first.at < _IN_TIME:
        return texts.gettext("Reminder: {text}").format(text=text)
    return texts.gettext("Reminder (it was due {when}): {text}").format(when=when, text=text)


def moment_text(at: datetime, now: datetime, zone: ZoneInfo) -> str:
    """Return the time by the person's clock: `08:00` of the same day, else `2026-11-23 08:00`.

    It is the same in every language.
    """
    local = at.astimezone(zone)
    today = now.astimezone(zone).date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"
