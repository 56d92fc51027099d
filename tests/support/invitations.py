"""Invitations as calendar programs mail them: shaped as they shape them (RFC 5545, 5546, 6047), with our own words.

Each builder gives the text of the calendar part; `mailed` puts it into a mail in one of the forms that programs use.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Final, Literal

__all__ = [
    "ADA",
    "BERLIN_ZONE",
    "WINDOWS_ZONE",
    "apple",
    "calendar",
    "event",
    "google",
    "mailed",
    "nextcloud",
    "outlook",
]

ADA: Final = "ada@example.org"
BERLIN_ZONE: Final = (
    "BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "X-LIC-LOCATION:Europe/Berlin",
    "BEGIN:DAYLIGHT", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", "TZNAME:CEST", "DTSTART:19700329T020000",
    "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "END:DAYLIGHT",
    "BEGIN:STANDARD", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "TZNAME:CET", "DTSTART:19701025T030000",
    "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "END:STANDARD", "END:VTIMEZONE",
)  # fmt: skip
WINDOWS_ZONE: Final = (
    "BEGIN:VTIMEZONE", "TZID:{tzid}",
    "BEGIN:STANDARD", "DTSTART:16010101T030000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100",
    "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10", "END:STANDARD",
    "BEGIN:DAYLIGHT", "DTSTART:16010101T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200",
    "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3", "END:DAYLIGHT", "END:VTIMEZONE",
)  # fmt: skip
Form = Literal["alternative", "google", "attached", "alone"]


def calendar(*lines: str, method: str | None = "REQUEST", product: str = "-//Example//Calendar//EN") -> str:
    """A calendar object; lines end as RFC 5545 wants."""
    said = (f"METHOD:{method}",) if method is not None else ()
    whole = ("BEGIN:VCALENDAR", f"PRODID:{product}", "VERSION:2.0", *said, *lines, "END:VCALENDAR", "")
    return "\r\n".join(whole)


def event(
    *lines: str,
    uid: str = "dentist@example.org",
    sequence: int = 0,
    stamp: str = "20261120T100000Z",
    organizer: str = ADA,
) -> tuple[str, ...]:
    """A VEVENT with what each has; `lines` say when it is, and what."""
    return (
        "BEGIN:VEVENT", f"UID:{uid}", f"DTSTAMP:{stamp}", f"SEQUENCE:{sequence}",
        f"ORGANIZER;CN=Ada Example:mailto:{organizer}", *lines, "END:VEVENT",
    )  # fmt: skip


def google(
    start: str, end: str, *, title: str = "Dentist", method: str = "REQUEST", sequence: int = 0
) -> str:
    """As Google Calendar writes one that does not recur: moments in UTC, a status, an entry for each guest."""
    return calendar(
        "CALSCALE:GREGORIAN",
        *event(
            f"DTSTART:{start}", f"DTEND:{end}", "CREATED:20261120T095900Z", "DESCRIPTION:",
            "LAST-MODIFIED:20261120T095900Z",
            "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=\r\n"
            " TRUE;CN=home@example.org;X-NUM-GUESTS=0:mailto:home@example.org",
            "X-MICROSOFT-CDO-OWNERAPPTID:1", "LOCATION:12 High Street\\, Springfield",
            f"STATUS:{'CANCELLED' if method == 'CANCEL' else 'CONFIRMED'}", f"SUMMARY:{title}", "TRANSP:OPAQUE",
            uid="7k9@google.com", sequence=sequence,
        ),
        method=method,
        product="-//Google Inc//Google Calendar 70.9054//EN",
    )  # fmt: skip


def outlook(start: str, end: str, *, tzid: str = "W. Europe Standard Time", all_day: bool = False) -> str:
    """As Exchange writes one: a zone of Windows' name with rules since 1601, languages at the words, a reminder."""
    named = tzid.replace(",", "\\,")
    tzid = f'"{tzid}"' if ":" in tzid else tzid
    return calendar(
        *(line.format(tzid=named) for line in WINDOWS_ZONE),
        "BEGIN:VEVENT", "ORGANIZER;CN=Ada Example:mailto:Ada@Example.org",
        "ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=Home:mailto:home\r\n @example.org",
        "DESCRIPTION;LANGUAGE=de-DE:\\n", "UID:040000008200E00074C5B7101A82E00800000000F0A1B2C3",
        "SUMMARY;LANGUAGE=de-DE:Elternabend", f"DTSTART;TZID={tzid}:{start}", f"DTEND;TZID={tzid}:{end}",
        "CLASS:PUBLIC", "PRIORITY:5", "DTSTAMP:20261120T100000Z", "TRANSP:OPAQUE", "STATUS:CONFIRMED", "SEQUENCE:2",
        "LOCATION;LANGUAGE=de-DE:Schule\\; Raum 4", "X-MICROSOFT-CDO-APPT-SEQUENCE:2",
        f"X-MICROSOFT-CDO-ALLDAYEVENT:{'TRUE' if all_day else 'FALSE'}",
        "BEGIN:VALARM", "DESCRIPTION:REMINDER", "TRIGGER;RELATED=START:-PT15M", "ACTION:DISPLAY", "DURATION:PT5M",
        "END:VALARM", "END:VEVENT",
        product="Microsoft Exchange Server 2010",
    )  # fmt: skip


def apple(*when: str) -> str:
    """As iCloud writes one: its zone's rules, a place with coordinates, words folded within a letter."""
    folded = "SUMMARY:Café für Großeltern und Enkel, der gemütliche Nachmittag am See"
    return calendar(
        "CALSCALE:GREGORIAN", *BERLIN_ZONE,
        *event(
            *when, folded, "LOCATION:Café am See\\nUferweg 1",
            'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=70;X-TITLE="Café am See":geo:47.5,9.7',
            uid="3F2C9A70-0000-4E0B-9E1C-2B4F5A6C7D8E", stamp="20261120T100000Z", sequence=1,
        ),
        product="-//Apple Inc.//iCloud//EN",
    )  # fmt: skip


def nextcloud(*when: str, method: str = "REQUEST") -> str:
    """As Nextcloud's sabre/dav writes one."""
    return calendar(
        "CALSCALE:GREGORIAN", *BERLIN_ZONE,
        *event(*when, "SUMMARY:Chorprobe", "STATUS:CONFIRMED", uid="b6a1e7f0-nextcloud", sequence=3),
        method=method, product="-//Sabre//Sabre VObject 4.5.4//EN",
    )  # fmt: skip


def mailed(
    text: str,
    *,
    form: Form = "alternative",
    words: str = "You are invited.",
    method: str | None = "REQUEST",
    sender: str = ADA,
    message_id: str = "<invitation-1@example.org>",
    charset: str = "UTF-8",
    more: Sequence[str] = (),
    base64: bool = False,
    folded_at: int | None = None,
) -> bytes:
    """A mail with the calendar part as one form of its text, as Google adds it once more, as a file, or alone."""
    said = f"; method={method}" if method is not None else ""
    content = text.encode(charset)
    if folded_at is not None:
        content = _folded(content, folded_at)
    encoding, body = "8bit", content
    if base64:
        encoding, body = "base64", b64encode(content)
    part = (
        f"Content-Type: text/calendar; charset={charset}{said}\r\nContent-Transfer-Encoding: {encoding}\r\n"
    )
    attached = part + 'Content-Disposition: attachment; filename="invite.ics"\r\n'
    file = f'Content-Type: application/ics; name="invite.ics"\r\nContent-Transfer-Encoding: {encoding}\r\n'
    plain = f"Content-Type: text/plain; charset=utf-8\r\n\r\n{words}\r\n".encode()
    html = f"Content-Type: text/html; charset=utf-8\r\n\r\n<p>{words}</p>\r\n".encode()
    head = [
        f"From: Ada Example <{sender}>", "To: home@example.org", f"Message-ID: {message_id}",
        "Subject: Invitation: Dentist",
        "Date: Fri, 20 Nov 2026 10:15:00 +0000", "MIME-Version: 1.0", *more,
    ]  # fmt: skip
    own = part.encode() + b"\r\n" + body + b"\r\n"
    if form == "alone":
        return "\r\n".join(head).encode() + b"\r\n" + own
    if form == "attached":
        forms = _together("alternative", "f", plain, html)
        whole = _together("mixed", "m", forms, attached.encode() + b"\r\n" + body + b"\r\n")
    else:
        whole = _together("alternative", "f", plain, html, own)
        if form == "google":
            ics = file + 'Content-Disposition: attachment; filename="invite.ics"\r\n'
            whole = _together("mixed", "m", whole, ics.encode() + b"\r\n" + body + b"\r\n")
    return "\r\n".join(head).encode() + b"\r\n" + whole


def _together(kind: str, boundary: str, *parts: bytes) -> bytes:
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'.encode()
    mark = f"--{boundary}\r\n".encode()
    return head + b"".join(mark + part for part in parts) + f"--{boundary}--\r\n".encode()


def _folded(content: bytes, width: int) -> bytes:
    """Lines of at most so many bytes, cut wherever that falls (RFC 5545, section 3.1)."""
    lines = []
    for line in content.split(b"\r\n"):
        lines.append(
            b"\r\n ".join(line[at : at + width] for at in range(0, len(line), width)) if line else line
        )
    return b"\r\n".join(lines)
