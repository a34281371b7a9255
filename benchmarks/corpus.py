"""The code that is measured: five packages at fixed versions, downloaded and unpacked, never installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGES = (
    "torch-geometric==2.6.1",
    "botorch==0.12.0",
    "pyro-ppl==1.9.1",
    "tensorflow-probability==0.25.0",
    "scipy==1.14.1",
)
# The same wheels whatever runs this: nothing of them is executed.
_WHEELS_FOR = (
    "--only-binary=:all:",
    "--python-version=3.11",
    "--platform=manylinux2014_x86_64",
    "--platform=manylinux_2_28_x86_64",
)


def default_cache() -> Path:
    """Where packages stay from one run to the next."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nanlint-benchmarks"


def unpacked(requirement: str, cache: Path) -> Path:
    """The directory with the files of a pinned package, downloaded if it is not there yet.

    Raises:
        subprocess.CalledProcessError: if pip cannot get the wheel.
    """
    name = requirement.replace("==", "-")
    place = cache / name
    if place.is_dir():
        return place
    wheels = cache / "wheels" / name
    wheels.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *_WHEELS_FOR, "-d", str(wheels)]
    subprocess.run([*command, requirement], check=True)
    (wheel,) = wheels.glob("*.whl")
    partial = cache / f"{name}.partial"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(partial)
    partial.rename(place)
    return place
