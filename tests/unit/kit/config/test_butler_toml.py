from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from butler_kit.config import (
    ButlerConfig,
    ConfigError,
    MemberEnvironment,
    ProcessEnvironment,
    load_config,
    parse_config,
    read_environment,
)
from butler_kit.config.demand import MESSENGER_WORKERS
from tests.support.manifests import config_of

TELEGRAM_TOKEN = "123456789:AAF-abcdefghijklmnopqrstuvwxyz01234"
MESSENGER = '[butler]\nrole = "messenger"\n'


def problems(text: str, env: dict[str, str] | None = None) -> dict[str, str]:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "butler.toml", ButlerConfig, env or {})
    assert str(caught.value).startswith("butler.toml: ")
    return {problem.key: f"{problem.problem}; {problem.fix}" for problem in caught.value.problems}


@pytest.mark.spec("CON-4.2")
def test_a_role_alone_is_a_whole_messenger() -> None:
    config = parse_config(MESSENGER, "butler.toml", ButlerConfig, {})
    assert (config.butler.name, config.butler.port, config.butler.db_schema) == (
        "messenger",
        40104,
        "messenger",
    )
    assert config.butler.description == "Outbound delivery execution plane for Telegram and Email"
    assert config.runtime.max_concurrent_sessions == 3
    assert config.butler.security.trusted_route_callers == ("switchboard",)


@pytest.mark.spec("CON-4.2")
def test_a_role_alone_is_a_whole_switchboard() -> None:
    config = parse_config('[butler]\nrole = "switchboard"', "butler.toml", ButlerConfig, {})
    assert (config.butler.port, config.butler.db_schema) == (40100, "switchboard")
    assert config.runtime.max_concurrent_sessions == 3
    buffer = config.buffer
    assert (buffer.queue_capacity, buffer.worker_count, buffer.scanner_batch_size) == (100, 3, 50)
    assert (buffer.scanner_interval_s, buffer.scanner_grace_s) == (30, 10)


@pytest.mark.spec("CON-5")
def test_no_butler_runs_more_sessions_than_switchboard_and_messenger_delivers_more_at_once_than_that() -> (
    None
):
    texts = (
        '[butler]\nrole = "switchboard"',
        MESSENGER,
        '[butler]\nrole = "specialist"\nprofile = "finance"',
    )
    switchboard, messenger, finance = (parse_config(text, "butler.toml", ButlerConfig, {}) for text in texts)
    sessions = [one.runtime.max_concurrent_sessions for one in (switchboard, messenger, finance)]
    assert sessions[0] == max(sessions)
    assert sessions[2] == 1
    assert MESSENGER_WORKERS > switchboard.buffer.worker_count >= sessions[0]


@pytest.mark.spec("CON-4.2")
def test_a_profile_names_a_specialist() -> None:
    text = '[butler]\nrole = "specialist"\nprofile = "finance"\nname = "our-finance"'
    config = parse_config(text, "butler.toml", ButlerConfig, {})
    assert (config.butler.port, config.butler.db_schema) == (40105, "our_finance")
    assert config.runtime.max_concurrent_sessions == 1


def test_what_the_file_says_wins_over_the_role() -> None:
    text = MESSENGER + 'port = 0\ntimezone = "Europe/Amsterdam"\n[runtime]\nmax_concurrent_sessions = 5\n'
    config = parse_config(text, "butler.toml", ButlerConfig, {})
    assert (config.butler.port, config.runtime.max_concurrent_sessions) == (0, 5)


@pytest.mark.spec("MSG-13.2", "MSG-13.1")
@pytest.mark.parametrize("spec", [{"role": "messenger"}, {"role": "specialist", "profile": "health"}])
def test_an_empty_list_of_trusted_callers_is_kept_and_none_means_switchboard(spec: dict[str, Any]) -> None:
    def trusted(**more: Any) -> tuple[str, ...]:
        return config_of(ButlerConfig, {**spec, **more}).butler.security.trusted_route_callers

    assert trusted() == ("switchboard",)
    assert trusted(trustedCallers=[]) == ()
    assert trusted(trustedCallers=["control-plane"]) == ("control-plane",)


def test_a_misspelt_key_is_refused_with_the_likely_one() -> None:
    found = problems(MESSENGER + "[runtime]\nmax_concurent_sessions = 2")
    assert "did you mean 'max_concurrent_sessions'?" in found["runtime.max_concurent_sessions"]


def test_an_unlikely_key_is_refused_with_the_known_ones() -> None:
    assert "known keys here: name, port" not in problems(MESSENGER + "zzz = 1")["butler.zzz"]
    assert "timezone" in problems(MESSENGER + "zzz = 1")["butler.zzz"]


def test_an_unknown_key_of_a_newer_file_names_both_versions() -> None:
    found = problems("config_version = 7\n" + MESSENGER + "[quotas]\nx = 1")
    assert "config_version 7" in found["quotas"]
    assert "the 1 known here" in found["quotas"]


@pytest.mark.spec("MSG-11.1")
@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f'[modules.telegram.bot]\ntoken = "{TELEGRAM_TOKEN}"', "modules.telegram.bot.token"),
        ('[modules.email.bot]\npassword = "hunter2-value"', "modules.email.bot.password"),
        ('[modules.x]\napi_key = "hunter2-value"', "modules.x.api_key"),
        ('[modules.x.secrets]\nanything = "hunter2-value"', "modules.x.secrets.anything"),
        ('[modules.x]\nclient_secret = ["hunter2-value"]', "modules.x.client_secret.0"),
        (f'[modules.telegram.bot]\napi_base_url = "http://h/bot{TELEGRAM_TOKEN}"', "modules.telegram.bot.api_base_url"),
        ('[routing]\nstore = "postgres://butlers:hunter2-value@db/butlers"', "routing.store"),
    ],
)  # fmt: skip
def test_an_inline_secret_is_refused_and_not_repeated(text: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(MESSENGER + text, "butler.toml", ButlerConfig, {"BUTLER_TELEGRAM_TOKEN": "x"})
    found = {problem.key: problem for problem in caught.value.problems}
    assert "inline secret" in found[key].problem
    assert "_env" in found[key].fix
    assert TELEGRAM_TOKEN not in str(caught.value)
    assert "hunter2-value" not in str(caught.value)


@pytest.mark.spec("MSG-11.1")
@pytest.mark.parametrize("name", ["", "1ABC", "MY-TOKEN", "A B", TELEGRAM_TOKEN])
def test_an_env_field_must_name_a_variable(name: str) -> None:
    text = MESSENGER + f'[modules.telegram.bot]\ntoken_env = "{name}"'
    found = problems(text, {name: "value"})
    assert "write a name of letters, digits and _" in found["modules.telegram.bot.token_env"]
    assert not name or name not in found["modules.telegram.bot.token_env"]


@pytest.mark.spec("MSG-11.2")
def test_an_enabled_scope_without_its_variable_blocks_the_start() -> None:
    text = MESSENGER + '[modules.telegram.bot]\ntoken_env = "MY_TOKEN"'
    found = problems(text, {"MY_TOKEN": "  "})
    assert "environment variable MY_TOKEN is not set" in found["modules.telegram.bot.token_env"]
    assert parse_config(text, "butler.toml", ButlerConfig, {"MY_TOKEN": "x"}).modules.telegram is not None


@pytest.mark.spec("MSG-11.2")
def test_the_default_variables_of_an_enabled_scope_are_required_too() -> None:
    text = MESSENGER + '[modules.email.bot]\nsmtp = {host = "mail"}'
    found = problems(text)
    assert set(found) == {"modules.email.bot.address_env", "modules.email.bot.password_env"}
    assert "variable BUTLER_EMAIL_ADDRESS is not set" in found["modules.email.bot.address_env"]
    assert "variable BUTLER_EMAIL_PASSWORD is not set" in found["modules.email.bot.password_env"]
    telegram = problems(MESSENGER + "[modules.telegram.bot]")
    assert "variable BUTLER_TELEGRAM_TOKEN is not set" in telegram["modules.telegram.bot.token_env"]


@pytest.mark.spec("MSG-11.2")
@pytest.mark.parametrize("where", ["bot", "user"])
def test_a_disabled_scope_needs_no_variable(where: str) -> None:
    text = MESSENGER + f"[modules.telegram.{where}]\nenabled = false"
    assert parse_config(text, "butler.toml", ButlerConfig, {}).modules.telegram is not None


@pytest.mark.spec("MSG-11.2")
def test_the_user_scope_cannot_be_switched_on() -> None:
    found = problems(MESSENGER + "[modules.telegram.user]\nenabled = true")
    assert "user scope is not available" in found["modules.telegram.user.enabled"]


@pytest.mark.spec("MSG-11.1")
def test_each_channel_has_a_table_for_the_bot_and_one_for_the_user() -> None:
    text = MESSENGER + '[modules.telegram.bot]\ntoken_env = "TG"\n[modules.telegram.user]\nenabled = false\n'
    text += '[modules.email.bot]\naddress_env = "MA"\npassword_env = "MP"\nsmtp = {host = "mail"}\n'
    text += "[modules.email.user]\nenabled = false\n"
    env = {"TG": "t", "MA": "home@example.org", "MP": "p"}
    modules = parse_config(text, "butler.toml", ButlerConfig, env).modules
    assert modules.telegram is not None
    assert modules.telegram.bot is not None
    assert modules.email is not None
    assert modules.email.bot is not None
    names = (modules.telegram.bot.token_env, modules.email.bot.address_env, modules.email.bot.password_env)
    assert names == ("TG", "MA", "MP")


@pytest.mark.spec("MSG-11.1")
def test_a_credential_outside_its_scope_is_sent_there() -> None:
    found = problems(MESSENGER + '[modules.telegram]\ntoken_env = "T"', {"T": "x"})
    assert "move it to [modules.telegram.bot]" in found["modules.telegram.token_env"]


def test_all_problems_are_listed_at_once() -> None:
    text = MESSENGER + 'port = "40104"\n[runtime]\nfamily = "gpt"\n[buffer]\nqueue_capacity = 0\nx = 1\n'
    text += '[modules.telegram.bot]\ntoken_env = "NOT_THERE"'
    assert set(problems(text)) == {
        "butler.port",
        "runtime.family",
        "buffer.queue_capacity",
        "buffer.x",
        "modules.telegram.bot.token_env",
    }


@pytest.mark.parametrize(
    ("schedule", "key"),
    [
        ('name = "a"\ncron = "61 * * * *"\njob = "j"', "butler.schedule.0.cron"),
        ('name = "a"\ncron = "5 * * * *"', "butler.schedule.0"),
        ('name = "a"\ncron = "5 * * * *"\ndispatch_mode = "prompt"\njob = "j"', "butler.schedule.0"),
    ],
)
def test_a_schedule_that_cannot_run_is_refused(schedule: str, key: str) -> None:
    assert key in problems(MESSENGER + f"[[butler.schedule]]\n{schedule}")


def test_broken_toml_is_refused_with_its_line() -> None:
    assert "line 2" in problems("[butler]\nrole = ")[""]
    assert "line 2" in problems("[butler]\nrole = = 'a'\nname = 1")[""]
    assert "nested too deeply" in problems("a = " + "[" * 5000)[""]


@pytest.mark.parametrize("number", ["inf", "nan", "-1", "0"])
def test_a_duration_is_finite_and_positive(number: str) -> None:
    assert "runtime.timeout_s" in problems(MESSENGER + f"[runtime]\ntimeout_s = {number}")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "none.toml", ButlerConfig, {})
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'[butler]\nname = "caf\xe9"')
    with pytest.raises(ConfigError, match=r"latin\.toml: is not UTF-8"):
        load_config(latin, ButlerConfig, {})


def test_a_loaded_configuration_cannot_change() -> None:
    config = parse_config(MESSENGER, "butler.toml", ButlerConfig, {})
    with pytest.raises(ValueError, match="frozen"):
        config.butler.port = 1  # type: ignore[misc]


def test_the_environment_is_refused_with_every_variable_named() -> None:
    with pytest.raises(ConfigError) as caught:
        read_environment(
            MemberEnvironment,
            {"BUTLERS_JWKS_FILE": " ", "BUTLERS_LOG_LEVEL": "loud", "SWITCHBOARD_MCP_URL": "x"},
        )
    names = {problem.key for problem in caught.value.problems}
    assert names == {
        "BUTLERS_DATABASE_URL",
        "BUTLERS_JWKS_FILE",
        "BUTLERS_LOG_LEVEL",
        "BUTLERS_TOKEN_FILE",
        "SWITCHBOARD_MCP_URL",
    }


def test_the_environment_hides_the_database_password() -> None:
    env = {
        "BUTLERS_DATABASE_URL": "postgres://u:hunter2@h/db",
        "BUTLERS_JWKS_FILE": "/k/jwks.json",
        "OTHER": "1",
    }
    environment = read_environment(ProcessEnvironment, env)
    assert "hunter2" not in repr(environment)
    assert environment.database_url.get_secret_value() == env["BUTLERS_DATABASE_URL"]
    assert (environment.host, environment.log_format, environment.revoked_file) == ("127.0.0.1", "json", None)


CODEX = '[butler]\nrole = "switchboard"\n[runtime]\nfamily = "codex"\n[runtime.price]\ninput_cents_per_million = 200\n'
CODEX += "output_cents_per_million = 1000\n"


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize(
    ("budget", "why"),
    [
        ("[budget.session]\ntokens = 50000\n", "codex does not report them before its end"),
        ("[budget.session]\ncents = 5\n", "set a day's cents too"),
        ("[budget.session]\nturns = 4\n", "codex does not report them"),
    ],
)
def test_what_codex_does_not_report_in_time_is_no_budget_of_its_sessions(budget: str, why: str) -> None:
    assert why in " ".join(problems(CODEX + budget).values())


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize("family", ["codex", "claude-code", "opencode"])
@pytest.mark.parametrize("day", ["[budget.day]\ncents = 100\n", "[budget.person_day]\ncents = 20\n"])
def test_a_command_line_may_have_a_budget_of_a_day_in_cents(family: str, day: str) -> None:
    named = CODEX.replace('"codex"', f'"{family}"\nmodel = "m"')
    config = parse_config(f"{named}[budget.session]\ncents = 5\n{day}", "butler.toml", ButlerConfig, {})
    assert config.budget.session.cents == 5
    if family != "codex":
        parse_config(f"{named}[budget.session]\ncents = 5\ntokens = 50000\n", "butler.toml", ButlerConfig, {})
