"""What the operator shows of itself on its own ports."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp.test_utils import make_mocked_request

from butler_operator.control.pages import pages
from butler_operator.metrics import OperatorMetrics


@pytest.mark.parametrize(("problems", "ready"), [([], "1.0"), (["task queue has ended"], "0.0")])
def test_it_is_ready_while_it_works(problems: list[str], ready: str) -> None:
    runtime: Any = SimpleNamespace(metrics=OperatorMetrics(), queue=SimpleNamespace(depth=lambda: 0))
    answer: Any = pages(runtime, lambda: problems)(cast(Any, make_mocked_request("GET", "/metrics")))
    assert f"\nbutlers_service_ready {ready}\n" in answer.body.decode()
