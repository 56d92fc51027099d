"""Each machine runs twice: bounded and always the same; and, in `make faults`, longer and drawn by the run's seed."""

from __future__ import annotations

import pytest

from tests.faults.ledger import seed
from tests.faults.machines.stage import Effort


@pytest.fixture(params=["bounded", pytest.param("at_length", marks=pytest.mark.faults_full)])
def effort(request: pytest.FixtureRequest) -> Effort:
    return Effort(seed() if request.param == "at_length" else None)
