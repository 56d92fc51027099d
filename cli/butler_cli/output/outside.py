"""PURE: butlers' calls to the outside, and calls held for an approval, as steps in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from butler_cli.client.life import HeldCall, OutsideCall
from butler_cli.output.screen import line_of
from butler_cli.output.step import Step

__all__ = ["called_step", "held_steps"]

_CAME: Final = {
    "returned": ("and was answered", "good"),
    "failed": ("and was refused", "warn"),
    "unsent": ("and did not reach it: nothing was done", "warn"),
    "begun": ("and no answer is kept: it may have been done", "warn"),
}
_DECIDED: Final = {
    "approved": ("was approved", "good"),
    "denied": ("was denied", "warn"),
    "expired": ("was decided by nobody in time; it is not made", "warn"),
    "refused": ("could not be asked about; it is not made", "bad"),
}
_NOT_MADE: Final = {
    "late": "was not made: the approval was too long ago",
    "forbidden": "was not made: the manifest does not allow it any more",
}


def called_step(call: OutsideCall) -> Step:
    """Return the step of one call, as far as it got."""
    came, tone = _CAME.get(call.state, (call.state, "plain"))
    verb = "read" if call.read_only else "called"
    return Step(
        call.begun_at, call.butler, f"{verb} {call.server}.{call.tool} {came}", tone, _shown(call.args_shown)
    )


def held_steps(call: HeldCall) -> Iterator[Step]:
    """Yield the request, the verdict, and what kept an approved call from being made."""
    what = f"{call.server}.{call.tool}"
    yield Step(
        call.held_at, call.butler, f"waits for an approval to call {what}", notes=_shown(call.args_shown)
    )
    if call.verdict is not None and call.decided_at is not None:
        said, tone = _DECIDED.get(call.verdict, (call.verdict, "plain"))
        by = f" by {line_of(call.decided_by)}" if call.decided_by else ""
        yield Step(call.decided_at, "approval", f"{what} {said}{by}", tone)
    if call.outcome in _NOT_MADE and call.outcome_at is not None:
        yield Step(call.outcome_at, call.butler, f"{what} {_NOT_MADE[call.outcome]}", "warn")


def _shown(arguments: str) -> tuple[str, ...]:
    return (line_of(arguments),) if arguments else ()
