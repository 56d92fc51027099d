"""The texts about reminders, in the sender's language: exactly when, how often, what (pure).

Invariant: a stated moment is that of the reminder, by the household's clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.language import Language
from butler_specialist.locale import calendar, count, counted, joined, noop, say
from butler_specialist.profiles.reminder_events import day_of
from butler_specialist.questions.wording import ended, more_text, quoted, when_text
from butler_specialist.store.model import MOST_WAITING, Record, Reminder
from butler_specialist.understanding.dates import date_text, day_text
from butler_specialist.understanding.reminders import Lack, ReminderAsked, ReminderUnclear
from butler_specialist.understanding.repeats import DAY_CODES

__all__ = [
    "asked_text",
    "coming_text",
    "full_text",
    "no_such_text",
    "often_text",
    "records_text",
    "stopped_text",
    "unclear_text",
    "when_of",
    "which_text",
]

_SHOWN: Final = 10
_HALF: Final = timedelta(hours=12)
_WEEKDAYS: Final = ",".join(DAY_CODES[:5])
_EVERY: Final[Mapping[str, tuple[str, str]]] = {
    "MINUTELY": counted("every minute", "every {number} minutes"),
    "HOURLY": counted("every hour", "every {number} hours"),
    "DAILY": counted("every day", "every {number} days"),
    "WEEKLY": counted("every {days}", "every {number} weeks on {days}"),
    "MONTHLY": counted("every month on the {day}", "every {number} months on the {day}"),
    "YEARLY": counted("every year on {date}", "every {number} years on {date}"),
}
_NTH: Final = {
    "1": noop("first {weekday}"),
    "2": noop("second {weekday}"),
    "3": noop("third {weekday}"),
    "4": noop("fourth {weekday}"),
    "-1": noop("last {weekday}"),
}
_UNCLEAR: Final[Mapping[Lack, str]] = {
    "when": noop(
        "When shall I remind you of {text}? No reminder is set yet. "
        "Please send it again with the day or the hour: “remind me tomorrow at 8 to …”."
    ),
    "what": noop(
        "What shall I remind you of? No reminder is set yet. "
        "Please send it again with what it is: “remind me tomorrow at 8 to call the school”."
    ),
    "hour": noop(
        "At what hour shall I remind you of {text}? No reminder is set yet. Please send it again with the hour."
    ),
    "past": noop("{when} is over, so no reminder is set for {text}."),
    "often": noop("I remind you every five minutes at most, so no reminder is set for {text}."),
    "event": noop("I know no coming day for {text}, so no reminder is set. On which day shall I remind you?"),
    "several": noop(
        "I know more than one day for that: {text}. No reminder is set yet. Which one do you mean?"
    ),
}


def asked_text(asked: ReminderAsked, language: Language) -> str:
    """Return the promise, and what was assumed.

    For example `I will remind you on Monday, 23 November 2026 at 08:00: call the school.`
    """
    when = when_of(asked.due, language)
    if asked.rule is None:
        said = say(language, "I will remind you on {when}: {text}", when=when, text=asked.text)
    else:
        often = often_text(asked.rule, asked.due, language)
        text = noop("I will remind you {often}, first on {when}: {text}")
        said = say(language, text, often=often, when=when, text=asked.text)
    return f"{ended(said)}{_assumed(asked, language)}"


def unclear_text(unclear: ReminderUnclear, language: Language) -> str:
    """Return what is missing, or why nothing is set."""
    when = when_of(unclear.due, language) if unclear.due else ""
    text = quoted(unclear.text, language=language) if unclear.lacks != "several" else unclear.text
    lacks: Lack = "what" if unclear.lacks == "when" and not unclear.text else unclear.lacks
    return say(language, _UNCLEAR[lacks], text=text, when=when)


def often_text(rule: str, due: datetime, language: Language) -> str:
    """`every Monday`; `due` is one of its times."""
    parts = dict(part.split("=", 1) for part in rule.split(";"))
    one, many = _EVERY[parts["FREQ"]]
    number = int(parts.get("INTERVAL", "1"))
    codes = parts.get("BYDAY", DAY_CODES[due.weekday()])
    days = joined(
        [calendar.WEEKDAYS[language][DAY_CODES.index(code[-2:])] for code in codes.split(",")], language
    )
    if codes == _WEEKDAYS and number == 1:
        days = say(language, "weekday (Monday to Friday)")
    day, date = _month_day(parts, days, due, language), date_text(due.date(), language, year=False)
    said = count(language, one, many, number, days=days, day=day, date=date)
    return f"{said}{_hours(parts, language)}{_until(parts, due, language)}"


def when_of(due: datetime, language: Language) -> str:
    """Return its day and hour."""
    return when_text(due.date(), due.time(), language)


def which_text(
    reminders: Sequence[Reminder], zone: ZoneInfo, language: Language, *, others: bool = True
) -> str:
    """Return somebody's reminders, the next first; `others`: other butlers have not been asked."""
    if not reminders:
        return say(language, "I have no reminder for you. Other butlers keep their own.")
    text = count(
        language, "I have {number} reminder for you:", "I have {number} reminders for you:", len(reminders)
    )
    listed = f"{text} {_listed(reminders, zone, language)}."
    elsewhere = say(language, "Other butlers keep their own.")
    return f"{listed} {elsewhere}" if others else listed


def coming_text(reminders: Sequence[Reminder], zone: ZoneInfo, language: Language) -> str:
    """Return the reminders of a period; empty without one."""
    if not reminders:
        return ""
    return say(language, "I will remind you: {list}.", list=_listed(reminders, zone, language))


def records_text(coming: Sequence[Record], today: date, language: Language) -> str:
    """Return what lies ahead."""
    if not coming:
        return say(language, "I know of nothing in the next seven days.")
    shown = [
        f"{quoted(row.text, most=100, language=language)} ({when_text(day_of(row, today), row.occurred_at, language)})"
        for row in coming[:_SHOWN]
    ]
    more = [more_text(len(coming) - _SHOWN, language)] if len(coming) > _SHOWN else []
    return say(language, "In the next seven days: {list}.", list="; ".join([*shown, *more]))


def stopped_text(stopped: Sequence[Reminder], zone: ZoneInfo, language: Language) -> str:
    """Say which reminders are stopped."""
    return say(language, "No reminder any more: {list}.", list=_listed(stopped, zone, language))


def full_text(language: Language) -> str:
    """Say that no more reminders are kept for this person."""
    return say(
        language,
        "{number} reminders are waiting for you, and I keep no more. Stop some of them first, then tell me again.",
        number=MOST_WAITING,
    )


def no_such_text(named: str, reminders: Sequence[Reminder], zone: ZoneInfo, language: Language) -> str:
    """Say that no reminder, or more than one, is meant, and list those that exist."""
    listed = _listed(reminders, zone, language)
    if named:
        text = noop("I have no reminder for you of {named}. Nothing is stopped. There are: {list}.")
        return say(language, text, named=quoted(named, most=100, language=language), list=listed)
    text = noop(
        "Which reminder shall I stop? Nothing is stopped yet. There are: {list}. “stop the … reminder” names one."
    )
    return say(language, text, list=listed)


def _listed(reminders: Sequence[Reminder], zone: ZoneInfo, language: Language) -> str:
    shown = [_entry(one, zone, language) for one in reminders[:_SHOWN]]
    more = len(reminders) - len(shown)
    return "; ".join([*shown, *([more_text(more, language)] if more else [])])


def _entry(one: Reminder, zone: ZoneInfo, language: Language) -> str:
    due = one.due_at.astimezone(zone)
    text, when = quoted(one.text, most=100, language=language), when_of(due, language)
    if one.rule is None:
        return f"{text} ({when})"
    often = often_text(one.rule, due, language)
    return say(language, "{text} ({often}, next on {when})", text=text, often=often, when=when)


def _month_day(parts: Mapping[str, str], days: str, due: datetime, language: Language) -> str:
    """`1st`, `last day`, `first Monday`."""
    nth = parts.get("BYDAY", "")[:-2] if parts["FREQ"] == "MONTHLY" else ""
    if nth:
        return say(language, _NTH[nth], weekday=days)
    listed = parts.get("BYMONTHDAY", str(due.day)).split(",")
    if listed == ["-1"]:
        return say(language, "last day")
    number = _ordinal(int(listed[-1]), language)
    text = noop("{day} (the last day of a shorter month)")
    return say(language, text, day=number) if len(listed) > 1 else number


def _ordinal(number: int, language: Language) -> str:
    if language == "en":
        ending = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{ending}"
    return f"{number}." if language == "de" else "1er" if language == "fr" and number == 1 else str(number)


def _hours(parts: Mapping[str, str], language: Language) -> str:
    """Return the hours of what comes more than once a day."""
    hours, minute = parts.get("BYHOUR", "").split(","), int(parts.get("BYMINUTE", "0"))
    if len(hours) < 2:
        return ""
    said = joined([f"{int(hour):02}:{minute:02}" for hour in hours], language)
    return " " + say(language, "at {hours}", hours=said)


def _until(parts: Mapping[str, str], due: datetime, language: Language) -> str:
    until = parts.get("UNTIL")
    if until is None:
        return ""
    end = datetime.strptime(until.rstrip("Z"), "%Y%m%dT%H%M%S")
    if until.endswith("Z"):
        end = end.replace(tzinfo=ZoneInfo("UTC")).astimezone(due.tzinfo)
    return say(language, " until {day}", day=day_text(end.date(), language))


def _assumed(asked: ReminderAsked, language: Language) -> str:
    if asked.assumed == "hour":
        return " " + say(language, "You named no hour, so it is {time}.", time=f"{asked.due:%H:%M}")
    if asked.assumed == "half":
        other = asked.due - _HALF if asked.due.hour >= 12 else asked.due + _HALF
        return " " + say(language, "If you meant {time}, please write it so.", time=f"{other:%H:%M}")
    return ""
