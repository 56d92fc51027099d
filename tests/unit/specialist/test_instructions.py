"""What a specialist's model is told of its work, from the file that its place mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from butler_kit.config import ConfigError
from butler_kit.config.models import ButlerSection
from butler_specialist.instructions import instructions_of

VARIABLE = "BUTLERS_INSTRUCTIONS_FILE"


def section(**more: object) -> ButlerSection:
    said = {"name": "home", "role": "specialist", "port": 0, "description": "d", "schema": "home"}
    return ButlerSection.model_validate({**said, **more})


def read(env: dict[str, str]) -> str | None:
    return instructions_of(section(instructions_file_env=VARIABLE), env)


def test_they_are_the_files_text_or_the_configurations(tmp_path: Path) -> None:
    file = tmp_path / "home.md"
    file.write_text("é" * 8_000, encoding="utf-8")
    assert read({VARIABLE: str(file)}) == "é" * 8_000
    assert instructions_of(section(instructions="x"), {}) == "x"
    assert instructions_of(section(), {}) is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read (FileNotFoundError)"),
        (b"\xff\xfe", "cannot be read (UnicodeDecodeError)"),
        (b" \n", "is empty"),
        (b"x" * 8_001, "has more than 8000 characters"),
        ("𝔸".encode() * 9_000, "cannot be read|has more than"),
    ],
)
def test_a_file_that_is_none_is_named_with_what_to_do(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    file = tmp_path / "home.md"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=words.replace("(", r"\(").replace(")", r"\)")) as told:
        read({VARIABLE: str(file)})
    assert VARIABLE in str(told.value)


def test_a_variable_that_is_not_set_is_said() -> None:
    with pytest.raises(ConfigError, match="is not set; name the file"):
        read({})
