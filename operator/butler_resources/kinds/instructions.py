"""`instructionsFrom`: what a model is told of its work, in a ConfigMap, and what is wrong with a text that is none."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, StringConstraints

from butler_resources.kinds.base import ObjectName, ResourceModel

__all__ = ["MOST_CHARACTERS", "ConfigMapKeyRef", "Instructions", "InstructionsSource", "instructions_problem"]

MOST_CHARACTERS: Final = 8_000
Instructions = Annotated[str, StringConstraints(min_length=1, max_length=MOST_CHARACTERS, pattern=r"\S")]


class ConfigMapKeyRef(ResourceModel):
    """Reference to one key of a ConfigMap in the same namespace."""

    name: ObjectName = Field(description="Name of the ConfigMap, in the same namespace.")
    key: str = Field(
        pattern=r"^[A-Za-z0-9_][-._A-Za-z0-9]*$",
        max_length=253,
        description="Key in its data, such as home.md.",
    )


class InstructionsSource(ResourceModel):
    """Source of the instructions."""

    config_map_ref: ConfigMapKeyRef = Field(
        description="ConfigMap and key that hold the instructions, at most 8,000 characters. A change replaces the "
        "pods."
    )


def instructions_problem(text: str) -> str | None:
    """What keeps a text from being instructions; None where nothing does."""
    if not text.strip():
        return "is empty; write what the butler is to do"
    if len(text) > MOST_CHARACTERS:
        return f"has {len(text)} characters; at most {MOST_CHARACTERS} are read"
    return None
