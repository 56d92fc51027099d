"""The parts that all connectors share: settings, checkpoint, metrics, spool, backoff, order."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_connectors.base.backoff import backoff_s
from butler_connectors.base.checkpoint import Checkpoints, CheckpointUnreadable
from butler_connectors.base.documents import DocumentFault, FileDocuments
from butler_connectors.base.metrics import INSTRUMENTS, ConnectorMetrics, error_type
from butler_connectors.base.settings import ConnectorEnvironment, CursorEnvironment
from butler_connectors.base.spool import RefusedSpool
from butler_connectors.base.start import Start, parse_start
from butler_connectors.base.window import Window
from butler_connectors.imap.position import (
    RESCAN_HORIZON,
    Position,
    parse_position,
    position_after_change,
    starting_position,
)
from butler_connectors.imap.settings import ImapEnvironment
from butler_connectors.telegram_bot.settings import TelegramEnvironment
from butler_connectors.webhook.settings import WebhookEnvironment
from butler_connectors.webhook.tokens import Submitter, parse_tokens, submitter_with
from butler_contracts.bounded_json import RAW_MAX_BYTES, json_size
from butler_contracts.errors import ErrorDetail
from butler_kit.auth import KeyFileError
from butler_kit.config import ConfigError, read_environment
from butler_kit.mcp import AuthenticationRefused, ToolError
from butler_kit.sources.bounds import fit_raw
from butler_kit.sources.events import Skipped, SourceEvent
from butler_kit.sources.faults import SourceFault
from butler_kit.telemetry import Metrics
from butler_kit.time import ManualClock

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
REQUIRED = {
    "CONNECTOR_TYPE": "telegram_bot",
    "SWITCHBOARD_MCP_URL": "http://127.0.0.1:40100/sse",
    "CONNECTOR_PROVIDER": "telegram",
    "CONNECTOR_CHANNEL": "telegram",
    "CONNECTOR_ENDPOINT_IDENTITY": "telegram:bot:household",
    "BUTLERS_TOKEN_FILE": "/run/token",
    "CONNECTOR_CURSOR_PATH": "/data/cursor.json",
}
IMAP = {
    **REQUIRED,
    "CONNECTOR_TYPE": "imap",
    "CONNECTOR_PROVIDER": "imap",
    "CONNECTOR_CHANNEL": "email",
    "IMAP_HOST": "mail",
    "IMAP_USERNAME": "u",
    "IMAP_PASSWORD": "p",
}


@pytest.mark.spec("CNX-10.1")
@pytest.mark.parametrize(
    "name",
    [
        "SWITCHBOARD_MCP_URL",
        "CONNECTOR_PROVIDER",
        "CONNECTOR_CHANNEL",
        "CONNECTOR_ENDPOINT_IDENTITY",
    ],
)
@pytest.mark.parametrize(
    ("model", "env"),
    [(TelegramEnvironment, {**REQUIRED, "TELEGRAM_BOT_TOKEN": "1:x"}), (ImapEnvironment, IMAP)],
)
def test_a_missing_variable_is_named_with_what_to_do(
    model: type[CursorEnvironment], env: Mapping[str, str], name: str
) -> None:
    read_environment(model, env)
    with pytest.raises(ConfigError, match=f"{name}: is not set; set the environment variable {name}"):
        read_environment(model, {key: value for key, value in env.items() if key != name})


@pytest.mark.spec("CNX-10.1")
@pytest.mark.parametrize(
    ("model", "env"),
    [(TelegramEnvironment, {**REQUIRED, "TELEGRAM_BOT_TOKEN": "1:x"}), (ImapEnvironment, IMAP)],
)
def test_without_a_file_for_the_checkpoint_it_has_to_be_switchboards(
    model: type[CursorEnvironment], env: Mapping[str, str]
) -> None:
    without = {key: value for key, value in env.items() if key != "CONNECTOR_CURSOR_PATH"}
    with pytest.raises(ConfigError, match="set CONNECTOR_CURSOR_PATH to a file, or CONNECTOR_CHECKPOINT to"):
        read_environment(model, without)
    assert read_environment(model, {**without, "CONNECTOR_CHECKPOINT": "switchboard"}).cursor_path is None


@pytest.mark.spec("CNX-10.2", "CNX-11.6")
def test_everything_else_has_a_default_and_can_be_set() -> None:
    settings = read_environment(ConnectorEnvironment, REQUIRED)
    assert (settings.max_inflight, settings.heartbeat_every_s, settings.heartbeat_enabled) == (8, 120, True)
    given_settings = read_environment(
        ConnectorEnvironment,
        REQUIRED
        | {
            "CONNECTOR_MAX_INFLIGHT": "3",
            "CONNECTOR_HEALTH_PORT": "40201",
            "CONNECTOR_POLL_INTERVAL_S": "15",
            "CONNECTOR_HEARTBEAT_INTERVAL_S": "60",
            "CONNECTOR_HEARTBEAT_ENABLED": "false",
        },
    )
    assert given_settings.max_inflight == 3
    assert given_settings.health_port == 40201
    assert given_settings.poll_interval_s == 15
    assert given_settings.heartbeat_every_s == 60
    assert given_settings.heartbeat_enabled is False


@pytest.mark.spec("CNX-11.6")
@pytest.mark.parametrize(("wished", "kept"), [("1", 30), ("30", 30), ("300", 300), ("9000", 300)])
def test_the_heartbeat_interval_stays_within_its_bounds(wished: str, kept: float) -> None:
    settings = read_environment(ConnectorEnvironment, REQUIRED | {"CONNECTOR_HEARTBEAT_INTERVAL_S": wished})
    assert settings.heartbeat_every_s == kept


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CONNECTOR_PROVIDER", "imap"),
        ("SWITCHBOARD_MCP_URL", "not a url"),
        ("CONNECTOR_MAX_INFLIGHT", "0"),
        ("CONNECTOR_START", "yesterday"),
        ("CONNECTOR_MAX_TIER", "urgent"),
    ],
)
def test_a_wrong_value_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        read_environment(ConnectorEnvironment, REQUIRED | {name: value})


@pytest.mark.spec("CNX-10.1")
def test_a_token_may_be_given_outright_and_the_file_comes_first(tmp_path: Path) -> None:
    without = {name: value for name, value in REQUIRED.items() if name != "BUTLERS_TOKEN_FILE"}
    with pytest.raises(
        ConfigError, match=r"no token is set; set BUTLERS_TOKEN_FILE .* or SWITCHBOARD_API_TOKEN"
    ):
        read_environment(ConnectorEnvironment, without)
    outright = without | {"SWITCHBOARD_API_TOKEN": "a-token-of-this-connector"}
    settings = read_environment(ConnectorEnvironment, outright)
    assert settings.token() == "a-token-of-this-connector"
    assert "a-token-of" not in repr(settings)
    file = tmp_path / "token"
    both = read_environment(ConnectorEnvironment, outright | {"BUTLERS_TOKEN_FILE": str(file)})
    for written in ("the-first-token", "the-token-after-it"):
        file.write_text(written)
        assert both.token() == written
    file.unlink()
    with pytest.raises(KeyFileError):
        both.token()


def test_no_secret_is_shown_by_an_error_or_by_the_settings() -> None:
    env = REQUIRED | {
        "CONNECTOR_TYPE": "webhook",
        "CONNECTOR_PROVIDER": "internal",
        "CONNECTOR_CHANNEL": "api",
    }
    with pytest.raises(ConfigError) as refused:
        read_environment(
            WebhookEnvironment, env | {"WEBHOOK_PORT": "1", "WEBHOOK_TOKENS": "one-secret-a,two-secret-b"}
        )
    assert "secret" not in str(refused.value)
    assert "hunter2" not in repr(read_environment(ImapEnvironment, IMAP | {"IMAP_PASSWORD": "hunter2"}))


def test_tokens_have_names_and_a_single_one_needs_none() -> None:
    assert parse_tokens("0123456789abcdef") == (Submitter("default", "0123456789abcdef"),)
    ada, ben = parse_tokens("ada=0123456789abcdef\nben=fedcba9876543210")
    assert submitter_with("Bearer fedcba9876543210", (ada, ben)) == ben
    assert submitter_with("Bearer fedcba987654321", (ada, ben)) is None
    assert submitter_with("Basic fedcba9876543210", (ada, ben)) is None


def test_a_token_ends_when_its_entry_says_so_and_is_warned_of_before() -> None:
    ends = datetime(2027, 1, 31, tzinfo=UTC)
    for told in ("2027-01-31", "2027-01-31T00:00:00Z", "2027-01-31T01:00:00+01:00"):
        (ada,) = parse_tokens(f"0123456789abcdef;expires_at={told}")
        assert (ada.token, ada.expires_at) == ("0123456789abcdef", ends)
    assert [ada.has_ended(ends - timedelta(seconds=1)), ada.has_ended(ends)] == [False, True]
    assert [ada.ends_soon(ends - timedelta(days=19)), ada.ends_soon(ends - timedelta(days=18))] == [
        False,
        True,
    ]
    _, for_ever = parse_tokens("ada=0123456789abcdef;expires_at=2027-01-31,ben=fedcba9876543210")
    assert not for_ever.has_ended(ends + timedelta(days=10_000))
    assert "fedcba" not in repr(for_ever)
    old, new = parse_tokens("ada=0123456789abcdef;expires_at=2027-01-31\nada=fedcba9876543210")
    assert {old.name, new.name} == {"ada"}
    for wrong in ("", "soon", "2027-13-01"):
        with pytest.raises(ValueError, match="expires_at of 'ada': expected a day") as refused:
            parse_tokens(f"ada=0123456789abcdef;expires_at={wrong}")
        assert "0123456789abcdef" not in str(refused.value)


def test_starts_are_read() -> None:
    assert parse_start("now") == Start()
    assert parse_start("last_50") == Start(last=50)
    assert parse_start("2026-01-31") == Start(since=datetime(2026, 1, 31, tzinfo=UTC))
    for wrong in ("last_0", "last_99999", "then", "2026-13-01"):
        with pytest.raises(ValueError, match="expected now"):
            parse_start(wrong)


def cursor(folder: Path) -> Path:
    return folder / "run" / "cursor.json"


def read(path: str) -> str:
    return Path(path).read_text()


def checkpoint(folder: Path, endpoint: str = "a") -> Checkpoints:
    return Checkpoints(FileDocuments(cursor(folder)), endpoint_identity=endpoint, clock=ManualClock(NOW))


@pytest.mark.spec("CNX-07.2", "CNX-17.3")
async def test_a_checkpoint_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = checkpoint(tmp_path)
    assert await kept.load() is None
    await kept.save("1")
    renamed: list[tuple[str, str]] = []

    def crash(source: Path, target: Path) -> None:
        renamed.append((Path(source).read_text(), Path(target).read_text()))
        raise OSError("the power went")

    monkeypatch.setattr("butler_connectors.base.documents.os.replace", crash)
    with pytest.raises(DocumentFault, match="power"):
        await kept.save("2")
    monkeypatch.undo()
    ((written, standing),) = renamed
    assert json.loads(written)["cursor"] == "2"
    assert json.loads(standing)["cursor"] == "1"
    restarted = await checkpoint(tmp_path).load()
    assert restarted is not None
    assert (restarted.cursor, restarted.updated_at) == ("1", NOW)
    await kept.save("3")
    assert [path.name for path in cursor(tmp_path).parent.iterdir()] == ["cursor.json"]


async def test_a_checkpoint_is_flushed_with_its_folder_and_its_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr("butler_connectors.base.documents.os.fsync", flushed.append)
    await checkpoint(tmp_path).save("1")
    assert len(flushed) == 2
    assert stat.S_IMODE(cursor(tmp_path).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '{"version": 1}',
        '{"version": 1, "cursor": 5, "updated_at": "x"}',
        "\x00" * 70_000,
    ],
)
async def test_a_damaged_checkpoint_is_told_and_set_aside(tmp_path: Path, content: str) -> None:
    kept = checkpoint(tmp_path)
    await kept.save("1")
    cursor(tmp_path).write_text(content)
    with pytest.raises(CheckpointUnreadable, match=r"cursor\.json"):
        await kept.load()
    aside = await kept.set_aside()
    assert await kept.load() is None
    assert read(aside) == content


async def test_a_checkpoint_of_another_source_is_not_used(tmp_path: Path) -> None:
    await checkpoint(tmp_path, "telegram:bot:one").save("7")
    with pytest.raises(CheckpointUnreadable, match="belongs to 'telegram:bot:one'"):
        await checkpoint(tmp_path, "telegram:bot:two").load()


async def test_the_spool_notes_refusals_within_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butler_connectors.base.documents.REFUSED_MAX_BYTES", 2_000)
    spool = RefusedSpool(FileDocuments(cursor(tmp_path)), clock=ManualClock(NOW))
    for number in range(200):
        await spool.add(f"id {number}", reason="validation_error", message="x" * 5_000)
    files = sorted(cursor(tmp_path).parent.iterdir())
    assert [path.name for path in files] == ["cursor.refused.jsonl", "cursor.refused.jsonl.1"]
    assert sum(path.stat().st_size for path in files) < 6_000
    last = json.loads(files[0].read_text().splitlines()[-1])
    assert last["event_id"] == "id 199"


def metrics() -> tuple[ConnectorMetrics, ManualClock]:
    clock = ManualClock(NOW)
    made = ConnectorMetrics(
        Metrics(INSTRUMENTS), connector_type="imap", endpoint_identity="imap:a", clock=clock
    )
    return made, clock


def exposed(made: ConnectorMetrics) -> str:
    return made.metrics.expose()[0].decode()


SOURCE = 'connector_type="imap",endpoint_identity="imap:a"'


@pytest.mark.spec("CNX-09.1", "CNX-09.4")
def test_a_tracked_submission_is_counted_and_timed() -> None:
    made, clock = metrics()
    with made.track_ingest_submission():
        clock.advance(0.02)
    with made.track_ingest_submission() as submission:
        submission.status = "duplicate"
    with pytest.raises(ConnectionError), made.track_ingest_submission():
        clock.advance(3)
        raise ConnectionError("gone")
    text = exposed(made)
    for status in ("success", "duplicate", "error"):
        assert f'connector_ingest_submissions_total{{{SOURCE},status="{status}"}} 1.0' in text
    assert f"connector_ingest_latency_seconds_count{{{SOURCE}}} 3.0" in text
    assert f'connector_ingest_latency_seconds_bucket{{{SOURCE},le="0.025"}} 2.0' in text
    assert f'connector_ingest_latency_seconds_bucket{{{SOURCE},le="0.005"}} 1.0' in text
    assert f'connector_ingest_latency_seconds_bucket{{{SOURCE},le="10.0"}} 3.0' in text
    bounds = [
        line for line in text.splitlines() if line.startswith("connector_ingest_latency_seconds_bucket")
    ]
    assert len(bounds) == 12


@pytest.mark.spec("CNX-09.2")
def test_a_call_of_the_provider_is_counted_by_method_and_status() -> None:
    made, _ = metrics()
    with made.track_source_call("search"):
        pass
    with pytest.raises(SourceFault), made.track_source_call("search"):
        raise SourceFault("no", kind="timeout")
    text = exposed(made)
    for status in ("success", "timeout"):
        labels = f'api_method="search",{SOURCE},status="{status}"'
        counted = made.metrics.value("connector_source_api_calls", **dict(_pairs(labels)))
        assert counted == 1
        assert "connector_source_api_calls_total{" in text


def _pairs(labels: str) -> list[tuple[str, str]]:
    return [
        (name, value.strip('"')) for name, _, value in (part.partition("=") for part in labels.split(","))
    ]


@pytest.mark.spec("CNX-09.3")
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError(), "timeout"),
        (aiohttp.SocketTimeoutError("slow"), "timeout"),
        (ConnectionRefusedError(), "connection_error"),
        (aiohttp.ServerDisconnectedError("no"), "connection_error"),
        (aiohttp.ContentTypeError(Mock(), (), status=500), "http_error"),
        (AuthenticationRefused("401"), "auth_error"),
        (SourceFault("x", kind="rate_limited"), "rate_limited"),
        (ValueError("x"), "parse_error"),
        (ToolError("t", "free text"), "tool_error"),
        (
            ToolError(
                "t",
                "",
                ErrorDetail.model_validate({"class": "overload_rejected", "message": "m", "retryable": True}),
            ),
            "overload_rejected",
        ),
        (OSError(28, "disk full"), "io_error"),
        (ZeroDivisionError(), "unknown"),
    ],
)
def test_errors_are_counted_by_what_they_mean(error: Exception, kind: str) -> None:
    made, _ = metrics()
    made.error(error, "ingest")
    made.checkpoint_saved(ok=True)
    assert error_type(error) == kind
    assert f'connector_errors_total{{{SOURCE},error_type="{kind}",operation="ingest"}} 1.0' in exposed(made)
    assert f'connector_checkpoint_saves_total{{{SOURCE},status="success"}} 1.0' in exposed(made)


@pytest.mark.spec("CNX-08.1")
@given(st.integers(1, 40), st.floats(0, 0.999), st.none() | st.floats(0, 3_600))
def test_waits_grow_are_capped_spread_and_never_sooner_than_asked(
    failures: int, draw: float, asked: float | None
) -> None:
    delay = backoff_s(failures, draw, retry_after_s=asked)
    assert delay >= (asked or 0)
    assert delay <= max(30.0, (asked or 0) * 1.1)
    if asked is None:
        ceiling = min(30.0, 0.5 * 2 ** (failures - 1))
        assert ceiling / 2 <= delay <= ceiling
        assert draw < 1e-6 or delay > ceiling / 2


@given(st.permutations(range(8)))
def test_a_checkpoint_passes_no_event_that_is_open(order: list[int]) -> None:
    window, done = Window(), set[int]()
    entries = [window.add(SourceEvent(f"e{n}", str(n), None, Skipped("no_matter"))) for n in range(8)]
    for index in order:
        window.settle(entries[index])
        done.add(index)
        passed = -1 if window.cursor is None else int(window.cursor)
        assert set(range(passed + 1)) <= done
        assert len(window) == 7 - passed
        assert passed == 7 or passed + 1 not in done


@given(
    st.dictionaries(
        st.text(max_size=9),
        st.recursive(
            st.none() | st.integers() | st.floats() | st.text(),
            lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(max_size=9), x, max_size=4),
            max_leaves=20,
        ),
        max_size=9,
    )
)
def test_any_payload_fits(payload: dict[str, object]) -> None:
    fit = fit_raw(payload)
    assert json_size(fit) <= RAW_MAX_BYTES
    json.dumps(fit, allow_nan=False).encode()


def test_a_payload_that_is_too_large_is_cut_with_a_mark() -> None:
    fit = fit_raw({"text": "é" * 400_000, "n": 1})
    assert json_size(fit) <= RAW_MAX_BYTES
    assert fit["text"].endswith("[… cut]")
    assert fit["n"] == 1
    assert json_size(fit_raw({str(number): "x" * 300 for number in range(20_000)})) <= RAW_MAX_BYTES


def test_a_mailbox_starts_where_it_was_told() -> None:
    assert starting_position(Start(), uid_validity=5, uid_next=9) == Position(5, 8)
    assert starting_position(Start(last=2), uid_validity=5, uid_next=9, uids=[3, 5, 8]) == Position(5, 4)
    dated = starting_position(Start(since=NOW), uid_validity=5, uid_next=9)
    assert (dated.uid, dated.wants(8, NOW - timedelta(days=1)), dated.wants(9, NOW - timedelta(days=1))) == (
        0,
        False,
        True,
    )
    assert parse_position(dated.cursor) == dated


def test_a_rescan_goes_back_to_the_start_and_never_beyond_the_dedupe_horizon() -> None:
    young = Position(5, 8, 0, NOW - timedelta(days=3))
    again = position_after_change(young, uid_validity=6, uid_next=20, now=NOW)
    assert (again.uid, again.rescan_to, again.floor) == (0, 19, young.floor)
    old = position_after_change(Position(5, 8), uid_validity=6, uid_next=20, now=NOW)
    assert old.floor == NOW - RESCAN_HORIZON
    assert not old.wants(3, NOW - timedelta(days=45))


@pytest.mark.parametrize(
    "cursor", ["", "1", "1/2/3", "a/2/3/-", "1/2/3/2026-01-01", "1/2/3/-/4", "99999999999/1/1/-"]
)
def test_a_cursor_that_is_none_is_refused(cursor: str) -> None:
    with pytest.raises(ValueError):
        parse_position(cursor)
