"""Service-account tokens of a cluster: what they prove, what a directory makes of them, how they cheat (D2, D3)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from butler_kit.auth import (
    ConnectorBinding,
    DenyList,
    KeyFileError,
    Role,
    Standing,
    SubjectDirectories,
    SubjectsFile,
    Unauthenticated,
    write_deny_list,
)
from butler_kit.auth.jwks import ISSUER_LOCAL, ISSUER_SWITCHBOARD
from butler_kit.auth.keys import generate_key_pair, write_jwks
from butler_kit.auth.signer import TokenSigner, audience_of
from butler_kit.auth.subjects import parse_subjects
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.time import ManualClock
from tests.support.cluster_tokens import ISSUER, OPERATOR, ClusterKeys, subject_of

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
HERE = audience_of("switchboard")
BOT = ConnectorBinding("telegram_bot", "telegram:bot:example", "interactive")


class Declared(dict[str, Standing]):
    """Subjects in memory."""

    def find(self, subject: str) -> Standing | None:
        return self.get(subject)


class Household:
    """A household on a cluster: its API server's key, Switchboard's key, one receiver."""

    def __init__(self, folder: Path, algorithm: str = "RS256") -> None:
        self.folder, self.clock = folder, ManualClock(NOON)
        self.jwks, self.revoked, self.file = (
            folder / "jwks.json",
            folder / "revoked.json",
            folder / "subjects.json",
        )
        self.cluster = ClusterKeys(algorithm)
        self.own = [
            generate_key_pair(folder / "switchboard.pem", ISSUER_SWITCHBOARD),
            generate_key_pair(folder / "local.pem", ISSUER_LOCAL),
        ]
        write_jwks(self.jwks, [self.cluster.jwk, *self.own])
        self.file.write_text(json.dumps({"subjects": {OPERATOR: {"role": "operator"}}}))
        self.declared = Declared(
            {
                subject_of("connector-bot"): Standing(Role.CONNECTOR, connector=BOT),
                subject_of("butler-finance"): Standing(Role.BUTLER, name="finance"),
            }
        )
        self.verifier = self.receiver("switchboard")

    def receiver(self, name: str) -> TokenVerifier:
        subjects = SubjectDirectories(SubjectsFile(self.file, self.clock), self.declared)
        return TokenVerifier(self.jwks, audience_of(name), self.clock, self.revoked, subjects=subjects)

    def token(self, account: str = "connector-bot", **more: Any) -> str:
        return self.cluster.token(account, self.clock, **more)


@pytest.fixture
def house(tmp_path: Path) -> Household:
    return Household(tmp_path)


def refusal(house: Household, token: str) -> str:
    with pytest.raises(Unauthenticated) as caught:
        house.verifier.verify(token)
    assert token not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_a_projected_token_is_what_its_subject_was_declared_to_be(tmp_path: Path, algorithm: str) -> None:
    house = Household(tmp_path, algorithm)
    bot = house.verifier.verify(house.token())
    assert (bot.role, bot.connector, bot.subject) == (Role.CONNECTOR, BOT, subject_of("connector-bot"))
    assert (bot.name, bot.origin, bot.session) == (None, None, None)
    assert bot.expires_at == NOON + timedelta(hours=1)
    finance = house.verifier.verify(house.token("butler-finance"))
    assert (finance.role, finance.name, finance.connector) == (Role.BUTLER, "finance", None)
    operator = house.verifier.verify(house.token(sub=OPERATOR))
    assert operator.role is Role.OPERATOR


def test_the_households_own_issuers_work_beside_the_clusters(house: Household) -> None:
    local = TokenSigner(house.folder / "local.pem", ISSUER_LOCAL, house.clock)
    caller = house.verifier.verify(local.sign(HERE, "finance", 60, {"role": "butler", "name": "finance"}))
    assert (caller.role, caller.name) == (Role.BUTLER, "finance")


def test_claims_of_a_service_account_give_it_no_role(house: Household) -> None:
    said: dict[str, Any] = {
        "role": "operator",
        "name": "finance",
        "origin": "finance",
        "session": "s",
        "connector": {"type": "imap", "endpoint_identity": "x", "max_tier": "high_priority"},
    }
    caller = house.verifier.verify(house.token(**said))
    assert (caller.role, caller.connector, caller.origin) == (Role.CONNECTOR, BOT, None)
    assert (caller.name, caller.session) == (None, None)
    assert "not declared" in refusal(house, house.token("default", **said))
    as_switchboard = house.token(**{**said, "sub": "switchboard", "role": "switchboard"})
    assert "no service account" in refusal(house, as_switchboard)


def test_an_undeclared_subject_is_refused_by_name(house: Household) -> None:
    said = refusal(house, house.token("default"))
    assert f"'{subject_of('default')}' is not declared to this receiver" in said
    other = house.token(sub=subject_of("connector-bot", "elsewhere"))
    assert "'system:serviceaccount:elsewhere:connector-bot' is not declared" in refusal(house, other)


def test_without_a_directory_no_service_account_is_anybody(house: Household) -> None:
    verifier = TokenVerifier(house.jwks, HERE, house.clock)
    with pytest.raises(Unauthenticated, match="not declared"):
        verifier.verify(house.token(sub=OPERATOR))


def test_what_was_remembered_of_a_token_does_not_outlive_its_declaration(house: Household) -> None:
    token, operator = house.token(), house.token(sub=OPERATOR)
    house.verifier.verify(token)
    house.verifier.verify(operator)
    lowered = ConnectorBinding(BOT.connector_type, BOT.endpoint_identity, "default")
    house.declared[subject_of("connector-bot")] = Standing(Role.CONNECTOR, connector=lowered)
    assert house.verifier.verify(token).connector == lowered
    del house.declared[subject_of("connector-bot")]
    assert "not declared" in refusal(house, token)
    house.file.write_text('{"subjects": {}}')
    house.clock.advance(3)
    assert "not declared" in refusal(house, operator)


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"aud": ["https://kubernetes.default.svc"]}, "needs the audience butlers.dev/switchboard"),
        ({"aud": [audience_of("messenger")]}, "needs the audience butlers.dev/switchboard"),
        ({"aud": [HERE, audience_of("messenger")]}, "audience butlers.dev/switchboard alone"),
        ({"aud": []}, "'aud'"),
        ({"aud": ...}, "'aud'"),
        ({"exp": ...}, "'exp'"),
        ({"iat": ...}, "'iat'"),
        ({"nbf": ...}, "'nbf'"),
        ({"exp": int(NOON.timestamp()) + 3601}, "longer than 3600 s"),
        ({"exp": int(NOON.timestamp()) + 31_536_000}, "longer than 3600 s"),
        ({"iat": float(NOON.timestamp())}, "whole number"),
        ({"exp": True}, "whole number"),
        ({"iss": "https://another.example"}, "issuer"),
        ({"iss": ISSUER_LOCAL}, "issuer"),
        ({"iss": ISSUER_SWITCHBOARD, "sub": "switchboard", "role": "switchboard"}, "issuer"),
        ({"sub": "system:node:one"}, "no service account"),
        ({"sub": "system:serviceaccount:home:"}, "no service account"),
        ({"sub": "system:serviceaccount:home:connector-bot\n"}, "no service account"),
        ({"sub": ""}, "'sub'"),
        ({"jti": ""}, "'jti'"),
    ],
)
def test_a_token_that_proves_too_little_or_too_much_is_refused(
    house: Household, claims: dict[str, Any], said: str
) -> None:
    assert said in refusal(house, house.token(**claims))


def test_an_audience_that_is_one_text_is_as_good_as_a_list_of_it(house: Household) -> None:
    assert house.verifier.verify(house.token(aud=HERE)).role is Role.CONNECTOR


def test_a_token_for_switchboard_opens_no_other_door(house: Household) -> None:
    house.declared[OPERATOR] = Standing(Role.OPERATOR)
    for other in ("messenger", "finance"):
        with pytest.raises(Unauthenticated, match=rf"needs the audience butlers\.dev/{other}"):
            house.receiver(other).verify(house.token(sub=OPERATOR))


def test_times_are_those_of_our_clock(house: Household) -> None:
    token = house.token(life_s=600)
    house.clock.advance(629)
    house.verifier.verify(token)
    house.clock.advance(1)
    assert "expired" in refusal(house, token)
    house.clock.step(-661)
    assert "not valid yet" in refusal(house, token)


def test_a_key_signs_with_its_own_algorithm_and_for_its_own_issuer_alone(house: Household) -> None:
    ed25519 = house.own[1]["kid"]
    claims = jwt.decode(house.token(), options={"verify_signature": False})
    # The cluster's RSA key cannot speak for the household's authority, whatever it says and signs.
    forged = jwt.encode(
        {**claims, "iss": ISSUER_LOCAL, "aud": HERE, "role": "operator"},
        house.cluster.private,
        algorithm="RS256",
        headers={"kid": house.cluster.kid},
    )
    assert "issuer" in refusal(house, forged)
    borrowed = jwt.encode(claims, house.cluster.private, algorithm="RS256", headers={"kid": ed25519})
    assert "signs with EdDSA and nothing else" in refusal(house, borrowed)
    longer = jwt.encode(claims, house.cluster.private, algorithm="RS512", headers={"kid": house.cluster.kid})
    assert "not signed with" in refusal(house, longer)


def test_the_public_key_is_no_shared_secret(house: Household) -> None:
    """RFC 8725, section 2.1: the verifier's public key taken as an HMAC secret."""
    claims = jwt.decode(house.token(), options={"verify_signature": False})
    public = house.cluster.private.public_key()
    secrets = [
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        json.dumps(house.cluster.jwk).encode(),
    ]
    for secret in secrets:
        assert "not signed with" in refusal(house, _hmac(claims, secret, house.cluster.kid))


def test_an_unsigned_token_is_refused(house: Household) -> None:
    header, claims, _ = house.token().split(".")
    for name in ("none", "None", "nOnE", "NONE"):
        bare = json.loads(base64.urlsafe_b64decode(header + "=="))
        spelled = _part({**bare, "alg": name})
        assert "not signed with" in refusal(house, f"{spelled}.{claims}.")
    assert "signature" in refusal(house, f"{header}.{claims}.")


def test_another_clusters_key_is_no_key_of_ours(house: Household) -> None:
    stranger = ClusterKeys("RS256", number=1)
    assert "not in this receiver's key set" in refusal(house, stranger.token("connector-bot", house.clock))
    stranger.kid = house.cluster.kid
    assert "signature does not match" in refusal(house, stranger.token("connector-bot", house.clock))


def test_a_key_that_another_cluster_vouches_with_names_only_its_own_subjects(house: Household) -> None:
    second = ClusterKeys("ES256", issuer="https://second.example")
    write_jwks(house.jwks, [house.cluster.jwk, second.jwk, *house.own])
    house.clock.advance(3)
    assert "issuer" in refusal(house, second.token("connector-bot", house.clock, iss=ISSUER))


def test_a_revoked_token_is_refused_within_seconds(house: Household) -> None:
    token, other = house.token(), house.token(jti="another")
    house.verifier.verify(token)
    write_deny_list(house.revoked, DenyList(frozenset({"5f1b8f0e-6d4a-4f5e-9a83-0c6f6f3a2b1d"})))
    house.clock.advance(2)
    assert "revoked" in refusal(house, token)
    house.verifier.verify(other)


@pytest.mark.spec("CNX-16.2")
def test_all_tokens_of_a_service_account_are_revoked_up_to_a_moment(house: Household) -> None:
    stolen = house.token()
    write_deny_list(
        house.revoked, DenyList(subjects={subject_of("connector-bot"): NOON + timedelta(seconds=2)})
    )
    house.clock.advance(2)
    assert "revoked" in refusal(house, stolen)
    house.verifier.verify(house.token())


def test_a_token_without_an_id_is_known_by_its_digest(house: Household) -> None:
    """API servers before 1.30 give their tokens no `jti`."""
    token = house.token(jti=...)
    known = house.verifier.verify(token).token_id
    assert known.startswith("sha256:")
    write_deny_list(house.revoked, DenyList(frozenset({known})))
    house.clock.advance(3)
    assert "revoked" in refusal(house, token)
    house.clock.advance(1)
    house.verifier.verify(house.token(jti=...))


def test_a_subjects_file_is_followed_and_a_broken_one_is_not(
    house: Household, caplog: pytest.LogCaptureFixture
) -> None:
    token = house.token("someone")
    assert "not declared" in refusal(house, token)
    house.file.write_text(json.dumps({"subjects": {subject_of("someone"): {"role": "dashboard"}}}))
    house.clock.advance(3)
    assert house.verifier.verify(token).role is Role.DASHBOARD
    house.file.write_text('{"subjects": {"someone": {"role": "operator"}}}')
    house.clock.advance(3)
    with caplog.at_level(logging.WARNING):
        assert house.verifier.verify(token).role is Role.DASHBOARD
    assert "subjects.json" in caplog.text


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        '{"subjects": []}',
        '{"subjects": {}, "more": 1}',
        '{"subjects": {"ada": {"role": "operator"}}}',
        '{"subjects": {"system:serviceaccount:a:b": "operator"}}',
        '{"subjects": {"system:serviceaccount:a:b": {"role": "switchboard"}}}',
        '{"subjects": {"system:serviceaccount:a:b": {"role": "butler"}}}',
        '{"subjects": {"system:serviceaccount:a:b": {"role": "connector"}}}',
        '{"subjects": {"system:serviceaccount:a:b": {"role": "operator", "name": "x"}}}',
    ],
)
def test_a_subjects_file_names_operators_and_dashboards_and_nothing_else(
    tmp_path: Path, content: str
) -> None:
    with pytest.raises(ValueError):
        parse_subjects(content.encode())
    file = tmp_path / "subjects.json"
    file.write_text(content)
    with pytest.raises(KeyFileError, match=r"subjects\.json"):
        SubjectsFile(file, ManualClock(NOON))


def test_nobody_is_declared_to_be_switchboard() -> None:
    with pytest.raises(ValueError, match="Switchboard"):
        Standing(Role.SWITCHBOARD)


def test_an_earlier_directory_decides(house: Household) -> None:
    house.declared[OPERATOR] = Standing(Role.CONNECTOR, connector=BOT)
    assert house.verifier.verify(house.token(sub=OPERATOR)).role is Role.OPERATOR


def _short_rsa() -> dict[str, Any]:
    keys = ClusterKeys()
    keys.private = rsa.generate_private_key(65537, 1024)  # noqa: S505
    return keys.jwk


@pytest.mark.parametrize(
    "change",
    [
        {"iss": ...},
        {"iss": ""},
        {"iss": ISSUER_LOCAL},
        {"iss": ISSUER_SWITCHBOARD},
        {"kid": ...},
        {"n": "AQAB"},
        {"n": ...},
        {"e": 3},
        _short_rsa(),
    ],
    ids=["no issuer", "empty", "ours", "Switchboard's", "no kid", "short", "no n", "no text", "1024 bits"],
)
def test_a_cluster_key_that_must_not_count_is_never_taken(
    house: Household, change: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    entry = {name: value for name, value in {**house.cluster.jwk, **change}.items() if value is not ...}
    write_jwks(house.jwks, [entry, *house.own])
    with pytest.raises(KeyFileError, match=r"jwks\.json"):
        TokenVerifier(house.jwks, HERE, house.clock)
    house.clock.advance(3)
    with caplog.at_level(logging.WARNING):
        house.verifier.verify(house.token())
    assert "last good" in caplog.text


def test_a_key_for_another_use_or_algorithm_is_passed_over(house: Household) -> None:
    for change in ({"use": "enc"}, {"alg": "PS256"}):
        write_jwks(house.jwks, [{**house.cluster.jwk, **change}, *house.own])
        house.clock.advance(3)
        assert "not in this receiver's key set" in refusal(house, house.token())


def _hmac(claims: dict[str, Any], secret: bytes, kid: str) -> str:
    signed = f"{_part({'alg': 'HS256', 'typ': 'JWT', 'kid': kid})}.{_part(claims)}"
    signature = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def _part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
