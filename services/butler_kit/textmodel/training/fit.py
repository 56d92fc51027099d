"""Fit a multinomial logistic regression over hashed features, and pack it as the weights file."""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from butler_kit.textmodel.features import Feature, features, tokens
from butler_kit.textmodel.training.descent import Floats, Sparse, descend
from butler_kit.textmodel.training.dice import Dice

__all__ = ["Fitted", "fit", "packed"]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights by bucket (rows of one float per topic) and the bias."""

    topics: tuple[str, ...]
    bias: Floats
    rows: Floats


def fit(samples: Sequence[tuple[str, str]], topics: tuple[str, ...], *, epochs: int, seed: int) -> Fitted:
    """Weights for (text, topic) pairs; their order and the dropout come from `seed`."""
    rows, bias = descend(_sparse(samples, topics), width=len(topics), epochs=epochs, state=Dice(seed).state)
    return Fitted(topics, bias, rows)


def _sparse(samples: Sequence[tuple[str, str]], topics: tuple[str, ...]) -> Sparse:
    index = {topic: n for n, topic in enumerate(topics)}
    starts, buckets, values = array("q", [0]), array("q"), array("d")
    for text, _ in samples:
        for bucket, value in _merged(features(tokens(text))):
            buckets.append(bucket)
            values.append(value)
        starts.append(len(buckets))
    labels = np.array([index[topic] for _, topic in samples], dtype=np.int64)
    return Sparse(np.asarray(starts), np.asarray(buckets), np.asarray(values), labels)


def _merged(found: Sequence[Feature]) -> list[Feature]:
    """Features with equal buckets added up and the whole scaled by the root of their squares, as the run time does."""
    sums: dict[int, float] = {}
    squares = 0.0
    for bucket, value in found:
        sums[bucket] = sums.get(bucket, 0.0) + value
        squares += value * value
    norm = math.sqrt(squares) or 1.0
    return [(bucket, value / norm) for bucket, value in sums.items()]


def packed(model: Fitted, *, temperature: float, series: str, corpus: str) -> bytes:
    """The weights file: a JSON header line, then zlib-compressed signed bytes (see `textmodel.model`)."""
    largest = np.abs(model.rows).max(axis=0)
    scales = np.where(largest > 0, largest / 127, 1.0)
    raw = np.rint(model.rows / scales).astype(np.int8).tobytes()
    digest = hashlib.sha256(raw).hexdigest()
    header = {
        "topics": model.topics,
        "bias": [round(float(value), 6) for value in model.bias],
        "scales": [round(float(value), 9) for value in scales],
        "temperature": temperature,
        "version": f"{series}-{digest[:8]}",
        "sha256": digest,
        "corpus": corpus,
    }
    return json.dumps(header).encode() + b"\n" + zlib.compress(raw, 9)
