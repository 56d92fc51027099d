"""Build the project's container images, without a container engine: buildah on a base made by mmdebstrap.

    python -m images.build [--engine buildah|docker] [--sizes] [--with spark] [NAME…]

An image is built again only when what goes into it has changed: its Containerfile, its lock, the sources, the base.
Archives lie in the cache (`<cache>/images/NAME.tar`), where cluster/load.sh takes them. `--sizes` prints what each
weighs as a registry would store it, and fails when one is heavier than its limit. The images of Spark and of command
lines are large, and few need them: they are built only when asked for. With Docker the same Containerfiles are built on
the public images that they name.
"""

from __future__ import annotations

import argparse
import fcntl
import gzip
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from images.catalogue import ARCHIVES, CACHE, IMAGES, archive, local_name
from images.context import fill, inputs_of
from images.engines import base_image, buildah_build, docker_build, docker_has
from images.programs import BuildFailed, run

STILL_S = 15.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="images.build", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--engine", choices=("buildah", "docker"), default="buildah")
    parser.add_argument(
        "--sizes", action="store_true", help="print compressed sizes and hold them to the limits"
    )
    parser.add_argument(
        "--with",
        dest="options",
        action="append",
        default=[],
        choices=sorted({image.option for image in IMAGES.values() if image.option}),
        help="images that are built only when asked for",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(IMAGES))
    chosen = parser.parse_args()
    try:
        names = chosen.names or [
            name for name, image in IMAGES.items() if image.option in (None, *chosen.options)
        ]
        if unknown := set(names) - set(IMAGES):
            raise BuildFailed(f"no image {', '.join(sorted(unknown))}; there are: {', '.join(IMAGES)}")
        with locked(CACHE / "images.lock"):
            for name in names:
                _build(name, chosen.engine)
        return _weigh(names, chosen.engine) if chosen.sizes else 0
    except BuildFailed as failure:
        print(f"images: {failure}", file=sys.stderr)
        return 1


def _build(name: str, engine: str) -> None:
    image = IMAGES[name]
    if image.base in IMAGES:
        _build(image.base, engine)
    stamp, tag = ARCHIVES / f"{name}.{engine}.inputs", ARCHIVES / f"{name}.tag"
    inputs = inputs_of(name, image, engine)
    kept = docker_has(name) if engine == "docker" else archive(name).exists()
    if kept and stamp.exists() and stamp.read_text() == inputs:
        tag.write_text(inputs[:12])  # the other engine may have been here since
        return
    started = time.monotonic()
    context = CACHE / "contexts" / name
    with still_at_it(f"image {name}"):
        fill(context, name, image)
        if engine == "docker":
            docker_build(name, context)
        else:
            buildah_build(name, base_image(image.base), context)
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    stamp.write_text(inputs)
    tag.write_text(inputs[:12])
    print(f"image {name}: {time.monotonic() - started:.0f} s", flush=True)


@contextmanager
def still_at_it(what: str, *, every_s: float = STILL_S) -> Iterator[None]:
    """Say now and then that `what` goes on: minutes without a word look like a machine that hangs."""
    done, started = threading.Event(), time.monotonic()

    def tell() -> None:
        while not done.wait(every_s):
            print(f"{what}: still at it after {time.monotonic() - started:.0f} s", flush=True)

    telling = threading.Thread(target=tell, daemon=True)
    telling.start()
    try:
        yield
    finally:
        done.set()
        telling.join()


def _weigh(names: Sequence[str], engine: str) -> int:
    """Print each image's size as a registry stores it: layers compressed by gzip."""
    heavy = 0
    for name in names:
        packed = archive(name)
        if engine == "docker":
            packed = packed.with_suffix(".docker.tar")
            run("docker", "save", "--output", str(packed), local_name(name))
        size_mb = len(gzip.compress(packed.read_bytes(), compresslevel=6)) / 1e6
        limit = IMAGES[name].limit_mb
        verdict = "" if limit is None else f" (limit {limit} MB)"
        print(f"{name:20} {size_mb:6.1f} MB compressed{verdict}", flush=True)
        heavy += limit is not None and size_mb > limit
    return 1 if heavy else 0


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One build at a time on this machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another build of images is at work on this machine; waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main())
