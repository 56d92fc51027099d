"""What a clause is as a whole decides whether a fact is kept of it (ADR 0091)."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from butler_kit.tellings.sorts import (
    WEIGHTS_FILE,
    load_model,
    share_of,
    sorts_of,
    tells_of_an_event,
)
from butler_kit.tellings.training.__main__ import fitted
from butler_kit.tellings.training.corpus import corpus_digest, load, sorts
from butler_kit.textmodel.model import read_model
from tests.support.talks import Talks

WEIGHTS = resources.files("butler_kit.tellings").joinpath(WEIGHTS_FILE).read_bytes()


def kept(text: str) -> list[tuple[str, str | None, str | None]]:
    rows = Talks().say(text).records
    return [(row.kind, None if row.amount is None else str(row.amount), row.party) for row in rows]


def test_the_shipped_weights_were_fitted_on_the_committed_corpus() -> None:
    header = json.loads(WEIGHTS.partition(b"\n")[0])
    assert header["corpus"] == corpus_digest()
    assert tuple(header["topics"]) == sorts() == load_model().topics
    assert len(WEIGHTS) <= 1_000_000


def test_fitting_twice_gives_the_same_bytes() -> None:
    few = load()[::60]
    assert fitted(few) == fitted(few)
    assert read_model(fitted(few)).topics == sorts()


def test_a_line_of_the_corpus_that_is_none_is_named(tmp_path) -> None:
    (tmp_path / "xx.tsv").write_text("spent\tnails 45\nnails 45\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"xx\.tsv:2: expected a sort, a tab and a clause"):
        load(tmp_path)


def test_no_clause_of_the_corpus_has_two_sorts() -> None:
    seen: dict[str, str] = {}
    twice = [line for line in load() if seen.setdefault(line.text, line.sort) != line.sort]
    assert twice == []


@pytest.mark.parametrize(
    "text",
    [
        "Dave FINALLY sent his 350 for the kids",
        "finally!! lexitrans paid me the 1240 from september",
        "still havent paid the tv licence, 55.08",
        "el recibo de la luz 61,15 vence el 30",
        "poussette vendue 120 sur leboncoin, le type en voulait 80 au début",
    ],
)
def test_money_that_came_or_is_still_due_is_no_expense(text: str) -> None:
    said = Talks().say(text)
    assert "expense" not in {row.kind for row in said.records}
    assert text.split()[0] in said.text


def test_what_is_not_taken_as_a_fact_is_kept_in_its_words_and_the_answer_says_so() -> None:
    said = Talks().say("Dave FINALLY sent his 350 for the kids")
    assert [(row.kind, row.text) for row in said.records] == [
        ("note", "Dave FINALLY sent his 350 for the kids")
    ]
    assert "Noted as you wrote it, without a day, a sum or a value" in said.text


def test_a_clause_beside_it_is_kept_as_ever() -> None:
    said = kept("bought bread for 4.20 EUR\nDave finally sent his 350 for the kids")
    assert said == [("expense", "4.20", None), ("note", None, None)]


@pytest.mark.parametrize(
    ("text", "value"),
    [("zucker papa 212 nach dem frühstück", "212"), ("Zucker Papa heut früh 187 nüchtern", "187")],
)
def test_a_value_of_a_relative_is_not_the_writers_however_it_is_told(text: str, value: str) -> None:
    [row] = Talks().say(text).records
    assert (row.kind, row.party, str(row.quantity)) == ("measurement", "father", value)


@pytest.mark.parametrize("text", ["Mein Zucker heute früh 187", "sugar 112 this morning", "peso 82,4"])
def test_a_value_of_ones_own_is_kept(text: str) -> None:
    assert [kind for kind, _, _ in kept(text)] == ["measurement"]


def test_an_outing_without_a_fixed_day_is_no_appointment() -> None:
    said = kept("Pilzwanderung vom Verein ist am 29. oder doch erst am 6., das weiß noch keiner")
    assert {kind for kind, _, _ in said} == {"note"}


def test_a_weekday_of_something_fixed_is_the_next_one_also_without_a_verb() -> None:
    [row] = Talks().say("neuro dr hartwig thurs 10.40, take the headache diary").records
    assert f"{row.occurred_on:%d.%m.}" == "26.11."


@pytest.mark.parametrize(
    "text", ["saw the doctor on Thursday about my knee", "war am Donnerstag beim Arzt wegen Knie"]
)
def test_a_weekday_of_what_is_told_as_over_is_the_last_one(text: str) -> None:
    assert {f"{row.occurred_on:%d.%m.}" for row in Talks().say(text).records} == {"19.11."}


def test_a_mail_and_a_long_text_are_not_weighed() -> None:
    bill = "Subject: Your invoice\n\nInvoice 2231: 48.00 EUR, due 4 December 2026."
    assert [kind for kind, _, _ in kept(bill)] == ["bill"]
    assert sorts_of("word " * 100) == {}
    assert sorts_of("  ") == {}


def test_the_sorts_of_a_clause_add_up_to_one() -> None:
    found = sorts_of("neuro thurs 10.40")
    assert abs(share_of(found, sorts()) - 1) < 1e-9
    assert tells_of_an_event("neuro thurs 10.40")
    assert not tells_of_an_event("nails 45")
