"""What is said of somebody in passing is theirs, and what is not known of them is said."""

from __future__ import annotations

from tests.support.talks import Talks


def test_what_he_does_is_about_whom_was_met() -> None:
    said = Talks().say("Met Jonas for coffee today, he's changing jobs")
    assert [(row.kind, row.party, row.text) for row in said.records if row.kind == "note"] == [
        ("note", "Jonas", "he's changing jobs")
    ]


def test_a_rest_about_nobody_is_nobodys() -> None:
    said = Talks().say("Met Jonas for coffee today, the café was full")
    assert [(row.text, row.party) for row in said.records if row.kind == "note"] == [
        ("the café was full", None)
    ]


def test_an_age_without_a_year_of_birth_is_not_known() -> None:
    talks = Talks()
    talks.say("Clara's birthday is on 17 January")
    assert talks.say("how old will she be?").text.startswith("The year of birth is not noted, only the day:")
    talks.say("Clara's birthday is on 17 January 1990")
    assert "1990" in talks.say("how old will Clara be?").text


def test_a_stay_is_found_by_its_place_though_a_flight_goes_there_too() -> None:
    talks = Talks()
    talks.say("My flight BA2490 to Lisbon leaves on 14 March 2027 at 7:05 from Heathrow")
    talks.say("Booked the Hotel Mirador in Lisbon for 14-18 March 2027")
    talks.say("Booked the Hotel Astoria in Rome for 3-6 May 2027")
    where = talks.say("Where are we staying in Lisbon?").text
    assert "Mirador" in where
    assert "Astoria" not in where
    assert "BA2490" in talks.say("when is my flight to Lisbon?").text


def test_a_sum_behind_what_it_was_for_is_money_though_a_birthday_is_named() -> None:
    said = Talks().say("sent Clara flowers for her birthday, 39,90 €")
    assert [(row.kind, str(row.amount)) for row in said.records] == [("expense", "39.90")]
