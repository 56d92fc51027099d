"""The three command lines as pure functions: what they are started with, and what their lines say (SWB-03.7)."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_kit.runtime import SessionJob, SessionTool, ToolBelt
from butler_kit.runtime.api import Endpoint
from butler_kit.runtime.api.endpoint import Limits
from butler_kit.runtime.budget import Tokens
from butler_kit.runtime.commandline import COMMAND_LINES, CommandLine
from butler_kit.runtime.commandline.told import Amiss, Asked, CarriedOut, Summed, Took, TooLong, Wrote
from butler_kit.runtime.process import Subprocess

KEY, TOKEN, DOOR = "sk-model-key-0123456789", "door-token-0123456789", "http://127.0.0.1:4711/mcp"
SYSTEM = 'You route. Say "yes" or \\no\n\tin one line.'
CLOSED: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
TOOLS = (SessionTool("record_add", "Add.", CLOSED), SessionTool("answer", "Answer.", CLOSED, ends=True))
every = pytest.mark.parametrize("line", COMMAND_LINES.values(), ids=COMMAND_LINES)


def asked(line: CommandLine, payload: str = "hello", **more: Any) -> Asked:
    job = SessionJob(uuid4(), "route", SYSTEM, payload, ToolBelt(TOOLS), None, "1", 20.0)
    endpoint = Endpoint(
        line.provider, ("small-model",), "http://ollama:11434/v1", key=KEY, limits=Limits(turns=4)
    )
    return replace(Asked(job, "small-model", endpoint, f"/opt/bin/{line.program}", DOOR, TOKEN), **more)


def launched(line: CommandLine, payload: str = "hello", **more: Any) -> Subprocess:
    return line.launch(asked(line, payload, **more))


def config_of(line: CommandLine, launch: Subprocess) -> dict[str, Any]:
    """Where it was told of its tools."""
    if line.name == "codex":
        return tomllib.loads(launch.files[".codex/config.toml"])
    name = "mcp.json" if line.name == "claude-code" else ".config/opencode/opencode.json"
    return dict(json.loads(launch.files[name]))


@every
@given(text=st.text(max_size=400) | st.sampled_from(["/compact", "@/etc/passwd", "--help", "!id", "$(id)"]))
@pytest.mark.spec("SWB-04.1")
def test_what_a_person_wrote_is_on_stdin_alone_and_never_at_its_beginning(
    line: CommandLine, text: str
) -> None:
    marked = f"{text}\u2603{uuid4().hex}"
    launch = launched(line, marked)
    assert launch.stdin.endswith(f"\n{marked}")
    first = launch.stdin[0]
    assert first.isalpha()
    elsewhere = [*launch.argv, *launch.env.values(), *launch.files.values()]
    assert not any(marked in said for said in elsewhere)


@every
def test_neither_the_key_nor_the_token_is_an_argument_or_in_a_file(line: CommandLine) -> None:
    launch = launched(line)
    assert launch.argv[0] == f"/opt/bin/{line.program}"
    for secret in (KEY, TOKEN):
        assert not any(secret in said for said in (*launch.argv, *launch.files.values(), launch.stdin))
        assert secret in launch.env.values()


@every
def test_the_instructions_arrive_whole_and_apart_from_the_message(line: CommandLine) -> None:
    launch = launched(line)
    if line.name == "opencode":
        assert config_of(line, launch)["agent"]["butler"]["prompt"] == SYSTEM
    else:
        assert SYSTEM in launch.files.values()
    assert SYSTEM not in launch.stdin


def test_no_text_of_others_is_a_reference_in_what_opencode_reads() -> None:
    line = COMMAND_LINES["opencode"]
    own = asked(line)
    endpoint = replace(own.endpoint, base_url="http://h/{env:HOME}")
    job = replace(own.job, system_text="{file:/etc/passwd} {env:BUTLER_MODEL_KEY} \ue000env:X} {")
    launch = line.launch(replace(own, job=job, model="{env:HOME}", endpoint=endpoint))
    written = launch.files[".config/opencode/opencode.json"]
    assert sorted(re.findall(r"\{(?:env|file):[^}]*\}", written)) == [
        "{env:BUTLER_MODEL_KEY}",
        "{env:BUTLER_SESSION_TOKEN}",
    ]
    read = json.loads(written)
    assert read["agent"]["butler"]["prompt"] == "{file:/etc/passwd} {env:BUTLER_MODEL_KEY} env:X} {"
    assert read["model"] == "household/{env:HOME}"


@every
def test_it_is_told_of_its_sessions_tools_and_allowed_nothing_else(line: CommandLine) -> None:
    launch = launched(line)
    config = config_of(line, launch)
    if line.name == "codex":
        server = config["mcp_servers"]["butler"]
        assert server["url"] == DOOR
        assert server["enabled_tools"] == ["record_add", "answer"]
        assert server["required"] is True
        assert server["default_tools_approval_mode"] == "approve"
        assert set(config["features"].values()) == {False}
        assert {"shell_tool", "unified_exec", "view_image", "plugins", "apps"} <= set(config["features"])
        assert (config["sandbox_mode"], config["approval_policy"]) == ("read-only", "never")
    elif line.name == "claude-code":
        assert config["mcpServers"]["butler"]["url"] == DOOR
        given = dict(zip(launch.argv, launch.argv[1:], strict=False))
        assert given["--allowedTools"] == "mcp__butler__record_add,mcp__butler__answer"
        assert given["--tools"] == ""
        assert given["--permission-mode"] == "dontAsk"
        assert {"--bare", "--strict-mcp-config", "--no-session-persistence"} <= set(launch.argv)
    else:
        assert config["mcp"]["butler"]["url"] == DOOR
        assert config["permission"] == {"*": "deny", "butler_record_add": "allow", "butler_answer": "allow"}


@every
def test_whom_it_asks_is_what_the_manifest_says(line: CommandLine) -> None:
    launch = launched(line)
    config = config_of(line, launch)
    if line.name == "codex":
        assert config["model"] == "small-model"
        assert config["model_providers"][config["model_provider"]]["base_url"] == "http://ollama:11434/v1"
    elif line.name == "claude-code":
        assert launch.env["ANTHROPIC_BASE_URL"] == "http://ollama:11434/v1"
        assert launch.argv[launch.argv.index("--model") + 1] == "small-model"
        assert launch.argv[launch.argv.index("--max-turns") + 1] == "4"
    else:
        assert config["model"] == "household/small-model"
        assert config["enabled_providers"] == ["household"]
        assert config["provider"]["household"]["options"]["baseURL"] == "http://ollama:11434/v1"
        assert config["agent"]["butler"]["steps"] == 4


@every
def test_the_households_own_authorities_are_trusted_too(line: CommandLine) -> None:
    assert "NODE_EXTRA_CA_CERTS" not in launched(line).env
    env = launched(line, ca_file="/etc/household/ca.crt").env
    assert "/etc/household/ca.crt" in env.values()


@every
def test_a_server_of_ones_own_needs_no_key(line: CommandLine) -> None:
    without = asked(line)
    launch = line.launch(replace(without, endpoint=replace(without.endpoint, key=None)))
    assert not any(KEY in said for said in launch.env.values())
    assert "none" in launch.env.values()


@pytest.mark.parametrize(
    ("name", "said", "heard"),
    [
        (
            "codex",
            {
                "type": "turn.completed",
                "usage": {"input_tokens": 300, "cached_input_tokens": 200, "output_tokens": 20},
            },
            Took(Tokens(300, 20)),
        ),
        (
            "codex",
            {"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized: no"}},
            Amiss(401),
        ),
        (
            "codex",
            {"type": "turn.failed", "error": {"message": "exceeded retry limit, last status: 429 Too Many"}},
            Amiss(429),
        ),
        ("codex", {"type": "turn.failed", "error": {"message": "stream disconnected"}}, Amiss(None)),
        # A server may repeat what it was sent.
        (
            "codex",
            {"type": "turn.failed", "error": {"message": "refused: the parcel has status 401 since monday"}},
            Amiss(None),
        ),
        # Said in sessions that end well, of a model that it does not know by name.
        ("codex", {"type": "item.completed", "item": {"type": "error", "message": "metadata"}}, None),
        ("codex", {"type": "turn.completed", "usage": {"input_tokens": "many"}}, Took(Tokens(0, 0))),
        (
            "claude-code",
            {
                "type": "result",
                "subtype": "success",
                "is_error": False,
                "usage": {"input_tokens": 100, "cache_read_input_tokens": 50, "output_tokens": 7},
            },
            Summed(Tokens(150, 7)),
        ),
        # A line for each part of an answer repeats what it read; what it wrote is not known yet.
        (
            "claude-code",
            {
                "type": "assistant",
                "message": {
                    "id": "msg_1",
                    "model": "m",
                    "content": [
                        {"type": "tool_use", "id": "toolu_1", "name": "mcp__butler__answer", "input": {}}
                    ],
                    "usage": {"input_tokens": 100, "cache_creation_input_tokens": 30, "output_tokens": 1},
                },
            },
            Took(Tokens(130, 1), answer="msg_1", calls=frozenset({"toolu_1"})),
        ),
        (
            "claude-code",
            {
                "type": "assistant",
                "message": {
                    "id": "msg_2",
                    "model": "m",
                    "content": [{"type": "text", "text": "First."}],
                    "usage": {"input_tokens": 100, "output_tokens": 1},
                },
            },
            Wrote("First.", Took(Tokens(100, 1), answer="msg_2")),
        ),
        (
            "claude-code",
            {
                "type": "assistant",
                "message": {
                    "id": "x",
                    "model": "<synthetic>",
                    "content": [],
                    "usage": {"input_tokens": 0, "output_tokens": 0},
                },
            },
            None,
        ),
        (
            "claude-code",
            {
                "type": "user",
                "message": {
                    "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "recorded"}]
                },
            },
            CarriedOut(frozenset({"toolu_1"})),
        ),
        ("claude-code", {"type": "user", "message": {"content": "What is to be worked on"}}, None),
        # A failure is called a success there.
        (
            "claude-code",
            {
                "type": "result",
                "subtype": "success",
                "is_error": True,
                "api_error_status": 529,
                "usage": {"input_tokens": 100, "output_tokens": 20},
            },
            Amiss(529, Tokens(100, 20)),
        ),
        (
            "claude-code",
            {"type": "result", "subtype": "success", "is_error": True, "api_error_status": None},
            Amiss(None),
        ),
        (
            "claude-code",
            {"type": "result", "subtype": "error_max_turns", "is_error": True, "usage": {"input_tokens": 6}},
            TooLong(Tokens(6, 0)),
        ),
        ("claude-code", {"type": "assistant", "message": {"content": "I route to finance"}}, None),
        (
            "opencode",
            {
                "type": "step_finish",
                "part": {
                    "reason": "tool-calls",
                    "tokens": {"input": 100, "output": 20, "reasoning": 5, "cache": {"read": 40, "write": 1}},
                },
            },
            Took(Tokens(141, 25), wants_more=True),
        ),
        (
            "opencode",
            {"type": "step_finish", "part": {"reason": "stop", "tokens": {"input": 1, "output": 1}}},
            Took(Tokens(1, 1)),
        ),
        ("opencode", {"type": "error", "error": {"data": {"statusCode": 404}}}, Amiss(404)),
        ("opencode", {"type": "error", "error": "boom"}, Amiss(None)),
        ("opencode", {"type": "step_finish"}, None),
    ],
)
def test_a_line_says_what_was_taken_or_why_nothing_was(name: str, said: dict[str, Any], heard: Any) -> None:
    assert COMMAND_LINES[name].read(said) == heard


@pytest.mark.parametrize(
    ("name", "said", "text"),
    [
        ("codex", {"type": "item.completed", "item": {"type": "agent_message", "text": "Sent."}}, "Sent."),
        ("codex", {"type": "item.started", "item": {"type": "agent_message", "text": "Se"}}, None),
        ("codex", {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}}, None),
        (
            "codex",
            {"type": "item.completed", "item": {"type": "mcp_tool_call", "tool": "answer", "result": "x"}},
            None,
        ),
        (
            "claude-code",
            {
                "type": "assistant",
                "message": {
                    "model": "m",
                    "content": [
                        {"type": "text", "text": "First"},
                        {"type": "tool_use", "name": "mcp__butler__answer", "input": {}},
                        {"type": "text", "text": "then."},
                    ],
                },
            },
            "First\nthen.",
        ),
        # What the program itself writes where its model is away looks like a message.
        (
            "claude-code",
            {
                "type": "assistant",
                "message": {"model": "<synthetic>", "content": [{"type": "text", "text": "API Error: 401"}]},
            },
            None,
        ),
        ("opencode", {"type": "text", "part": {"type": "text", "text": "Sent."}}, "Sent."),
        ("opencode", {"type": "text", "part": {"type": "text", "text": " \n"}}, None),
        ("opencode", {"type": "tool_use", "part": {"tool": "butler_answer", "state": {"output": "x"}}}, None),
    ],
)
def test_a_line_has_the_models_words_and_nothing_that_only_looks_like_them(
    name: str, said: dict[str, Any], text: str | None
) -> None:
    assert COMMAND_LINES[name].read(said) == (Wrote(text) if text is not None else None)


@every
@given(
    said=st.dictionaries(
        st.sampled_from(
            ["type", "item", "message", "usage", "error", "part", "subtype", "is_error", "api_error_status"]
        ),
        st.recursive(
            st.none()
            | st.integers()
            | st.sampled_from(["result", "turn.failed", "step_finish", "error", "x"])
            | st.sampled_from(
                ["assistant", "user", "tool_result", "item.completed", "agent_message", "text"]
            ),
            lambda inner: (
                st.lists(inner, max_size=2)
                | st.dictionaries(
                    st.sampled_from(
                        [
                            "message",
                            "data",
                            "tokens",
                            "cache",
                            "content",
                            "type",
                            "text",
                            "usage",
                            "id",
                            "tool_use_id",
                        ]
                    ),
                    inner,
                    max_size=3,
                )
            ),
            max_leaves=6,
        ),
    )
)
def test_no_line_of_any_shape_is_an_error(line: CommandLine, said: dict[str, Any]) -> None:
    heard = line.read(said)
    assert heard is None or isinstance(heard, Took | Summed | CarriedOut | Amiss | TooLong | Wrote)
