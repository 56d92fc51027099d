"""What `butlers route --explain` says, from decisions made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from butler_cli.output.explained import explained, explanation_document
from butler_cli.output.screen import show
from butler_cli.verbs.route import route
from butler_switchboard.routing.explanation import Evidence, Explanation, PartExplained
from butler_switchboard.routing.message import RouteCall, RoutingMessage, Segment
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.verdict import verdict

REGISTRY = RegistryView.of(ButlerProfile(name) for name in ("finance", "general", "health", "travel"))
EXAMPLES = Path(__file__).parents[3] / "examples" / "household"
TEXT = "Paid 12 EUR. Fly at 7:10."
TWO = Explanation(
    rule="several_parts",
    confidence=0.8,
    threshold=0.5,
    scores=(("travel", 0.62), ("finance", 0.35), ("general", 0.03), ("health", 0.001)),
    parts=(PartExplained(0, 12, "finance", 0.8), PartExplained(13, 25, "travel", 0.998)),
    evidence=(
        Evidence("amount with currency", "12 EUR", "finance", 0.9),
        Evidence("word", "paid", "finance", 1.0),
        Evidence("word", "xmoneyx", "finance", 1.0),
        Evidence("word", "fly", "travel", 3.0),
        Evidence("trigger word", "eur", "travel", -0.7),
    ),
)


def shown(
    why: Explanation, capsys: pytest.CaptureFixture[str], *, text: str = TEXT, calls: tuple[RouteCall, ...]
):
    message = RoutingMessage(text=text)
    show(explained(message, verdict(calls, REGISTRY, message, 0.5), why, name="1"))
    return capsys.readouterr().out


def call(butler: str, confidence: float = 1.0) -> RouteCall:
    return RouteCall(butler, "a prompt", Segment(), confidence)


def test_a_decision_of_two_parts_is_told_aligned_and_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(TWO, capsys, calls=(call("finance"), call("travel"))) == (
        "1: “Paid 12 EUR. Fly at 7:10.”\n"
        "Goes to finance and travel: parts of the text are surely about different\n"
        "butlers' subjects.\n"
        "80% sure; a specialist needs 50%.\n"
        "\n"
        "Which part goes to whom\n"
        "  finance   80%  “Paid 12 EUR.”\n"
        "  travel   >99%  “Fly at 7:10.”\n"
        "\n"
        "Whose subject the text is as a whole\n"
        "  travel   62%  ████████████\n"
        "  finance  35%  ███████\n"
        "  general   3%  █\n"
        "\n"
        "What spoke for it\n"
        "  travel    ×20  the word “fly”\n"
        "  finance  ×7.4  the words “paid”, (money)\n"
        "  finance  ×2.5  amount with currency “12 EUR”\n"
        "  travel   ÷2.0  its trigger text has the word “eur”\n"
    )


def test_an_unsure_decision_says_what_would_have_been_needed(capsys: pytest.CaptureFixture[str]) -> None:
    why = Explanation("unsure", 0.4, 0.5, scores=(("finance", 0.4), ("general", 0.3)))
    said = shown(why, capsys, calls=(call("general"),))
    assert "Goes to general: no specialist is as likely as the threshold demands.\n" in said
    assert "A specialist has to be 50% sure.\n" in said
    assert said.endswith("What spoke for it\n  nothing in particular\n")


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (
            (call("root"),),
            "But: the decision made no sense (unknown butler), so general gets the whole text.",
        ),
        ((call("finance", 0.1),), "But: not sure enough, so general gets the whole text."),
    ],
)
def test_a_decision_that_the_registry_overrules_says_so(
    capsys: pytest.CaptureFixture[str], calls: tuple[RouteCall, ...], words: str
) -> None:
    said = shown(Explanation("whole", 0.9, 0.5), capsys, calls=calls)
    assert said.splitlines()[1].startswith("Goes to general:")
    assert words in " ".join(said.split())


def test_nothing_of_a_hostile_text_acts_on_the_terminal_or_breaks_the_width(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "\x1b[2J\u202e" + "x" * 5_000
    why = Explanation(
        "whole", 0.9, 0.5, (("finance", 0.9),), (PartExplained(0, 5_000, "finance", 0.9),),
        (Evidence("word", text, "finance", 50.0),),
    )  # fmt: skip
    said = shown(why, capsys, text=text, calls=(call("finance"),))
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "×1000+" in said
    assert max(len(line) for line in said.splitlines()) <= 80


def test_the_document_has_everything_for_a_program() -> None:
    document = explanation_document(RoutingMessage(text=TEXT), TWO)
    assert json.loads(json.dumps(document)) == document
    assert set(document) == {"rule", "meaning", "confidence", "threshold", "scores", "parts", "evidence"}
    assert [part["text"] for part in document["parts"]] == ["Paid 12 EUR.", "Fly at 7:10."]
    assert document["evidence"][0] == {"rule": "word", "text": "fly", "for": "travel", "weight": 3.0}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(route, ["-f", str(EXAMPLES), *arguments])


def test_the_text_may_be_given_as_it_is_and_the_explanation_as_json() -> None:
    plain, explain = run("--json", "bread"), run("--json", "--explain", "bread")
    assert "explanation" not in json.loads(plain.output)
    told = json.loads(explain.output)["explanation"]
    assert told["scores"]
    assert sum(told["scores"].values()) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bread", "--text", "milk"], "give one message"),
        (["bread", "--file", "f.jsonl"], "give one message"),
        ([], "give one message"),
        (["  "], "is empty"),
    ],
)
def test_a_message_is_given_once_and_says_something(arguments: list[str], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert words in f"{result.output}{result.exception}"
