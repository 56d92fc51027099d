"""What a specialist's configuration refuses because it has no effect, and what it runs by the clock (SWB-25.3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from butler_kit.config import ConfigError, parse_config
from butler_specialist.settings import SpecialistConfig

BUTLER = '[butler]\nrole = "specialist"\nprofile = "health"\ntimezone = "Europe/Berlin"\n'
THINKS = '[runtime]\nfamily = "codex"\n'


def entry(name: str = "pills", **more: str) -> str:
    said = {"name": name, "cron": "0 8 * * *", "dispatch_mode": "prompt", "prompt": "Ask.", **more}
    return "[[butler.schedule]]\n" + "".join(f'{key} = "{value}"\n' for key, value in said.items())


def config(*tables: str) -> SpecialistConfig:
    return parse_config("".join(tables), "butler.toml", SpecialistConfig, {})


def test_a_specialist_whose_runtime_reads_no_prompt_refuses_one_and_says_what_to_choose() -> None:
    with pytest.raises(ConfigError, match=r"schedule 'pills' has a prompt.*choose another runtime.family"):
        config(BUTLER, entry())


def test_a_native_job_and_a_name_given_twice_are_refused() -> None:
    with pytest.raises(ConfigError, match="dispatch_mode"):
        config(BUTLER, entry(dispatch_mode="job", job="eligibility-sweep"), THINKS)
    with pytest.raises(ConfigError, match=r"two \[\[butler.schedule\]\] have one name"):
        config(BUTLER, entry(), entry(), THINKS)


@pytest.mark.parametrize(("key", "text"), [("prompt", "a\\u0000b"), ("prompt", "  "), ("to", "\\u0000")])
def test_what_could_be_neither_stored_nor_read_is_refused_before_it_is_due(key: str, text: str) -> None:
    with pytest.raises(ConfigError, match=rf"butler\.schedule.*{key}"):
        config(BUTLER, entry(**{key: text}), THINKS)


def test_a_schedule_is_meant_in_its_own_zone_else_in_the_butlers() -> None:
    [here, there] = config(
        BUTLER, entry(), entry("other", timezone="America/New_York", to="Ben"), THINKS
    ).schedules
    assert (here.zone.key, here.to, here.grace) == ("Europe/Berlin", None, timedelta(hours=1))
    assert (there.zone.key, there.to) == ("America/New_York", "Ben")
