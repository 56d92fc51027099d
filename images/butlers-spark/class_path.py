"""Fix the order of Spark's jars: class_path.py SPARK_HOME writes jars/spark-class-path.jar, which names lib/*.jar.

Spark's scripts use `jars/*`, which Java expands in the order in which the directory is read; an archive of loaded
classes is valid for one order only. A jar that only names the others (Class-Path in its manifest) has the same order
everywhere.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

WIDTH = 70
"""A manifest line has at most 72 bytes with its end; a continuation begins with a space (JAR file specification)."""


def main(spark_home: Path) -> None:
    names = " ".join(f"../lib/{path.name}" for path in sorted((spark_home / "lib").glob("*.jar")))
    line = f"Class-Path: {names}"
    folded = [line[:WIDTH], *(f" {line[at : at + WIDTH - 1]}" for at in range(WIDTH, len(line), WIDTH - 1))]
    manifest = "\r\n".join(["Manifest-Version: 1.0", *folded, "", ""])
    jars = spark_home / "jars"
    jars.mkdir(exist_ok=True)
    with zipfile.ZipFile(jars / "spark-class-path.jar", "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", manifest)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
