"""Fit a multinomial logistic regression over hashed features, in plain Python.

AdaGrad on the softmax loss with feature dropout and label smoothing; only the classes whose gradient matters
are touched per sample, which is what makes it affordable without an array library.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from butler_switchboard.routing.rules.features import BUCKETS, Feature, features, tokens
from butler_switchboard.routing.rules.training.expand import Dice, Sample

__all__ = ["Fitted", "averaged", "fit", "merged", "packed", "predict"]

_RATE, _DROPOUT, _SMOOTHING, _IGNORE, _DECAY = 0.35, 30, 0.02, 0.01, 2e-6


@dataclass(slots=True)
class Fitted:
    """Weights by bucket (rows of one float per topic) and the bias."""

    topics: tuple[str, ...]
    bias: list[float]
    rows: list[list[float] | None] = field(default_factory=lambda: [None] * BUCKETS)


def merged(found: Sequence[Feature]) -> list[Feature]:
    """Features with equal buckets added up and the whole scaled by the root of their squares, as the run time does."""
    sums: dict[int, float] = {}
    for bucket, value in found:
        sums[bucket] = sums.get(bucket, 0.0) + value
    norm = math.sqrt(sum(value * value for _, value in found)) or 1.0
    return [(bucket, value / norm) for bucket, value in sums.items()]


def predict(model: Fitted, found: Sequence[Feature]) -> list[float]:
    """Softmax probabilities of the topics."""
    scores = list(model.bias)
    for bucket, value in found:
        row = model.rows[bucket]
        if row is not None:
            scores = [score + value * weight for score, weight in zip(scores, row, strict=True)]
    top = max(scores)
    exps = [math.exp(score - top) for score in scores]
    total = sum(exps)
    return [value / total for value in exps]


def fit(samples: Sequence[Sample], topics: tuple[str, ...], *, epochs: int, seed: int) -> Fitted:
    """Weights for `samples`; the order of the samples and the dropout come from `seed`."""
    dice = Dice(seed)
    width = len(topics)
    model = Fitted(topics=topics, bias=[0.0] * width)
    sums: list[list[float] | None] = [None] * BUCKETS
    index = {topic: n for n, topic in enumerate(topics)}
    data = [(merged(features(tokens(sample.text))), index[sample.topic]) for sample in samples]
    for _ in range(epochs):
        order = list(range(len(data)))
        for n in range(len(order) - 1, 0, -1):
            other = dice.below(n + 1)
            order[n], order[other] = order[other], order[n]
        for n in order:
            found, label = data[n]
            kept = [pair for pair in found if not dice.chance(_DROPOUT)] or found
            _step(model, sums, kept, label)
    return model


def _step(model: Fitted, sums: list[list[float] | None], found: Sequence[Feature], label: int) -> None:
    width = len(model.topics)
    wanted_off = _SMOOTHING / width
    gradients = [
        (n, p - (wanted_off + (1.0 - _SMOOTHING if n == label else 0.0)))
        for n, p in enumerate(predict(model, found))
    ]
    strong = [(n, g) for n, g in gradients if abs(g) > _IGNORE]
    for n, g in strong:
        model.bias[n] -= 0.02 * g
    for bucket, value in found:
        row, total = model.rows[bucket], sums[bucket]
        if row is None or total is None:
            row = model.rows[bucket] = [0.0] * width
            total = sums[bucket] = [1e-3] * width
        for n, g in strong:
            gradient = g * value + _DECAY * row[n]
            total[n] += gradient * gradient
            row[n] -= _RATE * gradient / math.sqrt(total[n])


def averaged(models: Sequence[Fitted]) -> Fitted:
    """The mean of models of equal topics: a linear model again, with less of the chance of any one order."""
    count = len(models)
    bias = [sum(values) / count for values in zip(*(model.bias for model in models), strict=True)]
    empty = [0.0] * len(bias)
    rows: list[list[float] | None] = []
    for found in zip(*(model.rows for model in models), strict=True):
        filled = [row or empty for row in found]
        rows.append([sum(values) / count for values in zip(*filled, strict=True)] if any(found) else None)
    return Fitted(topics=models[0].topics, bias=bias, rows=rows)


def packed(model: Fitted, *, temperature: float, series: str, corpus: str) -> bytes:
    """The weights file: a JSON header line, then zlib-compressed signed bytes (see `rules.model`)."""
    width = len(model.topics)
    scales = [max((abs(row[n]) for row in model.rows if row), default=1.0) / 127 or 1.0 for n in range(width)]
    raw = bytearray()
    for row in model.rows:
        values = [0] * width if row is None else [round(w / s) for w, s in zip(row, scales, strict=True)]
        raw += struct.pack(f"{width}b", *values)
    digest = hashlib.sha256(raw).hexdigest()
    header = {
        "topics": model.topics,
        "bias": [round(value, 6) for value in model.bias],
        "scales": [round(value, 9) for value in scales],
        "temperature": temperature,
        "version": f"{series}-{digest[:8]}",
        "sha256": digest,
        "corpus": corpus,
    }
    return json.dumps(header).encode() + b"\n" + zlib.compress(bytes(raw), 9)
