"""What Switchboard's configuration says, and refuses because it could not be done (SWB-24.1, SWB-25.3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from butler_contracts.ingest import PolicyTier
from butler_kit.config import ConfigError, parse_config
from butler_kit.runtime import RulesFamily, SessionJob
from butler_kit.runtime.thinking import thinking_of
from butler_kit.time import SystemClock
from butler_resources.kinds import load_manifests
from butler_resources.render import default_port, render_butler_toml
from butler_switchboard.dispatch.model import PolicyInForce
from butler_switchboard.policies import rollout_of, rule_routes, tier_policies, triage_rules
from butler_switchboard.rollouts.trial import Rollout
from butler_switchboard.routing.policy import RuleRoute
from butler_switchboard.routing.prompt import prompt_version
from butler_switchboard.settings import SwitchboardConfig

EXAMPLES = Path(__file__).parents[3] / "examples"
HEAD = '[butler]\nrole = "switchboard"\n'


def refused(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_config(HEAD + text, "butler.toml", SwitchboardConfig, {})
    return str(caught.value)


@pytest.mark.spec("SWB-24.1", "SWB-03.7")
def test_the_households_own_switchboard_runs_codex_with_a_light_model_and_three_sessions() -> None:
    household = load_manifests(EXAMPLES / "household")
    [switchboard] = household.with_role("switchboard")
    text = render_butler_toml(switchboard, household.household, port=default_port(switchboard))
    config = parse_config(text, "butler.toml", SwitchboardConfig, {})
    assert (config.butler.port, config.runtime.max_concurrent_sessions) == (40100, 3)
    assert (config.runtime.family, config.runtime.asked_model) == ("codex", "gpt-5.3-codex-spark")
    assert config.butler.db_schema == "switchboard"


@pytest.mark.spec("SWB-24.1", "SWB-03.7")
def test_codex_asks_its_light_model_where_none_is_named() -> None:
    config = parse_config(HEAD + '[runtime]\nfamily = "codex"\n', "butler.toml", SwitchboardConfig, {})
    thinking = thinking_of(config.runtime, {}, RulesFamily(_nothing), SystemClock(), rules_model="rules")
    assert thinking.family.name == "codex"
    assert config.runtime.asked_model == "gpt-5.3-codex-spark"


async def _nothing(_: SessionJob) -> None: ...


def test_a_prompt_by_the_clock_is_refused_where_nothing_reads_prompts() -> None:
    digest = '[[butler.schedule]]\nname = "digest"\ncron = "0 7 * * *"\ndispatch_mode = "prompt"\nprompt = "Sum up."\n'
    assert "schedule 'digest' has a prompt, which the runtime family 'rules' cannot read" in refused(digest)
    codex = HEAD + digest + '[runtime]\nfamily = "codex"\n'
    assert parse_config(codex, "butler.toml", SwitchboardConfig, {}).butler.schedule[0].prompt == "Sum up."


def test_a_job_that_is_not_there_is_refused_with_those_that_are() -> None:
    said = refused('[[butler.schedule]]\nname = "coffee"\ncron = "0 7 * * *"\njob = "make-coffee"\n')
    assert (
        "schedule 'coffee' names no job that is there; expected one of connector-stats-hourly-rollup" in said
    )


def test_a_schedule_on_no_known_clock_is_refused() -> None:
    sweep = '[[butler.schedule]]\nname = "x"\ncron = "0 7 * * *"\njob = "eligibility-sweep"\n'
    assert "not an IANA time zone" in refused(sweep + 'timezone = "Mars/Base"\n')


ASKED = '[runtime]\nfamily = "api"\nprovider = "openai"\nmodel = "m"\n'


def tried(text: str) -> Rollout | None:
    config = parse_config(HEAD + ASKED + text, "butler.toml", SwitchboardConfig, {})
    return rollout_of(config, rules_model="rules-7")


@pytest.mark.parametrize(
    "text", ['[runtime.canary]\nmodel = "n"\n', '[routing]\ninstructions = "Berta is our car."\n']
)
def test_what_is_for_a_model_is_refused_where_none_reads_it(text: str) -> None:
    assert "need a runtime.family that asks a model" in refused(text)


def test_a_rollout_of_nothing_is_refused() -> None:
    assert "names nothing to try" in refused(ASKED + "[runtime.canary]\npercent = 20\n")


@pytest.mark.spec("SWB-36.1")
def test_a_candidate_is_a_model_or_instructions_or_both_beside_what_is_usual() -> None:
    own, other = "Berta is our car.", "Berta is our cat."
    model = tried(f'[routing]\ninstructions = "{own}"\n[runtime.canary]\nmodel = "n"\n')
    words = tried(f'[runtime.canary]\ninstructions = "{other}"\n')
    assert model is not None
    assert words is not None
    assert (model.candidate.model, model.candidate.prompt) == ("n", prompt_version(own))
    assert model.usual.prompt == prompt_version(own)
    assert (words.candidate.model, words.candidate.prompt) == ("m", prompt_version(other))
    assert (words.usual.prompt, words.instructions) == (prompt_version(), other)


def test_what_is_usual_already_is_not_tried() -> None:
    assert tried('[runtime.canary]\nmodel = "m"\n') is None
    assert tried("") is None


@pytest.mark.spec("SWB-36.1")
def test_codexs_own_model_is_what_is_usual_where_none_is_named() -> None:
    text = HEAD + '[runtime]\nfamily = "codex"\n[runtime.canary]\nmodel = "n"\npercent = 50\n'
    config = parse_config(text, "butler.toml", SwitchboardConfig, {})
    rollout = rollout_of(config, rules_model="rules-7")
    assert rollout is not None
    tier = tier_policies(config)[PolicyTier.DEFAULT]
    assert tier.model == rollout.usual.model == "gpt-5.3-codex-spark"


CANDIDATE = (
    '[runtime.canary]\nfamily = "api"\nprovider = "openai"\nmodel = "n"\nbase_url = "http://nas.local/v1"\n'
)


@pytest.mark.spec("SWB-36.1", "SWB-03.7")
def test_a_household_of_rules_tries_a_model_with_a_runtime_of_its_own() -> None:
    bounds = "[runtime]\nmax_turns = 3\ntimeout_s = 50\n"
    own = '[routing]\ninstructions = "Berta is our car."\n'
    config = parse_config(HEAD + bounds + CANDIDATE + own, "butler.toml", SwitchboardConfig, {})
    rollout, on_trial = rollout_of(config, rules_model="rules-7"), config.runtime.on_trial
    assert rollout is not None
    assert on_trial is not None
    assert (rollout.usual.family, rollout.usual.model, rollout.usual.asked) == ("rules", "rules-7", None)
    assert (rollout.candidate.family, rollout.candidate.model, rollout.apart) == ("api", "n", True)
    assert rollout.candidate.prompt == prompt_version("Berta is our car.")
    assert tier_policies(config)[PolicyTier.DEFAULT].model is rollout.usual.asked
    assert (on_trial.base_url, on_trial.max_turns, on_trial.timeout_s) == ("http://nas.local/v1", 3, 50)
    assert config.runtime.asking == (on_trial,)


@pytest.mark.spec("SWB-36.1")
def test_a_household_with_a_model_tries_rules_a_program_and_the_same_model_elsewhere() -> None:
    rules = tried('[runtime.canary]\nfamily = "rules"\n')
    codex = tried('[runtime.canary]\nfamily = "codex"\n')
    elsewhere = tried(CANDIDATE.replace('"n"', '"m"'))
    found = [(one.candidate.family, one.candidate.model) for one in (rules, codex, elsewhere) if one]
    assert found == [("rules", "rules-7"), ("codex", "gpt-5.3-codex-spark"), ("api", "m")]


@pytest.mark.spec("SWB-33.1")
def test_a_budget_holds_for_a_family_that_is_tried_too() -> None:
    cents = "[budget.session]\ncents = 5\n"
    away = CANDIDATE.replace("http://nas.local", "https://models.example.org")
    priced = "[runtime.canary.price]\ninput_cents_per_million = 1\noutput_cents_per_million = 2\n"
    for text in (CANDIDATE + cents, away + priced + cents):
        assert parse_config(HEAD + text, "butler.toml", SwitchboardConfig, {}).budget.in_cents
    assert "runtime.canary.price" in refused(away + cents)
    assert "reports its tokens at its end" in refused('[runtime.canary]\nfamily = "codex"\n' + cents)
    turns = "[budget.session]\nturns = 2\n"
    assert "codex does not report them" in refused('[runtime.canary]\nfamily = "codex"\n' + turns)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[runtime.canary]\nmodel = "n"\nbase_url = "http://nas.local/v1"\n', "that needs a family"),
        ('[runtime.canary]\nfamily = "api"\nmodel = "n"\n', "needs provider"),
        ('[runtime.canary]\nfamily = "opencode"\n', "needs model"),
        ('[runtime.canary]\nfamily = "api"\nprovider = "openai"\nmodel = "n"\n', "names the usual runtime"),
        ('[runtime.canary]\nfamily = "rules"\nmodel = "n"\n', "takes no model"),
        (CANDIDATE.replace("nas.local", "example.org") + 'api_key_env = "KEY"\n', "https"),
    ],
)
def test_a_family_is_refused_that_could_not_be_asked_or_is_no_other_one(text: str, why: str) -> None:
    assert why in refused(ASKED + text)


@pytest.mark.spec("SWB-34.1")
def test_what_a_tier_allows_is_recorded_as_it_is_in_force() -> None:
    text = HEAD + (
        "[routing]\nsession_timeout_s = 20\n[dispatch]\nrun_timeout_s = 60\n"
        "[dispatch.tiers.interactive]\npatience_s = 40\nmax_attempts = 1\naccept_timeout_s = 2\n"
    )
    policies = tier_policies(parse_config(text, "butler.toml", SwitchboardConfig, {}))
    assert policies[PolicyTier.INTERACTIVE].in_force == PolicyInForce(
        session_timeout_s=20,
        accept_timeout_s=2,
        run_timeout_s=60,
        patience_s=40,
        circuit_patience_s=4,
        max_attempts=1,
    )
    usual = policies[PolicyTier.DEFAULT].in_force
    assert usual is not None
    assert (usual.accept_timeout_s, usual.patience_s, usual.max_attempts) == (5, 900, 3)


def test_a_rule_for_several_is_told_by_its_first_target_and_has_the_others_beside() -> None:
    text = HEAD + (
        '[[routing.rules]]\ntype = "sender_domain"\nvalue = "b.example"\naction = "route_to"\ntarget = "finance"\n'
        '[[routing.rules]]\ntype = "sender_domain"\nvalue = "s.example"\naction = "route_to"\n'
        'targets = ["general", "health"]\norder = "conditional"\njoin = "any"\n'
    )
    routing = parse_config(text, "butler.toml", SwitchboardConfig, {}).routing
    assert [rule.target for rule in triage_rules(routing)] == ["finance", "general"]
    assert rule_routes(routing) == {
        "routing.rules[1]": RuleRoute(("general", "health"), "conditional", "any")
    }
