"""The catalogues are whole: every text of the code in each language, compiled as it is written."""

from __future__ import annotations

import re
import string
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

import butler_messenger
import butler_specialist
import butler_switchboard
from butler_contracts.language import LANGUAGES
from butler_messenger import locale as asked
from butler_specialist import locale as answered
from butler_switchboard import locale as corrected

PACKAGES = [
    (Path(butler_specialist.__file__).parent, answered.DOMAIN),
    (Path(butler_messenger.__file__).parent, asked.DOMAIN),
    (Path(butler_switchboard.__file__).parent, corrected.DOMAIN),
]
FEWEST = {answered.DOMAIN: 20, asked.DOMAIN: 20, corrected.DOMAIN: 7}
TRANSLATED = [language for language in LANGUAGES if language != "en"]
in_each = pytest.mark.parametrize(
    ("package", "domain"), PACKAGES, ids=lambda value: getattr(value, "name", value)
)

LOST = re.compile(r"""\{(?:[\w.]*gettext|say|count)\([^(){}"']*["']""")


KEYWORDS = {"noop": None, "say": (2,), "count": (2, 3), "counted": (1, 2)}
"""As `make texts` collects them."""


def said_in_the_code(package: Path) -> set[object]:
    """The texts; of a number the text of one and that of others."""
    found = extract_from_dir(package, keywords={**DEFAULT_KEYWORDS, **KEYWORDS})
    return {message for _, _, message, _, _ in found}


def texts_of(message: Message) -> list[tuple[str, str]]:
    """Each text of the code with its translation."""
    said = message.id if isinstance(message.id, tuple) else (message.id,)
    translated = message.string if isinstance(message.string, tuple) else (message.string,)
    return [(str(text), str(its or "")) for text, its in zip(said, translated, strict=True)]


def catalogue(package: Path, domain: str, language: str) -> Catalog:
    with (package / "locale" / language / f"LC_MESSAGES/{domain}.po").open("rb") as written:
        return read_po(written, locale=language)


def fields_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", TRANSLATED)
@in_each
def test_every_text_of_the_code_is_translated_and_no_other(package: Path, domain: str, language: str) -> None:
    translated = [message for message in catalogue(package, domain, language) if message.id]
    assert {message.id for message in translated} == said_in_the_code(package)
    assert [text for message in translated for text, said in texts_of(message) if not said.strip()] == []


@pytest.mark.parametrize("language", TRANSLATED)
@in_each
def test_a_translation_has_the_same_places_to_fill(package: Path, domain: str, language: str) -> None:
    texts = [
        pair for message in catalogue(package, domain, language) if message.id for pair in texts_of(message)
    ]
    assert [text for text, said in texts if fields_of(text) != fields_of(said)] == []


@pytest.mark.parametrize("language", TRANSLATED)
@in_each
def test_what_is_compiled_is_what_is_written(package: Path, domain: str, language: str) -> None:
    compiled = BytesIO()
    write_mo(compiled, catalogue(package, domain, language))
    committed = (package / "locale" / language / f"LC_MESSAGES/{domain}.mo").read_bytes()
    assert committed == compiled.getvalue(), "run `make texts`"


@in_each
def test_a_text_stands_in_no_formatted_string_where_it_would_not_be_collected(
    package: Path, domain: str
) -> None:
    assert len(said_in_the_code(package)) >= FEWEST[domain], domain
    files = [path.read_text("utf-8") for path in package.rglob("*.py")]
    assert [line for text in files for line in text.splitlines() if LOST.search(line)] == []
