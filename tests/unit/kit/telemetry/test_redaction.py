from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from butler_kit.config.secrets import SECRET_VALUES, may_hold_secret
from butler_kit.telemetry import redact, redact_text
from butler_kit.telemetry.redaction import BODY_CHARS, REDACTED

word = st.text(st.characters(codec="ascii", categories=["Lu", "Ll", "Nd"]), min_size=30, max_size=60)
noise = st.text(max_size=60)
secrets = st.one_of(
    word.map(lambda w: (f"Bearer {w}", w)),
    word.map(lambda w: (f"authorization: bearer {w}", w)),
    st.tuples(st.integers(1, 10**12), word).map(lambda t: (f"{t[0]}:{t[1]}", t[1])),
    st.tuples(word, word, word).map(lambda t: (f"eyJ{t[0]}.{t[1]}.{t[2]}", t[2])),
    word.map(lambda w: (f"postgres://butlers:{w}@127.0.0.1:5432/butlers", w)),
    word.map(lambda w: (f"postgres://butlers:{w}/{w}@127.0.0.1/butlers", w)),
    word.map(lambda w: (f"password={w}", w)),
    word.map(lambda w: (f"-----BEGIN PRIVATE KEY-----\n{w}\n-----END PRIVATE KEY-----", w)),
)


@given(before=noise, secret=secrets, after=noise)
def test_no_secret_survives_in_a_text(before: str, secret: tuple[str, str], after: str) -> None:
    text, hidden = secret
    assume(hidden not in before + after)
    assert hidden not in redact_text(f"{before} {text} {after}")


@given(secret=secrets, name=st.sampled_from(["event", "url", "note", "exception", "args"]))
def test_no_secret_survives_at_any_depth(secret: tuple[str, str], name: str) -> None:
    text, hidden = secret
    line = json.dumps(redact({name: [{"inner": (text, {text: 1})}], "object": ValueError(text)}), default=str)
    assert hidden not in line


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text() | st.binary(),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_anything_can_be_logged_and_nothing_matches_twice(value: object) -> None:
    line = json.dumps(redact({"value": value}))
    assert not any(p.search(line) for kind, p in SECRET_VALUES if kind != "password in a setting")


@pytest.mark.parametrize(
    "key",
    [
        "token",
        "bot_token",
        "PASSWORD",
        "smtp_password",
        "api_key",
        "apiKey",
        "client_secret",
        "Authorization",
    ],
)
def test_a_key_that_names_a_secret_hides_its_value(key: str) -> None:
    assert redact({key: "x", "deep": {key: ["y"]}}) == {key: REDACTED, "deep": {key: REDACTED}}


@pytest.mark.parametrize("key", ["token_env", "token_file", "token_id", "password_file"])
def test_a_key_that_only_refers_to_a_secret_is_shown(key: str) -> None:
    assert redact({key: "BUTLER_TOKEN"}) == {key: "BUTLER_TOKEN"}


@pytest.mark.parametrize("key", ["text", "prompt", "body", "normalized_text", "raw"])
def test_a_message_body_is_never_logged_whole(key: str) -> None:
    body = "Dear bank, " * 50
    shown = redact({key: body})[key]
    assert shown.startswith(body[:BODY_CHARS])
    assert len(shown) < BODY_CHARS + 40
    assert f"{len(body) - BODY_CHARS} more characters" in shown
    nested = redact({key: {"inner": {"text": body}}})
    assert body not in json.dumps(nested)


def test_bytes_are_told_by_their_size() -> None:
    assert redact({"attachment": b"12345"}) == {"attachment": "<5 bytes>"}


@given(text=st.text(max_size=200))
def test_a_text_that_is_not_searched_holds_no_kind_of_secret(text: str) -> None:
    assume(not may_hold_secret(text))
    assert not any(pattern.search(text) for _, pattern in SECRET_VALUES)


@given(secret=secrets)
def test_every_kind_of_secret_is_searched_for(secret: tuple[str, str]) -> None:
    assert may_hold_secret(secret[0])
