"""One message for each member of what all butlers have on a day, under one key; who is away is named, not forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.day import DAY_TOOL
from butler_contracts.errors import ButlerError, TargetUnavailable, ValidationFailed
from butler_contracts.notify import NotifyRequestV1, NotifyResponseV1
from butler_contracts.people import AddressV1, PersonV1
from butler_contracts.person_settings import PersonSettings, QuietHoursV1
from butler_switchboard.ingress.senders import ContactBook
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.schedules.day import Day
from butler_switchboard.schedules.digest import Digest
from butler_switchboard.schedules.digest_times import Habits

ADA, BEN, CARL = (UUID(int=number) for number in (1, 2, 3))
BERLIN = ZoneInfo("Europe/Berlin")
DUE = datetime(2026, 11, 26, 23, 30, tzinfo=UTC)
LONG = timedelta(minutes=6)
PEOPLE = (
    PersonV1(contact_id=ADA, name="Ada", addresses=(AddressV1(channel="email", value="ada@example.org"),)),
    PersonV1(
        contact_id=BEN,
        name="Ben",
        addresses=(AddressV1(channel="email", value="b@x.org"), AddressV1(channel="telegram", value="2")),
    ),
    PersonV1(contact_id=CARL, name="Carl"),
)


class Time:
    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> datetime:
        return DUE

    def monotonic(self) -> float:
        return self.at


@dataclass
class Home:
    """A household whose butlers say `says`; who says an error is away."""

    says: dict[str, str | ButlerError]
    refuses: Mapping[str, ButlerError] = field(default_factory=dict)
    unheard: frozenset[str] = frozenset()
    known: bool = True
    at: str | None = "07:30"
    own: dict[UUID, PersonSettings] = field(default_factory=dict)
    sent: list[NotifyRequestV1] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)

    async def book(self) -> ContactBook:
        if not self.known:
            raise TargetUnavailable("not yet", retryable=True)
        return ContactBook(frozenset(), True, PEOPLE, self.own)

    def view(self) -> RegistryView:
        return RegistryView.of(ButlerProfile(name, capabilities=("records",)) for name in self.says)

    def capable(self, name: str, tool: str) -> bool:
        return tool == DAY_TOOL and name not in self.unheard

    async def call(self, name: str, tool: str, arguments: dict[str, Any], **_: Any) -> dict[str, Any]:
        self.asked.append(arguments)
        said = self.says[name]
        if isinstance(said, ButlerError):
            raise said
        return {"heading": "This is on today:", "left_out": "I could not ask {names}.", "text": said}

    async def send(self, request: NotifyRequestV1, *, purpose: str) -> NotifyResponseV1:
        self.sent.append(request)
        refused = self.refuses.get(request.delivery.channel)
        error = refused.to_detail() if refused else None
        return NotifyResponseV1.model_construct(status="error" if refused else "ok", error=error)

    def digest(self, clock: Time) -> Digest:
        return Digest(
            household=Habits(BERLIN, "en", self.at, None),
            people=self,
            day=Day(self, self),
            telling=self,
            clock=clock,
        )

    async def tell(self, who: UUID = BEN, late: timedelta = LONG, up: float = 600.0) -> Mapping[str, Any]:
        clock = Time()
        digest = self.digest(clock)
        clock.at = up
        [one] = [one for one in await digest.schedules() if one.name == f"digest:{who}"]
        assert one.repeatable is not None
        return await one.repeatable.act(DUE, late)


async def test_what_all_have_is_one_message_by_the_first_channel_under_the_key_of_the_local_day() -> None:
    home = Home({"travel": "The train at 14:05.", "general": "", "finance": "96.50 EUR, power."})
    assert await home.tell() == {"butlers": 2, "left_out": []}
    [told] = home.sent
    assert told.delivery.message == "This is on today:\n96.50 EUR, power.\nThe train at 14:05."
    assert (told.delivery.channel, told.delivery.contact_id) == ("telegram", str(BEN))
    assert told.delivery.idempotency_key == f"digest:{BEN}:2026-11-27"
    assert home.asked[0] == {"contact_id": str(BEN), "at": "2026-11-26T23:30:00Z", "language": "en"}


async def test_nothing_to_tell_is_nothing_sent() -> None:
    home = Home({"finance": "", "general": ""})
    assert await home.tell() == {"butlers": 0, "left_out": []}
    assert home.sent == []


async def test_only_who_can_be_written_to_has_one_and_a_mail_has_a_subject() -> None:
    home = Home({"general": "Bins."})
    await home.tell(ADA)
    assert home.sent[0].delivery.subject == "This is on today"
    with pytest.raises(ValueError, match="not enough"):
        await home.tell(CARL)
    home.known = False
    with pytest.raises(ValueError, match="not enough"):
        await home.tell(ADA)


@pytest.mark.parametrize(("late", "up"), [(timedelta(minutes=1), 600.0), (LONG, 20.0)])
async def test_who_is_away_is_waited_for_after_the_due_time_and_after_our_own_start(
    late: timedelta, up: float
) -> None:
    home = Home({"finance": TargetUnavailable("down", retryable=True), "general": "Bins."})
    with pytest.raises(TargetUnavailable, match="finance") as put_off:
        await home.tell(late=late, up=up)
    assert put_off.value.retryable
    assert home.sent == []


async def test_who_stays_away_or_is_of_the_release_before_is_named() -> None:
    home = Home(
        {"finance": TargetUnavailable("down", retryable=True), "general": "Bins.", "health": "Never asked."},
        unheard=frozenset({"health"}),
    )
    assert await home.tell() == {"butlers": 1, "left_out": ["finance", "health"]}
    assert home.sent[0].delivery.message == "This is on today:\nBins.\nI could not ask finance, health."


async def test_what_one_channel_refuses_goes_by_the_other_under_the_same_key() -> None:
    home = Home({"general": "Bins."}, refuses={"telegram": ValidationFailed("blocked")})
    await home.tell()
    assert [one.delivery.channel for one in home.sent] == ["telegram", "email"]
    assert len({one.delivery.idempotency_key for one in home.sent}) == 1


async def test_messenger_s_absence_is_tried_again_and_not_by_the_other_channel() -> None:
    home = Home({"general": "Bins."}, refuses={"telegram": TargetUnavailable("away", retryable=True)})
    with pytest.raises(ButlerError) as put_off:
        await home.tell()
    assert put_off.value.retryable
    assert len(home.sent) == 1


async def test_who_has_an_hour_a_zone_and_a_language_of_their_own_is_told_by_them() -> None:
    own = PersonSettings(language="es", timezone="America/New_York", digestAt="06:45")
    home = Home({"general": "Bins."}, own={BEN: own})
    [ada, ben] = await home.digest(Time()).schedules()
    assert [(one.cron, str(one.zone)) for one in (ada, ben)] == [
        ("30 7 * * *", "Europe/Berlin"),
        ("45 6 * * *", "America/New_York"),
    ]
    await home.tell(BEN)
    assert home.asked[0]["language"] == "es"
    assert home.sent[0].delivery.idempotency_key == f"digest:{BEN}:2026-11-26"  # still the 26th in New York


async def test_a_person_may_be_told_alone_and_the_household_s_quiet_hours_hold_for_who_has_none() -> None:
    night = QuietHoursV1(start="22:00", end="07:00")
    household = Habits(BERLIN, "en", None, night)
    assert household.time is None
    early = household.of(PersonSettings(digestAt="06:00"))
    assert early.time is not None
    assert early.time.cron == "0 7 * * *"
    owl = household.of(PersonSettings(digestAt="06:00", quietHours=QuietHoursV1(start="00:00", end="05:00")))
    assert owl.time is not None
    assert owl.time.cron == "0 6 * * *"
