"""A Google calendar, against a double that follows Google's documents: access, pages, quotas, cut answers."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from butler_contracts.errors import TargetUnavailable, ValidationFailed
from tests.integration.kit.calendar.conftest import google_of
from tests.integration.kit.calendar.test_port import DECEMBER, EVENT_ID, dentist
from tests.support.google_calendar import GoogleDouble


async def test_an_access_token_is_fetched_once_and_anew_when_google_refuses_it(google: GoogleDouble) -> None:
    calendar = google_of(google)
    await calendar.events(DECEMBER)
    await calendar.events(DECEMBER)
    assert google.tokens == 1
    google.access.clear()
    await calendar.create(dentist())
    await calendar.aclose()
    assert google.tokens == 2
    assert len(google.there) == 1


async def test_a_revoked_refresh_token_is_said_in_words_without_the_token(google: GoogleDouble) -> None:
    google.refresh_token = "another"
    calendar = google_of(google)
    with pytest.raises(TargetUnavailable, match="does not take the refresh token") as refusal:
        await calendar.events(DECEMBER)
    await calendar.aclose()
    assert "refresh-1" not in refusal.value.message
    assert refusal.value.retryable


@pytest.mark.parametrize("secret", ["", "token", "[]", '{"client_id": "a"}'])
async def test_a_secret_that_is_no_authorized_user_says_what_it_has_to_be(
    google: GoogleDouble, secret: str
) -> None:
    with pytest.raises(TargetUnavailable, match="client_id, client_secret and refresh_token"):
        google_of(google, secret=secret or " ")


async def test_an_answer_cut_off_after_the_event_was_made_makes_no_second_one(google: GoogleDouble) -> None:
    calendar = google_of(google)
    google.script = ["cut"]
    with pytest.raises(TargetUnavailable):
        await calendar.create(dentist())
    assert await calendar.create(dentist()) == dentist()
    await calendar.aclose()
    assert [event["id"] for event in google.events.values()] == [UUID(EVENT_ID).hex]


async def test_every_page_is_read(google: GoogleDouble) -> None:
    google.page = 2
    calendar = google_of(google)
    ids = [str(UUID(int=number)) for number in range(5)]
    for number, event_id in enumerate(ids):
        await calendar.create(dentist(9 + number, event_id))
    assert [event.event_id for event in await calendar.events(DECEMBER)] == ids
    await calendar.aclose()


async def test_what_is_asked_of_a_list_are_single_events_in_order(google: GoogleDouble) -> None:
    calendar = google_of(google)
    await calendar.events(DECEMBER)
    await calendar.aclose()
    query = google.queries[-1]
    assert (query["singleEvents"], query["orderBy"]) == ("true", "startTime")
    assert datetime.fromisoformat(query["timeMin"]) == datetime(2026, 12, 1, tzinfo=UTC)


async def test_nobody_is_mailed_about_what_is_written(google: GoogleDouble) -> None:
    calendar = google_of(google)
    await calendar.create(dentist())
    await calendar.move(dentist(11))
    await calendar.delete(EVENT_ID)
    await calendar.aclose()
    writes = [
        query
        for asked, query in zip(google.asked, google.queries, strict=True)
        if not asked.startswith("GET")
    ]
    assert [query.get("sendUpdates") for query in writes] == ["none"] * 3


async def test_a_meeting_that_its_owner_declined_is_in_nobodys_way(google: GoogleDouble) -> None:
    calendar = google_of(google)
    await calendar.create(dentist())
    google.events[UUID(EVENT_ID).hex]["attendees"] = [{"self": True, "responseStatus": "declined"}]
    (found,) = await calendar.events(DECEMBER)
    await calendar.aclose()
    assert found.busy is False


@pytest.mark.parametrize(("status", "reason"), [(403, "userRateLimitExceeded"), (429, "rateLimitExceeded")])
async def test_too_many_calls_are_an_outage_that_is_waited_for(
    google: GoogleDouble, status: int, reason: str
) -> None:
    calendar = google_of(google)
    google.script, google.reason = [status], reason
    with pytest.raises(TargetUnavailable) as refusal:
        await calendar.events(DECEMBER)
    await calendar.aclose()
    assert refusal.value.retryable


async def test_a_right_that_is_missing_says_which(google: GoogleDouble) -> None:
    calendar = google_of(google)
    await calendar.events(DECEMBER)
    google.script, google.reason = [403], "forbidden"
    with pytest.raises(TargetUnavailable, match=r"scope calendar\.events"):
        await calendar.create(dentist())
    await calendar.aclose()


async def test_a_calendar_that_is_not_there_says_which_setting_to_correct(google: GoogleDouble) -> None:
    calendar = google_of(google, calendar_id="family@group.calendar.google.com")
    with pytest.raises(TargetUnavailable, match="correct calendarId"):
        await calendar.events(DECEMBER)
    with pytest.raises(TargetUnavailable, match="correct calendarId"):
        await calendar.create(dentist())
    await calendar.aclose()


@pytest.mark.parametrize("said", [500, "reset"])
async def test_an_outage_is_one_whatever_it_looks_like(google: GoogleDouble, said: int | str) -> None:
    calendar = google_of(google)
    await calendar.events(DECEMBER)
    google.script = [said, said]  # what only reads may be sent once more
    with pytest.raises(TargetUnavailable, match="cannot be reached"):
        await calendar.events(DECEMBER)
    google.script = []
    assert list(await calendar.events(DECEMBER)) == []
    await calendar.aclose()


async def test_what_google_calls_wrong_is_a_no_and_no_outage(google: GoogleDouble) -> None:
    calendar = google_of(google)
    await calendar.events(DECEMBER)
    google.script = [400]
    with pytest.raises(ValidationFailed, match="HTTP 400 invalid"):
        await calendar.create(dentist())
    await calendar.aclose()


async def test_an_event_of_an_invitation_is_found_by_its_id_wherever_it_stands(google: GoogleDouble) -> None:
    uid = "dentist@example.org"
    google.add("theirs1", "Dentist", "2026-12-08T09:00:00+00:00", "2026-12-08T10:00:00+00:00", uid=uid)
    google.add("theirs2", "Other", "2026-12-08T09:00:00+00:00", "2026-12-08T10:00:00+00:00")
    google.add("theirs3", "Later", "2027-02-01T09:00:00+00:00", "2027-02-01T10:00:00+00:00", uid="later@x")
    calendar = google_of(google)
    here, later = await calendar.by_uid(uid, DECEMBER), await calendar.by_uid("later@x", DECEMBER)
    google.events["theirs1"]["status"] = "cancelled"
    gone = await calendar.by_uid(uid, DECEMBER)
    await calendar.aclose()
    assert here is not None
    assert here.title == "Dentist"
    assert later is not None
    assert later.start == datetime(2027, 2, 1, 9, tzinfo=UTC)
    assert gone is None
