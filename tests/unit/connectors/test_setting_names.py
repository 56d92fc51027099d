"""What a connector says to correct is named as the manifest has it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from telegram import error

from butler_connectors.imap.settings import _NAMES
from butler_connectors.telegram_bot.faults import fault_of

CRD = Path(__file__).parents[3] / "crds" / "connectors.yaml"
SAID = [_NAMES.login, _NAMES.tls, _NAMES.mailbox, str(fault_of(error.InvalidToken("x")))]


def spec() -> Any:
    found = yaml.safe_load(CRD.read_text("utf-8"))["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found["properties"]["spec"]


@pytest.mark.parametrize("said", SAID)
def test_each_field_that_is_named_is_one_of_the_manifest(said: str) -> None:
    fields = re.findall(r"\bspec\.([\w.]+\w)", said)
    assert fields
    for field in fields:
        known = spec()
        for name in field.split("."):
            known = known["properties"][name]
