"""The page of one record: what it was, and its forms, readable everywhere and used by keyboard and without scripts.

Switchboard is away here, so that nothing is done; what it does is tested in tests/integration/dashboard.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.web.looks import poor_contrasts, too_wide
from tests.web.place import Dashboard

pytestmark = pytest.mark.xdist_group("web")

AWAY = "Switchboard does not answer; nothing was done"


@pytest.fixture(scope="module")
def desk(place, seeded, tmp_path_factory):
    url = {"BUTLERS_SWITCHBOARD_MCP_URL": "http://127.0.0.1:9/mcp"}
    running = Dashboard(place, tmp_path_factory.mktemp("desk"), **url)
    yield running
    running.stop()


@pytest.fixture
def acting(visit, desk):
    """`acting(path, …)`: a page as an operator sees it who signed in with a token for Switchboard."""

    def open_page(path, **how):
        page = visit("/login", at=desk, cookies=[], **how)
        page.get_by_role("textbox", name="Token").fill(
            desk.keys.sign("ada", "operator", receiver="switchboard")
        )
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/today")
        page.goto(f"{desk.url}{path}")
        return page

    return open_page


@pytest.fixture
def changed(place, seeded):
    """The bill, after an operator has put its sum right."""
    former = (
        "INSERT INTO finance.record_changes (change_id, record_id, version, cause, former, request_id, segment_id,"
        " ordinal, subrequest_id, source_channel, sender, changed_at) SELECT gen_random_uuid(), record_id, 1,"
        " 'corrected', to_jsonb(records.*), gen_random_uuid(), 'order', 0, gen_random_uuid(), 'operator', 'ada', now()"
        " FROM finance.records WHERE record_id = $1"
    )
    place.execute(former, seeded.bill)
    place.execute("UPDATE finance.records SET amount = 86, version = 2 WHERE record_id = $1", seeded.bill)
    yield f"/records/finance/{seeded.bill}"
    place.execute("UPDATE finance.records SET amount = 84, version = 1 WHERE record_id = $1", seeded.bill)
    place.execute("DELETE FROM finance.record_changes WHERE record_id = $1", seeded.bill)


def shot(page, name):
    """Keeps what was seen where somebody wants to look: SHOTS names the folder."""
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_a_record_and_its_forms_are_readable_and_fit_everywhere(acting, changed):
    page = acting(changed)
    said = " ".join(page.locator("main").inner_text().split())
    assert "86.00 EUR" in said
    assert "Corrected by ada" in said
    assert "84.00 EUR" in said.partition("Before its last change")[2]
    page.get_by_label("Sum").fill("a lot")
    page.get_by_label("Why").nth(1).fill("the letter says so")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("See beside the fields.").wait_for()
    assert page.get_by_label("Sum").input_value() == "a lot"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert poor_contrasts(page) == [], scheme
        shot(page, f"record-{scheme}")
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert too_wide(page) == []
    shot(page, "record-phone")
    assert page.heard.errors == []


def test_a_record_is_found_in_the_list_edited_and_withdrawn_by_the_keyboard_alone(acting, seeded):
    page = acting("/records?q=electricity")
    shot(page, "records")
    page.get_by_role("link", name="Change electricity").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/records/finance/{seeded.bill}")
    page.get_by_label("Words").focus()
    names = []
    for _ in range(5):
        page.keyboard.press("Tab")
        names.append(page.locator(":focus").get_attribute("name"))
        if names[-1] == "v.occurred_on":
            page.get_by_label("Sum").focus()
            names.append("v.amount")
            break
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("86,50")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.locator(":focus").get_attribute("name") == "reason"
    page.keyboard.type("the letter says so")
    page.keyboard.press("Enter")
    page.get_by_text(AWAY).wait_for()
    assert page.get_by_label("Sum").input_value() == "86,50"
    assert page.locator("[role=alert]").inner_text().startswith("Not done.")
    shot(page, "record-away")
    withdraw = page.get_by_role("form", name="Withdraw this record")
    withdraw.get_by_label("Why").focus()
    page.keyboard.type("told by telephone")
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Withdraw"
    page.keyboard.press("Enter")
    page.get_by_text(AWAY).wait_for()
    assert page.url.endswith("/withdraw")


def test_the_forms_of_a_record_work_without_scripts(acting, seeded):
    page = acting(f"/records/finance/{seeded.bill}", scripts=False)
    page.get_by_role("textbox", name="Day").fill("2026-12-01")
    page.get_by_label("Why").first.fill("the letter says so")
    page.get_by_role("button", name="Save").click()
    page.get_by_text(AWAY).wait_for()
    assert page.get_by_role("textbox", name="Day").input_value() == "2026-12-01"


def test_who_may_only_look_sees_the_record_and_the_commands(visit, seeded):
    page = visit(f"/records/finance/{seeded.bill}", scripts=False)
    assert page.locator("form.deeds, form.edit").count() == 0
    assert f"butlers records withdraw {seeded.bill}" in page.locator("main").inner_text()
    missing = visit("/records/finance/019ca8d9-0b40-7000-8000-000000000001", scripts=False)
    assert (missing.answer.status, missing.locator("h1").inner_text()) == (404, "Not here")


def test_a_private_record_says_who_alone_is_told_of_it_and_one_of_nobody_s_word_says_nothing(
    visit, place, seeded
):
    address = f"/records/finance/{seeded.bill}"
    assert "Told to" not in visit(address, scripts=False).locator("main").inner_text()
    mara = str(seeded.mara)
    told: dict[str, object] = {"audience": "private", "shared": []}

    def shown():
        place.execute(
            "UPDATE finance.records SET audience = $2, shared_with = $3 WHERE record_id = $1",
            seeded.bill, told["audience"], told["shared"],
        )  # fmt: skip
        return " ".join(visit(address, scripts=False, width=390).locator("main").inner_text().split())

    try:
        said = shown()
        assert "private kept" in said
        assert said.split("Told to ")[1].startswith("Mara Vogel, and nobody else")
        told["shared"] = ["email:tom@example.org"]
        assert "Told to Mara Vogel, Tom Vogel, and nobody else" in shown()
        told |= {"audience": None, "shared": [mara]}
        assert "Told to whom its kind is told to, and Mara Vogel" in shown()
        told["audience"] = "household"
        assert "Told to everybody of the household" in shown()
    finally:
        told |= {"audience": None, "shared": []}
        shown()
