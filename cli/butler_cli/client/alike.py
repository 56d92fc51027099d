"""Dead letters that failed for one reason, decided on together: each by its own call, refused on its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from butler_cli.client.dead_letters import Target, act_on, listed, of_letter
from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household
from butler_cli.errors import UserError

__all__ = ["MOST", "Decided", "alike", "alike_option", "decide_on_all"]

MOST: Final = 100
"""The most that are decided on at a time, the newest, as on the pages."""

alike_option = click.option(
    "--alike",
    "alike_too",
    is_flag=True,
    help=f"Also every open dead letter that failed for the same reason, {MOST} at a time.",
)


@dataclass(frozen=True)
class Decided:
    """The services' answers, and why each of the others was refused."""

    done: tuple[dict[str, Any], ...]
    refused: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return {"done": list(self.done), "refused": list(self.refused)}

    def check(self) -> None:
        """Raise `UserError` if any was refused, with the first reason."""
        if self.refused:
            among = len(self.done) + len(self.refused)
            raise UserError(f"{len(self.refused)} of {among} were refused: {self.refused[0]}")


def alike(household: Household, target: Target) -> list[Target]:
    """Return the open dead letters of the same service, error class and message, newest first.

    Raises `UserError` if `target` is no dead letter.
    """
    if not target.path.startswith("/dead-letters/"):
        raise UserError(f"this is a {target.said}, no dead letter; leave out --alike")
    with OpsClient(household, target.service) as ops:
        letter = ops.get(target.path)
    found = listed(household, target.service, state="open", error_class=letter.get("error_class"), limit=MOST)
    return [of_letter(one) for one in found if one.get("error_message") == letter.get("error_message")]


def decide_on_all(
    household: Household, targets: Sequence[Target], verb: str, body: Mapping[str, Any]
) -> Decided:
    """Replay or discard each; a refusal stops no other."""
    done: list[dict[str, Any]] = []
    refused: list[str] = []
    for target in targets:
        try:
            done.append(act_on(household, target, verb, body))
        except UserError as problem:
            refused.append(problem.message)
    return Decided(tuple(done), tuple(refused))
