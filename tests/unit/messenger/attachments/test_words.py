"""What a person reads in the place of a file, and of files before they are sent, in their language (ADR 0103)."""

from __future__ import annotations

from typing import get_args

import pytest

from butler_contracts.language import LANGUAGES
from butler_messenger.attachments.decisions import Kind, Without, class_of
from butler_messenger.attachments.words import file_lines, instead_of
from tests.support.file_store import attachment

KINDS: tuple[Kind, ...] = get_args(Kind)


@pytest.mark.parametrize("kind", KINDS)
def test_each_reason_is_a_sentence_of_its_own_in_each_language_that_names_the_file(kind: Kind) -> None:
    said = {instead_of(language, kind, "bill {x}.pdf") for language in LANGUAGES}
    assert len(said) == len(LANGUAGES)
    assert all("bill {x}.pdf" in one and one.endswith(".") for one in said)


def test_no_two_reasons_read_the_same() -> None:
    for language in LANGUAGES:
        assert len({instead_of(language, kind, "a") for kind in KINDS}) == len(KINDS)


def test_who_decides_reads_what_a_file_is_and_not_where() -> None:
    file = attachment("https://files.example.org/a?signature=secret", b"%PDF", name="bill.pdf")
    lines = {language: file_lines(language, [file])[0] for language in LANGUAGES}
    for line in lines.values():
        assert all(
            part in line
            for part in ("bill.pdf", "4 ", "application/pdf", "files.example.org", file["digest"])
        )
        assert "secret" not in line
    assert len(set(lines.values())) == len(LANGUAGES)


def test_only_a_store_that_is_away_is_nobodys_mistake() -> None:
    assert {kind: class_of(kind).value for kind in KINDS if kind != "away"} == dict.fromkeys(
        ("changed", "gone", "refused", "channel"), "validation_error"
    )
    assert class_of("away").value == "target_unavailable"
    kept = Without(class_of("gone"), "a is not attached: gone", "I could not …").to_json()
    assert kept == {
        "error_class": "validation_error",
        "message": "a is not attached: gone",
        "instead": "I could not …",
    }
