"""A session's budget: nothing is asked that could exceed it, and what may have been billed is charged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.budgets import MICROCENTS, Bound, DayLimits
from butler_kit.config import BudgetConfig, RuntimeConfig
from butler_kit.runtime.budget import BudgetExhausted, Meter, Price, SessionBudget, Terms, Tokens

PRICE = Price(input=300, output=1_500)


def _ends(meter: Meter, size: int = 1_000) -> Bound:
    with pytest.raises(BudgetExhausted) as ended:
        meter.question(size, most=4_096)
    return ended.value.bound


@pytest.mark.spec("SWB-33.1")
def test_an_answer_is_bounded_by_what_is_left_of_the_tokens() -> None:
    meter = Meter(SessionBudget(tokens=5_000), PRICE)
    first = meter.question(1_000, most=4_096)
    assert first.worst.total == 5_000
    meter.answered(Tokens(300, 4_300))
    assert _ends(meter) is Bound.SESSION_TOKENS


@pytest.mark.spec("SWB-33.1")
def test_nothing_is_asked_that_could_cost_more_than_is_left() -> None:
    meter = Meter(SessionBudget(microcents=4 * MICROCENTS), PRICE)
    first = meter.question(1_000, most=4_096)
    assert first.worst_microcents <= 4 * MICROCENTS
    meter.answered(Tokens(2_000, 2_000))
    assert meter.microcents == 2_000 * 300 + 2_000 * 1_500
    assert _ends(meter) is Bound.SESSION_CENTS


@pytest.mark.spec("SWB-33.1")
def test_the_owner_may_allow_fewer_answers_and_calls_than_the_runtime() -> None:
    meter = Meter(SessionBudget(turns=2, tool_calls=1), PRICE)
    for _ in range(2):
        meter.question(10, most=100)
        meter.answered(Tokens(1, 1))
    assert _ends(meter) is Bound.SESSION_TURNS
    meter.calling()
    with pytest.raises(BudgetExhausted) as ended:
        meter.calling()
    assert ended.value.bound is Bound.SESSION_TOOL_CALLS
    assert ended.value.to_detail().retryable is False


def test_a_failed_question_is_charged_only_where_it_may_have_been_billed() -> None:
    meter = Meter(SessionBudget(), PRICE)
    meter.question(1_000, most=500)
    meter.unanswered(billed=False)
    assert meter.microcents == 0
    worst = meter.question(1_000, most=500)
    meter.unanswered(billed=True)
    assert meter.microcents == worst.worst_microcents
    assert meter.questions == 2


def test_a_server_that_does_not_say_what_it_took_is_charged_the_worst() -> None:
    meter = Meter(SessionBudget(), PRICE)
    worst = meter.question(1_000, most=500)
    meter.answered(Tokens(0, 0))
    assert meter.used == worst.worst


def test_once_a_model_has_said_what_it_read_only_what_came_since_is_counted_in_bytes() -> None:
    meter = Meter(SessionBudget(), PRICE)
    meter.question(40_000, most=500)
    meter.answered(Tokens(10_000, 100))
    assert meter.question(40_400, most=500).worst.input == 10_000 + 400 + 128


@given(
    budget=st.builds(
        SessionBudget,
        tokens=st.none() | st.integers(1_000, 100_000),
        microcents=st.none() | st.integers(1, 50).map(lambda cents: cents * MICROCENTS),
    ),
    price=st.builds(Price, input=st.integers(0, 5_000), output=st.integers(0, 20_000)),
    asked=st.lists(
        st.tuples(st.integers(0, 50_000), st.floats(0, 1), st.floats(0, 1), st.sampled_from("awn")),
        max_size=12,
    ),
)
def test_whatever_is_asked_and_answered_the_budget_holds(
    budget: SessionBudget, price: Price, asked: list[tuple[int, float, float, str]]
) -> None:
    meter, size = Meter(budget, price), 0
    for more, read, written, how in asked:
        size += more
        try:
            question = meter.question(size, most=4_096)
        except BudgetExhausted:
            break
        if how == "a":
            meter.answered(Tokens(int(question.worst.input * read), int(question.worst.output * written)))
        else:
            meter.unanswered(billed=how == "w")
        assert budget.tokens is None or meter.used.total <= budget.tokens
        assert budget.microcents is None or meter.microcents <= budget.microcents


@pytest.mark.spec("SWB-33.1")
def test_a_program_that_reports_nothing_is_charged_all_that_was_reserved_for_its_session() -> None:
    meter = Meter(SessionBudget(microcents=4 * MICROCENTS), PRICE)
    opened = meter.program(1_000, most=500, worst_microcents=4 * MICROCENTS)
    assert opened.worst_microcents == 4 * MICROCENTS
    meter.unanswered(billed=True)
    assert (meter.microcents, meter.used) == (4 * MICROCENTS, opened.worst)
    with pytest.raises(BudgetExhausted) as ended:
        meter.program(1_000, most=500, worst_microcents=4 * MICROCENTS)
    assert ended.value.bound is Bound.SESSION_CENTS


def test_of_a_program_that_cannot_have_asked_nothing_is_charged_and_of_the_next_what_it_reports() -> None:
    meter = Meter(SessionBudget(microcents=4 * MICROCENTS), PRICE)
    meter.program(1_000, most=500, worst_microcents=4 * MICROCENTS)
    meter.unanswered(billed=False)
    second = meter.program(1_000, most=500, worst_microcents=4 * MICROCENTS)
    assert second.worst_microcents == 4 * MICROCENTS
    for total in (Tokens(100, 1), Tokens(0, 0), Tokens(400, 30)):
        meter.reported(total)
    meter.unanswered(billed=True)
    assert (meter.used, meter.microcents) == (Tokens(400, 30), 400 * 300 + 30 * 1_500)


def test_a_program_that_comes_after_another_one_has_what_that_left() -> None:
    meter = Meter(SessionBudget(tokens=10_000, microcents=4 * MICROCENTS), PRICE)
    meter.program(1_000, most=500, worst_microcents=4 * MICROCENTS)
    meter.reported(Tokens(5_000, 100))
    second = meter.program(1_000, most=4_096, worst_microcents=4 * MICROCENTS)
    assert second.worst_microcents == 4 * MICROCENTS - (5_000 * 300 + 100 * 1_500)
    assert second.worst == Tokens(1_000 + 1_024, 1_161)
    meter.reported(Tokens(4_900, 0))
    assert meter.used_up is Bound.SESSION_TOKENS
    assert meter.used == Tokens(9_900, 100)


@given(
    budget=st.builds(
        SessionBudget,
        tokens=st.none() | st.integers(5_000, 100_000),
        microcents=st.none() | st.integers(10, 50).map(lambda cents: cents * MICROCENTS),
    ),
    price=st.builds(Price, input=st.integers(0, 1_000), output=st.integers(0, 5_000)),
    reports=st.lists(st.builds(Tokens, st.integers(0, 50_000), st.integers(0, 4_096)), max_size=12),
)
def test_a_program_that_is_ended_when_a_budget_is_used_up_exceeds_it_by_less_than_its_last_report(
    budget: SessionBudget, price: Price, reports: list[Tokens]
) -> None:
    meter, total, before = Meter(budget, price), Tokens(), Tokens()
    meter.program(1_000, most=4_096, worst_microcents=budget.microcents or 0)
    for report in reports:
        before, total = total, total + report
        meter.reported(total)
        if meter.used_up is not None:
            break
    else:
        assert budget.tokens is None or total.total < budget.tokens
    assert budget.tokens is None or before.total < budget.tokens
    assert budget.microcents is None or price.of(before.input, before.output) < budget.microcents
    assert not total.total or meter.used == total


def _terms(budget: dict[str, object], **runtime: object) -> Terms:
    asked = {"family": "api", "provider": "openai", "model": "m", **runtime}
    return Terms.of(BudgetConfig.model_validate(budget), RuntimeConfig.model_validate(asked))


def test_what_is_put_aside_for_a_session_is_the_most_it_can_cost() -> None:
    price = {"input_cents_per_million": 100, "output_cents_per_million": 400}
    days = {"day": {"cents": 50}, "person_day": {"cents": 20}}
    plain = _terms({"session": {"cents": 10}, **days}, price=price)
    assert plain.worst_microcents == 10 * MICROCENTS
    assert plain.days == DayLimits(day_microcents=50 * MICROCENTS, person_day_microcents=20 * MICROCENTS)
    short = _terms({"session": {"cents": 10, "tokens": 5_000}, **days}, price=price)
    assert short.worst_microcents == 5_000 * 400
    assert _terms({}).worst_microcents == 0


def test_a_server_of_ones_own_costs_nothing_and_any_other_what_is_not_known() -> None:
    assert _terms({}, base_url="http://ollama:11434/v1").priced
    assert not _terms({}).priced
    assert not _terms({}, base_url="https://api.example.com/v1").priced
