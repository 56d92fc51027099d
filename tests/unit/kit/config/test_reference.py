"""The configuration page names everything that can be configured, and its defaults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from butler_kit.config import ButlerConfig, MemberEnvironment

PAGE = Path(__file__).parents[4] / "docs/reference/configuration.md"


def keys(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner = [a for a in (field.annotation, *get_args(field.annotation)) if isinstance(a, type)]
        models = [a for a in inner if issubclass(a, BaseModel)]
        for found in models:
            yield from keys(found)
        if not models:
            yield field.alias or name


@pytest.mark.parametrize("key", sorted(set(keys(ButlerConfig)) - {"host", "tls"}))
def test_every_key_is_described(key: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"`{key}`" in text or f", {key} =" in text


@pytest.mark.parametrize("name", sorted(keys(MemberEnvironment)))
def test_every_variable_is_described(name: str) -> None:
    assert f"| `{name}` |" in PAGE.read_text(encoding="utf-8")
