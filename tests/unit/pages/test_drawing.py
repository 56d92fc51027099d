"""What pages draw: bars that add up, at most eight colours, shades that tell small shares apart, lanes of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from butler_dashboard.pages.charts import (
    COLOURS,
    HEIGHT,
    WIDTH,
    Series,
    heat_level,
    nice_ceiling,
    small_bars,
    volume,
)
from butler_dashboard.pages.lanes import PLANE, lanes_of
from butler_dashboard.pages.walk import steps_of
from butler_dashboard.reads.delivery_models import DeliveryError
from tests.support import dashboard_samples as samples
from tests.support.dashboard_samples import NOW
from tests.unit.pages.conftest import address

HOUR = timedelta(hours=1)
START = datetime(2026, 11, 22, tzinfo=UTC)
COUNTS = st.lists(st.lists(st.integers(0, 10**7), min_size=6, max_size=6), max_size=12)


@settings(deadline=None)
@given(COUNTS)
def test_bars_stack_to_their_sum_and_stay_inside_the_plane(counts):
    starts = [START + HOUR * at for at in range(6)]
    drawn = volume(starts, HOUR, [Series(f"c{at}", tuple(row)) for at, row in enumerate(counts)])
    assert drawn.total == sum(map(sum, counts))
    assert len(drawn.series) <= COLOURS
    for bar in drawn.bars:
        assert 0 <= bar.x <= bar.x + bar.width <= WIDTH
        assert -0.1 <= bar.y <= HEIGHT
        assert 1 <= bar.colour <= COLOURS
    for at in range(6):
        column = [bar for bar in drawn.bars if at * WIDTH / 6 <= bar.x < (at + 1) * WIDTH / 6]
        tall = sum(bar.height for bar in column)
        assert tall == pytest.approx(sum(row[at] for row in counts) / drawn.ceiling * HEIGHT, abs=0.1)


def test_beyond_eight_connectors_the_smallest_become_one():
    series = [Series(f"c{at}", (at, at)) for at in range(12)]
    drawn = volume([START, START + HOUR], HOUR, series)
    assert [one.name for one in drawn.series[:2]] == ["c11", "c10"]
    assert drawn.series[-1] == Series("5 others", (10, 10))


@settings(deadline=None)
@given(st.integers(0, 10**9))
def test_the_axis_ends_above_the_highest_bar_and_has_a_whole_half(highest):
    ceiling = nice_ceiling(highest)
    assert highest <= ceiling <= max(4, 2 * highest)
    assert ceiling % 2 == 0


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_shade_is_none_for_nothing_and_the_strongest_for_the_most(count, more):
    highest = count + more
    assert heat_level(0, highest) == 0
    assert heat_level(highest, highest) == 7
    assert (heat_level(count, highest) == 0) == (count == 0)
    assert heat_level(count, highest) <= heat_level(count + 1, highest)


def test_small_bars_show_an_empty_hour_as_a_line():
    bars = small_bars((0, 3, 6), width=30, height=10)
    assert [bar.colour for bar in bars] == [0, 1, 1]
    assert [bar.height for bar in bars] == [1, 5, 10]
    assert small_bars(()) == ()


def test_lanes_hold_everybody_who_was_busy_and_stay_on_the_plane():
    lanes = lanes_of(samples.life(), NOW)
    assert [lane.name for lane in lanes.lanes] == [
        "Telegram",
        "Switchboard",
        "travel",
        "relationship",
        "Messenger",
    ]
    for lane in lanes.lanes:
        for stretch in lane.stretches:
            assert 0 <= stretch.x <= stretch.x + stretch.width <= PLANE
    assert lanes.marks[0] == pytest.approx(-0.4)
    assert lanes.marks[-1] == pytest.approx(lanes.marks[0] + lanes.total_s)


def test_a_message_that_lay_at_its_provider_for_days_does_not_squeeze_the_rest():
    source = samples.life().source.model_copy(update={"observed_at": NOW - timedelta(days=3)})
    life = samples.life(source=source)
    assert lanes_of(life, NOW).total_s < 60
    assert steps_of(life, NOW)[0].at == NOW - timedelta(days=3)


def test_what_is_under_way_ends_now_and_is_said_last():
    working = samples.subroute(
        "travel", "s1", 1, state="started", finished_at=None, reply=None, duration_ms=None
    )
    life = samples.life(state="accepted", final_state_at=None, subroutes=(working,))
    steps = steps_of(life, NOW)
    assert (steps[-1].who, steps[-1].said, steps[-1].open) == ("travel", "still works on it", True)
    travel = next(lane for lane in lanes_of(life, NOW).lanes if lane.name == "travel")
    assert travel.stretches[-1].x + travel.stretches[-1].width == pytest.approx(PLANE, abs=1)


def test_a_failure_is_told_with_its_reason_and_what_may_follow():
    failed = samples.subroute(
        "travel",
        "s1",
        1,
        state="error",
        error_class="timeout",
        error_message="no answer",
        retryable=True,
        reply=None,
    )
    life = samples.life(
        subroutes=(failed,),
        deliveries=(samples.undelivered(1, "uncertain"),),
        dead_letters=(samples.request_letter(),),
    )
    said = {f"{step.who} {step.said}": step for step in steps_of(life, NOW)}
    assert said["travel failed in 400 ms: no answer in time: no answer"].notes == ("it may be tried again",)
    assert said["Messenger cannot know whether it arrived"].tone == "warn"
    assert any(step.startswith("Switchboard kept it as dead letter") for step in said)


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("cancelled by ada: written twice", "was stopped: cancelled by ada: written twice"),
        (None, "was not asked: an earlier part failed"),
    ],
)
def test_a_part_that_an_operator_stopped_says_who_and_why(why: str | None, said: str):
    stopped = samples.subroute("travel", "s1", 1, state="skipped", error_message=why, reply=None)
    told = [step.said for step in steps_of(samples.life(subroutes=(stopped,)), NOW) if step.who == "travel"]
    assert told[-1] == said


def test_a_receipt_of_another_channel_has_a_lane_of_its_own():
    life = samples.life(deliveries=(samples.delivery(channel="email", target_identity="ada@example.org"),))
    lanes = {lane.name: lane for lane in lanes_of(life, NOW).lanes}
    assert len(lanes["Telegram"].stretches) == 1, "the update alone"
    assert [one.kind for one in lanes["E-mail"].stretches] == ["moment"]


def test_what_is_told_to_nobody_by_name_goes_to_the_owner_and_an_answer_to_the_sender():
    notes = [note.model_copy(update={"recipient": None}) for note in samples.life().notifications]
    sent, answered = (
        note.model_copy(update={"intent": intent})
        for note, intent in zip(notes[:1] * 2, ("send", "reply"), strict=True)
    )
    said = [step.said for step in steps_of(samples.life(notifications=(sent, answered)), NOW)]
    assert "tells the owner by Telegram" in said
    assert "answers the sender by Telegram" in said


def test_a_delivery_whose_answer_got_lost_is_not_called_unreachable():
    error = DeliveryError(error_class="target_unavailable", message="the connection broke", retryable=False)
    life = samples.life(deliveries=(samples.delivery(status="uncertain", error=error),))
    [lost] = [step for step in steps_of(life, NOW) if "cannot know" in step.said]
    assert lost.notes == ("it may have arrived: the connection broke",)


def test_the_menu_says_where_something_waits(pages):
    request = address("/today")
    request.state.waiting = {"approvals": 0, "dead-letters": 3}
    problem = {"title": "Not here", "words": "No.", "picture": "lost", "retry_s": None}
    text = pages.page(request, "problem.html", problem).body.decode()
    menu = {
        a.get("href"): " ".join("".join(map(str, a.itertext())).split())
        for a in html.fromstring(text).findall(".//nav//a")
    }
    assert menu["/dead-letters"] == "Dead letters3 waiting"
    assert menu["/approvals"] == "Approvals"
