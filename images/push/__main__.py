"""Push the project's images and charts to a registry, and write the values that install them from there.

    python -m images.push REGISTRY [--tag TAG] [--plain-http] [--with spark] [--sign-key FILE] [--built]
        [--output FOLDER]

Each image gets a list of what is in it (SBOM), and with a key all of it is signed. All or nothing is written: the
files in FOLDER are there only after a push that reached its end.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from images.build import locked
from images.catalogue import CACHE, IMAGES, ROOT
from images.push.attach import attach_bill, sign_all
from images.push.charts import CHARTS, package, push_chart
from images.push.images import content_tag, must_be_built, push_image
from images.push.refused import Refused
from images.push.registry import Registry, checked_tag
from images.push.signing import private_key
from images.push.written import Attached, Pushed, attached_list, charts_list, images_list, table, values

NEVER = frozenset({"butlers-providers"})
"""Stands in for Telegram and mail servers in tests: no household's."""
OUTPUT = Path("build") / "push"
WRITTEN = ("values.yaml", "images.txt", "charts.txt", "attached.txt")
BILLS = "sbom"


@dataclass(frozen=True)
class Done:
    """All that is in the registry after a push."""

    images: list[Pushed]
    charts: list[Pushed]
    bills: list[Attached]
    signatures: list[Attached]

    @property
    def anything_new(self) -> bool:
        pushed = any(one.uploaded for one in (*self.images, *self.charts))
        return pushed or any(one.uploaded for one in (*self.bills, *self.signatures))


def main() -> int:
    chosen = _arguments()
    try:
        registry = Registry.parse(chosen.registry, plain_http=chosen.plain_http)
        tag = checked_tag(chosen.tag) if chosen.tag else None
        key = private_key(chosen.sign_key, os.environ.get("SIGN_KEY_PASSWORD")) if chosen.sign_key else None
        _forget(chosen.output)
        names = [name for name, image in IMAGES.items() if image.option in (None, *chosen.options)]
        names = [name for name in names if name not in NEVER]
        if not chosen.built:
            _build(names)
        with locked(CACHE / "images.lock"):
            done = _push(names, tag, registry, key)
    except Refused as refused:
        print(f"push: {refused}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "push: stopped half way; no values are written, the next push goes on from here", file=sys.stderr
        )
        return 130
    _write(chosen.output, registry, done)
    print(_told(done, chosen.output, plain_http=registry.plain_http))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="images.push", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("registry", metavar="REGISTRY", help="host[:port]/prefix")
    parser.add_argument(
        "--tag", default="", help="for all images; else each has the tag that names its content"
    )
    parser.add_argument("--plain-http", action="store_true", help="without TLS, also to another machine")
    options = sorted({image.option for image in IMAGES.values() if image.option})
    parser.add_argument("--with", dest="options", action="append", default=[], choices=options)
    parser.add_argument("--sign-key", type=Path, help="a private key (ECDSA on P-256, PEM) to sign all of it")
    parser.add_argument("--built", action="store_true", help="push what was built before, build nothing")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    return parser.parse_args()


def _build(names: list[str]) -> None:
    if subprocess.run([sys.executable, str(ROOT / "images" / "build.py"), *names], check=False).returncode:  # noqa: S603
        raise Refused("nothing was pushed: not every image could be built")


def _push(names: list[str], tag: str | None, registry: Registry, key: EllipticCurvePrivateKey | None) -> Done:
    """What can be refused on this machine is refused before the first byte is sent."""
    with tempfile.TemporaryDirectory() as folder:
        must_be_built(names)
        tags = {name: tag or content_tag(name) for name in names}
        packaged = [package(source, Path(folder)) for source in CHARTS]
        images, bills = [], []
        for name in names:
            print(f"pushing {name}", flush=True)
            images.append(push_image(name, tags[name], registry))
            bills.append(attach_bill(images[-1], registry))
        charts = [push_chart(chart, registry, Path(folder)) for chart in packaged]
        every = [(one.reference, one.digest) for one in (*images, *charts)]
        every += [(one.reference, one.digest) for one in bills]
        return Done(images, charts, bills, sign_all(every, registry, key) if key else [])


def _forget(folder: Path) -> None:
    """What an earlier push wrote must not be taken for this one's."""
    for name in WRITTEN:
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / BILLS, ignore_errors=True)


def _write(folder: Path, registry: Registry, done: Done) -> None:
    (folder / BILLS).mkdir(parents=True, exist_ok=True)
    for bill, image in zip(done.bills, done.images, strict=True):
        _write_whole(folder / BILLS / f"{image.name}.cdx.json", bill.text)
    lists = (
        values(registry, done.images), images_list(done.images), charts_list(done.charts),
        attached_list([*done.bills, *done.signatures]),
    )  # fmt: skip
    for name, text in zip(WRITTEN, lists, strict=True):
        _write_whole(folder / name, text)


def _write_whole(file: Path, text: str) -> None:
    fresh = file.with_name(f"{file.name}.new")
    fresh.write_text(text, "utf-8")
    fresh.replace(file)


def _told(done: Done, folder: Path, *, plain_http: bool) -> str:
    chart = done.charts[-1]
    signed = (
        f"{len(done.signatures)} signatures." if done.signatures else "Nothing is signed: SIGN_KEY=… does."
    )
    lines = [
        "",
        table([*done.images, *done.charts]),
        "",
        f"What is in each image: {folder / BILLS}. {signed}",
    ]
    if not done.anything_new:
        lines += ["", "Nothing was uploaded: the registry had all of it."]
    flag = " --plain-http" if plain_http else ""
    chart_there = f"{chart.reference} --version {chart.tag}{flag}"
    install = f"  helm install butlers {chart_there} --namespace NAMESPACE -f {folder / WRITTEN[0]} --wait"
    return "\n".join([*lines, "", "To install them:", "", install])


if __name__ == "__main__":
    sys.exit(main())
