"""Switchboard's key is made, rotated and dropped step by step; no token is ever refused for it (D2)."""

from __future__ import annotations

import json
from base64 import b64decode
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import jwt
import pytest

from butler_kit.auth import Unauthenticated
from butler_kit.auth.signer import audience_of
from butler_kit.time import ManualClock
from butler_operator.trust import ROTATE, Rotation, Step
from tests.unit.operator.trust.cluster import NOON, Namespace, Pod, kids

MINUTE = timedelta(minutes=1)
ROTATION = Rotation(interval=timedelta(minutes=30), propagation=5 * MINUTE)


def step(namespace: Namespace, minutes: float, **more: Any) -> Step:
    return namespace.reconcile(NOON + minutes * MINUTE, **more).step


def names(namespace: Namespace) -> set[str]:
    assert namespace.secret is not None
    return set(namespace.secret["data"])


def test_a_key_is_made_once_and_then_left_alone() -> None:
    namespace = Namespace(ROTATION)
    made = namespace.reconcile(NOON)
    assert (made.step, made.look_again_at) == (Step.CREATED, NOON + 30 * MINUTE)
    before = (namespace.secret, namespace.trust)
    for minutes in (1, 10, 29.9):
        assert step(namespace, minutes) is Step.WAITING
        assert (namespace.secret, namespace.trust) == before, "an idle household is written nothing"


def test_a_rotation_goes_through_its_steps_at_their_moments() -> None:
    namespace = Namespace(ROTATION)
    first = namespace.reconcile(NOON).keys[0]["kid"]
    published = namespace.reconcile(NOON + 30 * MINUTE)
    assert (published.step, published.look_again_at) == (Step.PUBLISHED, NOON + 35 * MINUTE)
    assert names(namespace) == {"signing.pem", "next.pem"}
    assert namespace.trust is not None
    both = kids(namespace.trust)
    assert first in both
    assert len(both) == 2
    assert step(namespace, 34.9) is Step.WAITING
    switched = namespace.reconcile(NOON + 35 * MINUTE)
    assert switched.step is Step.SWITCHED
    assert switched.look_again_at == NOON + 40 * MINUTE + timedelta(seconds=90)
    assert names(namespace) == {"signing.pem", "previous.jwk"}
    assert switched.keys[0]["kid"] != first
    assert kids(namespace.trust) == both
    assert step(namespace, 41.4) is Step.WAITING
    assert step(namespace, 41.5) is Step.RETIRED
    assert names(namespace) == {"signing.pem"}
    assert kids(namespace.trust) == both - {first}
    assert step(namespace, 64.9) is Step.WAITING
    assert step(namespace, 65) is Step.PUBLISHED, "the interval counts from the moment a key began to sign"


def test_a_person_asks_for_a_rotation_with_an_annotation() -> None:
    namespace = Namespace(ROTATION)
    namespace.reconcile(NOON)
    assert namespace.secret is not None
    namespace.secret["metadata"]["annotations"][ROTATE] = "after the laptop was stolen"
    assert step(namespace, 1) is Step.PUBLISHED
    assert step(namespace, 6) is Step.SWITCHED
    assert step(namespace, 13) is Step.RETIRED
    assert step(namespace, 14) is Step.WAITING, "asked once, done once"
    namespace.secret["metadata"]["annotations"][ROTATE] = "again"
    assert step(namespace, 15) is Step.PUBLISHED


def test_a_new_key_waits_until_the_document_has_it_however_late_that_is() -> None:
    namespace = Namespace(ROTATION)
    namespace.reconcile(NOON)
    assert step(namespace, 30, crash=True) is Step.PUBLISHED
    assert step(namespace, 50, crash=True) is Step.WAITING
    assert step(namespace, 60) is Step.WAITING
    assert step(namespace, 64.9) is Step.WAITING
    assert step(namespace, 65) is Step.SWITCHED


def test_a_document_that_was_lost_begins_the_wait_anew() -> None:
    namespace = Namespace(ROTATION)
    namespace.reconcile(NOON)
    step(namespace, 30)
    namespace.trust = None
    assert step(namespace, 36) is Step.WAITING
    assert step(namespace, 40) is Step.WAITING
    assert step(namespace, 41) is Step.SWITCHED


def test_a_secret_that_was_deleted_is_made_anew_and_the_lost_key_is_no_longer_trusted() -> None:
    namespace = Namespace(ROTATION)
    lost = namespace.reconcile(NOON).keys[0]["kid"]
    namespace.secret = None
    assert step(namespace, 1) is Step.CREATED
    assert namespace.trust is not None
    assert lost not in kids(namespace.trust)
    assert len(kids(namespace.trust)) == 1


@pytest.mark.parametrize("content", ["!!", "bm8ga2V5"], ids=["no base64", "no key"])
def test_a_key_that_cannot_be_read_is_left_to_a_person_and_stays_trusted(content: str) -> None:
    namespace = Namespace(ROTATION)
    first = namespace.reconcile(NOON).keys[0]["kid"]
    assert namespace.secret is not None
    assert namespace.trust is not None
    namespace.secret["data"]["signing.pem"] = content
    broken = namespace.reconcile(NOON + MINUTE)
    assert (broken.step, broken.secret, broken.look_again_at) == (Step.BROKEN, None, NOON + 2 * MINUTE)
    assert broken.problem is not None
    assert "delete the Secret" in broken.problem
    assert kids(namespace.trust) == {first}


def test_a_successor_or_predecessor_that_was_spoiled_is_let_go() -> None:
    namespace = Namespace(ROTATION)
    namespace.reconcile(NOON)
    step(namespace, 30)
    assert namespace.secret is not None
    namespace.secret["data"]["next.pem"] = "bm8ga2V5"
    assert step(namespace, 31) is Step.PUBLISHED
    assert step(namespace, 36) is Step.SWITCHED
    for spoiled in ("bm8ga2V5", "e30=", "W10="):
        namespace.secret["data"]["previous.jwk"] = spoiled
        assert len(namespace.reconcile(NOON + 37 * MINUTE).keys) == 1


def test_a_clock_that_was_ahead_does_not_stop_rotation_for_good() -> None:
    namespace = Namespace(ROTATION)
    namespace.reconcile(NOON + timedelta(days=365))
    assert step(namespace, 0) is Step.WAITING
    assert step(namespace, 30) is Step.PUBLISHED


def test_the_next_moment_to_look_is_never_past() -> None:
    namespace, now = Namespace(ROTATION), NOON
    for _ in range(20):
        plan = namespace.reconcile(now)
        assert plan.look_again_at > now
        now = plan.look_again_at


def test_no_private_key_is_in_the_document_and_none_in_what_is_trusted() -> None:
    namespace = Namespace(ROTATION)
    namespace.reconcile(NOON)
    step(namespace, 30)
    assert namespace.secret is not None
    assert namespace.trust is not None
    document = json.dumps(namespace.trust)
    assert "PRIVATE" not in document
    assert '"d"' not in namespace.trust["data"]["jwks.json"]
    for name in ("signing.pem", "next.pem"):
        assert b"BEGIN PRIVATE KEY" in b64decode(namespace.secret["data"][name])


@pytest.mark.parametrize(("interval", "propagation"), [(11, 5), (1, 5), (60, 0), (60, -1)])
def test_an_interval_that_the_steps_do_not_fit_into_is_refused(interval: int, propagation: int) -> None:
    with pytest.raises(ValueError, match="the least is"):
        Rotation(timedelta(minutes=interval), timedelta(minutes=propagation))


@pytest.mark.parametrize("seed", range(2))
def test_during_all_steps_every_replicas_token_is_accepted_by_every_receiver(
    tmp_path: Path, seed: int
) -> None:
    """Kubelets up to the propagation time late, an operator that looks when it likes and dies between two writes."""
    used = _live(
        tmp_path, Rotation(ROTATION.interval, 5 * MINUTE), lag=5 * MINUTE - timedelta(seconds=5), seed=seed
    )
    assert len(used) >= 3, "several keys have signed"


def test_the_wait_is_what_keeps_tokens_accepted(tmp_path: Path) -> None:
    """The same life with kubelets later than the rotation allows for: somebody is refused."""
    with pytest.raises(Unauthenticated, match="key set"):
        _live(tmp_path, Rotation(12 * MINUTE, timedelta(seconds=5)), lag=5 * MINUTE, seed=0)


def _live(folder: Path, rotation: Rotation, *, lag: timedelta, seed: int) -> set[str]:
    """A hundred minutes of three pods; the ids of the keys that signed. Raises for a refused token."""
    folder.mkdir(exist_ok=True)
    rng, clock, namespace = Random(seed), ManualClock(NOON), Namespace(rotation)
    namespace.reconcile(NOON)
    pods = [Pod(folder / f"pod{number}", namespace, clock, lag) for number in range(3)]
    tokens: list[tuple[datetime, str]] = []
    used: set[str] = set()
    for _ in range(400):
        clock.advance(15)
        if rng.random() < 0.2:
            namespace.reconcile(clock.now(), crash=rng.random() < 0.2)
        for pod in pods:
            pod.kubelet(rng)
            token = pod.signer.sign(audience_of("finance"), "switchboard", 60, {"role": "switchboard"})
            used.add(jwt.get_unverified_header(token)["kid"])
            tokens.append((clock.now() + timedelta(seconds=60), token))
        ends = [token for end, token in tokens if end == clock.now()]
        tokens = [(end, token) for end, token in tokens if end > clock.now()]
        for token in (*ends, *(token for _, token in tokens[-len(pods) :])):
            for pod in pods:
                pod.verifier.verify(token)
    return used
