"""People by their names, and where a message was meant to go."""

from __future__ import annotations

from uuid import UUID

import pytest

from butler_dashboard.pages.names import diverted_word, with_names
from butler_dashboard.pages.walk import steps_of
from butler_dashboard.reads.people import People
from tests.support import dashboard_samples as samples
from tests.support.dashboard_samples import NOW


@pytest.mark.parametrize(
    ("barred", "said"),
    [
        ("health (quarantined: on holiday)", "health was held: on holiday"),
        ("health (quarantined: on (long) holiday)", "health was held: on (long) holiday"),
        ("travel (stale)", "travel was silent"),
        ("travel (some_other_state: x)", "travel could not take it: x"),
        ("travel", "travel could not take it"),
        ("a b c", "a b c could not take it"),
    ],
)
def test_why_a_message_was_diverted_is_said_in_words(barred, said):
    assert diverted_word(barred) == said


def test_a_contact_s_address_is_its_name_in_every_step_and_a_stranger_s_stays():
    life = samples.life()
    address = life.source.sender_identity
    ben = People({UUID(int=1): "Ben"}, {(life.source.channel, address): UUID(int=1)})
    said = " ".join(step.said for step in steps_of(with_names(life, ben), NOW))
    assert "Ben" in said
    assert f"of {address}" not in said
    assert with_names(life, People({}, {})) == life


@pytest.mark.parametrize(
    ("intent", "asked", "took"),
    [
        ("react", "Switchboard shows a reaction by Telegram", "Telegram has the reaction as "),
        ("send", "Switchboard writes to Ben by Telegram", "Telegram has the message as "),
        ("reply", "Switchboard answers Ben by Telegram", "Telegram has the answer as "),
    ],
)
def test_what_goes_out_beside_the_answers_is_called_what_it_is(intent, asked, took):
    sent = samples.delivery(9, intent=intent, origin_butler="switchboard")
    ben = People({UUID(int=1): "Ben"}, {(sent.channel, "1002"): UUID(int=1)})
    life = with_names(samples.life(deliveries=(sent,), notifications=()), ben)
    said = [f"{step.who} {step.said}" for step in steps_of(life, NOW)]
    assert asked in said
    assert any(one.startswith(took) for one in said)


def test_an_address_is_known_in_any_case_and_on_its_own_channel_only():
    people = People({UUID(int=1): "Tom"}, {("email", "tom@example.org"): UUID(int=1)})
    assert people.name("email", "Tom@Example.org") == "Tom"
    assert people.name("telegram", "tom@example.org") is None
    assert people.name("telegram", "777", UUID(int=1)) == "Tom"
    assert people.name("telegram", "777", UUID(int=9)) is None
