"""What the members of an enumeration mean, from the docstrings under them in its source."""

from __future__ import annotations

import ast
import inspect
import itertools
from enum import StrEnum

__all__ = ["meanings"]


def meanings(words: type[StrEnum]) -> dict[str, str]:
    """Value → the text under the member. Raises KeyError for a member without one."""
    tree = ast.parse(inspect.getsource(words))
    body = next(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    texts = {
        member.targets[0].id: text.value.value
        for member, text in itertools.pairwise(body)
        if isinstance(member, ast.Assign)
        and isinstance(member.targets[0], ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }
    return {word.value: str(texts[word.name]) for word in words}
