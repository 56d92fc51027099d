"""What Switchboard's configuration refuses because it could not be done (SWB-25.3)."""

from __future__ import annotations

import pytest

from butler_kit.config import ConfigError, parse_config
from butler_switchboard.settings import SwitchboardConfig

HEAD = '[butler]\nrole = "switchboard"\n'


def refused(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_config(HEAD + text, "butler.toml", SwitchboardConfig, {})
    return str(caught.value)


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
