"""`python -m butler_kit.tellings.training`: fit the committed corpus and write the weights.

The same corpus gives the same bytes. `--held-out` fits on nine of ten lines instead and prints how the tenth is told.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from butler_kit.tellings.sorts import WEIGHTS_FILE
from butler_kit.tellings.training.corpus import CORPUS, Line, corpus_digest, load, sorts
from butler_kit.textmodel.features import tokens
from butler_kit.textmodel.model import Model, read_model
from butler_kit.textmodel.training.fit import fit, packed

__all__ = ["fitted", "main"]

SERIES, SEED, EPOCHS, TEMPERATURE = "tellings-1", 7, 8, 1.0
_TENTH = 10


def fitted(lines: Sequence[Line]) -> bytes:
    """The weights file that `lines` give at the shipped settings."""
    pairs = [(line.text, line.sort) for line in lines]
    weights = fit(pairs, sorts(), epochs=EPOCHS, seed=SEED)
    return packed(weights, temperature=TEMPERATURE, series=SERIES, corpus=corpus_digest())


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, and write the weights or print figures."""
    parser = argparse.ArgumentParser(prog="training", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--held-out", action="store_true", help="print figures of a tenth that was left out")
    parser.add_argument("--output", type=Path, default=CORPUS.parent / WEIGHTS_FILE, metavar="FILE")
    chosen = parser.parse_args(arguments)
    lines = load()
    if chosen.held_out:
        _show(read_model(fitted([one for place, one in enumerate(lines) if place % _TENTH])), lines[::_TENTH])
        return
    written = fitted(lines)
    chosen.output.write_bytes(written)
    print(f"{len(lines)} lines, {len(sorts())} sorts, {len(written)} bytes, corpus {corpus_digest()[:12]}")


def _show(model: Model, lines: Sequence[Line]) -> None:
    """How many of each sort are told, of all that have it."""
    right: Counter[str] = Counter()
    for line in lines:
        probabilities = model.score(tokens(line.text)).probabilities
        best = max(range(len(model.topics)), key=probabilities.__getitem__)
        right[line.sort] += model.topics[best] == line.sort
    of = Counter(line.sort for line in lines)
    for name in sorts():
        print(f"{name:12} {right[name]:4} of {of[name]:4}")
    print(f"{'all':12} {right.total():4} of {of.total():4}")


if __name__ == "__main__":
    main()
