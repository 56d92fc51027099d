"""The shipped weights are what the committed corpus and script give, and training does not depend on chance."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from importlib import resources

import numpy as np
import pytest

from butler_kit.textmodel.features import tokens
from butler_kit.textmodel.model import read_model
from butler_kit.textmodel.training.descent import _below
from butler_kit.textmodel.training.dice import Dice
from butler_kit.textmodel.training.fit import fit, packed
from butler_switchboard.routing.rules.training.corpus import corpus_digest, load, load_several, topics
from butler_switchboard.routing.rules.training.expand import Sample, samples
from butler_switchboard.routing.rules.weights import WEIGHTS_FILE, load_model

WEIGHTS = resources.files("butler_switchboard.routing.rules").joinpath(WEIGHTS_FILE).read_bytes()


def pairs(found: Sequence[Sample]) -> list[tuple[str, str]]:
    return [(one.text, one.topic) for one in found]


def test_the_shipped_weights_were_fitted_on_the_committed_corpus():
    header = json.loads(WEIGHTS.partition(b"\n")[0])
    assert header["corpus"] == corpus_digest()
    assert tuple(header["topics"]) == topics() == load_model().topics
    assert len(WEIGHTS) <= 1_000_000


def test_training_twice_gives_the_same_bytes():
    few = samples(load()[::40], per_line=2, seed=3)

    def trained() -> bytes:
        return packed(fit(pairs(few), topics(), epochs=1, seed=3), temperature=1.0, series="t", corpus="c")

    assert trained() == trained()
    assert read_model(trained()).topics == topics()


def test_every_template_expands_to_plain_text():
    templates = [template for template in load() if not template.literal]
    for sample in samples(templates, per_line=1, seed=11):
        assert sample.text.strip()
        assert "{" not in sample.text, sample
        assert "|" not in sample.text, sample


def test_a_writers_message_is_learnt_as_it_stands_and_with_other_names():
    written = [template for template in load() if template.literal]
    assert len(written) >= 5_000
    assert {template.topic for template in written} <= set(topics())
    one = next(
        template
        for template in written
        if template.text == "Julia moved to Hamburg, her new number is 0160 998877"
    )
    texts = [sample.text for sample in samples([one] * 20, per_line=3, seed=5)]
    assert one.text in texts
    assert any("Hamburg" not in text for text in texts)


def test_a_message_of_several_subjects_is_the_sum_of_its_parts():
    parts = {template.number: template.topic for template in load() if template.literal}
    for message in load_several():
        assert message.text == "".join(text for _, text in message.parts).strip()
        assert parts[message.number] == message.parts[-1][0]


def test_the_generator_is_the_same_on_every_python():
    dice = Dice(7)
    assert [dice.below(1000) for _ in range(5)] == [5, 211, 219, 692, 424]


def test_the_compiled_generator_throws_what_the_plain_one_throws():
    plain, compiled = Dice(7), np.array([Dice(7).state], dtype=np.uint64)
    bounds = [1000, 3, 1 << 50, 133_206, 1]
    assert [int(_below(compiled, bound)) for bound in bounds] == [plain.below(bound) for bound in bounds]


def test_what_was_fitted_tells_its_samples_apart():
    few = samples([item for item in load() if item.literal][::25], per_line=2, seed=3)
    model = read_model(
        packed(fit(pairs(few), topics(), epochs=4, seed=3), temperature=1.0, series="t", corpus="c")
    )
    scored = [model.score(tokens(sample.text)).probabilities for sample in few]
    right = [topics()[max(range(len(p)), key=p.__getitem__)] for p in scored]
    assert sum(a == b.topic for a, b in zip(right, few, strict=True)) > 0.9 * len(few)


@pytest.mark.parametrize("damage", [slice(0, -4), slice(None)])
def test_damaged_weights_are_refused(damage: slice):
    header, _, body = WEIGHTS.partition(b"\n")
    changed = json.loads(header) | {"sha256": "0" * 64}
    with pytest.raises((ValueError, zlib.error), match=r"weights|incomplete"):
        read_model(json.dumps(changed).encode() + b"\n" + body[damage])
