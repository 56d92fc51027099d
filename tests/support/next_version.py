"""What the next version may have written: our documents, with a field more in every object of theirs."""

from __future__ import annotations

from typing import Any

__all__ = ["ADDED", "grown", "pruned"]

ADDED = "of_the_next_version"
"""The field that this version does not know."""


def grown(document: Any) -> Any:
    """`document` with one more field at each level."""
    if isinstance(document, dict):
        return {**{key: grown(value) for key, value in document.items()}, ADDED: "new"}
    if isinstance(document, list | tuple):
        return [grown(one) for one in document]
    return document


def pruned(document: Any) -> Any:
    """`grown` undone, where a document is kept as it is."""
    if isinstance(document, dict):
        return {key: pruned(value) for key, value in document.items() if key != ADDED}
    if isinstance(document, list | tuple):
        return [pruned(one) for one in document]
    return document
