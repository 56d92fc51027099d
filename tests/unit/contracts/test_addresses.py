"""Two spellings of one mail address are one (RFC 5890, RFC 6531, D45)."""

from __future__ import annotations

import pytest

from butler_contracts.addresses import comparable_address, wire_address


@pytest.mark.parametrize(
    ("written", "wire"),
    [
        ("ada@example.org", "ada@example.org"),
        (" <Ada@Example.ORG> ", "Ada@Example.ORG"),
        ("Ada@M\u00fcller.example", "Ada@xn--mller-kva.example"),
        ("ada@mu\u0308ller.example", "ada@xn--mller-kva.example"),
        ("ada@stra\u00dfe.example", "ada@xn--strae-oqa.example"),
        ("j\u00f6rg@example.org", "j\u00f6rg@example.org"),
        ("ada@\u2026.example", "ada@\u2026.example"),
        ("nobody", "nobody"),
    ],
)
def test_the_domain_is_written_in_the_letters_of_dns_and_the_name_stays(written: str, wire: str) -> None:
    assert wire_address(written) == wire
    assert comparable_address(written) == wire.lower()


@pytest.mark.parametrize(
    "forged", ["\u212aim@example.org", "kim@example\uff0eorg", "kim@\uff45xample.org", "k\u0130m@example.org"]
)
def test_a_letter_that_only_looks_like_one_of_ascii_never_becomes_it(forged: str) -> None:
    assert not comparable_address(forged).isascii()


def test_every_spelling_of_one_address_is_compared_as_the_same() -> None:
    spellings = (
        "J\u00d6RG@M\u00dcLLER.example",
        "j\u00f6rg@xn--mller-kva.example",
        "jo\u0308rg@m\u00fcller.example",
    )
    assert len({comparable_address(each) for each in spellings}) == 1
