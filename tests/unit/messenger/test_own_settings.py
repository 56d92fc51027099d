"""What a person may have for themselves in the contacts file, and that a mistake in it is named as it is written."""

from __future__ import annotations

import pytest

from butler_contracts.person_settings import in_quiet_hours
from butler_messenger.contacts.file import ContactsFileError, read_contacts

ADA = "- {name: Ada, role: owner}\n"
BEN = "- {name: Ben, role: member, %s}\n"


def test_language_zone_quiet_hours_and_the_hour_of_the_digest_are_a_persons_own() -> None:
    own = 'language: de, timezone: America/New_York, quietHours: {start: "21:00", end: "06:30"}, digestAt: "07:15"'
    ada, ben = read_contacts(ADA + BEN % own)
    assert ada.settings.to_wire() == {}
    assert ben.settings.to_wire() == {
        "language": "de",
        "timezone": "America/New_York",
        "quietHours": {"start": "21:00", "end": "06:30"},
        "digestAt": "07:15",
    }


MISTAKES = {
    "timezone: Europe/Berln": "entry 2: timezone: Value error, 'Europe/Berln' is no time zone",
    "language: nl": "entry 2: language: Input should be 'en', 'de', 'fr' or 'es'",
    'quietHours: {start: "22:00", end: "22:00"}': "start and end are both 22:00",
    'quietHours: {start: "22:00"}': "entry 2: quietHours.end: Field required",
    'quietHours: {start: "22:00", end: "25:00"}': "entry 2: quietHours.end",
    'quietHours: {start: "22:00", end: "07:00", until: "x"}': "entry 2: quietHours.until",
    'quietHours: {start: "22:00", end: "07:00"}, digestAt: "06:00"': "digestAt is 06:00, in the quietHours",
    'digestAt: "7:30"': "entry 2: digestAt",
    "quiet_hours: {}": "entry 2: quiet_hours: Extra inputs are not permitted",
}


@pytest.mark.parametrize("own", MISTAKES)
def test_a_mistake_is_named_by_entry_and_key(own: str) -> None:
    with pytest.raises(ContactsFileError) as refused:
        read_contacts(ADA + BEN % own)
    assert MISTAKES[own] in refused.value.message


@pytest.mark.parametrize(
    ("at", "start", "end", "inside"),
    [
        ("22:00", "22:00", "07:00", True),
        ("06:59", "22:00", "07:00", True),
        ("07:00", "22:00", "07:00", False),
        ("13:30", "13:00", "15:00", True),
        ("15:00", "13:00", "15:00", False),
    ],
)
def test_quiet_hours_begin_with_their_start_and_are_over_at_their_end(
    at: str, start: str, end: str, inside: bool
) -> None:
    assert in_quiet_hours(at, start, end) is inside


def test_a_child_and_a_guest_are_members_with_their_own_limits() -> None:
    child = (
        '- {name: Leo, role: child, limits: {butlers: [general], hours: {start: "07:00", end: "20:00"}}}\n'
    )
    ada, leo, ida, ben = read_contacts(
        ADA + child + "- {name: Ida, role: guest}\n- {name: Ben, role: adult}\n"
    )
    assert [one.role for one in (ada, leo, ida, ben)] == ["owner", "member", "member", "member"]
    assert leo.settings.to_wire() == {
        "standing": "child",
        "limits": {"butlers": ["general"], "hours": {"start": "07:00", "end": "20:00"}},
    }
    assert ida.settings.to_wire() == {"standing": "guest"}
    assert ben.settings.to_wire() == {}


def test_an_adult_may_have_limits_and_the_owner_has_none() -> None:
    _, ben = read_contacts(ADA + "- {name: Ben, role: adult, limits: {askFirst: [finance]}}\n")
    assert (ben.role, ben.settings.to_wire()) == ("member", {"limits": {"askFirst": ["finance"]}})
    with pytest.raises(ContactsFileError, match="limits of a contact with role owner"):
        read_contacts("- {name: Ada, role: owner, limits: {butlers: [general]}}\n")


def test_a_file_without_roles_reads_on_with_its_first_contact_as_the_owner() -> None:
    people = read_contacts("- {name: Ada}\n- {name: Ben}\n")
    assert [(one.name, one.role, one.settings.to_wire()) for one in people] == [
        ("Ada", "owner", {}),
        ("Ben", "member", {}),
    ]


WRONG_LIMITS = {
    "role: other, limits: {butlers: [general]}": "limits of a contact with role other",
    "role: child, limits: {butler: [general]}": "limits.butler: Extra inputs are not permitted",
    "role: child, limits: {butlers: [travel], askFirst: [travel]}": "travel is in butlers and in askFirst",
    'role: child, limits: {hours: {start: "07:00", end: "07:00"}}': "start and end are both 07:00",
    "role: toddler": "role",
    "role: child, standing: guest": "standing is not a key of the file",
}


@pytest.mark.parametrize("own", WRONG_LIMITS)
def test_a_mistake_in_a_limit_is_named(own: str) -> None:
    with pytest.raises(ContactsFileError) as refused:
        read_contacts(f"{ADA}- {{name: Leo, {own}}}\n")
    assert WRONG_LIMITS[own] in refused.value.message
