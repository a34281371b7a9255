"""Runs that several tests look at; each is made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from nanlint.runtime.inspecting.building import run_of
from nanlint.runtime.inspecting.model import Run
from nanlint.runtime.runfile import read_run
from tests.runtime.inspecting.runs import classifier_run


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run of the classifier."""
    directory = tmp_path_factory.mktemp("classifier")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        return classifier_run(directory / "run")


@pytest.fixture(scope="session")
def run(kept: Path) -> Run:
    """The same for the reader."""
    return run_of(read_run(str(kept)))
