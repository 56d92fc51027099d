"""What Messenger's `butler.toml` says and implies (MSR-01.1, MSR-07.3, MSR-11, MSG-11)."""

from __future__ import annotations

import ast
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import butler_messenger
from butler_kit.config import ConfigError, parse_config
from butler_kit.time import SystemClock
from butler_messenger.calendar.configured import configured_calendar
from butler_messenger.delivery.channels.configured import configured_channels, mail_domain
from butler_messenger.delivery.decisions import RetryPolicy
from butler_messenger.settings import MessengerConfig
from butler_resources.crds.definitions import DEFINITIONS
from butler_resources.kinds import load_manifests
from butler_resources.render import default_port, render_butler_toml, runtime_problem
from tests.support.manifests import config_of

MINIMAL = '[butler]\nrole = "messenger"\n'
EXAMPLES = Path(__file__).parents[3] / "examples"
ENV = {"BUTLER_TELEGRAM_TOKEN": "t", "BUTLER_EMAIL_ADDRESS": "a@b.org", "BUTLER_EMAIL_PASSWORD": "p"}


def load(text: str, env: dict[str, str] | None = None) -> MessengerConfig:
    return parse_config(text, "butler.toml", MessengerConfig, ENV if env is None else env)


def said(**delivery: Any) -> MessengerConfig:
    """What Messenger makes of a manifest with this `delivery`."""
    return config_of(MessengerConfig, {"role": "messenger", "delivery": delivery}, env=ENV)


@pytest.mark.spec("MSR-01.1")
def test_a_messenger_is_the_delivery_plane_on_its_port_in_its_schema_with_three_sessions_at_most() -> None:
    config = load(MINIMAL)
    assert config.butler.port == 40104
    assert config.butler.description == "Outbound delivery execution plane for Telegram and Email"
    assert config.butler.db_schema == "messenger"
    assert config.runtime.max_concurrent_sessions == 3


@pytest.mark.spec("MSR-01.1")
@pytest.mark.parametrize(
    ("said", "named"),
    [
        ('family = "codecs"', "runtime.family"),
        ("max_concurrent_sessions = 0", "runtime.max_concurrent_sessions"),
        ("max_sessions = 3", "runtime.max_sessions"),
    ],
)
def test_a_runtime_that_cannot_be_is_refused_though_a_messenger_decides_nothing_by_a_model(
    said: str, named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        load(f"{MINIMAL}[runtime]\n{said}\n")


@pytest.mark.spec("MSR-01.1")
def test_the_households_own_messenger_runs_codex_with_three_sessions_and_is_shown_so() -> None:
    household = load_manifests(EXAMPLES / "household")
    [messenger] = household.with_role("messenger")
    text = render_butler_toml(messenger, household.household, port=default_port(messenger))
    runtime = parse_config(text, "butler.toml", MessengerConfig, ENV).runtime
    assert (runtime.family, runtime.max_concurrent_sessions, runtime.fallback) == ("codex", 3, "rules")
    shown = {column.name: column.path for column in DEFINITIONS["Butler"].columns}
    assert shown["Runtime"] == ".spec.runtime.family"


@pytest.mark.spec("MSR-01.2")
def test_the_households_own_messenger_loads_calendar_telegram_and_email_the_channels_by_their_bots_alone() -> (
    None
):
    household = load_manifests(EXAMPLES / "household")
    [messenger] = household.with_role("messenger")
    text = render_butler_toml(messenger, household.household, port=default_port(messenger))
    modules = parse_config(text, "butler.toml", MessengerConfig, ENV).modules
    assert modules.calendar is not None
    assert (modules.calendar.provider, modules.calendar.conflicts) == ("google", "suggest")
    assert modules.telegram is not None
    assert modules.telegram.bot is not None
    assert (modules.telegram.bot.enabled, modules.telegram.user.enabled) == (True, False)
    assert modules.telegram.bot.token_env == "BUTLER_TELEGRAM_TOKEN"
    assert modules.email is not None
    assert modules.email.bot is not None
    assert (modules.email.bot.enabled, modules.email.user.enabled) == (True, False)
    assert (modules.email.bot.address_env, modules.email.bot.password_env) == (
        "BUTLER_EMAIL_ADDRESS", "BUTLER_EMAIL_PASSWORD",
    )  # fmt: skip


@pytest.mark.spec("MSR-01.2")
def test_a_messenger_of_which_nothing_is_said_has_the_same_calendar_and_it_is_off() -> None:
    calendar = configured_calendar(load(MINIMAL), {}, SystemClock())
    word = calendar.word()
    assert (word.provider, word.conflicts, word.state) == ("google", "suggest", "off")


def test_a_calendars_secret_that_cannot_be_right_keeps_nothing_else_from_starting() -> None:
    calendar = configured_calendar(load(MINIMAL), {"BUTLER_CALENDAR_SECRET": "no json"}, SystemClock())
    assert calendar.word().state == "amiss"
    assert "client_id, client_secret and refresh_token" in calendar.word().words


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ('provider = "outlook"', "modules.calendar.provider"),
        ('provider = "caldav"', "url and username"),
        ('conflicts = "overwrite"', "modules.calendar.conflicts"),
        ('day_start = "21:00"', "day_start is not before day_end"),
        ("appointment_minutes = 30", "a specialist's"),
    ],
)
def test_a_calendar_that_cannot_be_is_refused_with_what_is_wrong(said: str, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        load(f"{MINIMAL}[modules.calendar]\n{said}\n")


@pytest.mark.spec("MSR-01.1")
def test_a_messenger_whose_family_needs_sessions_is_told_that_it_has_none() -> None:
    household = load_manifests(EXAMPLES / "household")
    [messenger] = household.with_role("messenger")
    alone = messenger.spec.runtime.model_copy(update={"fallback": None})
    without = messenger.model_copy(update={"spec": messenger.spec.model_copy(update={"runtime": alone})})
    assert runtime_problem(messenger) is None
    assert (runtime_problem(without) or "").startswith("codex is not available here")


@pytest.mark.spec("MSR-01.1")
def test_a_messenger_starts_no_session_so_its_sessions_bound_no_delivery() -> None:
    """D63: the bound is of sessions; deliveries have a bound of their own."""
    sessions = {"butler_kit.runtime", "butler_kit.runtime.spawner"}
    files = list((Path(butler_messenger.__file__).parent).rglob("*.py"))
    assert len(files) > 30
    for path in files:
        imported = {
            node.module
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.ImportFrom)
        }
        assert not imported & sessions, path
    one = load(MINIMAL + "[runtime]\nmax_concurrent_sessions = 1\n")
    assert one.delivery.worker_count == load(MINIMAL).delivery.worker_count == 8


@pytest.mark.spec("MSR-11.1")
def test_a_messenger_has_no_schedules_and_refuses_one() -> None:
    assert load(MINIMAL).butler.schedule == ()
    with pytest.raises(ConfigError, match="no schedules"):
        load(MINIMAL + '[[butler.schedule]]\nname = "x"\ncron = "* * * * *"\njob = "x"\n')


@pytest.mark.spec("MSR-11.2")
def test_a_messenger_has_no_skills_of_its_own() -> None:
    package = resources.files("butler_messenger")
    names = {entry.name for entry in package.iterdir()}
    assert not names & {"skills", "skill", "prompts"}
    assert not [name for name in names if name.upper() == "SKILL.MD"]


@pytest.mark.spec("MSR-07.3", "MSG-9")
def test_every_channel_has_its_own_timeout() -> None:
    config = load(MINIMAL)
    timeouts = [config.retry_policy(name).timeout_s for name in ("telegram", "email", "sms")]
    assert timeouts == [15.0, 45.0, 30.0]
    assert said(channels={"telegram": {"timeoutSeconds": 3}}).retry_policy("telegram").timeout_s == 3.0


def test_retries_are_those_of_the_specification_until_a_channel_says_otherwise() -> None:
    config = said(channels={"email": {"maxAttempts": 5, "jitter": 0.1}})
    assert config.retry_policy("telegram") == RetryPolicy(3, 2.0, 60.0, 0.3, 15.0)
    assert config.retry_policy("email") == RetryPolicy(5, 2.0, 60.0, 0.1, 45.0)


def test_steps_before_the_content_and_the_pauses_of_a_deferral_can_be_set() -> None:
    plain = load(MINIMAL)
    assert [plain.connect_timeout_s(name) for name in ("telegram", "email")] == [5.0, 15.0]
    assert plain.retry_policy("email").deferral_pauses_s == (60.0, 300.0, 900.0, 1800.0, 3600.0)
    told = (
        "[delivery.channels.email]\nconnect_timeout_s = 60\ntimeout_s = 20\ndeferral_pauses_s = [30, 600]\n"
    )
    config = load(MINIMAL + told)
    assert config.connect_timeout_s("email") == 20.0
    assert config.retry_policy("email").deferral_pauses_s == (30.0, 600.0)
    with pytest.raises(ConfigError, match="deferral_pauses_s"):
        load(MINIMAL + "[delivery.channels.email]\ndeferral_pauses_s = []\n")


def test_sending_twice_rather_than_never_is_an_explicit_choice_per_intent() -> None:
    config = said(channels={"telegram": {"atLeastOnce": ["reply"]}})
    assert config.guarantee("telegram", "reply") == "at_least_once"
    assert config.guarantee("telegram", "send") == "at_most_once"
    assert config.guarantee("email", "reply") == "at_most_once"


def test_another_role_is_refused() -> None:
    with pytest.raises(ConfigError, match="this program is the messenger"):
        load('[butler]\nrole = "switchboard"\n')


def test_the_delivery_policy_can_be_set() -> None:
    delivery = said(
        maxInFlight=1000,
        expiresAfterSeconds=3600,
        allowRecipients=["*@example.org"],
        dedupeRetentionDays=30,
        reactionGlyphs={"✅": ["👌"]},
    ).delivery
    assert (delivery.max_in_flight, delivery.expires_after_s, delivery.dedupe_retention_days) == (
        1000,
        3600.0,
        30,
    )
    assert delivery.reaction_glyphs == {"✅": ("👌",)}


@pytest.mark.spec("MSR-05.1", "MSR-05.2", "MSR-05.3")
def test_the_budgets_of_a_minute_are_the_usual_ones_or_those_of_the_manifest() -> None:
    usual = load(MINIMAL).admission_limits()
    assert (usual.max_in_flight, usual.rates.per_minute, usual.rates.recipient_per_minute) == (100, 60, 10)
    assert (dict(usual.rates.channels), usual.rates.reply_priority) == ({"telegram": 30, "email": 20}, 2.0)
    own = said(
        limits={"perMinute": 100, "recipientPerMinute": 7, "replyPriority": 4},
        channels={"email": {"perMinute": 5}},
    ).admission_limits()
    assert (own.rates.per_minute, own.rates.recipient_per_minute, own.rates.reply_priority) == (100, 7, 4.0)
    assert dict(own.rates.channels) == {"telegram": 30, "email": 5}


@pytest.mark.spec("MSG-6.3")
def test_answers_say_who_speaks_unless_the_manifest_leaves_that_out_of_the_chat() -> None:
    assert load(MINIMAL).may_leave_mark() == frozenset()
    assert said(channels={"telegram": {"mark": "several"}}).may_leave_mark() == {"telegram"}
    with pytest.raises(ConfigError, match="a subject always says who speaks"):
        load(MINIMAL + '[delivery.channels.email]\nmark = "several"\n')


@pytest.mark.parametrize("wrong", ["per_minute = 0", "recipient_per_minute = -1", "reply_priority = 0.5"])
def test_a_budget_that_lets_nothing_out_is_refused(wrong: str) -> None:
    with pytest.raises(ConfigError, match=r"delivery\.limits"):
        load(MINIMAL + f"[delivery.limits]\n{wrong}\n")


def test_a_wait_beyond_two_seconds_is_refused() -> None:
    with pytest.raises(ConfigError, match="answer_wait_s"):
        load(MINIMAL + "[delivery]\nanswer_wait_s = 10.0\n")


@pytest.mark.spec("MSG-13")
async def test_each_channel_gets_its_own_credentials_and_nothing_else() -> None:
    telegram = MINIMAL + "[modules.telegram.bot]\n"
    email = MINIMAL + '[modules.email.bot.smtp]\nhost = "127.0.0.1"\nport = 25\ntls = "none"\n'
    only = {
        "telegram": {"BUTLER_TELEGRAM_TOKEN": "4711:t"},
        "email": {k: v for k, v in ENV.items() if "EMAIL" in k},
    }
    for name, text in (("telegram", telegram), ("email", email)):
        channels = configured_channels(load(text, only[name]), only[name], SystemClock())
        assert list(channels) == [name]
        await channels[name].aclose()
        with pytest.raises(ConfigError):
            load(text, {})
    with pytest.raises(ConfigError, match="user"):
        load(MINIMAL + "[modules.telegram.user]\nenabled = true\n")


@pytest.mark.parametrize(
    ("address", "chosen", "domain"),
    [
        ("home@Example.org", "", "example.org"),
        ("butler@m\u00fcller.example", "", "xn--mller-kva.example"),
        ("home@example.org", '[delivery]\nmail_domain = "M\u00fcller.example"\n', "xn--mller-kva.example"),
    ],
)
def test_our_message_ids_have_the_domain_of_our_address_in_the_letters_of_dns(
    address: str, chosen: str, domain: str
) -> None:
    env = ENV | {"BUTLER_EMAIL_ADDRESS": address}
    email = '[modules.email.bot.smtp]\nhost = "127.0.0.1"\nport = 25\ntls = "none"\n'
    assert mail_domain(load(MINIMAL + chosen + email, env), env) == domain
