"""`python -m bench.routing.claims`: fit `WEIGHTS` of `rules/claims.py`, which say when a part is a separate matter.

Each message of the corpus is split by a router that was not fitted on it; a claim for a further butler is right if the
message is labelled with it. Messages with two subjects are rare in the corpus, so they count double, and random pairs
of short messages are added. Prints the weights to commit; the same corpus gives the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from bench.routing.held_out import REGISTRY, butler_of, message_of, router_of
from butler_kit.textmodel.training.dice import Dice
from butler_switchboard.routing.rules.claims import FINDINGS, odds_of
from butler_switchboard.routing.rules.router import RulesRouter
from butler_switchboard.routing.rules.training.corpus import Template, load, load_several

__all__ = ["Row", "fitted_weights", "main"]

_FOLDS, _PAIRS, _ROUNDS, _RIDGE, _SEED = 3, 600, 12, 1.0, 1
_SINGLE, _SEVERAL, _PAIRED = 1.0, 2.0, 0.7
_JOINTS = (". ", ". ", "\n", ". And ", ". Also ", "; ", ", and also ", " - ")

Row = tuple[tuple[float, ...], float, float]
"""The findings of a claim, 1 if it was right, and its weight."""


def main() -> None:
    """Fit and print the weights."""
    templates = load()
    routers = [
        router_of([item for item in templates if item.number % _FOLDS != fold]) for fold in range(_FOLDS)
    ]
    rows = list(_rows(routers, templates))
    weights = fitted_weights(rows)
    for name, value in zip(FINDINGS, weights, strict=True):
        print(f"{name:26} {value:6.2f}")
    print(f"{len(rows)} claims; WEIGHTS = ({', '.join(f'{value:.2f}' for value in weights)})")


def _rows(routers: Sequence[RulesRouter], templates: Sequence[Template]) -> Iterator[Row]:
    singles = [item for item in templates if item.literal and item.writer != "several"]
    for item in singles:
        yield from _claims(routers[item.number % _FOLDS], item.text, item.writer, {item.topic}, _SINGLE)
    for message in load_several():
        topics = {topic for topic, _ in message.parts}
        yield from _claims(routers[message.number % _FOLDS], message.text, "several", topics, _SEVERAL)
    for first, text, topics in _pairs(singles):
        yield from _claims(routers[first.number % _FOLDS], text, "several", topics, _PAIRED)


def _pairs(singles: Sequence[Template]) -> Iterator[tuple[Template, str, set[str]]]:
    """Yield pairs of short messages of one fold for different butlers, joined as people join them."""
    dice = Dice(_SEED)
    short = [item for item in singles if 3 <= len(item.text.split()) <= 16 and "\n" not in item.text]
    for _ in range(_PAIRS):
        one, two = short[dice.below(len(short))], short[dice.below(len(short))]
        joint = dice.pick(_JOINTS)
        if one.number % _FOLDS == two.number % _FOLDS and butler_of(one.topic) != butler_of(two.topic):
            yield one, one.text.rstrip(".") + joint + two.text, {one.topic, two.topic}


def _claims(router: RulesRouter, text: str, writer: str, topics: set[str], count: float) -> Iterator[Row]:
    expected = {butler_of(topic) for topic in topics}
    for name, found in router.claimed(message_of(text, writer), REGISTRY):
        yield found, float(name in expected), count


def fitted_weights(rows: Sequence[Row]) -> list[float]:
    """Return the weights of a ridge-penalised logistic regression, by Newton's method."""
    width = len(rows[0][0])
    weights = [0.0] * width
    for _ in range(_ROUNDS):
        slope = [-_RIDGE * weight for weight in weights]
        bend = [[_RIDGE * (i == j) for j in range(width)] for i in range(width)]
        for found, right, count in rows:
            likely = 1 / (1 + math.exp(-odds_of(weights, found)))
            for i, value in enumerate(found):
                slope[i] += count * (right - likely) * value
                for j, other in enumerate(found):
                    bend[i][j] += count * likely * (1 - likely) * value * other
        weights = [weight + step for weight, step in zip(weights, _solved(bend, slope), strict=True)]
    return weights


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return the solution of a linear system, by elimination with partial pivoting."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        best = max(range(i, len(rows)), key=lambda n: abs(rows[n][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for n, row in enumerate(rows):
            if n != i:
                factor = row[i] / rows[i][i]
                rows[n] = [a - factor * b for a, b in zip(row, rows[i], strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


if __name__ == "__main__":
    main()
