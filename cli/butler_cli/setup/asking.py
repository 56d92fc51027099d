"""Take answers from a person at a terminal, with a few retries, or from a file, reporting its errors together.

Invariant: a secret is neither shown while it is typed nor repeated.
"""

from __future__ import annotations

import difflib
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
import yaml

from butler_cli.errors import UserError
from butler_cli.setup.answers import Answers, Unacceptable
from butler_cli.setup.checks import Providers
from butler_cli.setup.questions import QUESTIONS, Question

__all__ = ["answers_of_file", "ask"]

TRIES: Final = 5


def ask(answers: Answers, providers: Providers) -> Answers:
    """Ask the person at the terminal. Raises `UserError` after five answers that could not be used."""
    for question in QUESTIONS:
        if question.applies(answers):
            answers = _asked(question, answers, providers)
    return answers


def _asked(question: Question, answers: Answers, providers: Providers) -> Answers:
    for _ in range(TRIES):
        try:
            return _taken(question, _typed(question, answers), answers, providers)
        except Unacceptable as refused:
            providers.say(f"  {refused}")
    raise UserError(f"no answer could be used in {TRIES} tries; nothing was written")


def _typed(question: Question, answers: Answers) -> str:
    default = question.default(answers)
    typed: str = click.prompt(
        question.text,
        default="" if default is None else default,
        show_default=bool(default),
        hide_input=question.hidden,
    )
    return typed


def _taken(question: Question, text: str, answers: Answers, providers: Providers) -> Answers:
    checked = question.check(question.read(text, answers), providers)
    if checked.told:
        providers.say(f"  {checked.told}")
    return checked.answers


def answers_of_file(file: Path, answers: Answers, providers: Providers) -> Answers:
    """Return the answers in a YAML file. Raises `UserError` with everything that is wrong."""
    given = _mapping(file)
    problems = _unknown(given)
    for question in QUESTIONS:
        if not question.applies(answers):
            continue
        text = given.get(question.key, question.default(answers))
        try:
            if text is None:
                raise Unacceptable("is missing")
            answers = _taken(question, text, answers, providers)
        except Unacceptable as refused:
            problems.append(f"{question.key}: {refused}")
    if problems:
        raise UserError("\nbutlers: ".join(f"{file}: {problem}" for problem in problems))
    return answers


def _unknown(given: Mapping[str, str]) -> list[str]:
    keys = [question.key for question in QUESTIONS]
    problems = []
    for key in given:
        near = difflib.get_close_matches(key, keys, n=1)
        if key not in keys:
            hint = f", did you mean {near[0]}?" if near else f"; there are {', '.join(keys)}"
            problems.append(f"{key}: nobody asks for this{hint}")
    return problems


def _mapping(file: Path) -> dict[str, str]:
    """Return what the file says; booleans and numbers as they would be typed."""
    try:
        loaded: Any = yaml.safe_load(_text(file))
    except (yaml.YAMLError, UnicodeDecodeError):
        raise UserError(f"{file} is no YAML that can be read; expected lines such as `name: Ada`") from None
    if not isinstance(loaded, dict):
        raise UserError(f"{file} holds no answers; expected lines such as `name: Ada`")
    return {str(key): _as_typed(value) for key, value in loaded.items()}


def _as_typed(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _text(file: Path) -> str:
    if str(file) == "-":
        return sys.stdin.read()
    if not file.is_file():
        raise UserError(f"{file} is no file; --answers needs one with lines such as `name: Ada`")
    if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UserError(f"{file} can be read by other users; run `chmod 600 {file}`")
    return file.read_text(encoding="utf-8")
