"""No words of an answer stand outside of the catalogues."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import butler_specialist

PACKAGE = Path(butler_specialist.__file__).parent
SAID = {"say", "count", "noop", "counted", "gettext", "ngettext"}
"""What takes texts to be translated."""
NO_ANSWER = {"compile", "words", "files", "joinpath"}
NO_ANSWERS = {"triggers", "__all__"}
MARKERS = {"of the message", "of the household", "as before", "not named", "of the language"}
"""Values of a record's details; no answer repeats them."""
PATTERN = re.compile(r"[\\|\[\]^]|\(\?")
WORDS = re.compile(r"[^\W\d_]{2,}[ ,.:;]+[^\W\d_]|[^\W\d_]{3,}[.:]$")
A_WORD = re.compile(r"[^\W\d_]{2,}")

ELSEWHERE = {"asked_again.py", "claiming.py"}
"""What words a follow-up words a question, not an answer; what claims names subjects that are only compared."""


WORDED = ("*wording.py", "*words.py", "*_text.py", "answers.py", "notices.py", "tellings.py", "telling.py")
"""Outside of profiles and questions: the modules that word what somebody reads."""
BESIDE = ("work", "held", "remind", "booking", "edits", "invited", "schedules", "upcoming", "outside")
A_KEY = re.compile(r"[a-z_]+:")
"""The beginning of an idempotency key."""


def modules() -> list[Path]:
    found = [*(PACKAGE / "profiles").rglob("*.py"), *(PACKAGE / "questions").rglob("*.py")]
    found += [path for folder in BESIDE for named in WORDED for path in (PACKAGE / folder).glob(named)]
    return sorted(path for path in found if not {path.name, path.parent.name} & ELSEWHERE)


class Untranslated(ast.NodeVisitor):
    """The words of a module that no catalogue has."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_Call(self, node: ast.Call) -> None:
        known = _name(node.func) in SAID | NO_ANSWER
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if not known or not isinstance(argument, ast.Constant | ast.JoinedStr | ast.BinOp):
                self.visit(argument)
        self.visit(node.func)

    def visit_Assign(self, node: ast.Assign) -> None:
        if _name(node.targets[0]) not in NO_ANSWERS:
            self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """What a log says is in English."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pieces = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
        if not any(PATTERN.search(piece) for piece in pieces):
            self.found += [piece for piece in pieces if A_WORD.search(piece) and not A_KEY.fullmatch(piece)]
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        text = node.value
        if isinstance(text, str) and WORDS.search(text) and not PATTERN.search(text) and text not in MARKERS:
            self.found.append(text)


def untranslated(code: str) -> list[str]:
    visitor = Untranslated()
    visitor.visit(ast.parse(code))
    return visitor.found


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


@pytest.mark.parametrize("module", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_text_of_an_answer_is_said_through_the_catalogues(module: Path) -> None:
    assert untranslated(module.read_text("utf-8")) == []


def test_a_text_that_is_only_formatted_is_found() -> None:
    code = 'said = f"Noted: {day}."\nother = "nothing is noted"\nfine = say(language, "nothing is noted")'
    assert untranslated(code) == ["Noted: ", "nothing is noted"]
