"""`python -m butler_switchboard.routing.rules.training`: fit the committed corpus and write the weights file.

`--validate K` also prints the figures of a K-fold cross-validation in which all samples of a template are in
one fold, so that no figure comes from a sentence whose template was trained on.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from butler_switchboard.routing.rules.features import features, tokens
from butler_switchboard.routing.rules.model import WEIGHTS_FILE
from butler_switchboard.routing.rules.training.expand import (
    CORPUS,
    Sample,
    corpus_digest,
    load,
    samples,
    topics,
)
from butler_switchboard.routing.rules.training.fit import Fitted, averaged, fit, merged, packed, predict

SERIES, SEED, PER_LINE, EPOCHS, MEMBERS = "rules-1", 7, 6, 5, 3
SPECIALISTS = ("finance", "health", "relationship", "travel")
Outcome = tuple[str, list[float], str]


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, print figures, write the weights."""
    parser = argparse.ArgumentParser(prog="training", description=__doc__)
    parser.add_argument(
        "--validate", type=int, default=0, metavar="K", help="folds of the cross-validation; 0: none"
    )
    parser.add_argument(
        "--output", type=Path, default=CORPUS.parent / WEIGHTS_FILE, help="weights file to write"
    )
    parser.add_argument(
        "--temperature", type=float, default=None, help="instead of the one found by validation"
    )
    chosen = parser.parse_args(arguments)
    data = samples(load(), per_line=PER_LINE, seed=SEED)
    temperature = chosen.temperature or 1.0
    if chosen.validate:
        temperature = _validate(data, chosen.validate)
    model = averaged([fit(data, topics(), epochs=EPOCHS, seed=SEED + n) for n in range(MEMBERS)])
    written = packed(model, temperature=temperature, series=SERIES, corpus=corpus_digest())
    chosen.output.write_bytes(written)
    print(f"{len(data)} samples, {len(topics())} topics, temperature {temperature}, {len(written)} bytes")


def _validate(data: list[Sample], folds: int) -> float:
    """Print the held-out figures and return the temperature with the least held-out log loss."""
    outcomes: list[Outcome] = []
    for fold in range(folds):
        model = fit([s for s in data if s.template % folds != fold], topics(), epochs=EPOCHS, seed=SEED)
        outcomes.extend(_outcome(model, s) for s in data if s.template % folds == fold and s.style != "term")
    choices = [round(0.5 + 0.1 * step, 2) for step in range(16)]
    losses = {choice: sum(_loss(outcome, choice) for outcome in outcomes) for choice in choices}
    temperature = min(choices, key=lambda choice: losses[choice])
    _report(outcomes, temperature)
    return temperature


def _outcome(model: Fitted, sample: Sample) -> Outcome:
    probabilities = predict(model, merged(features(tokens(sample.text))))
    return sample.topic, [math.log(max(p, 1e-12)) for p in probabilities], sample.style


def _at(logs: list[float], temperature: float) -> list[float]:
    exps = [math.exp(value / temperature) for value in logs]
    total = sum(exps)
    return [value / total for value in exps]


def _loss(outcome: Outcome, temperature: float) -> float:
    topic, logs, _ = outcome
    return -math.log(max(1e-12, _at(logs, temperature)[topics().index(topic)]))


def _butler(topic: str) -> str:
    return topic if topic in SPECIALISTS else "general"


def _chosen(logs: list[float], temperature: float, threshold: float = 0.5) -> str:
    mass: Counter[str] = Counter()
    for topic, probability in zip(topics(), _at(logs, temperature), strict=True):
        mass[_butler(topic)] += probability  # type: ignore[assignment]
    name, top = mass.most_common(1)[0]
    return name if top >= threshold else "general"


def _report(outcomes: list[Outcome], temperature: float) -> None:
    matrix = Counter((_butler(topic), _chosen(logs, temperature)) for topic, logs, _ in outcomes)
    names = (*SPECIALISTS, "general")
    total = sum(matrix.values())
    right = sum(matrix[name, name] for name in names)
    wrong = sum(n for (expected, got), n in matrix.items() if got not in (expected, "general"))
    print(f"held out: {total} samples, exact {right / total:.3f}, wrong specialist {wrong / total:.3f}")
    print("expected \\ chosen".ljust(20) + "".join(name.rjust(14) for name in names))
    for expected in names:
        print(expected.ljust(20) + "".join(str(matrix[expected, got]).rjust(14) for got in names))
    styles = Counter(style for _, _, style in outcomes)
    good = Counter(style for topic, logs, style in outcomes if _chosen(logs, temperature) == _butler(topic))
    print("by style: " + ", ".join(f"{style} {good[style] / styles[style]:.3f}" for style in sorted(styles)))


if __name__ == "__main__":
    main()
