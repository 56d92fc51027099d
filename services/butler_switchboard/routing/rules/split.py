"""Which part of a message belongs to which butler: the likeliest labelling of its parts with a price for each change
of subject (Viterbi over parts; SWB-03.2; pure).

Invariant: a change costs more the weaker the cut before it, so a message is divided only where its parts are surely
about different matters and its author divided them. A part without a subject of its own takes its neighbours'.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from butler_switchboard.routing.registry_view import GENERAL
from butler_switchboard.routing.rules.scoring import Assessment
from butler_switchboard.routing.rules.units import Unit

__all__ = ["labelled"]

_PRICE = {"line": 0.4, "sentence": 0.6, "joint": 1.0, "soft": 1.8}
_WRITTEN_PRICE = 2.0
_FLOOR, _WRITTEN_FLOOR = 0.02, 0.05
_SPOKEN = 2
"""A part of so few words counts less, because it says little."""
_OTHER_MATTER = 0.6
"""How much the catch-all's likelihood counts: a part that is nobody's subject is often only a remark."""


def labelled(parts: Sequence[tuple[Unit, Assessment]], *, written: bool) -> list[str]:
    """Return each part's butler. `written` texts (mails, long texts) change their subject less readily."""
    names = sorted({name for _, score in parts for name in score.butlers})
    floor = _WRITTEN_FLOOR if written else _FLOOR
    best: dict[str, tuple[float, list[str]]] = {name: (0.0, []) for name in names}
    for unit, score in parts:
        price = _PRICE[unit.cut] * (_WRITTEN_PRICE if written else 1.0)
        top = max(best.values(), key=lambda item: item[0])
        says = _says(score, names, floor)
        moved = {}
        for name in names:
            stays, changes = best[name], top[0] - (price if top[1] else 0.0)
            value, path = stays if stays[0] >= changes else (changes, top[1])
            moved[name] = (value + says[name], [*path, name])
        best = moved
    return max(best.values(), key=lambda item: item[0])[1]


def _says(score: Assessment, names: Sequence[str], floor: float) -> dict[str, float]:
    """Return what a part says for each butler: the logarithm of its likelihood, without small talk."""
    share = score.neutral / len(names)
    heard = 1.0 if score.words > _SPOKEN else 0.7
    found = {}
    for name in names:
        likely = score.of(name)
        if name == GENERAL:
            likely = max(0.0, likely - score.neutral) * _OTHER_MATTER
        found[name] = heard * math.log(max(floor, likely + share))
    return found
