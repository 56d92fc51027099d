"""The API keeps to its OpenAPI document: what fits it is answered as it says, what does not is refused as it says.

Questions come from schemathesis, always the same ones; every second one names things that exist, so that answers are
more than refusals.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import hypothesis
import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.contract.dashboard.conftest import Furnished

EXAMPLES = 5
PATHS = 22
STEADY = hypothesis.settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
ANSWER_TIMEOUT_S = 60


def document_of(furnished: Furnished) -> dict[str, Any]:
    found: dict[str, Any] = requests.get(f"{furnished.url}/api/openapi.json", timeout=ANSWER_TIMEOUT_S).json()
    return found


def questioned(furnished: Furnished) -> dict[str, Counter[int]]:
    """How often each path answered with which status; an answer that the document does not allow raises."""
    schema = schemathesis.openapi.from_dict(document_of(furnished))
    statuses: dict[str, Counter[int]] = {}
    with requests.Session() as session:
        session.trust_env = False
        for found in schema.get_all_operations():
            operation: Any = found.ok()  # type: ignore[union-attr]
            counted = statuses.setdefault(operation.path, Counter())
            for mode in GenerationMode:
                _ask(furnished, session, operation, mode, counted)
    return statuses


def _ask(
    furnished: Furnished,
    session: requests.Session,
    operation: Any,
    mode: GenerationMode,
    counted: Counter[int],
) -> None:
    @STEADY
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode), existing=st.booleans())
    def ask(case: Any, existing: bool) -> None:
        if mode is GenerationMode.POSITIVE:
            # A cursor is opaque: only one that a page gave means anything.
            (case.query or {}).pop("cursor", None)
            if existing:
                names = case.path_parameters or {}
                names.update({name: furnished.known[name] for name in names})
        answer = case.call_and_validate(
            base_url=furnished.url,
            session=session,
            headers={"Authorization": f"Bearer {furnished.token}"},
            # Moments that no conversion can hold are refused, though they are RFC 3339.
            excluded_checks=[positive_data_acceptance],
            timeout=ANSWER_TIMEOUT_S,
        )
        counted[answer.status_code] += 1

    ask()


async def test_every_path_answers_as_its_document_says(furnished: Furnished):
    statuses = await asyncio.to_thread(questioned, furnished)
    assert len(statuses) == PATHS
    assert all(counted[200] for counted in statuses.values()), statuses
    assert {status for counted in statuses.values() for status in counted} <= {200, 400, 401, 404}


async def test_the_document_names_every_path_and_every_refusal(furnished: Furnished):
    document = await asyncio.to_thread(document_of, furnished)
    for path, operations in document["paths"].items():
        assert set(operations) == {"get"}, path
        assert {"200", "400", "401", "403", "503", "504"} <= set(operations["get"]["responses"]), path
        assert "422" not in operations["get"]["responses"]
    assert document["security"] == [{"bearer": []}]
    specified = {
        "/api/connectors", "/api/connectors/{connector_type}/{endpoint_identity}", "/api/connectors/summary",
        "/api/connectors/{connector_type}/{endpoint_identity}/stats", "/api/connectors/fanout", "/api/requests",
        "/api/requests/{request_id}", "/api/deliveries", "/api/dead-letters", "/api/backfills", "/api/butlers",
    }  # fmt: skip
    assert specified <= set(document["paths"])


def misspelt(furnished: Furnished) -> dict[str, tuple[int, str]]:
    """What each path that can be asked something says to a word that it does not know."""
    answers: dict[str, tuple[int, str]] = {}
    with requests.Session() as session:
        session.trust_env = False
        for path, operations in document_of(furnished)["paths"].items():
            parameters = operations.get("get", {}).get("parameters", ())
            if any(parameter["in"] == "query" for parameter in parameters):
                answer = session.get(
                    furnished.url + path.format(**furnished.known),
                    params={"preiod": "7d"},
                    headers={"Authorization": f"Bearer {furnished.token}"},
                    timeout=ANSWER_TIMEOUT_S,
                )
                answers[path] = (answer.status_code, answer.text)
    return answers


async def test_a_misspelt_question_is_refused_by_its_name_on_every_path(furnished: Furnished):
    answers = await asyncio.to_thread(misspelt, furnished)
    assert len(answers) > PATHS // 2
    assert {path: said for path, said in answers.items() if said[0] != 400 or "preiod" not in said[1]} == {}
