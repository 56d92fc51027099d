"""Every setting of a service is a field of its manifest, and every field of a manifest reaches the service (D76)."""

from __future__ import annotations

import re
import tomllib
import types
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Union, get_args, get_origin

import pytest
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from butler_kit.config import ButlerConfig, parse_config
from butler_messenger.admission.limits import CHANNEL_PER_MINUTE
from butler_messenger.service_levels.objectives import WITHIN_S
from butler_messenger.settings import CHANNEL_CONNECT_TIMEOUT_S, CHANNEL_TIMEOUT_S, MessengerConfig
from butler_resources.kinds import Butler, ButlerSpec, Household, ManifestError, parse_manifests
from butler_resources.kinds.buffer import Buffer
from butler_resources.kinds.modules import Modules
from butler_resources.kinds.roles import ONLY_FOR, ONLY_FOR_IN_BUFFER, ONLY_FOR_IN_MODULES
from butler_resources.kinds.settings import DEFAULT, in_words, toml_key
from butler_resources.render import (
    Surroundings,
    bundle_of,
    default_port,
    render_butler_env,
    render_butler_toml,
)
from butler_resources.render.butler_toml import TABLES
from butler_resources.render.registry import declaration_of
from butler_specialist.settings import SpecialistConfig
from butler_switchboard.dispatch.clocks import Timeouts
from butler_switchboard.settings import SwitchboardConfig
from tests.support.manifests import butler_of

HERE = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLACE = Surroundings(
    switchboard_url="http://127.0.0.1:40100/sse", jwks_file="/j", token_file="/t", revoked_file="/r"
)
CONFIGS: Final[Mapping[str, type[ButlerConfig]]] = {
    "switchboard": SwitchboardConfig,
    "messenger": MessengerConfig,
    "specialist": SpecialistConfig,
}
INTERNAL: Final[Mapping[str, str]] = {
    "config_version": "says which program wrote the file, and the renderer is of this program",
    "butler.name": "is metadata.name",
    "butler.instructions_file_env": "names a variable; the manifest names the ConfigMap",
    "butler.schema": "follows from metadata.name, as the database's role does",
    "butler.schedule[].dispatch_mode": "follows from `job` or `prompt`",
    "runtime.api_key_env": "names a variable; the manifest names the secret",
    "runtime.canary.api_key_env": "names a variable; the manifest names the secret",
    "modules.telegram.bot.enabled": "a channel is on when its block is there",
    "modules.telegram.bot.token_env": "names a variable; the manifest names the secret",
    "modules.email.bot.enabled": "a channel is on when its block is there",
    "modules.email.bot.address_env": "names a variable; the manifest has the address",
    "modules.email.bot.password_env": "names a variable; the manifest names the secret",
    "modules.attachments.token_env": "names a variable; the manifest names the secret",
    "modules.calendar.secret_env": "names a variable; the manifest names the secret",
    "modules.telegram.user.enabled": "a person's own account is never used",
    "modules.email.user.enabled": "a person's own account is never used",
}
"""Keys of `butler.toml` without a field, and why."""
NOT_READ: Final[Mapping[str, tuple[str, ...]]] = {
    "switchboard": ("butler.currency", "butler.instructions", "butler.instructions_file_env", "butler.profile",
                    "butler.remind_before", "butler.remind_of",
                    "butler.required_information", "butler.security", "delivery", "modules"),
    "messenger": ("runtime.history", "runtime.transcripts",
                  "butler.currency", "butler.instructions", "butler.instructions_file_env", "butler.profile",
                  "butler.remind_before", "butler.remind_of", "butler.required_information",
                  "butler.schedule", "budget",
                  "buffer.overflow", "buffer.worker_count", "modules.calendar.appointment_minutes", "modules.memory",
                  "routing"),
    "specialist": ("butler.digest_at", "butler.schedule[].job", "buffer.overflow",
                   "buffer.worker_count", "delivery", "modules.approvals", "modules.attachments", "modules.email",
                   "modules.telegram", "routing", "modules.calendar.provider", "modules.calendar.url",
                   "modules.calendar.calendar_id", "modules.calendar.username", "modules.calendar.conflicts",
                   "modules.calendar.day_start", "modules.calendar.day_end", "modules.calendar.timeout_s"),
}  # fmt: skip
"""What the common sections have and a role's program never looks at: the manifest refuses it for that role."""
ELSEWHERE: Final = ("replicas", "suspend", "contactsFrom")
"""Fields about pods and files, which are neither configuration nor environment; of `pod` see test_podsettings, of
`database` the tests of provisioning."""
INSTEAD: Final = (
    "household.caBundleRef.configMap",
    "instructionsFrom.configMapRef.name",
    "instructionsFrom.configMapRef.key",
)
"""Said by another field beside which it is refused."""
DERIVED: Final = {
    "dispatch.accept_timeout_s": Timeouts().accept_s,
    "dispatch.run_timeout_s": Timeouts().run_s,
    **{f"delivery.channels.{name}.timeout_s": seconds for name, seconds in CHANNEL_TIMEOUT_S.items()},
    **{f"delivery.channels.{name}.connect_timeout_s": s for name, s in CHANNEL_CONNECT_TIMEOUT_S.items()},
    **{f"delivery.channels.{name}.per_minute": count for name, count in CHANNEL_PER_MINUTE.items()},
    **{f"delivery.channels.{name}.{intent}_within_s": s for (name, intent), s in WITHIN_S.items()},
}
"""Defaults that a service works out."""


def inner(annotation: Any) -> tuple[type[BaseModel] | None, str]:
    """The model in an annotation, and how a path goes into it: directly, by entry, or by name."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, ""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return next((found for found in map(inner, arguments) if found[0] is not None), (None, ""))
    if origin in (tuple, dict) and arguments:
        found, below = inner(arguments[0] if origin is tuple else arguments[1])
        return found, f"{'[]' if origin is tuple else '.*'}{below}"
    if hasattr(annotation, "__metadata__"):
        return inner(annotation.__origin__)
    return None, ""


def leaves(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every key of a file below `model`: its path, `[]` for an entry of a list and `*` for a name."""
    for name, field in model.model_fields.items():
        below = f"{path}.{field.alias or name}" if path else field.alias or name
        found, step = inner(field.annotation)
        if found is not None:
            yield from leaves(found, below + step)
        else:
            yield below, field


def _belongs(path: str, prefixes: tuple[str, ...]) -> bool:
    return any(path == prefix or path.startswith((f"{prefix}.", f"{prefix}[")) for prefix in prefixes)


EVERYTHING: Final[dict[str, Butler]] = {
    butler.spec.role: butler
    for butler in parse_manifests({"everything.yaml": (HERE / "everything.yaml").read_text()}).butlers
}
DOCUMENTS: Final = {
    document["spec"]["role"]: document
    for document in yaml.safe_load_all((HERE / "everything.yaml").read_text())
}
HOUSEHOLD: Final = EVERYTHING["switchboard"].spec.household or Household()
PLAIN: Final = butler_of({"role": "specialist", "profile": "health"})
"""Says nothing but what it is, so the household's word holds for it."""


def rendered(butler: Butler, household: Household) -> str:
    return render_butler_toml(butler, household, port=default_port(butler))


@pytest.mark.parametrize("name", ["messenger", "switchboard"])
def test_who_tells_of_their_own_accord_knows_the_households_quiet_hours_and_digest(name: str) -> None:
    household = Household.model_validate(
        {"quietHours": {"start": "22:00", "end": "07:00"}, "digestAt": "07:30"}
    )
    text = rendered(EVERYTHING[name], household)
    assert 'digest_at = "07:30"' in text
    assert 'start = "22:00"' in text


def reaches(butler: Butler) -> tuple[object, ...]:
    """Everything that anybody is told of a butler's manifest but of what `ELSEWHERE` has."""
    household = butler.spec.household or Household()
    declared = declaration_of(butler, endpoint="http://b", now=NOW)
    return (
        rendered(butler, household),
        rendered(PLAIN, household),
        dict(render_butler_env(butler, PLACE)),
        dict(render_butler_env(PLAIN, replace(PLACE, collector=household.collector))),
        declared,
        bundle_of(butler, household),
        bundle_of(PLAIN, household),
    )


def table(role: str) -> dict[str, Any]:
    return tomllib.loads(rendered(EVERYTHING[role], HOUSEHOLD))


def has(document: Any, path: str) -> bool:
    """Whether a key is in the tables; `[]` is any entry of a list, `*` any name."""
    head, _, rest = path.partition(".")
    name = head.removesuffix("[]")
    if not isinstance(document, Mapping):
        return False
    below = list(document.values()) if name == "*" else [document[name]] if name in document else []
    if head.endswith("[]"):
        below = [entry for entries in below for entry in entries]
    return any(has(each, rest) for each in below) if rest else bool(below)


@pytest.mark.parametrize("role", CONFIGS)
def test_every_key_that_a_service_reads_is_written_from_its_manifest(role: str) -> None:
    document = table(role)
    left_out = (*INTERNAL, *NOT_READ[role])
    keys = [path for path, _ in leaves(CONFIGS[role]) if not _belongs(path, left_out)]
    assert [path for path in keys if not has(document, path)] == []


@pytest.mark.parametrize("role", CONFIGS)
def test_a_key_that_is_left_out_exists_and_has_its_reason(role: str) -> None:
    everywhere = [path for model in CONFIGS.values() for path, _ in leaves(model)]
    assert [path for path in INTERNAL if path not in everywhere] == []
    assert all(len(reason) > 10 for reason in INTERNAL.values())
    own = [path for path, _ in leaves(CONFIGS[role])]
    assert [
        skipped for skipped in NOT_READ[role] if not any(_belongs(path, (skipped,)) for path in own)
    ] == []


@pytest.mark.parametrize("role", CONFIGS)
def test_a_service_takes_a_manifest_in_which_everything_is_said(role: str) -> None:
    env = {"BUTLER_TELEGRAM_TOKEN": "t", "BUTLER_EMAIL_ADDRESS": "a@b.org", "BUTLER_EMAIL_PASSWORD": "p"}
    text = rendered(EVERYTHING[role], HOUSEHOLD)
    assert parse_config(text, "butler.toml", CONFIGS[role], env).butler.role == role


def fields(model: type[BaseModel], path: str = "") -> Iterator[str]:
    """Every field of a manifest below `model`, as `leaves`."""
    for name, field in model.model_fields.items():
        below = f"{path}.{field.alias or name}" if path else field.alias or name
        found, step = inner(field.annotation)
        yield from fields(found, below + step) if found is not None else [below]


def test_the_manifests_of_this_test_say_everything_that_can_be_said() -> None:
    said = [document["spec"] for document in DOCUMENTS.values()]
    missing = [path for path in fields(ButlerSpec) if not any(has(spec, path) for spec in said)]
    elsewhere = INSTEAD
    assert [
        path for path in missing if path not in elsewhere and not _belongs(path, ("pod", "database"))
    ] == []


def without(document: Any, keys: tuple[str | int, ...]) -> Any:
    """A copy of the document that does not say one thing."""
    copy = deepcopy(document)
    place = copy
    for key in keys[:-1]:
        place = place[key]
    del place[keys[-1]]
    return copy


def told(node: Any, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where each value of a document is; a list of words is one value."""
    entries = node.items() if isinstance(node, Mapping) else enumerate(node)
    for key, value in entries:
        deeper = isinstance(value, Mapping) or (
            isinstance(value, list) and isinstance(next(iter(value), None), dict)
        )
        yield from told(value, (*keys, key)) if deeper else [(*keys, key)]


@pytest.mark.parametrize("role", CONFIGS)
def test_what_a_manifest_says_makes_a_difference_to_its_service(role: str) -> None:
    before, silent = reaches(EVERYTHING[role]), []
    for keys in told(DOCUMENTS[role]["spec"]):
        if keys[0] in ELSEWHERE:
            continue
        text = yaml.safe_dump(without(DOCUMENTS[role], ("spec", *keys)), allow_unicode=True)
        try:
            (butler,) = parse_manifests({"less.yaml": text}).butlers
        except ManifestError:
            continue  # required
        if reaches(butler) == before:
            silent.append(keys)
    assert silent == []


def test_a_block_is_refused_for_a_role_that_never_reads_it() -> None:
    for role in CONFIGS:
        refused = {name for name, owner in ONLY_FOR.items() if owner != role}
        tables = {name.partition(".")[0] for name in NOT_READ[role]} & set(TABLES) - {
            "buffer",
            "budget",
            "runtime",
        }
        assert tables <= refused
    assert set(ONLY_FOR_IN_BUFFER) <= set(Buffer.model_fields)
    # A calendar is Messenger's and a specialist's, each with fields of its own.
    assert set(ONLY_FOR_IN_MODULES) == set(Modules.model_fields) - {"calendar"}


@pytest.mark.parametrize("role", CONFIGS)
def test_the_configuration_page_names_every_key_and_field_of_a_service(role: str) -> None:
    page = (ROOT / "docs/reference/configuration.md").read_text()
    keys = {path.rpartition(".")[2] for path, _ in leaves(CONFIGS[role])}
    servers = {"host", "port", "tls", "name"}
    assert [key for key in sorted(keys - servers) if f"`{key}`" not in page] == []


def described(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, str]]:
    """The path in `butler.toml` of every setting below a block, and what its description says of its default."""
    for name, field in model.model_fields.items():
        below = f"{path}.{toml_key(name)}"
        found, step = inner(field.annotation)
        if found is not None:
            yield from described(found, below + (".*" if name == "targets" else step))
        elif DEFAULT in (field.description or ""):
            yield below, str(field.description).partition(DEFAULT)[2]


def said_defaults() -> Iterator[tuple[str, str]]:
    for name in TABLES:
        block, _ = inner(ButlerSpec.model_fields[name].annotation)
        assert block is not None
        yield from described(block, name)


@pytest.mark.parametrize(("path", "words"), [pytest.param(*pair, id=pair[0]) for pair in said_defaults()])
def test_the_words_of_a_setting_name_the_default_of_the_service(path: str, words: str) -> None:
    known = []
    for role, model in CONFIGS.items():
        wildcard = re.sub(r"^delivery\.channels\.\w+\.", "delivery.channels.*.", path)
        found = dict(leaves(model)).get(wildcard)
        if found is None or _belongs(path, NOT_READ[role]):
            continue
        default = DERIVED.get(path, found.get_default(call_default_factory=True))
        known.append(path)
        if default is not None:
            assert re.search(rf"(?<![\w.]){re.escape(in_words(default))}(?![\w])", words), (role, default)
        else:
            assert re.search(r"[a-z]\.[a-z]", words), "says of which other setting it is"
    assert known, "no service knows it"
