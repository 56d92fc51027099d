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

__all__ = ["Fitted", "fit", "merged", "packed", "predict"]

_RATE, _SMOOTHING, _IGNORE, _DECAY = 0.35, 0.02, 0.01, 2e-6
_root = math.sqrt


@dataclass(slots=True)
class Fitted:
    """Weights by bucket (rows of one float per topic) and the bias."""

    topics: tuple[str, ...]
    bias: list[float]
    rows: list[list[float] | None] = field(default_factory=lambda: [None] * BUCKETS)


def merged(found: Sequence[Feature]) -> list[Feature]:
    """Features with equal buckets added up and the whole scaled by the root of their squares, as the run time does."""
    sums: dict[int, float] = {}
    squares = 0.0
    for bucket, value in found:
        sums[bucket] = sums.get(bucket, 0.0) + value
        squares += value * value
    norm = math.sqrt(squares) or 1.0
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
    total = 0.0
    for value in exps:  # not sum(): its rounding differs between versions of Python
        total += value
    return [value / total for value in exps]


def fit(samples: Sequence[Sample], topics: tuple[str, ...], *, epochs: int, seed: int) -> Fitted:
    """Weights for `samples`: the mean of those after each epoch of the later half.

    The order of the samples and the dropout come from `seed`.
    """
    dice = Dice(seed)
    width = len(topics)
    model = Fitted(topics=topics, bias=[0.0] * width)
    sums: list[list[float] | None] = [None] * BUCKETS
    index = {topic: n for n, topic in enumerate(topics)}
    data = [(merged(features(tokens(sample.text))), index[sample.topic]) for sample in samples]
    mean: Fitted | None = None
    late = (epochs + 1) // 2
    for epoch in range(epochs):
        order = list(range(len(data)))
        for n in range(len(order) - 1, 0, -1):
            other = dice.below(n + 1)
            order[n], order[other] = order[other], order[n]
        for n in order:
            found, label = data[n]
            _step(model, sums, _kept(found, dice), label)
        if epoch >= late:
            mean = _blended(mean, model, share=1 / (epoch - late + 1))
    return mean or model


def _kept(found: list[Feature], dice: Dice) -> list[Feature]:
    """The features without those that fall to dropout: one of four, by two bits each."""
    bits = 0
    kept = []
    for pair in found:
        if bits < 4:
            bits = dice.below(1 << 50) | 1 << 50
        if bits & 3:
            kept.append(pair)
        bits >>= 2
    return kept or found


def _blended(mean: Fitted | None, model: Fitted, *, share: float) -> Fitted:
    """The running mean of models, `share` being the new one's."""
    if mean is None:
        return Fitted(model.topics, list(model.bias), [list(row) if row else None for row in model.rows])
    zero = [0.0] * len(model.bias)
    mean.bias = [a + share * (b - a) for a, b in zip(mean.bias, model.bias, strict=True)]
    for n, row in enumerate(model.rows):
        if row is not None:
            mean.rows[n] = [a + share * (b - a) for a, b in zip(mean.rows[n] or zero, row, strict=True)]
    return mean


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
    rows = model.rows
    for bucket, value in found:
        row, total = rows[bucket], sums[bucket]
        if row is None or total is None:
            row = rows[bucket] = [0.0] * width
            total = sums[bucket] = [1e-3] * width
        for n, g in strong:
            gradient = g * value + _DECAY * row[n]
            total[n] = past = total[n] + gradient * gradient
            row[n] -= _RATE * gradient / _root(past)


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
