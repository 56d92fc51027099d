"""An operator decides on dead letters, one or all of a cause, and holds and releases butlers; each is audited."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

import pytest

from tests.integration.dashboard.desk import PAGE, Desk, desk_of, hidden
from tests.support.butlers import NOBODYS, FakeButler, accepts
from tests.support.dashboard_rows import (
    add_approval,
    add_approval_rule,
    add_butler,
    add_delivery,
    add_delivery_letter,
    add_letter,
    add_request,
    add_suppression,
    now_of,
    request_id_at,
)
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, until

WHY = {"reason": "told by telephone"}


@pytest.fixture
async def desk(provisioned, tmp_path):
    async with desk_of(provisioned, tmp_path) as desk:
        yield desk


async def letters_of(desk: Desk, *messages: str):
    """Open letters that failed with these words, the oldest first."""
    now = await now_of(desk.admin)
    return [
        await add_letter(
            desk.admin, request_id_at(now - timedelta(minutes=90 - number)), now - timedelta(minutes=80 - number),
            error_message=message,
        )
        for number, message in enumerate(messages)
    ]  # fmt: skip


async def states(desk: Desk, letters):
    rows = await desk.admin.fetch("SELECT dead_letter_id, state, closed_reason FROM dead_letter")
    found = {row["dead_letter_id"]: (row["state"], row["closed_reason"]) for row in rows}
    return [found[letter] for letter in letters]


async def test_one_letter_is_discarded_once_with_its_reason_and_the_operator_on_record(desk: Desk):
    letters = await letters_of(desk, "silent", "silent")
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/dead-letters?state=open")).text
        form = {
            **WHY,
            "form_key": hidden(page, "form_key"),
            "order": hidden(page, "order"),
            "next": "/dead-letters?state=open",
        }
        for _ in range(2):
            done = await http.post(f"/dead-letters/{letters[0]}/discard", data=form)
            assert (done.status_code, done.headers["location"]) == (303, "/dead-letters?state=open"), (
                done.text
            )
        again = await http.post(f"/dead-letters/{letters[0]}/replay", data={**form, "order": "another"})
        assert (again.status_code, "discarded" in again.text) == (400, True)
    assert await states(desk, letters) == [("discarded", "told by telephone"), ("open", None)]
    assert (await desk.audited("dead_letter.discard")) == [("ada", "dead_letter.discard")]


async def test_all_of_one_cause_are_discarded_at_once_and_nothing_else_nor_what_failed_later(desk: Desk):
    letters = await letters_of(desk, "silent", "no bread", "silent", "silent", "silent")
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/dead-letters")).text
        assert f"/dead-letters/{letters[4]}/discard-all" in page
        assert "Actions for all 4" in page
        form = {**WHY, "form_key": hidden(page, "form_key"), "order": "1"}
        done = await http.post(f"/dead-letters/{letters[3]}/discard-all", data=form)
        assert (done.status_code, done.headers["location"]) == (303, "/dead-letters")
    discarded = ("discarded", "told by telephone")
    assert await states(desk, letters) == [discarded, ("open", None), discarded, discarded, ("open", None)]
    assert len(await desk.audited("dead_letter.discard")) == 3


async def test_a_letter_shows_the_text_that_failed_and_a_retry_that_is_refused_says_why(desk: Desk):
    [letter] = await letters_of(desk, "silent")
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/dead-letters")).text
        assert "Paid 12 EUR for bread" in page
        assert "never shown" not in page
        key = {"form_key": hidden(page, "form_key"), "order": "1"}
        assert "Say why" in (await http.post(f"/dead-letters/{letter}/discard", data=key)).text
        for path in (
            f"{letter}/erase",
            "x/discard",
            f"{request_id_at(await now_of(desk.admin))}/discard",
        ):
            assert (await http.post(f"/dead-letters/{path}", data={**key, **WHY})).status_code == 400, path
        nobody = await http.post(
            f"/dead-letters/{request_id_at(await now_of(desk.admin))}/replay-all", data={**key, **WHY}
        )
        assert "open any more" in nobody.text
    assert await states(desk, [letter]) == [("open", None)]


async def test_a_butler_is_held_for_a_while_and_released_by_the_operator(desk: Desk):
    await add_butler(desk.admin, "gardener")
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        for verb, state, more in (("hold", "quarantined", {"for": "24h"}), ("release", "active", {})):
            page = (await http.get("/butlers/gardener")).text
            assert f'action="/butlers/gardener/{verb}"' in page
            fields = {name: hidden(page, name) for name in ("form_key", "order", "shown_at", "next")}
            for _ in range(2):
                done = await http.post(f"/butlers/gardener/{verb}", data={**fields, **WHY, **more})
                assert (done.status_code, done.headers["location"]) == (303, "/butlers/gardener"), done.text
            row = await desk.admin.fetchrow("SELECT * FROM butler_registry WHERE name = 'gardener'")
            assert row is not None
            assert row["eligibility_state"] == state
            if verb == "hold":
                assert row["quarantine_reason"] == "told by telephone"
                left = row["quarantine_until"] - await now_of(desk.admin)
                assert timedelta(hours=23) < left <= timedelta(hours=24)
        refused = await http.post("/butlers/nobody/hold", data={**fields, **WHY})
        assert (refused.status_code, "nobody" in refused.text) == (400, True)
    mine = [operation for actor, operation in await desk.audited("butler.%") if actor == "ada"]
    assert mine[:2] == ["butler.quarantine", "butler.release"]


@pytest.mark.parametrize(("role", "receiver"), [("dashboard", "dashboard"), ("operator", "dashboard")])
async def test_who_may_only_look_sees_commands_and_changes_nothing(desk: Desk, role, receiver):
    [letter] = await letters_of(desk, "silent")
    await add_butler(desk.admin, "gardener")
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.signed_in(http, role, receiver)
        for path in ("/dead-letters", "/butlers/gardener"):
            page = (await http.get(path)).text
            assert "form_key" not in page
            assert "butlers " in page
        for path in (
            f"/dead-letters/{letter}/discard",
            f"/dead-letters/{letter}/discard-all",
            "/butlers/gardener/hold",
        ):
            refused = await http.post(path, data={**WHY, "form_key": "guess", "order": "1"})
            assert (refused.status_code, "butlers token --role operator" in refused.text) == (403, True)
    assert await states(desk, [letter]) == [("open", None)]


async def test_a_form_of_another_session_or_site_changes_nothing(desk: Desk):
    [letter] = await letters_of(desk, "silent")
    async with desk.served.anybody(headers=PAGE) as http, desk.served.anybody(headers=PAGE) as other:
        await desk.operator(http)
        await desk.operator(other)
        theirs = hidden((await other.get("/dead-letters")).text, "form_key")
        path = f"/dead-letters/{letter}/discard"
        assert (await http.post(path, data={**WHY, "form_key": theirs, "order": "1"})).status_code == 403
        mine = hidden((await http.get("/dead-letters")).text, "form_key")
        foreign = {"origin": "https://evil.example"}
        sent = await http.post(path, data={**WHY, "form_key": mine, "order": "1"}, headers=foreign)
        assert sent.status_code == 403
        led = {**WHY, "form_key": mine, "order": "2", "next": "//evil.example"}
        done = await http.post(path, data=led)
        assert (done.status_code, done.headers["location"]) == (303, "/today")
    assert await states(desk, [letter]) == [("discarded", "told by telephone")]


async def test_an_answer_that_failed_is_sent_again_or_discarded_by_messenger_in_the_operators_name(
    desk: Desk,
):
    letter = str(await add_delivery_letter(desk.admin, await now_of(desk.admin)))
    messenger = desk.home.messenger
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/dead-letters?state=open")).text
        address = f"/dead-letters/deliveries/{letter}"
        assert f'formaction="{address}/replay"' in page
        assert "butlers replay" not in page
        form = {**WHY, "form_key": hidden(page, "form_key"), "order": hidden(page, "order")}
        for _ in range(2):
            done = await http.post(f"{address}/replay", data={**form, "twice": "yes"})
            assert done.status_code == 303, done.text
        assert (await http.post(f"{address}/discard", data=form)).status_code == 303
        assert (await http.post(f"{address}/burn", data=form)).status_code == 400
        gone = await http.post(f"/dead-letters/deliveries/{NOBODYS}/discard", data=form)
        assert (gone.status_code, "is not known" in gone.text) == (400, True)
        await messenger.stop()
        away = await http.post(f"{address}/replay", data={**form, "order": "later"})
        assert (away.status_code, "messenger cannot be reached now" in away.text) == (503, True)
        await messenger.start()
    tool, told = messenger.ordered[0]
    assert (tool, told["requested_by"], told["resend_uncertain"], told["reason"]) == (
        "messenger_dead_letter_replay", "ada", True, "told by telephone",
    )  # fmt: skip
    assert len({told["idempotency_key"] for tool, told in messenger.ordered if tool.endswith("replay")}) == 1
    assert {tool for tool, _ in messenger.ordered} == {
        "messenger_dead_letter_replay",
        "messenger_dead_letter_discard",
    }
    assert set(await desk.audited("delivery_letter.%")) == {
        ("ada", "delivery_letter.replay"),
        ("ada", "delivery_letter.discard"),
    }


async def test_all_answers_that_failed_for_one_cause_are_decided_at_once_and_none_is_risked_twice(desk: Desk):
    now = await now_of(desk.admin)
    alike = [str(await add_delivery_letter(desk.admin, now - timedelta(minutes=back))) for back in range(3)]
    other = str(await add_delivery_letter(desk.admin, now, error_message="the bot was blocked"))
    messenger = desk.home.messenger
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/dead-letters")).text
        assert f"/dead-letters/deliveries/{alike[0]}/discard-all" in page
        assert "Actions for all 3" in page
        form = {**WHY, "form_key": hidden(page, "form_key"), "order": "1", "twice": "yes"}
        done = await http.post(f"/dead-letters/deliveries/{alike[0]}/replay-all", data=form)
        assert (done.status_code, done.headers["location"]) == (303, "/dead-letters"), done.text
    ordered = [told for tool, told in messenger.ordered if tool == "messenger_dead_letter_replay"]
    assert sorted(told["dead_letter_id"] for told in ordered) == sorted(alike)
    assert other not in {told["dead_letter_id"] for told in ordered}
    assert not any(told.get("resend_uncertain") for told in ordered)


async def test_an_uncertain_answer_is_decided_on_the_page_of_deliveries(desk: Desk):
    now = await now_of(desk.admin)
    lost = {"status": "uncertain", "error_class": "timeout", "error_message": "no answer"}
    delivery = str(await add_delivery(desk.admin, now, **lost))
    messenger = desk.home.messenger
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/deliveries")).text
        assert f'formaction="/deliveries/{delivery}/replay"' in page
        assert "butlers replay" not in page
        form = {**WHY, "form_key": hidden(page, "form_key"), "order": hidden(page, "order"), "twice": "yes"}
        done = await http.post(f"/deliveries/{delivery}/replay", data=form)
        assert (done.status_code, done.headers["location"]) == (303, "/deliveries"), done.text
        assert (await http.post(f"/deliveries/{delivery}/replay-all", data=form)).status_code == 400
        assert (await http.post(f"/deliveries/{delivery}/burn", data=form)).status_code == 400
    [(tool, told)] = messenger.ordered
    assert (tool, told["delivery_id"], told["resend_uncertain"], told["requested_by"]) == (
        "messenger_dead_letter_replay", delivery, True, "ada",
    )  # fmt: skip
    assert await desk.audited("delivery_letter.%") == [("ada", "delivery_letter.replay")]


async def test_what_waits_is_shown_with_its_text_and_decided_once_in_the_operators_name(desk: Desk):
    held = str(await add_approval(desk.admin, await now_of(desk.admin)))
    messenger = desk.home.messenger
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/approvals?state=waiting")).text
        assert "Dinner at eight" in page
        assert "Tonight" in page
        assert f'formaction="/approvals/{held}/approve"' in page
        form = {**WHY, "form_key": hidden(page, "form_key"), "order": hidden(page, "order")}
        for _ in range(2):
            done = await http.post(f"/approvals/{held}/approve", data=form)
            assert (done.status_code, done.headers["location"]) == (303, "/approvals"), done.text
        assert (await http.post(f"/approvals/{held}/burn", data=form)).status_code == 400
        assert (await http.post("/approvals/x/deny", data=form)).status_code == 400
        assert "Say why" in (await http.post(f"/approvals/{held}/deny", data={**form, "reason": ""})).text
        gone = await http.post(f"/approvals/{NOBODYS}/deny", data=form)
        assert (gone.status_code, "is not known" in gone.text) == (400, True)
        assert (await http.post(f"/approvals/{held}/deny", data={**form, "form_key": "x"})).status_code == 403
    [key] = {told["idempotency_key"] for _, told in messenger.ordered if told["approval_id"] == held}
    assert key.startswith("dashboard:")
    tool, told = messenger.ordered[0]
    assert (tool, told["decision"], told["requested_by"], told["reason"]) == (
        "messenger_approval_decide", "approve", "ada", "told by telephone",
    )  # fmt: skip
    assert ("ada", "approval.approve") in await desk.audited("approval.%")


async def test_an_approval_goes_on_for_a_while_and_what_goes_out_without_one_is_shown_and_ended(desk: Desk):
    now = await now_of(desk.admin)
    held = str(await add_approval(desk.admin, now))
    rule = str(await add_approval_rule(desk.admin, now))
    await add_approval_rule(desk.admin, now, ended_at=now, reason="nobody sees it")
    await add_approval_rule(desk.admin, now - timedelta(days=31), reason="nobody sees it")
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/approvals")).text
        assert "always right" in page
        assert "nobody sees it" not in page
        assert page.count('formaction="/approval-rules/') == 1
        form = {**WHY, "form_key": hidden(page, "form_key"), "order": hidden(page, "order")}
        done = await http.post(f"/approvals/{held}/approve", data={**form, "always": "30d"})
        assert done.status_code == 303, done.text
        done = await http.post(f"/approval-rules/{rule}/end", data=form)
        assert (done.status_code, done.headers["location"]) == (303, "/approvals")
        assert (await http.post("/approval-rules/x/end", data=form)).status_code == 400
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.signed_in(http, "dashboard", "dashboard")
        assert f"butlers approvals end {rule}" in (await http.get("/approvals")).text
    told = [
        (tool, said.get("always_for_s"), said.get("rule_id")) for tool, said in desk.home.messenger.ordered
    ]
    assert told == [
        ("messenger_approval_decide", 30 * 86_400.0, None),
        ("messenger_approval_rule_end", None, rule),
    ]
    assert ("ada", "approval_rule.end") in await desk.audited("approval_rule.%")


async def test_who_is_not_written_to_is_shown_with_the_reason_and_written_to_again_by_a_button(desk: Desk):
    now = await now_of(desk.admin)
    came_back = str(await add_suppression(desk.admin, now))
    await add_suppression(desk.admin, now, ended_at=now, evidence="nobody sees it")
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.operator(http)
        page = (await http.get("/deliveries")).text
        assert "a message came back: 5.1.1 no such user" in page
        assert "nobody sees it" not in page
        assert page.count('formaction="/deliveries/suppressions/') == 1
        form = {**WHY, "form_key": hidden(page, "form_key"), "order": hidden(page, "order")}
        path = f"/deliveries/suppressions/{came_back}/end"
        assert (await http.post(path, data={**form, "form_key": "x"})).status_code == 403
        done = await http.post(path, data=form)
        assert (done.status_code, done.headers["location"]) == (303, "/deliveries")
        assert (await http.post("/deliveries/suppressions/x/end", data=form)).status_code == 400
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.signed_in(http, "dashboard", "dashboard")
        assert f"butlers suppressions end {came_back}" in (await http.get("/deliveries")).text
    told = [(tool, said["suppression_id"]) for tool, said in desk.home.messenger.ordered]
    assert told == [("messenger_suppression_end", came_back)]
    assert ("ada", "suppression.end") in await desk.audited("suppression.%")


@pytest.mark.spec("SWB-38.1")
async def test_a_request_is_cancelled_from_its_page_once_in_the_operators_name(desk: Desk):
    request_id = request_id_at(await now_of(desk.admin))
    await add_request(desk.admin, request_id, lifecycle_state="accepted", final_state_at=None)
    path = f"/requests/{request_id}"
    async with desk.served.anybody(headers=PAGE) as http:
        assert (await http.post(f"{path}/cancel", data=WHY)).status_code in (303, 401, 403)
        await desk.operator(http)
        page = (await http.get(path)).text
        assert f'formaction="{path}/cancel"' in page
        form = {**WHY, "form_key": hidden(page, "form_key"), "order": hidden(page, "order"), "next": path}
        for _ in range(2):
            done = await http.post(f"{path}/cancel", data=form)
            assert (done.status_code, done.headers["location"]) == (303, path), done.text
        late = await http.post(f"{path}/complete", data=form)
        assert (late.status_code, "has ended already: cancelled" in late.text) == (400, True)
        assert (await http.post(f"{path}/burn", data=form)).status_code == 400
        assert (await http.post("/requests/x/cancel", data=form)).status_code == 400
        assert "Give the butler" in (await http.post(f"{path}/reroute", data=form)).text
        nothing = await http.post(f"{path}/reroute", data={**form, "butler": "finance", "to": "health"})
        assert (nothing.status_code, "cannot be rerouted" in nothing.text) == (400, True)
        wrong = await http.post(f"{path}/correct", data={**form, "butler": "finance", "to": "health"})
        assert (wrong.status_code, "cannot be rerouted" in wrong.text) == (400, True)
        page = (await http.get(path)).text
        assert "cancelled by an operator" in page
        assert f'formaction="{path}/cancel"' not in page
    assert await desk.audited("request.%") == [
        ("ada", "request.cancel"),
        ("ada", "request.complete"),
        ("ada", "request.reroute"),
        ("ada", "request.correct"),
    ]


@asynccontextmanager
async def with_butlers(desk: Desk) -> AsyncIterator[Household]:
    """Three butlers that take their work and say nothing more."""
    home = desk.home
    for name in ("finance", "general", "health"):
        home.butlers[name] = FakeButler(name, home.keys, accepts())
        await home.butler(name).start()
    try:
        await home.introduce(desk.running)
        yield home
    finally:
        for one in home.butlers.values():
            await one.aclose()


async def taken_by_finance(desk: Desk, number: int) -> UUID:
    request_id = await desk.running.accepted(
        telegram(number, "I paid the gas bill of 40 euro", chat=str(number))
    )

    async def taken() -> bool:
        rows = await desk.home.subroutes(request_id)
        return [(row["target"], row["state"]) for row in rows] == [("finance", "accepted")]

    await until(taken, what="a branch that is accepted")
    return request_id


@pytest.mark.spec("SWB-38.1")
@pytest.mark.parametrize(
    ("verb", "more", "targets"),
    [
        ("complete", {}, [("finance", "skipped")]),
        ("reroute", {"butler": "finance", "to": "health"}, [("finance", "skipped"), ("health", "accepted")]),
        (
            "correct",
            {"butler": "finance", "to": "health"},
            [("finance", "skipped"), ("health", "accepted"), ("finance", "accepted")],
        ),
    ],
)
async def test_each_of_the_other_buttons_does_its_deed_once_in_the_operators_name(
    desk: Desk, verb: str, more: dict[str, str], targets: list[tuple[str, str]]
):
    async with with_butlers(desk) as home, desk.served.anybody(headers=PAGE) as http:
        request_id = await taken_by_finance(desk, 1)
        await desk.operator(http)
        path = f"/requests/{request_id}"
        page = (await http.get(path)).text
        assert f'formaction="{path}/{verb}"' in page
        form = {
            **WHY,
            **more,
            "form_key": hidden(page, "form_key"),
            "order": hidden(page, "order"),
            "next": path,
        }
        for _ in range(2):
            done = await http.post(f"{path}/{verb}", data=form)
            assert (done.status_code, done.headers["location"]) == (303, path), done.text

        async def done_so() -> bool:
            rows = await home.subroutes(request_id)
            return sorted((row["target"], row["state"]) for row in rows) == sorted(targets)

        await until(done_so, what="the branches after the deed")
        row = await home.row(request_id)
        assert (row["lifecycle_state"] == "force_completed") == (verb == "complete")
        assert (row["final_state_at"] is None) == (verb != "complete")
    assert await desk.audited("request.%") == [("ada", f"request.{verb}")]


async def test_who_may_only_look_sees_the_commands_of_an_approval(desk: Desk):
    held = str(await add_approval(desk.admin, await now_of(desk.admin)))
    async with desk.served.anybody(headers=PAGE) as http:
        await desk.signed_in(http, "dashboard", "dashboard")
        page = (await http.get("/approvals")).text
        assert "form_key" not in page
        assert f"butlers approve {held}" in page
        refused = await http.post(f"/approvals/{held}/approve", data={**WHY, "form_key": "guess"})
    assert refused.status_code == 403
    assert desk.home.messenger.ordered == []
