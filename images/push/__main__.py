"""Push the project's images and charts to a registry, and write the values that install them from there.

    python -m images.push REGISTRY [--tag TAG] [--plain-http] [--with spark] [--built] [--output FOLDER]

All or nothing is written: values.yaml and images.txt are there only after a push that reached its end.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from images.build import CACHE, IMAGES, ROOT, locked
from images.push.charts import CHARTS, package, push_chart
from images.push.images import content_tag, must_be_built, push_image
from images.push.refused import Refused
from images.push.registry import Registry, checked_tag
from images.push.written import Pushed, images_list, table, values

NEVER = frozenset({"butlers-providers"})
"""Stands in for Telegram and mail servers in tests: no household's."""
OUTPUT = Path("build") / "push"


def main() -> int:
    chosen = _arguments()
    written = (chosen.output / "values.yaml", chosen.output / "images.txt")
    try:
        registry = Registry.parse(chosen.registry, plain_http=chosen.plain_http)
        tag = checked_tag(chosen.tag) if chosen.tag else None
        # What an earlier push wrote must not be taken for this one's.
        for file in written:
            file.unlink(missing_ok=True)
        names = [name for name, image in IMAGES.items() if image.option in (None, *chosen.options)]
        names = [name for name in names if name not in NEVER]
        if not chosen.built:
            _build(names)
        with locked(CACHE / "images.lock"):
            images, charts = _push(names, tag, registry)
    except Refused as refused:
        print(f"push: {refused}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "push: stopped half way; no values are written, the next push goes on from here", file=sys.stderr
        )
        return 130
    chosen.output.mkdir(parents=True, exist_ok=True)
    for file, text in zip(written, (values(registry, images), images_list(images)), strict=True):
        _write_whole(file, text)
    print(_told(images, charts, written[0], plain_http=registry.plain_http))
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
    parser.add_argument("--built", action="store_true", help="push what was built before, build nothing")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    return parser.parse_args()


def _build(names: list[str]) -> None:
    if subprocess.run([sys.executable, str(ROOT / "images" / "build.py"), *names], check=False).returncode:  # noqa: S603
        raise Refused("nothing was pushed: not every image could be built")


def _push(names: list[str], tag: str | None, registry: Registry) -> tuple[list[Pushed], list[Pushed]]:
    """What can be refused on this machine is refused before the first byte is sent."""
    with tempfile.TemporaryDirectory() as folder:
        must_be_built(names)
        tags = {name: tag or content_tag(name) for name in names}
        charts = [package(source, Path(folder)) for source in CHARTS]
        images = []
        for name in names:
            print(f"pushing {name}", flush=True)
            images.append(push_image(name, tags[name], registry))
        return images, [push_chart(chart, registry, Path(folder)) for chart in charts]


def _write_whole(file: Path, text: str) -> None:
    fresh = file.with_name(f"{file.name}.new")
    fresh.write_text(text, "utf-8")
    fresh.replace(file)


def _told(images: list[Pushed], charts: list[Pushed], file: Path, *, plain_http: bool) -> str:
    chart = charts[-1]
    lines = ["", table([*images, *charts]), ""]
    if not any(one.uploaded for one in (*images, *charts)):
        lines += ["Nothing was uploaded: the registry had all of it.", ""]
    flag = " --plain-http" if plain_http else ""
    chart_there = f"{chart.reference} --version {chart.tag}{flag}"
    install = f"  helm install butlers {chart_there} --namespace NAMESPACE -f {file} --wait"
    return "\n".join([*lines, "To install them:", "", install])


if __name__ == "__main__":
    sys.exit(main())
