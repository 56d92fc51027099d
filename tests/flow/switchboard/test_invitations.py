"""An invitation goes to who keeps appointments, and what somebody wrote beside it where that belongs (ADR 0105)."""

from __future__ import annotations

from typing import Any

from butler_contracts.errors import ValidationFailed
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.invitation import CAPABILITY
from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1
from tests.flow.switchboard.test_approval_answers import PROVEN, sent
from tests.support.butlers import FakeButler, accepts_then_answers
from tests.support.switchboard import mail
from tests.support.switchboard_service import Household, Running

EVENT = {
    "uid": "dentist@example.org",
    "title": "Dentist",
    "starts": "2026-12-03T16:00:00Z",
    "wall": "2026-12-03T17:00:00",
}
BESIDE = "Please pay the invoice of 30 EUR to the dentist."


def invited(number: int, said: Any, *, text: str = "You are invited.", **more: Any) -> IngestEnvelopeV1:
    envelope = mail(f"<{number}@example.org>", text, **{"headers": PROVEN, **more}).to_wire()
    envelope["payload"]["raw"]["invitation"] = said
    return parse(IngestEnvelopeV1, envelope)


def invitation(method: str | None = "request", **more: Any) -> dict[str, Any]:
    return {"method": method, "events": [EVENT], **more}


async def ready(running: Running) -> FakeButler:
    general = running.household.butler("general")
    await general.tell(
        "register_butler",
        description="general, a test",
        tools=["route.execute", "route.cancel"],
        capabilities=[CAPABILITY],
        route_contract="route.v1",
    )
    await running.switchboard.parts.registry.refresh()
    return general


def told(butler: FakeButler) -> list[tuple[str | None, str]]:
    """The methods of the invitations that it got, and its words."""
    return [
        (one.invitation.method if one.invitation is not None else "none", one.subrequest.segment_id)
        for one in butler.got
    ]


async def test_an_invitation_goes_as_it_was_read_to_who_keeps_appointments_and_to_nobody_else(
    home: Household,
) -> None:
    cases = [
        invited(1, invitation()),
        invited(2, invitation("cancel", apart=True), text=BESIDE),
        invited(3, invitation("reply", apart=True), text=BESIDE),
        invited(
            4,
            invitation("request", apart=True),
            text=BESIDE,
            headers={**PROVEN, "Auto-Submitted": ["auto-generated"]},
        ),
        invited(5, invitation(), sender="office@dentist.example", headers={}),
    ]
    async with home.run() as running:
        general = await ready(running)
        for case in cases:
            request = await sent(running, case)
            await home.settled(request)
            assert (await home.plan(request))["reason"] == "invitation"
    methods = ("request", "cancel", "reply", "request", "request")
    assert told(general) == [(method, "invitation") for method in methods]
    assert general.got[0].invitation is not None
    assert general.got[0].invitation.events[0].uid == "dentist@example.org"
    assert [one.request_context.sender_class for one in general.got] == ["household"] * 4 + ["other"]
    assert [one.invitation.apart for one in general.got if one.invitation] == [False, True, True, True, False]
    assert not home.butler("finance").got
    assert not home.butler("health").got


async def test_what_somebody_wrote_beside_a_file_is_routed_as_ever_and_the_file_goes_with_it(
    home: Household,
) -> None:
    async with home.run() as running:
        general = await ready(running)
        await home.settled(await sent(running, invited(1, invitation(None, apart=True), text=BESIDE)))
    [got] = home.butler("finance").got
    assert (got.invitation, got.input.prompt) == (None, BESIDE)
    assert told(general) == [(None, "invitation")]
    assert general.got[0].invitation is not None
    assert not general.got[0].invitation.apart, "finance reads the words"


async def test_what_nobody_reads_stays_a_mail_as_any_other(home: Household) -> None:
    """Where no butler keeps appointments from mails yet, and where the connector's word is none."""
    async with home.run() as running:
        await home.settled(await sent(running, invited(1, invitation(), text=BESIDE)))
        general = await ready(running)
        broken: list[Any] = [[1], "x", {"events": []}, {**invitation(), "surprise": 1}]
        for number, said in enumerate(broken, 2):
            await home.settled(await sent(running, invited(number, said, text=BESIDE)))
    assert [one.invitation for one in home.butler("finance").got] == [None] * 5
    assert not general.got


async def test_a_butler_of_the_release_before_gets_the_mail_without_what_it_does_not_know(
    home: Household,
) -> None:
    taken = accepts_then_answers()

    async def before(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        if envelope.invitation is not None:
            raise ValidationFailed("route.v1: input.context.invitation: is not a known field")
        return await taken(butler, envelope)

    home.butler("general").behaviour = before
    async with home.run() as running:
        general = await ready(running)
        row = await home.settled(await sent(running, invited(1, invitation())))
    assert row["lifecycle_state"] == "parsed"
    assert [one.invitation is None for one in general.got] == [False, True]
