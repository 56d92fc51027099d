"""Package the charts and push them as OCI artefacts. The same files give the same bytes, whenever they are packaged."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from images.catalogue import ROOT
from images.push.programs import auth_file, helm_program, run
from images.push.refused import Refused, why
from images.push.registry import Registry
from images.push.written import Pushed

__all__ = ["CHARTS", "Packaged", "package", "push_chart"]

CHARTS = (ROOT / "charts" / "butlers-crds", ROOT / "charts" / "butlers")
EPOCH = 315532800  # 1980-01-01, the oldest time that every archive format can hold
DIGEST = re.compile(r"Digest:\s*(sha256:[0-9a-f]{64})")


@dataclass(frozen=True)
class Packaged:
    """A chart's archive, with the version that its Chart.yaml names."""

    name: str
    version: str
    archive: Path


def package(source: Path, folder: Path) -> Packaged:
    """Run `helm package` on a copy, without links and without the times of this checkout."""
    name = source.name
    copy = folder / "copied" / name
    shutil.copytree(source, copy)
    for path in (copy, *copy.rglob("*")):
        os.utime(path, (EPOCH, EPOCH))
    made = folder / "packaged"
    done = run(helm_program(), "package", str(copy), "--destination", str(made))
    found = list(made.glob(f"{name}-[0-9]*.tgz"))
    if done.returncode or len(found) != 1:
        raise Refused(f"chart {name} cannot be packaged: {done.stderr.strip()[-300:]}")
    os.utime(found[0], (EPOCH, EPOCH))  # helm push writes it into the manifest, and so into its digest
    return Packaged(name, found[0].stem.removeprefix(f"{name}-"), found[0])


def push_chart(chart: Packaged, registry: Registry, folder: Path) -> Pushed:
    """Push one, unless the registry has the same bytes under that version."""
    there = _pull(chart, registry, folder)
    if there is not None and there[1] == chart.archive.read_bytes():
        digest, uploaded = there[0], ""
    else:
        digest = _push(chart, registry)
        uploaded = "the chart" if there is None else "the chart, in place of another of this version"
    return Pushed(chart.name, f"{registry.charts}/{chart.name}", chart.version, digest, uploaded)


def _push(chart: Packaged, registry: Registry) -> str:
    done = run(helm_program(), "push", str(chart.archive), registry.charts, *_options(registry))
    told = DIGEST.search(done.stdout + done.stderr)
    if done.returncode or told is None:
        raise Refused(f"chart {chart.name} was not pushed: {why(registry.host, done.stderr)}")
    return told[1]


def _pull(chart: Packaged, registry: Registry, folder: Path) -> tuple[str, bytes] | None:
    """Return digest and archive of this version in the registry; None if unreadable: the push will say why."""
    place = folder / "pulled"
    place.mkdir(exist_ok=True)
    done = run(
        helm_program(), "pull", f"{registry.charts}/{chart.name}", "--version", chart.version,
        "--destination", str(place), *_options(registry),
    )  # fmt: skip
    told = DIGEST.search(done.stdout + done.stderr)
    pulled = place / chart.archive.name
    return None if done.returncode or told is None or not pulled.exists() else (told[1], pulled.read_bytes())


def _options(registry: Registry) -> list[str]:
    login = auth_file(os.environ, os.getuid())
    return [
        *(["--plain-http"] if registry.plain_http else []),
        *(["--registry-config", str(login)] if login.exists() else []),
    ]
