"""What `butlers status` says of models that look odd and are not known to be away."""

from __future__ import annotations

from typing import Any

import pytest

from butler_cli.output.runtimes import lacks_of, notes_of

FINE: dict[str, Any] = {"family": "api", "fallback": None, "fault": None}


@pytest.mark.parametrize(
    ("runtime", "notes"),
    [
        ({}, ()),
        (FINE, ()),
        ({**FINE, "note": None, "butlers": {"finance": FINE}}, ()),
        (
            {
                **FINE,
                "note": "llm does not list m",
                "butlers": {"finance": {**FINE, "note": "x does not list n"}},
            },
            ("the runtime of switchboard: llm does not list m", "the runtime of finance: x does not list n"),
        ),
        ({**FINE, "butlers": "of tomorrow"}, ()),
    ],
)
def test_notes_of_models_are_told_by_butler_and_make_nothing_unable(
    runtime: dict[str, Any], notes: tuple[str, ...]
) -> None:
    assert notes_of(runtime) == notes
    assert lacks_of(runtime) == ()
