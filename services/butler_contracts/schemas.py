"""JSON Schemas of the envelopes, for readers in other languages: `python -m butler_contracts.schemas --write DIR`.

Invariant: the committed files are what the models say; `--check DIR` fails when they are not. `--write DIR` refuses a
change that breaks a version which is there: that is a new version (SWB-15.4). A schema holds the
shape; rules that span fields (which provider goes with which channel, …) are checked by `parse` alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from butler_contracts.compatibility import breaks
from butler_contracts.heartbeat import HEARTBEAT_V1, ConnectorHeartbeatV1
from butler_contracts.ingest import INGEST_V1, IngestEnvelopeV1
from butler_contracts.notify import NOTIFY_RESPONSE_V1, NOTIFY_V1, NotifyRequestV1, NotifyResponseV1
from butler_contracts.route import ROUTE_RESPONSE_V1, ROUTE_V1, RouteEnvelopeV1, RouteResponseV1

ENVELOPES: Final[dict[str, type[BaseModel]]] = {
    INGEST_V1: IngestEnvelopeV1,
    ROUTE_V1: RouteEnvelopeV1,
    ROUTE_RESPONSE_V1: RouteResponseV1,
    NOTIFY_V1: NotifyRequestV1,
    NOTIFY_RESPONSE_V1: NotifyResponseV1,
    HEARTBEAT_V1: ConnectorHeartbeatV1,
}
"""Every version that this release reads, and its model."""


def schema_of(version: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one envelope; the version is required wherever an envelope stands."""
    schema = ENVELOPES[version].model_json_schema(by_alias=True)
    for part in (schema, *schema.get("$defs", {}).values()):
        if "schema_version" in part.get("properties", {}):
            part["required"] = ["schema_version", *part.get("required", [])]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:butlers:{version}",
        **schema,
    }


def rendered() -> dict[str, str]:
    """File name → text of every schema."""
    return {
        f"{version}.json": json.dumps(schema_of(version), indent=2, ensure_ascii=False) + "\n"
        for version in ENVELOPES
    }


def drift(directory: Path) -> list[str]:
    """What differs between the models and a directory of schemas, one line each."""
    wanted = rendered()
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(directory.glob("*.json"))}
    lines = [f"{name} is missing" for name in sorted(wanted.keys() - found.keys())]
    lines += [f"{name} belongs to no envelope" for name in sorted(found.keys() - wanted.keys())]
    both = sorted(wanted.keys() & found.keys())
    return lines + [f"{name} differs from its model" for name in both if wanted[name] != found[name]]


def breaking(directory: Path) -> list[str]:
    """What the models refuse that the schemas of a directory allow, one line each."""
    lines = []
    for version in ENVELOPES:
        path = directory / f"{version}.json"
        if path.is_file():
            old = json.loads(path.read_text(encoding="utf-8"))
            lines += [f"{version}: {what}" for what in breaks(old, schema_of(version))]
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the schema files; 0 when they are right, 1 when they drifted."""
    parser = argparse.ArgumentParser(prog="python -m butler_contracts.schemas", description=__doc__)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", type=Path, metavar="DIR")
    mode.add_argument("--check", type=Path, metavar="DIR")
    options = parser.parse_args(argv)
    if options.write:
        broken = breaking(options.write)
        for line in broken:
            print(f"{line}; a breaking change is a new version with a model of its own", file=sys.stderr)
        if broken:
            return 1
        options.write.mkdir(parents=True, exist_ok=True)
        for name, text in rendered().items():
            (options.write / name).write_text(text, encoding="utf-8")
        return 0
    lines = drift(options.check)
    for line in lines:
        print(f"{line}; run python -m butler_contracts.schemas --write {options.check}", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
