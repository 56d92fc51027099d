"""The linear model at run time: read the committed weights once, score texts in plain Python.

The weights file is data: a JSON header line (topics, bias, scales, temperature, version), then zlib-compressed
signed bytes, one row of topics per bucket. Loading checks the digest, so a damaged file is an error, never a guess.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from dataclasses import dataclass, field

from butler_kit.textmodel.features import BUCKETS, features_of_pairs, word_features

__all__ = ["Model", "Scored", "read_model"]

_CACHED_WORDS = 4096


@dataclass(frozen=True, slots=True)
class Scored:
    """Probabilities by topic, and each word's pull towards each topic."""

    probabilities: tuple[float, ...]
    words: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Model:
    """Topics, bias and quantised rows; immutable but for its bounded cache of word rows."""

    topics: tuple[str, ...]
    bias: tuple[float, ...]
    scales: tuple[float, ...]
    temperature: float
    version: str
    rows: memoryview
    _cache: dict[str, tuple[float, tuple[float, ...]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def score(self, found: list[tuple[str, bool]]) -> Scored:
        """Softmax over topics of a token list, at the fitted temperature."""
        sums = [0.0] * len(self.topics)
        squares = 1e-9
        words: list[tuple[str, tuple[float, ...]]] = []
        for word, _ in found:
            square, row = self._word(word)
            squares += square
            sums = [a + b for a, b in zip(sums, row, strict=True)]
            words.append((word, row))
        for bucket, value in features_of_pairs(found):
            squares += value * value
            row = self._row(bucket)
            sums = [a + value * b for a, b in zip(sums, row, strict=True)]
        norm = math.sqrt(squares)
        scores = [
            (b + s * scale / norm) / self.temperature
            for b, s, scale in zip(self.bias, sums, self.scales, strict=True)
        ]
        return Scored(probabilities=_softmax(scores), words=tuple(words))

    def _row(self, bucket: int) -> tuple[float, ...]:
        width = len(self.topics)
        return tuple(self.rows[bucket * width : (bucket + 1) * width])

    def _word(self, word: str) -> tuple[float, tuple[float, ...]]:
        known = self._cache.get(word)
        if known is not None:
            return known
        sums, squares = [0.0] * len(self.topics), 0.0
        for bucket, value in word_features(word):
            squares += value * value
            sums = [a + value * b for a, b in zip(sums, self._row(bucket), strict=True)]
        if len(self._cache) >= _CACHED_WORDS:
            self._cache.clear()
        result = self._cache[word] = (squares, tuple(sums))
        return result


def _softmax(scores: list[float]) -> tuple[float, ...]:
    top = max(scores)
    exps = [math.exp(score - top) for score in scores]
    total = sum(exps)
    return tuple(value / total for value in exps)


def read_model(data: bytes) -> Model:
    """Return the model in `data`; raises ValueError when the data does not match its header."""
    header_line, _, body = data.partition(b"\n")
    header = json.loads(header_line)
    raw = zlib.decompress(body)
    if len(raw) != BUCKETS * len(header["topics"]) or hashlib.sha256(raw).hexdigest() != header["sha256"]:
        raise ValueError("the weights do not match their header: expected the committed weights file")
    return Model(
        topics=tuple(header["topics"]),
        bias=tuple(header["bias"]),
        scales=tuple(header["scales"]),
        temperature=header["temperature"],
        version=header["version"],
        rows=memoryview(raw).cast("b"),
    )
