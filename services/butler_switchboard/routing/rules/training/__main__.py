"""`python -m butler_switchboard.routing.rules.training`: fit the committed corpus and write the weights file.

The same corpus gives the same bytes. Held-out figures are the bench's business: `make bench-routing`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from butler_kit.textmodel.training.fit import Fitted, fit, packed
from butler_switchboard.routing.rules.training.corpus import CORPUS, corpus_digest, load, topics
from butler_switchboard.routing.rules.training.expand import Sample, samples
from butler_switchboard.routing.rules.weights import WEIGHTS_FILE

__all__ = ["EPOCHS", "PER_LINE", "SEED", "SERIES", "TEMPERATURE", "fitted", "main"]

SERIES, SEED, PER_LINE, EPOCHS, TEMPERATURE = "rules-6", 7, 6, 4, 1.0
"""What the shipped weights were made with; the temperature is that of the least held-out log loss."""


def fitted(data: Sequence[Sample]) -> Fitted:
    """The weights that `data` gives at the shipped settings."""
    return fit([(one.text, one.topic) for one in data], topics(), epochs=EPOCHS, seed=SEED)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and write the weights."""
    parser = argparse.ArgumentParser(prog="training", description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=CORPUS.parent / WEIGHTS_FILE, help="weights file to write"
    )
    chosen = parser.parse_args(arguments)
    data = samples(load(), per_line=PER_LINE, seed=SEED)
    written = packed(fitted(data), temperature=TEMPERATURE, series=SERIES, corpus=corpus_digest())
    chosen.output.write_bytes(written)
    print(f"{len(data)} samples, {len(topics())} topics, {len(written)} bytes, corpus {corpus_digest()[:12]}")


if __name__ == "__main__":
    main()
