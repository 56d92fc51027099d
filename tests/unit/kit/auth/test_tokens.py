from __future__ import annotations

import base64
import json
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from butler_kit.auth import DenyList, KeyFileError, Role, TokenFile, Unauthenticated, write_deny_list
from butler_kit.auth import verifier as verifier_module
from butler_kit.auth.jwks import ISSUER_LOCAL, ISSUER_SWITCHBOARD
from butler_kit.auth.keys import generate_key_pair, load_private_key, write_jwks
from butler_kit.auth.signer import TokenSigner, audience_of, connector_claims
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.time import ManualClock

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
HERE = audience_of("switchboard")
BUTLER: dict[str, Any] = {"role": "butler", "name": "finance"}


class Household:
    """Both issuers' keys, one receiver, one deny list, one clock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = ManualClock(NOON)
        self.jwks, self.revoked = folder / "jwks.json", folder / "revoked.json"
        keys = [
            generate_key_pair(folder / "local.pem", ISSUER_LOCAL),
            generate_key_pair(folder / "switchboard.pem", ISSUER_SWITCHBOARD),
        ]
        write_jwks(self.jwks, keys)
        self.local = TokenSigner(folder / "local.pem", ISSUER_LOCAL, self.clock)
        self.switchboard = TokenSigner(folder / "switchboard.pem", ISSUER_SWITCHBOARD, self.clock)
        self.verifier = TokenVerifier(self.jwks, HERE, self.clock, self.revoked)

    def butler(self, ttl_s: int = 3600, **claims: Any) -> str:
        return self.local.sign(HERE, "finance", ttl_s, {**BUTLER, **claims})

    def raw(self, claims: dict[str, Any], key: str = "local", **headers: Any) -> str:
        kid = jwt.get_unverified_header(getattr(self, key).sign(HERE, "x", 60, BUTLER))["kid"]
        moment = int(self.clock.now().timestamp())
        full = {"iss": ISSUER_LOCAL, "aud": HERE, "sub": "finance", "iat": moment, "nbf": moment}
        full |= {"exp": moment + 60, "jti": "j", **BUTLER, **claims}
        kept = {name: value for name, value in full.items() if value is not ...}
        private = load_private_key(self.folder / f"{key}.pem")
        return jwt.encode(kept, private, algorithm="EdDSA", headers={"kid": kid, **headers})


@pytest.fixture
def house(tmp_path: Path) -> Household:
    return Household(tmp_path)


def refusal(house: Household, token: str) -> str:
    with pytest.raises(Unauthenticated) as caught:
        house.verifier.verify(token)
    assert caught.value.retryable is False
    assert caught.value.error_class == "validation_error"
    assert token not in caught.value.message or not token
    return caught.value.message


def test_a_connectors_token_carries_its_binding(house: Household) -> None:
    claims = connector_claims("telegram_bot", "bot:home", "interactive")
    caller = house.verifier.verify(house.local.sign(HERE, "connector:telegram_bot:bot:home", 600, claims))
    assert caller.role is Role.CONNECTOR
    assert caller.connector is not None
    assert (caller.connector.connector_type, caller.connector.endpoint_identity) == (
        "telegram_bot",
        "bot:home",
    )
    assert caller.connector.max_tier == "interactive"
    assert caller.expires_at == NOON + timedelta(seconds=600)


def test_switchboards_own_token_names_the_origin_and_the_subrequest(house: Household) -> None:
    finance = TokenVerifier(house.jwks, audience_of("finance"), house.clock)
    claims = {"role": "switchboard", "jti": "subrequest-1", "origin": "health"}
    caller = finance.verify(house.switchboard.sign(audience_of("finance"), "switchboard", 60, claims))
    assert (caller.subject, caller.origin, caller.token_id) == ("switchboard", "health", "subrequest-1")


def test_a_token_for_one_butler_is_no_use_at_another(house: Household) -> None:
    token = house.switchboard.sign(audience_of("finance"), "switchboard", 60, {"role": "switchboard"})
    messenger = TokenVerifier(house.jwks, audience_of("messenger"), house.clock)
    with pytest.raises(Unauthenticated, match=r"audience butlers\.dev/messenger"):
        messenger.verify(token)


def test_switchboards_key_vouches_for_switchboard_only(house: Household) -> None:
    assert "vouches" in refusal(house, house.switchboard.sign(HERE, "finance", 60, BUTLER))
    operator = house.switchboard.sign(HERE, "switchboard", 60, {"role": "operator"})
    assert "vouches" in refusal(house, operator)


def test_a_key_cannot_speak_for_another_issuer(house: Household) -> None:
    assert "issuer" in refusal(house, house.raw({"iss": ISSUER_LOCAL}, key="switchboard"))


def test_the_name_switchboard_belongs_to_its_role(house: Household) -> None:
    assert "belong together" in refusal(house, house.local.sign(HERE, "switchboard", 60, BUTLER))


def test_a_token_ends_with_thirty_seconds_of_leeway(house: Household) -> None:
    token = house.butler(60)
    house.clock.advance(89)
    house.verifier.verify(token)
    house.clock.advance(1)
    assert "expired" in refusal(house, token)


def test_a_token_from_the_future_is_refused(house: Household) -> None:
    token = house.butler(3600)
    house.clock.step(-31)
    assert "not valid yet" in refusal(house, token)
    house.clock.step(1)
    house.verifier.verify(token)


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"exp": ...}, "'exp'"),
        ({"sub": ...}, "'sub'"),
        ({"jti": ...}, "'jti'"),
        ({"aud": ...}, "'aud'"),
        ({"aud": [HERE, "other"]}, "audience"),
        ({"role": ...}, "role"),
        ({"role": "root"}, "role"),
        ({"name": ...}, "'name'"),
        ({"role": "connector"}, "'connector'"),
        ({"role": "connector", "connector": {"type": "imap", "endpoint_identity": "a", "max_tier": "x"}}, "max_tier"),
        ({"exp": 10**12}, "out of range"),
        ({"exp": True}, "whole number"),
        ({"exp": "soon"}, "whole number"),
        ({"iat": 1.5}, "whole number"),
        ({"sub": 7}, "malformed"),
        ({"sub": " "}, "'sub'"),
        ({"origin": 3}, "'origin'"),
        ({"exp": int(NOON.timestamp()) + 3601}, "longer than the 3600 s"),
        ({"expires_at": 1}, "expires_at"),
    ],
)  # fmt: skip
def test_claims_that_do_not_hold_are_refused_with_the_reason(
    house: Household, claims: dict[str, Any], said: str
) -> None:
    assert said in refusal(house, house.raw(claims))


def test_switchboards_tokens_live_sixty_seconds_at_most(house: Household) -> None:
    token = house.switchboard.sign(HERE, "switchboard", 61, {"role": "switchboard"})
    assert "longer than the 60 s" in refusal(house, token)


def test_only_eddsa_is_accepted(house: Household) -> None:
    claims = jwt.decode(house.butler(), options={"verify_signature": False})
    kid = jwt.get_unverified_header(house.butler())["kid"]
    public = json.loads(house.jwks.read_text())["keys"][0]["x"]
    confused = jwt.encode(claims, public.ljust(64, "x"), algorithm="HS256", headers={"kid": kid})
    unsigned = jwt.encode(claims, "", algorithm="none", headers={"kid": kid})
    assert "EdDSA" in refusal(house, confused)
    assert "EdDSA" in refusal(house, unsigned)


def test_an_unknown_key_and_a_demanded_extension_are_refused(house: Household) -> None:
    assert "key set" in refusal(house, house.raw({}, kid="another"))
    assert refusal(house, house.raw({}, crit=["exp"], exp=1))


@pytest.mark.parametrize(
    "token", ["", "not-a-token", "a.b.c", "é" * 40, "\ud800", "." * 9000, "eyJ.eyJ.eyJ", "\x00"]
)
def test_what_is_no_token_is_refused(house: Household, token: str) -> None:
    assert refusal(house, token)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.integers(min_value=0), replacement=st.characters(codec="ascii"))
def test_no_change_to_a_token_survives(house: Household, position: int, replacement: str) -> None:
    token = house.butler()
    at = position % len(token)
    changed = token[:at] + replacement + token[at + 1 :]
    if _same_bytes(changed, token):
        return
    with pytest.raises(Unauthenticated):
        house.verifier.verify(changed)


def _same_bytes(one: str, other: str) -> bool:
    """Say whether two spellings are the same token: base64 ignores the last character's spare bits."""
    try:
        return [base64.urlsafe_b64decode(part + "==") for part in one.split(".")] == [
            base64.urlsafe_b64decode(part + "==") for part in other.split(".")
        ]
    except ValueError:
        return False


def test_a_revoked_token_is_refused_within_seconds(house: Household) -> None:
    token = house.butler(jti="stolen")
    other = house.butler(jti="kept")
    house.verifier.verify(token)
    write_deny_list(house.revoked, DenyList(frozenset({"stolen"})))
    house.clock.advance(3)
    assert "revoked" in refusal(house, token)
    house.verifier.verify(other)


def test_a_subjects_older_tokens_are_revoked_together(house: Household) -> None:
    old = house.butler()
    write_deny_list(house.revoked, DenyList(subjects={"finance": NOON + timedelta(seconds=10)}))
    house.clock.advance(10)
    assert "revoked" in refusal(house, old)
    house.verifier.verify(house.butler())


@pytest.mark.parametrize(
    "broken", [b"", b"{", b'{"tokens": "stolen"}', b'{"denied": []}', b'{"subjects": {"a": "x"}}']
)
def test_a_broken_deny_list_keeps_the_last_good_one(
    house: Household, broken: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    token = house.butler(jti="stolen")
    write_deny_list(house.revoked, DenyList(frozenset({"stolen"})))
    house.clock.advance(3)
    assert "revoked" in refusal(house, token)
    house.revoked.write_bytes(broken)
    house.clock.advance(3)
    with caplog.at_level(logging.WARNING):
        assert "revoked" in refusal(house, token)
    assert "revoked.json" in caplog.text


def test_a_deny_list_that_vanishes_still_counts(house: Household) -> None:
    token = house.butler(jti="stolen")
    write_deny_list(house.revoked, DenyList(frozenset({"stolen"})))
    house.clock.advance(3)
    refusal(house, token)
    house.revoked.unlink()
    house.clock.advance(3)
    assert "revoked" in refusal(house, token)


def test_a_new_key_set_replaces_the_old_and_a_broken_one_does_not(
    house: Household, caplog: pytest.LogCaptureFixture
) -> None:
    token = house.butler()
    house.verifier.verify(token)
    house.jwks.write_text("{")
    house.clock.advance(3)
    with caplog.at_level(logging.WARNING):
        house.verifier.verify(token)
    assert "last good" in caplog.text
    write_jwks(house.jwks, [generate_key_pair(house.folder / "next.pem", ISSUER_LOCAL)])
    house.clock.advance(3)
    assert "key set" in refusal(house, token)
    successor = TokenSigner(house.folder / "next.pem", ISSUER_LOCAL, house.clock)
    house.verifier.verify(successor.sign(HERE, "finance", 60, BUTLER))


@pytest.mark.parametrize(
    "keys",
    [
        [],
        [{"kty": "RSA", "kid": "r"}],
        [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "AA", "iss": ISSUER_LOCAL}],
        [{"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "A" * 43, "iss": "elsewhere"}],
    ],
)
def test_a_key_set_without_usable_keys_stops_the_start(tmp_path: Path, keys: list[dict[str, str]]) -> None:
    write_jwks(tmp_path / "jwks.json", keys)
    with pytest.raises(KeyFileError, match=r"jwks\.json"):
        TokenVerifier(tmp_path / "jwks.json", HERE, ManualClock(NOON))


@pytest.mark.spec("CNX-16.2")
def test_a_static_token_lives_long_and_warns_once_near_its_end(
    house: Household, caplog: pytest.LogCaptureFixture
) -> None:
    token = house.butler(10 * 86_400, static=True)
    with caplog.at_level(logging.WARNING):
        house.clock.advance(7.9 * 86_400)
        house.verifier.verify(token)
        assert caplog.text == ""
        house.clock.advance(0.2 * 86_400)
        house.verifier.verify(token)
        house.verifier.verify(token)
    assert caplog.text.count("static token of 'finance' expires at") == 1
    assert token not in caplog.text


@pytest.mark.spec("CNX-16.2")
def test_no_token_lives_longer_than_ninety_days(house: Household) -> None:
    assert "longer than" in refusal(house, house.butler(90 * 86_400 + 1, static=True))


def test_the_signer_decides_its_own_claims(house: Household) -> None:
    with pytest.raises(ValueError, match="exp"):
        house.local.sign(HERE, "finance", 60, {"exp": 1})


def test_a_signer_follows_its_key_file_and_names_the_key_it_used(
    house: Household, caplog: pytest.LogCaptureFixture
) -> None:
    file, successor = house.folder / "signing.pem", house.folder / "next.pem"
    generate_key_pair(file, ISSUER_SWITCHBOARD)
    public = generate_key_pair(successor, ISSUER_SWITCHBOARD)
    signer = TokenSigner(file, ISSUER_SWITCHBOARD, house.clock)

    def used() -> str:
        house.clock.advance(3)
        token = signer.sign(HERE, "switchboard", 60, {"role": "switchboard"})
        return str(jwt.get_unverified_header(token)["kid"])

    first = used()
    successor.replace(file)
    assert used() == public["kid"] != first
    for broken in ("", "no key", (house.folder / "local.pem").read_text()[:60]):
        file.write_text(broken)
        with caplog.at_level(logging.WARNING):
            assert used() == public["kid"]
    assert "signing.pem" in caplog.text
    with pytest.raises(KeyFileError, match=r"signing\.pem"):
        TokenSigner(file, ISSUER_SWITCHBOARD, house.clock)


def test_a_private_key_is_written_for_its_owner_only_and_never_over_another(house: Household) -> None:
    assert (house.folder / "local.pem").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        generate_key_pair(house.folder / "local.pem", ISSUER_LOCAL)


@pytest.mark.spec("CNX-16.2")
def test_the_own_token_is_read_anew_for_every_call(tmp_path: Path) -> None:
    file = tmp_path / "own.jwt"
    tokens = TokenFile(file)
    with pytest.raises(KeyFileError, match=r"own\.jwt"):
        tokens.read()
    file.write_text("one\n")
    assert tokens.read() == "one"
    file.write_text("two")
    assert tokens.read() == "two"
    file.write_text(" \n")
    with pytest.raises(KeyFileError, match="empty"):
        tokens.read()


def test_tokens_in_use_stay_remembered_however_many_others_come(
    house: Household, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier_module, "_REMEMBERED", 3)
    checked: list[str] = []
    decode = jwt.decode

    def counted(token: str, *arguments: Any, **more: Any) -> Any:
        checked.append(token)
        return decode(token, *arguments, **more)

    monkeypatch.setattr(jwt, "decode", counted)
    busy, others = house.butler(), [house.butler() for _ in range(8)]
    for other in others:
        house.verifier.verify(busy)
        house.verifier.verify(other)
    assert checked == [busy, *others]
    house.verifier.verify(others[0])
    assert checked[-1] == others[0], "what is not used is forgotten, so the memory has a bound"
