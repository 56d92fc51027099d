"""What a specialist's configuration refuses because it would have no effect (SWB-25.3)."""

from __future__ import annotations

import pytest

from butler_kit.config import ConfigError, parse_config
from butler_specialist.settings import SpecialistConfig


def test_a_specialist_refuses_a_schedule_that_it_would_never_run() -> None:
    text = '[butler]\nrole = "specialist"\nprofile = "health"\n'
    text += (
        '[[butler.schedule]]\nname = "pills"\ncron = "0 8 * * *"\ndispatch_mode = "prompt"\nprompt = "Ask."\n'
    )
    with pytest.raises(ConfigError, match="a specialist runs no schedules, Switchboard does; remove"):
        parse_config(text, "butler.toml", SpecialistConfig, {})
