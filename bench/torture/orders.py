"""ButlerOperations, drawn by a seed; each is valid by the models, and most name what there is (pure)."""

from __future__ import annotations

import math
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from butler_resources.kinds.operation import NAMED, TARGETS_OF_ACTION, Action, TargetKind

__all__ = ["operations"]

Body = dict[str, Any]
_NAMES: Final = ("finance", "general", "telegram", "c900", "nobody")
_IDS: Final = ("0199", "r-1", "019ca8d9-0b40-7000-8000-000000000001")
_PARAMS: Final = ("until", "resendUncertain", "alwaysForSeconds", "butler", "to", "recipient", "unheardOf")
_NEEDED: Final[dict[Action, tuple[str, ...]]] = {
    Action.REROUTE: ("butler", "to"),
    Action.CORRECT: ("to",),
    Action.SUPPRESS: ("recipient",),
}
_VALUES: Final = st.sampled_from(("finance", "true", "600", "2026-02-01T00:00:00Z", "ada@example.org"))
_WORDS: Final = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=30)


def operations(*, number: int, count: int) -> list[Body]:
    """Return `count` specs for the seed `number`, of every action in turn."""
    each = math.ceil(count / len(Action))
    rows = [_drawn(action, number=number * 1000 + at, count=each) for at, action in enumerate(Action)]
    return [spec for turn in zip(*rows, strict=True) for spec in turn][:count]


def _drawn(action: Action, *, number: int, count: int) -> list[Body]:
    found: list[Body] = []
    plain = settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )

    @seed(number)
    @plain
    @given(spec=_operation(action))
    def keep(spec: Body) -> None:
        found.append(spec)

    keep()
    return found[:count]


def _operation(action: Action) -> st.SearchStrategy[Body]:
    needed = dict.fromkeys(_NEEDED.get(action, ()), _VALUES)
    more = {name: _VALUES for name in _PARAMS if name not in needed}
    return st.fixed_dictionaries(
        {
            "action": st.just(action.value),
            "target": st.sampled_from(TARGETS_OF_ACTION[action]).flatmap(_target),
            "reason": _WORDS,
            "requestedBy": _WORDS,
            "params": st.fixed_dictionaries(needed, optional=more) if needed else _few(more),
            "expiresAfterSeconds": st.integers(60, 86_400),
        }
    )


def _few(params: dict[str, st.SearchStrategy[str]]) -> st.SearchStrategy[Body]:
    """Return no arguments as often as some: an action refuses those that it does not know."""
    return st.just({}) | st.fixed_dictionaries({}, optional=params)


def _target(kind: TargetKind) -> st.SearchStrategy[Body]:
    field, known = ("name", _NAMES) if kind in NAMED else ("id", _IDS)
    return st.fixed_dictionaries({"kind": st.just(kind.value), field: st.sampled_from(known)})
