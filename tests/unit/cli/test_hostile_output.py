"""What came from outside only shows on a terminal, it never acts there."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from butler_cli.main import cli
from butler_cli.output.screen import document_text, line_of, text_of

HOSTILE = [
    "\x1b]0;owned\x07\x1b[2J\x1b[31m",
    "\x9b2J\x9d0;owned\x9c",
    "\x7f\x08\x08\r",
    "safe\u202egnp.exe\u202c \u2066x\u2069 \u200f\u061c",
    "one\u2028two\u2029three",
    "lone \ud800 surrogate",
    "\U000e0041\U000e0042 tags",
]
ACTING = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - {"\n"} | set(
    "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_shown_and_never_acts(text: str) -> None:
    assert not ACTING & set(text_of(text))
    assert not ACTING & set(line_of(text))
    document = document_text({"text": text}, indent=1)
    assert not ACTING & set(document)
    assert json.loads(document) == {"text": text}


@pytest.mark.parametrize("how", [["--json", "--explain"], ["--explain"], []])
@pytest.mark.parametrize("text", [text for text in HOSTILE if "\ud800" not in text])
def test_a_dry_run_of_a_hostile_text_never_acts(text: str, how: list[str]) -> None:
    whole = f"I paid 12 euro for lunch. {text} My weight is 80 kg."
    result = CliRunner().invoke(cli, ["route", "--text", whole, *how])
    assert result.exit_code == 0, result.output
    assert not ACTING & set(result.output)
