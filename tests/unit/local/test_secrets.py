"""Where a reference to a secret leads on one machine, and what a person reads when it leads nowhere."""

from pathlib import Path

import pytest

from butler_cli.errors import UserError
from butler_cli.local.plan import ProcessSpec, Stage
from butler_cli.local.prepare import process_environment
from butler_cli.local.secrets import MissingSecrets, Secrets, secret_variable
from butler_cli.local.state import StateDir
from butler_resources.kinds import Manifests, SecretRef, parse_manifests

REF = SecretRef(name="telegram-bot", key="token")
IN_MANIFESTS = parse_manifests(
    {
        "f": "apiVersion: v1\nkind: Secret\nmetadata: {name: telegram-bot}\nstringData: {token: from-manifest}\n"
    }
)


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    made = StateDir.at(tmp_path / "state")
    made.create()
    return made


def test_a_file_comes_before_the_environment_and_that_before_the_manifests(state: StateDir) -> None:
    env = {"BUTLERS_SECRET_TELEGRAM_BOT_TOKEN": "from-environment"}
    assert Secrets(state, {}, IN_MANIFESTS).value(REF) == "from-manifest"
    assert Secrets(state, env, IN_MANIFESTS).value(REF) == "from-environment"
    Secrets(state, env, IN_MANIFESTS).keep(REF, "from-file")
    assert Secrets(state, env, IN_MANIFESTS).value(REF) == "from-file"
    assert (state.secrets_dir / "telegram-bot" / "token").stat().st_mode & 0o777 == 0o600


def test_the_variable_of_a_secret_is_upper_case_with_underscores() -> None:
    assert secret_variable(SecretRef(name="mail-1", key="pass.word")) == "BUTLERS_SECRET_MAIL_1_PASS_WORD"


def test_a_missing_secret_names_the_file_and_the_variable(state: StateDir) -> None:
    with pytest.raises(MissingSecrets) as caught:
        Secrets(state, {}, Manifests()).value(REF)
    text = str(caught.value)
    assert f"{state.secrets_dir}/telegram-bot/token" in text
    assert "BUTLERS_SECRET_TELEGRAM_BOT_TOKEN" in text


def test_a_file_that_others_can_read_is_refused_without_its_value(state: StateDir) -> None:
    secrets = Secrets(state, {}, Manifests())
    secrets.keep(REF, "hunter2")
    path = state.secrets_dir / "telegram-bot" / "token"
    path.chmod(0o640)
    with pytest.raises(UserError, match=f"run `chmod 600 {path}`") as caught:
        secrets.value(REF)
    assert "hunter2" not in str(caught.value)


def test_a_process_gets_the_secrets_it_names_and_not_those_of_the_caller(state: StateDir) -> None:
    spec = ProcessSpec("mail", Stage.CONNECTORS, ("x",), {"TOKEN": REF, "PLAIN": "1"}, 1, "u")
    inherited = {"PATH": "/bin", "BUTLERS_SECRET_OTHER_KEY": "no", "AWS_SECRET": "no", "OTEL_SERVICE": "yes"}
    inherited["BUTLERS_FAULTS_DIR"] = "/faults"
    env = process_environment(spec, secrets=Secrets(state, {}, IN_MANIFESTS), inherited=inherited)
    assert env == {
        "PATH": "/bin", "OTEL_SERVICE": "yes", "BUTLERS_FAULTS_DIR": "/faults", "TOKEN": "from-manifest", "PLAIN": "1",
        "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
        "PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1", "BUTLERS_REPLICA": "mail",
    }  # fmt: skip
