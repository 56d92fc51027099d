"""The household's own authority: what a receiver learns from the tokens it signs."""

from pathlib import Path

import pytest

from butler_cli.local.keys import (
    TokenGrant,
    ensure_keys,
    local_key_file,
    operator_token,
    sign_token,
    switchboard_key_file,
    write_tokens,
)
from butler_cli.local.state import StateDir
from butler_kit.auth import Role, Unauthenticated
from butler_kit.auth.errors import KeyFileError
from butler_kit.auth.jwks import ISSUER_SWITCHBOARD
from butler_kit.auth.signer import TokenSigner, audience_of, connector_claims
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.time import SystemClock


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    made = StateDir.at(tmp_path / "state")
    made.create()
    ensure_keys(made)
    return made


def verifier(state: StateDir, receiver: str = "switchboard") -> TokenVerifier:
    return TokenVerifier(state.jwks_file, audience_of(receiver), SystemClock(), state.revoked_file)


def test_a_key_that_is_none_says_how_another_is_made(state: StateDir) -> None:
    key = local_key_file(state)
    key.write_text("no key")
    with pytest.raises(
        KeyFileError, match="restore it from a backup; without one remove it, and `butlers up` makes"
    ):
        ensure_keys(state)
    key.unlink()
    ensure_keys(state)
    assert operator_token(state)


def test_keys_are_private_and_stay_the_same(state: StateDir) -> None:
    before = {path.name: path.read_bytes() for path in state.keys_dir.iterdir()}
    ensure_keys(state)
    assert {path.name: path.read_bytes() for path in state.keys_dir.iterdir()} == before
    assert switchboard_key_file(state).stat().st_mode & 0o777 == 0o600


@pytest.mark.spec("CNX-16.2")
def test_each_process_has_a_token_that_names_it_to_switchboard_only(state: StateDir) -> None:
    binding = connector_claims("imap", "imap:a@example.org", "default")
    write_tokens(
        state,
        [("finance", TokenGrant("finance", {"role": "butler", "name": "finance"})),
         ("mail", TokenGrant("mail", binding))],
    )  # fmt: skip
    finance = verifier(state).verify(state.token_file("finance").read_text().strip())
    mail = verifier(state).verify(state.token_file("mail").read_text().strip())
    assert (finance.role, finance.name, finance.subject) == (Role.BUTLER, "finance", "finance")
    assert mail.connector is not None
    assert (mail.connector.endpoint_identity, mail.connector.max_tier) == ("imap:a@example.org", "default")
    assert state.token_file("mail").stat().st_mode & 0o777 == 0o600
    with pytest.raises(Unauthenticated):
        verifier(state, "messenger").verify(state.token_file("finance").read_text().strip())


@pytest.mark.spec("CNX-16.2")
def test_a_token_is_written_anew_each_time(state: StateDir) -> None:
    grant = TokenGrant("finance", {"role": "butler", "name": "finance"})
    write_tokens(state, [("finance", grant)])
    first = state.token_file("finance").read_text()
    write_tokens(state, [("finance", grant)])
    assert state.token_file("finance").read_text() != first


def test_an_operator_may_be_sent_to_any_service(state: StateDir) -> None:
    assert verifier(state).verify(operator_token(state)).role is Role.OPERATOR
    token = operator_token(state, audience="messenger")
    assert verifier(state, "messenger").verify(token).role is Role.OPERATOR


def test_the_local_authority_and_switchboard_vouch_only_for_their_own(state: StateDir) -> None:
    with pytest.raises(Unauthenticated):
        verifier(state).verify(
            sign_token(
                state, TokenGrant("switchboard", {"role": "operator"}), audience="switchboard", ttl_s=60
            )
        )
    signer = TokenSigner(switchboard_key_file(state), ISSUER_SWITCHBOARD, SystemClock())
    call = signer.sign(audience_of("finance"), "switchboard", 60, {"role": "switchboard"})
    assert verifier(state, "finance").verify(call).role is Role.SWITCHBOARD
    forged = signer.sign(audience_of("finance"), "operator", 60, {"role": "operator"})
    with pytest.raises(Unauthenticated):
        verifier(state, "finance").verify(forged)
