"""Whatever comes in, `parse` returns a model or raises a ContractViolation; what it returns survives the wire."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from butler_contracts.heartbeat import ConnectorHeartbeatV1
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.notify import NotifyRequestV1, NotifyResponseV1
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.route import RouteEnvelopeV1, RouteResponseV1
from butler_contracts.text import excerpt, storable, text_fault
from tests.unit.contracts import envelopes as make

KINDS: list[tuple[type[BaseModel], Any]] = [
    (IngestEnvelopeV1, make.ingest),
    (RouteEnvelopeV1, make.route),
    (RouteEnvelopeV1, make.notify_route),
    (RouteResponseV1, make.route_response),
    (NotifyRequestV1, make.notify),
    (NotifyResponseV1, make.notify_response),
    (ConnectorHeartbeatV1, make.heartbeat),
]
ANY_TEXT = st.text(st.characters(), max_size=12)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    ANY_TEXT,
    st.binary(max_size=4),
    st.datetimes(),
    st.uuids(),
)
KEYS = st.one_of(ANY_TEXT, st.integers(), st.none())
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


def places(tree: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [here, *(place for key, child in children for place in places(child, (*here, key)))]


@pytest.mark.parametrize(("model", "build"), KINDS)
@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_value_at_any_place_is_accepted_or_refused(
    model: type[BaseModel], build: Any, data: st.DataObject
) -> None:
    envelope = build()
    place = data.draw(st.sampled_from(places(envelope)))
    value = data.draw(TREES)
    if not place:
        envelope = value
    else:
        here = envelope
        for key in place[:-1]:
            here = here[key]
        here[place[-1]] = value
    with contextlib.suppress(ContractViolation):
        assert parse(model, envelope)


@given(
    st.one_of(
        st.text(), st.binary(), TREES, TREES.map(lambda tree: json.dumps(tree, default=str, skipkeys=True))
    )
)
@settings(max_examples=300, deadline=None)
def test_any_text_or_bytes_is_accepted_or_refused(data: Any) -> None:
    with contextlib.suppress(ContractViolation):
        parse(IngestEnvelopeV1, data)


@pytest.mark.parametrize(("model", "build"), KINDS)
def test_an_envelope_is_the_same_from_mapping_text_and_bytes_and_after_a_round_trip(
    model: type[BaseModel], build: Any
) -> None:
    text = json.dumps(build())
    parsed = parse(model, build())
    assert parse(model, text) == parse(model, text.encode()) == parsed
    again = parsed.model_dump(mode="json", by_alias=True)
    assert parse(model, again) == parsed
    assert parse(model, parsed.model_dump()) == parsed


@given(ANY_TEXT)
def test_storable_text_passes_and_keeps_what_was_storable(text: str) -> None:
    clean = storable(text)
    assert text_fault(clean) is None
    assert len(clean) == len(text)
    if text_fault(text) is None:
        assert clean == text


@given(st.one_of(ANY_TEXT, TREES), st.integers(1, 80))
def test_an_excerpt_is_short_and_printable(value: object, limit: int) -> None:
    shown = excerpt(value, limit=limit)
    assert len(shown) <= limit
    assert shown.isprintable()
