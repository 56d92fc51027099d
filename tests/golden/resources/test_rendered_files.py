"""Manifests in, `butler.toml` and environments out, compared with committed files.

After a wanted change: `python -m tests.golden.resources.test_rendered_files` writes them anew; read the diff.
"""

import json
from pathlib import Path

import pytest

from butler_kit.config import ButlerConfig, parse_config
from butler_messenger.settings import MessengerConfig
from butler_resources.kinds import SecretRef, load_manifests
from butler_resources.render import (
    Surroundings,
    default_port,
    render_butler_env,
    render_butler_toml,
    render_connector_env,
)

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples"
PLACE = Surroundings(
    switchboard_url="http://127.0.0.1:40100/sse",
    jwks_file="/state/keys/jwks.json",
    token_file="/state/tokens/it.jwt",
    revoked_file="/state/keys/revoked.json",
    signing_key_file="/state/keys/switchboard.pem",
    contacts_file="/state/config/messenger/contacts.yaml",
    cursor_file="/state/run/connectors/it/cursor.json",
)


def _env_text(env: object) -> str:
    def written(value: object) -> object:
        return f"secret {value.name}/{value.key}" if isinstance(value, SecretRef) else value

    assert isinstance(env, dict)
    return json.dumps({name: written(value) for name, value in sorted(env.items())}, indent=1) + "\n"


def rendered(example: str) -> dict[str, str]:
    """File name → text of everything that one example renders to."""
    manifests = load_manifests(EXAMPLES / example)
    files = {}
    for butler in manifests.butlers:
        toml = render_butler_toml(butler, manifests.household, port=default_port(butler))
        files[f"{example}.{butler.name}.toml"] = toml
        files[f"{example}.{butler.name}.env.json"] = _env_text(dict(render_butler_env(butler, PLACE)))
    for number, connector in enumerate(manifests.connectors):
        env = render_connector_env(connector, PLACE, health_port=40120 + number, webhook_port=40180)
        files[f"{example}.{connector.name}.env.json"] = _env_text(dict(env))
    return files


@pytest.mark.parametrize("example", ["demo", "household"])
def test_an_example_renders_to_the_committed_files(example: str) -> None:
    expected = {path.name: path.read_text() for path in (HERE / "data").glob(f"{example}.*")}
    assert rendered(example) == expected


@pytest.mark.parametrize("example", ["demo", "household"])
def test_what_is_rendered_is_what_a_service_accepts(example: str) -> None:
    manifests = load_manifests(EXAMPLES / example)
    for butler in manifests.butlers:
        env = {
            name: value if isinstance(value, str) else "a value"
            for name, value in render_butler_env(butler, PLACE).items()
        }
        text = render_butler_toml(butler, manifests.household, port=default_port(butler))
        program = MessengerConfig if butler.spec.role == "messenger" else ButlerConfig
        config = parse_config(text, "butler.toml", program, env)
        assert config.butler.name == butler.name
        assert config.runtime.family == butler.spec.runtime.family


def test_no_value_of_a_secret_is_rendered() -> None:
    manifests = load_manifests(EXAMPLES / "demo")
    values = [value for secret in manifests.secrets for value in secret.string_data.values()]
    assert values
    everything = "".join(rendered("demo").values())
    assert not [value for value in values if value in everything]


if __name__ == "__main__":
    for old in (HERE / "data").glob("*"):
        old.unlink()
    for name, text in (rendered("demo") | rendered("household")).items():
        (HERE / "data" / name).write_text(text)
