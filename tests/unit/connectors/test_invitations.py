"""The invitation of a mail is read exactly, in bounded time, whichever program wrote it (RFC 5545, 5546, 6047)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rruleset, rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.invitation import InvitationV1, InvitedEventV1
from butler_contracts.parse import parse
from butler_kit.mail.normalize import FetchedMail, MailSource, normalise
from tests.support.invitations import (
    BERLIN_ZONE,
    apple,
    calendar,
    event,
    google,
    mailed,
    nextcloud,
    outlook,
)

WHEN = datetime(2026, 11, 20, 10, 15, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def read(mail: bytes, *, when: datetime = WHEN) -> InvitationV1 | None:
    found = normalise(FetchedMail(7, 3, when, len(mail), mail), MailSource("imap:home@example.org")).content
    assert isinstance(found, IngestEnvelopeV1)
    said = (found.payload.raw or {}).get("invitation")
    return parse(InvitationV1, said) if said is not None else None


def one(text: str, *, when: datetime = WHEN) -> InvitedEventV1:
    found = read(mailed(text, method=None).replace(b"Date:", b"X-Date:"), when=when)
    assert found is not None
    [event] = found.events
    return event


def test_what_google_sends_is_one_appointment_with_title_time_length_place_and_organizer() -> None:
    text = google("20261203T160000Z", "20261203T173000Z")
    found = read(mailed(text, form="google", base64=True))
    assert found is not None
    assert (found.method, found.apart, found.more) == ("request", False, 0)
    [said] = found.events
    assert (said.uid, said.sequence, said.title) == ("7k9@google.com", 0, "Dentist")
    assert (said.place, said.organizer, said.organizer_name) == (
        "12 High Street, Springfield",
        "ada@example.org",
        "Ada Example",
    )
    assert (said.starts, said.length_s) == (datetime(2026, 12, 3, 16, tzinfo=UTC), 5400)


@pytest.mark.parametrize(
    "tzid", ["W. Europe Standard Time", "Customized Time Zone", "(UTC+01:00) Amsterdam, Berlin"]
)
def test_what_outlook_sends_has_its_time_by_the_zone_of_its_name_or_of_its_own_rules(tzid: str) -> None:
    said = one(outlook("20261203T170000", "20261203T183000", tzid=tzid))
    assert (said.starts, said.length_s) == (datetime(2026, 12, 3, 16, tzinfo=UTC), 5400)
    assert (said.title, said.place, said.organizer, said.sequence) == (
        "Elternabend", "Schule; Raum 4", "ada@example.org", 2,
    )  # fmt: skip
    summer = one(outlook("20270603T170000", "20270603T183000", tzid=tzid))
    assert summer.starts == datetime(2027, 6, 3, 15, tzinfo=UTC)


def test_a_whole_day_as_exchange_writes_it_is_one_also_where_the_clocks_change_on_it() -> None:
    for day, after in (("20261203", "20261204"), ("20270328", "20270329"), ("20271031", "20271101")):
        said = one(outlook(f"{day}T000000", f"{after}T000000", all_day=True))
        assert (said.first_day, said.last_day) == (date.fromisoformat(day), date.fromisoformat(day))


@pytest.mark.parametrize("width", [3, 17, 60, 75])
def test_what_apple_sends_is_whole_however_its_lines_are_folded(width: int) -> None:
    text = apple("DTSTART;TZID=Europe/Berlin:20261203T150000", "DURATION:PT2H")
    found = read(mailed(text, folded_at=width))
    assert found is not None
    [said] = found.events
    assert said.title == "Café für Großeltern und Enkel, der gemütliche Nachmittag am See"
    assert (said.place, said.length_s) == ("Café am See Uferweg 1", 7200)
    assert said.starts == datetime(2026, 12, 3, 14, tzinfo=UTC)


def test_what_nextcloud_sends_as_a_file_is_read_and_its_words_stand_apart() -> None:
    text = nextcloud("DTSTART;TZID=Europe/Berlin:20261203T193000", "DTEND;TZID=Europe/Berlin:20261203T210000")
    found = read(mailed(text, form="attached", base64=True))
    assert found is not None
    assert found.apart
    assert found.events[0].starts == datetime(2026, 12, 3, 18, 30, tzinfo=UTC)


def test_a_mail_that_is_nothing_but_a_calendar_and_one_in_another_charset_are_read() -> None:
    text = calendar(*event("DTSTART:20261203T160000Z", "SUMMARY:Grillabend für alle"))
    for charset in ("utf-8", "iso-8859-1"):
        found = read(mailed(text, form="alone", charset=charset))
        assert found is not None
        assert (found.apart, found.events[0].title) == (False, "Grillabend für alle")


def test_hours_of_no_zone_are_those_of_the_clock_and_days_have_none() -> None:
    said = one(calendar(*event("DTSTART:20261203T160000", "SUMMARY:Yoga")))
    assert (said.starts, said.wall) == (None, datetime(2026, 12, 3, 16))
    away = one(calendar(*event("DTSTART;VALUE=DATE:20261203", "DTEND;VALUE=DATE:20261206", "SUMMARY:Away")))
    assert (away.wall, away.first_day, away.last_day) == (None, date(2026, 12, 3), date(2026, 12, 5))


@pytest.mark.parametrize(
    "when",
    [
        ["DTSTART;TZID=Nowhere/Land:20261203T160000"],
        ["DTSTART;TZID=Europe/Berlin:20261203T160000Z"],
        ["DTSTART:20261203T250000"],
        ["DTSTART:20261203T160000Z", "DTSTART:20261204T160000Z"],
        ["DTSTART:20261203T160000Z", "DTEND:20261203T150000Z"],
        ["DTSTART:20261203T160000Z", "DTEND;VALUE=DATE:20261204"],
        ["DTSTART:20261203T160000Z", "DTEND:20261203T170000Z", "DURATION:PT2H"],
        ["DTSTART:20261203T160000Z", "DURATION:P400D"],
        ["DTSTART:99991231T235959Z", "DURATION:PT2H"],
        ["DTSTART:00010101T000000"],
        ["DTSTART:next Thursday"],
        [],
    ],
)  # fmt: skip
def test_a_time_that_is_not_certain_is_none(when: list[str]) -> None:
    said = one(calendar(*event(*when, "SUMMARY:Dentist")))
    assert (said.unclear, said.starts, said.wall, said.first_day) == ("time", None, None, None)
    assert said.title == "Dentist"


def test_a_zone_counts_in_its_own_mail_alone() -> None:
    """A library that keeps zones by name would give the second mail the first one's hours."""
    west = [line.replace("+0100", "-0500").replace("+0200", "-0400") for line in BERLIN_ZONE]

    def at(zone: list[str]) -> datetime | None:
        named = [line.replace("TZID:Europe/Berlin", "TZID:Home") for line in zone]
        return one(calendar(*named, *event("DTSTART;TZID=Home:20261203T120000"))).starts

    assert at(list(BERLIN_ZONE)) == datetime(2026, 12, 3, 11, tzinfo=UTC)
    assert at(west) == datetime(2026, 12, 3, 17, tzinfo=UTC)
    assert one(calendar(*event("DTSTART;TZID=Home:20261203T120000"))).unclear == "time"


def test_a_zone_whose_clocks_never_change_has_one_offset() -> None:
    """As Exchange writes it, without any rule, and since a year in which there were no such zones."""
    zone = ["BEGIN:VTIMEZONE", "TZID:Home", "BEGIN:STANDARD", "DTSTART:16010101T000000", "TZOFFSETFROM:+0545"]
    whole = [*zone, "TZOFFSETTO:+0545", "TZNAME:Home", "END:STANDARD", "END:VTIMEZONE"]
    said = one(calendar(*whole, *event("DTSTART;TZID=Home:20261203T120000")))
    assert said.starts == datetime(2026, 12, 3, 6, 15, tzinfo=UTC)
    broken = one(
        calendar(*zone, "END:STANDARD", "END:VTIMEZONE", *event("DTSTART;TZID=Home:20261203T120000"))
    )
    assert broken.unclear == "time"


@settings(max_examples=200, deadline=None)
@given(
    first=st.dates(date(1950, 1, 1), date(2027, 6, 1)),
    weekly=st.booleans(),
    interval=st.integers(1, 60),
    days=st.lists(
        st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"]), min_size=1, max_size=3, unique=True
    ),
    start=st.sampled_from(["MO", "SU"]),
)
def test_the_next_time_of_a_series_is_the_one_that_counting_from_its_beginning_finds(
    first: date, weekly: bool, interval: int, days: list[str], start: str
) -> None:
    rule = (
        f"FREQ=WEEKLY;INTERVAL={interval};WKST={start};BYDAY={','.join(days)}"
        if weekly
        else f"FREQ=DAILY;INTERVAL={interval}"
    )
    begin = datetime.combine(first, datetime.min.time()).replace(hour=17)
    counted = rruleset()
    counted.rrule(rrulestr(rule, dtstart=begin))
    counted.rdate(begin)
    wall = counted.after(WHEN.astimezone(BERLIN).replace(tzinfo=None), inc=True)
    said = one(calendar(*event(f"DTSTART;TZID=Europe/Berlin:{begin:%Y%m%dT%H%M%S}", f"RRULE:{rule}")))
    assert said.starts == wall.replace(tzinfo=BERLIN).astimezone(UTC)


@settings(max_examples=150, deadline=None)
@given(
    zone=st.sampled_from(
        ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"]
    ),
    wall=st.datetimes(datetime(2026, 11, 21), datetime(2029, 12, 31)).map(
        lambda at: at.replace(microsecond=0)
    ),
    minutes=st.integers(0, 31 * 24 * 60),
)
def test_any_hour_in_any_zone_is_its_moment_and_any_length_is_kept(
    zone: str, wall: datetime, minutes: int
) -> None:
    ends = f"DURATION:PT{minutes}M"
    said = one(calendar(*event(f"DTSTART;TZID={zone}:{wall:%Y%m%dT%H%M%S}", ends)))
    assert said.starts == wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    assert (said.wall, said.length_s) == (wall, minutes * 60)


def test_of_a_series_the_next_time_as_of_the_mail_is_said_with_its_rule() -> None:
    rule = [
        "DTSTART;TZID=Europe/Berlin:20260305T170000",
        "DURATION:PT1H",
        "RRULE:FREQ=WEEKLY;BYDAY=TH",
        "SUMMARY:Choir",
    ]
    said = one(calendar(*BERLIN_ZONE, *event(*rule)))
    assert (said.starts, said.rule) == (datetime(2026, 11, 26, 16, tzinfo=UTC), "FREQ=WEEKLY;BYDAY=TH")
    assert said.next == "2026-11-26T16:00:00Z"
    left_out = one(calendar(*event(*rule, "EXDATE;TZID=Europe/Berlin:20261126T170000")))
    assert left_out.next == "2026-12-03T16:00:00Z"
    moved = event(
        "RECURRENCE-ID:20261126T160000Z",
        "DTSTART;TZID=Europe/Berlin:20261127T180000",
        "DURATION:PT30M",
        "SUMMARY:Choir, in the hall",
    )
    stands = one(calendar(*event(*rule), *moved))
    assert (stands.starts, stands.length_s, stands.title) == (
        datetime(2026, 11, 27, 17, tzinfo=UTC),
        1800,
        "Choir, in the hall",
    )
    assert (stands.next, stands.rule) == ("2026-11-26T16:00:00Z", "FREQ=WEEKLY;BYDAY=TH")
    off = event("RECURRENCE-ID:20261126T160000Z", "DTSTART:20261126T160000Z", "STATUS:CANCELLED")
    assert one(calendar(*event(*rule), *off)).next == "2026-12-03T16:00:00Z"


def test_a_day_of_a_series_of_whole_days_counts_until_it_is_over() -> None:
    said = one(calendar(*event("DTSTART;VALUE=DATE:20200120", "RRULE:FREQ=MONTHLY", "SUMMARY:Bins")))
    assert (said.first_day, said.last_day) == (date(2026, 11, 20), date(2026, 11, 20))


def test_a_series_that_has_ended_is_over_and_one_time_of_another_is_that_time() -> None:
    over = one(calendar(*event("DTSTART:20260305T160000Z", "RRULE:FREQ=DAILY;COUNT=3")))
    assert over.unclear == "over"
    single = one(calendar(*event("RECURRENCE-ID:20261126T160000Z", "DTSTART:20261127T160000Z")))
    assert (single.which, single.next, single.starts) == (
        "2026-11-26T16:00:00Z", None, datetime(2026, 11, 27, 16, tzinfo=UTC),
    )  # fmt: skip
    onwards = one(
        calendar(*event("RECURRENCE-ID;RANGE=THISANDFUTURE:20261126T160000Z", "DTSTART:20261127T160000Z"))
    )
    assert onwards.unclear == "rule"


ENDLESS = [
    "FREQ=SECONDLY", "FREQ=MINUTELY;INTERVAL=1", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2",
    "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,1,2,3,4,5;BYSECOND=0,1,2,3", "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=300",
    "FREQ=YEARLY;BYEASTER=3", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=99999999999", "FREQ=WEEKLY;BYDAY=5MO",
    "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=6", "FREQ=DAILY;COUNT=99999999", "X", "",
]  # fmt: skip


@pytest.mark.parametrize("rule", ENDLESS)
def test_a_rule_that_comes_every_second_or_never_is_not_followed(rule: str) -> None:
    past = one(calendar(*event("DTSTART:20260305T160000Z", f"RRULE:{rule}", "SUMMARY:Dentist")))
    assert (past.unclear, past.starts) == ("rule", None)
    # The beginning of a series is one of its times, whatever its rule says.
    ahead = one(calendar(*event("DTSTART:20261203T160000Z", f"RRULE:{rule}", "SUMMARY:Dentist")))
    assert (ahead.starts, ahead.rule) == (datetime(2026, 12, 3, 16, tzinfo=UTC), None)
    assert ahead.next == "2026-12-03T16:00:00Z"


@pytest.mark.parametrize(
    "rule", [*ENDLESS, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=3;BYDAY=1SU;BYMONTHDAY=30"]
)
def test_a_zone_whose_clocks_change_every_second_or_never_is_none(rule: str) -> None:
    zone = [line if not line.startswith("RRULE") else f"RRULE:{rule}" for line in BERLIN_ZONE]
    named = [line.replace("TZID:Europe/Berlin", "TZID:Home") for line in zone]
    assert one(calendar(*named, *event("DTSTART;TZID=Home:20261203T160000"))).unclear == "time"


def test_a_file_with_ten_thousand_events_is_counted_and_none_beyond_the_first_few_is_kept() -> None:
    many = [line for number in range(1_500) for line in event("DTSTART:20261203T160000Z", uid=f"{number}")]
    found = read(mailed(calendar(*many)))
    assert found is not None
    assert (len(found.events), found.more) == (10, 1_490)
    endless = [
        line for number in range(10_000) for line in event("DTSTART:20261203T160000Z", uid=f"{number}")
    ]
    assert read(mailed(calendar(*endless))) is None


def test_what_is_too_large_cut_off_or_no_calendar_stays_a_file_of_the_mail() -> None:
    one_event = calendar(*event("DTSTART:20261203T160000Z", "DESCRIPTION:" + "x" * 300_000))
    cut = calendar(*event("DTSTART:20261203T160000Z")).partition("END:VEVENT")[0]
    for text in (
        one_event,
        cut,
        "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
        "\x00" * 5_000,
        "BEGIN:VEVENT\r\n" * 9_000,
    ):
        mail = mailed(text)
        assert read(mail) is None
        found = normalise(FetchedMail(7, 3, WHEN, len(mail), mail), MailSource("imap:x")).content
        assert isinstance(found, IngestEnvelopeV1)
        assert [one.media_type for one in found.payload.attachments] == ["text/calendar"]


def test_a_method_that_its_part_contradicts_is_none_and_an_unknown_one_too() -> None:
    text = google("20261203T160000Z", "20261203T173000Z", method="CANCEL")
    assert read(mailed(text, method="REQUEST")) is None
    assert read(mailed(text.replace("CANCEL", "SURPRISE"), method=None)) is None
    found = read(mailed(text, method="cancel"))
    assert found is not None
    assert (found.method, found.events[0].cancelled) == ("cancel", True)


def test_an_answer_says_who_gives_which() -> None:
    text = calendar(
        *event(
            "DTSTART:20261203T160000Z", "ATTENDEE;PARTSTAT=DECLINED;CN=Ben Example:mailto:ben@example.org"
        ),
        method="REPLY",
    )
    found = read(mailed(text, method="REPLY"))
    assert found is not None
    assert (found.method, found.events[0].answered, found.events[0].answered_by) == (
        "reply", "declined", "Ben Example",
    )  # fmt: skip


def test_an_id_of_any_length_is_always_the_same_short_one() -> None:
    uid = "0" * 5_000
    said = [one(calendar(*event("DTSTART:20261203T160000Z", uid=uid))).uid for _ in range(2)]
    assert said[0] == said[1]
    assert said[0].startswith("sha256:")


LINES = st.sampled_from(
    [
        "BEGIN:VEVENT", "END:VEVENT", "BEGIN:VCALENDAR", "END:VCALENDAR", "BEGIN:VTIMEZONE", "END:VTIMEZONE",
        "TZID:Home",
        "BEGIN:STANDARD", "END:STANDARD", "DTSTART:20261203T160000Z", "DTSTART;TZID=Home:20261203T160000", "UID:a",
        "UID:",
        "DTSTART;VALUE=DATE:20261203", "RRULE:FREQ=DAILY", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "DURATION:PT1H",
        "DTEND:20261203T170000Z", "RDATE:20261204T160000Z,20261205T160000Z", "EXDATE:20261203", "TZOFFSETTO:+9999",
        "TZOFFSETFROM:+0100", "RECURRENCE-ID:20261203T160000Z", "SUMMARY:\\n\\,", "SUMMARY;X=\"", ":", ";", "\x00",
        "METHOD:REQUEST",
        "SEQUENCE:-1", "DTSTAMP:99999999T999999Z", "ORGANIZER;CN=\":\":mailto:a@b", "ATTENDEE;PARTSTAT=ACCEPTED:x",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.lists(LINES, max_size=40).map("\r\n".join), st.text(max_size=200)))
def test_any_lines_give_an_invitation_that_the_contract_takes_or_none(inner: str) -> None:
    for text in (inner, calendar(inner), calendar("BEGIN:VEVENT", "UID:a", inner, "END:VEVENT")):
        mail = mailed(text.encode("utf-8", "replace").decode())
        assert read(mail) == read(mail)


def test_monstrous_calendars_stay_within_bounds() -> None:
    dates = ",".join(f"{WHEN + timedelta(minutes=n):%Y%m%dT%H%M%SZ}" for n in range(10_000))
    for more in (
        "RDATE:" + dates,
        "EXDATE:" + dates,
        "RRULE:FREQ=DAILY;BYDAY=" + ",".join(["MO"] * 60_000),
        "SUMMARY" + ";X=" * 60_000,
        "ATTENDEE;CN=" + "\\" * 200_000,
        "X" * 200_000,
    ):
        read(mailed(calendar(*event("DTSTART:20260305T160000Z", "RRULE:FREQ=DAILY", more))))


def test_times_that_are_left_out_in_a_line_too_long_to_read_leave_none_that_is_certain() -> None:
    dates = ",".join(f"{WHEN + timedelta(days=n):%Y%m%dT%H%M%SZ}" for n in range(300))
    assert (
        one(calendar(*event("DTSTART:20260305T101500Z", "RRULE:FREQ=DAILY", "EXDATE:" + dates))).unclear
        == "rule"
    )
