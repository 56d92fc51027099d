"""What an invitation does to what is noted (RFC 5546), and the words for it in four languages (ADR 0105)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from typing import Any, get_args
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.invitation import InvitationV1, InvitedEventV1, Method
from butler_contracts.language import Language
from butler_specialist.booking.plan import wish_of
from butler_specialist.invited.decide import Inviter, Verdict, What, apart, decide
from butler_specialist.invited.facts import Facts, draft_of, facts_of
from butler_specialist.invited.often import often_of
from butler_specialist.invited.wording import stranger_text, verdict_text
from butler_specialist.store.model import Record, as_draft, record_id

BERLIN = ZoneInfo("Europe/Berlin")
ADA, BEN = UUID(int=1), UUID(int=2)
STAMP = datetime(2026, 11, 20, 10, tzinfo=UTC)
START = datetime(2026, 12, 3, 16, tzinfo=UTC)
LANGUAGES: tuple[Language, ...] = get_args(Language)


def invited(**more: Any) -> InvitedEventV1:
    said: dict[str, Any] = {
        "uid": "dentist@example.org",
        "stamped_at": STAMP,
        "title": "Dentist",
        "organizer": "office@dentist.example",
        "starts": START,
        "wall": datetime(2026, 12, 3, 17),
        "length_s": 3600,
    }
    return InvitedEventV1(**{**said, **more})


def kept(event: InvitedEventV1, *, contact: UUID = ADA, **more: Any) -> Record:
    facts = facts_of(event, BERLIN)
    assert facts is not None
    draft = as_draft(draft_of(event, facts, untitled="Appointment"))
    values = {name: getattr(draft, name) for name in draft.__slots__}
    whose: dict[str, Any] = {
        "record_id": record_id(UUID(int=9), "s1", 0),
        "channel": "email",
        "sender": "ada@example.org",
        "contact_id": contact,
    }
    return Record(**{**values, **whose, **more})


def decided(
    event: InvitedEventV1,
    *records: Record,
    method: Method | None = "request",
    by: UUID = ADA,
    bens: ZoneInfo = BERLIN,
) -> Verdict:
    inviter = Inviter(str(by), "ada@example.org" if by == ADA else "ben@example.org", by)
    clocks = {ADA: BERLIN, BEN: bens}
    return decide(
        event, method, records, inviter, zone_of=lambda one: clocks[one or ADA], untitled="Appointment"
    )


versions = st.tuples(st.integers(0, 3), st.integers(-3, 3))


@given(
    before=versions,
    after=versions,
    hour=st.integers(0, 23),
    method=st.sampled_from(["request", "publish", None]),
)
def test_only_a_later_version_changes_anything(
    before: tuple[int, int], after: tuple[int, int], hour: int, method: Method | None
) -> None:
    def version(said: tuple[int, int], **more: Any) -> InvitedEventV1:
        return invited(sequence=said[0], stamped_at=STAMP + timedelta(hours=said[1]), **more)

    start = datetime(2026, 12, 4, hour, tzinfo=UTC)
    wall = start.astimezone(BERLIN).replace(tzinfo=None)
    found = decided(version(after, starts=start, wall=wall), kept(version(before)), method=method)
    assert (found.change is not None) == (after > before)
    assert found.draft is None
    if found.change is not None:
        assert found.change.after is not None
        assert (found.change.after.occurred_on, found.change.after.occurred_at) == (wall.date(), wall.time())


@given(sequence=st.integers(0, 5), method=st.sampled_from(get_args(Method)))
def test_nobody_but_its_sender_or_organizer_changes_anything(sequence: int, method: Method) -> None:
    for event in (invited(sequence=sequence), invited(sequence=sequence, organizer="ben@example.org")):
        assert decided(event, kept(invited()), method=method, by=BEN).change is None


def test_a_later_version_is_kept_by_the_clock_of_who_told_of_it_wherever_its_sender_is() -> None:
    new_york, known = ZoneInfo("America/New_York"), kept(invited(organizer="ben@example.org"))
    later = invited(
        sequence=1,
        starts=START + timedelta(hours=1),
        wall=datetime(2026, 12, 3, 18),
        organizer="ben@example.org",
    )
    change = decided(later, known, by=BEN, bens=new_york).change
    assert change is not None
    assert change.after is not None
    assert (change.after.occurred_on, change.after.occurred_at) == (known.occurred_on, time(18))
    renamed = invited(sequence=1, title="Dinner", organizer="ben@example.org")
    assert decided(renamed, known, by=BEN, bens=new_york).what == "changed"
    assert decided(invited(), by=BEN, bens=new_york).facts == facts_of(invited(), new_york)


@pytest.mark.parametrize("method", ["reply", "counter", "add", "refresh", "declinecounter"])
def test_what_is_no_invitation_notes_and_changes_nothing(method: Method) -> None:
    for records in ((), (kept(invited()),)):
        found = decided(invited(sequence=7), *records, method=method)
        assert (found.draft, found.change) == (None, None)


def test_what_a_person_took_back_is_not_put_back_and_what_was_called_off_is_by_a_later_version() -> None:
    event = invited(sequence=2)
    assert decided(event, kept(invited(), withdrawn=True)).what == "taken_back"
    off = decided(invited(sequence=1), kept(invited()), method="cancel").change
    assert off is not None
    assert off.withdrawn
    assert off.after is not None
    gone = kept(invited(), withdrawn=True, details=off.after.details)
    assert decided(event, gone).what == "again"
    assert decided(invited(sequence=1), gone).what == "already_off"


def test_a_series_that_is_called_off_goes_with_its_times_that_were_moved() -> None:
    moved = kept(invited(which="2026-12-03T16:00:00Z", sequence=1), record_id=UUID(int=7))
    series, former = kept(invited()), kept(invited(), withdrawn=True, record_id=UUID(int=8))
    event = invited(sequence=2)
    found = [decided(event, *one, method="cancel") for one in apart(event, "cancel", [moved, series, former])]
    assert [(one.what, one.record) for one in found] == [("called_off", moved), ("called_off", series)]
    one_time = invited(which="2026-12-03T16:00:00Z", sequence=2)
    assert apart(one_time, "cancel", [moved, series]) == [[moved, series]]
    assert apart(event, "request", [moved, series]) == [[moved, series]]
    assert apart(event, "cancel", [former]) == [[former]]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Los_Angeles", "Asia/Tokyo"])
@given(
    start=st.datetimes(datetime(2026, 11, 30), datetime(2030, 1, 1)).map(lambda at: at.replace(microsecond=0))
)
def test_what_is_noted_is_booked_at_the_very_moment_and_for_as_long(zone: str, start: datetime) -> None:
    moment, clock = start.replace(tzinfo=UTC), ZoneInfo(zone)
    event = invited(starts=moment, wall=start, length_s=5400)
    facts = facts_of(event, clock)
    assert facts is not None
    draft = draft_of(event, facts, untitled="Appointment")
    values = {name: getattr(draft, name) for name in draft.__slots__}
    wish = wish_of(Record(**values, record_id=record_id(ADA, "s1", 0)), clock, minutes=60).create
    assert wish is not None
    assert (wish.start, wish.end, wish.uid) == (moment, moment + timedelta(minutes=90), "dentist@example.org")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("FREQ=WEEKLY;BYDAY=TH", "every Thursday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;COUNT=5", "every 2 weeks on Thursday, 5 times in all"),
        ("FREQ=MONTHLY;BYDAY=+1TH", "every month on the first Thursday"),
        ("FREQ=MONTHLY", "every month on the 3rd"),
        ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=3", "every year on 3 December"),
        ("FREQ=DAILY;UNTIL=20261220", "every day until Sunday, 20 December 2026"),
        ("FREQ=WEEKLY;BYDAY=FR", None),
        ("FREQ=MONTHLY;BYDAY=5TH", None),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", None),
        ("FREQ=MONTHLY;BYMONTHDAY=4", None),
        ("FREQ=YEARLY;BYMONTH=11", None),
    ],
)
def test_a_rule_is_said_in_words_only_where_they_say_it_surely(rule: str, said: str | None) -> None:
    first = START.astimezone(BERLIN)
    assert often_of(invited(rule=rule, next="2026-12-03T16:00:00Z"), first, "en") == said
    elsewhere = invited(rule=rule, next="2026-12-03T16:00:00Z", wall=datetime(2026, 12, 4, 1))
    assert often_of(elsewhere, first, "en") is None, "its day is another one here"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("what", get_args(What))
def test_every_word_of_it_is_said_in_every_language(what: What, language: Language) -> None:
    event = invited(
        unclear=None, answered="accepted", answered_by="Ben", rule="FREQ=WEEKLY;BYDAY=TH", next="2026-12-03"
    )
    facts = facts_of(event, BERLIN)
    said = verdict_text(Verdict(what, event, facts, kept(event)), BERLIN, language)
    assert "Dentist" in said
    assert not re.search(r"[{}]", said)
    if language != "en":
        assert said != verdict_text(Verdict(what, event, facts, kept(event)), BERLIN, "en")


def test_a_stranger_is_never_promised_anything() -> None:
    event = invited(title="Dentist” is noted. “")
    facts = Facts(START.date(), START.time())
    told = stranger_text(InvitationV1(method="request", events=(event,)), BERLIN, "en", facts)
    assert told.startswith("An invitation to “Dentist' is noted. '”, for ")
    assert "it is not noted" in told
    for method in ("cancel", "reply"):
        told = stranger_text(InvitationV1(method=method, events=(event,)), BERLIN, "en", facts)
        assert "nothing is noted or changed by it" in told
