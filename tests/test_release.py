"""What a release needs: versions that agree, a changelog, packages and dependencies without gaps, a quick start."""

from __future__ import annotations

import ast
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml

from nanlint import toml
from nanlint.lint.known_rules import all_rules
from nanlint.version import __version__
from tests.test_docs import load

ROOT = Path(__file__).parents[1]
RELEASE = ROOT / ".ci" / "release.py"
WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
release = load(RELEASE)

CHANGES = """# Changelog

## [Unreleased]

## [1.2.0] - 2030-01-31

### Added

- Something.

## [1.1.0] - 2029-12-01

### Fixed

- Something else.

[1.2.0]: https://example.org/1.2.0
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is ready to publish 1.2.0."""
    write(tmp_path / "nanlint" / "version.py", '__version__ = "1.2.0"\n')
    write(tmp_path / "CHANGELOG.md", CHANGES)
    write(tmp_path / "README.md", "pip install nanlint\n\n    rev: v1.2.0\n")
    write(tmp_path / "docs" / "ci.md", "- uses: nanlint/nanlint@v1.2.0\n")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_version_changelog_readme_and_documentation_agree() -> None:
    assert list(release.problems()) == []
    assert release.version() == __version__


def test_the_changelog_says_something_of_this_version() -> None:
    changes = release.sections()
    _, text = changes.get(__version__, changes["Unreleased"])
    assert "### Added" in text
    assert len(text.splitlines()) > 10


def test_a_version_that_is_ready_has_no_problems(project: Path) -> None:
    assert list(release.problems("v1.2.0", project)) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("nanlint/version.py", "1.2.0", "1.3.0", "the tag is v1.2.0, nanlint/version.py has 1.3.0"),
        ("CHANGELOG.md", "## [1.2.0] - 2030-01-31", "## [1.1.5] - 2030-01-31", "CHANGELOG.md has no section [1.2.0]"),
        ("CHANGELOG.md", " - 2030-01-31", "", "CHANGELOG.md: [1.2.0] has no date (YYYY-MM-DD)"),
        ("CHANGELOG.md", "### Added\n\n- Something.\n", "", "CHANGELOG.md: [1.2.0] is empty"),
        ("CHANGELOG.md", "## [Unreleased]\n", "", "CHANGELOG.md has no section [Unreleased]"),
        (
            "CHANGELOG.md",
            "## [Unreleased]\n",
            "## [Unreleased]\n\n- More.\n",
            "CHANGELOG.md: the section [Unreleased] is not empty; its entries belong in [1.2.0]",
        ),
        ("README.md", "v1.2.0", "v1.1.0", "README.md shows version 1.1.0, nanlint/version.py has 1.2.0"),
        ("docs/ci.md", "v1.2.0", "v1.1.0", "docs/ci.md shows version 1.1.0, nanlint/version.py has 1.2.0"),
        (
            "README.md",
            "pip install",
            "It is not on PyPI yet. pip install",
            "README.md says that nanlint is not on PyPI yet",
        ),
    ],
)
def test_what_does_not_agree_is_named(project: Path, file: str, old: str, new: str, problem: str) -> None:
    replace(project / file, old, new)
    assert problem in list(release.problems("v1.2.0", project))


FIGURES = "# Speed\n\n<!-- speed -->\n\nMeasured on 2030-01-30 at commit `{}`: a machine.\n\n3 s\n\n<!-- /speed -->\n"


def test_figures_older_than_the_code_are_not_published(project: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout.strip()

    write(project / "nanlint" / "cli.py", "x = 1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    write(project / "docs" / "speed.md", FIGURES.format(git("rev-parse", "--short=8", "HEAD")))
    write(project / "nanlint" / "version.py", '"""The version."""\n\n__version__ = "1.2.0"\n')
    git("add", ".")
    git("commit", "-qm", "figures and the version")
    assert list(release.problems("v1.2.0", project)) == []
    write(project / "nanlint" / "cli.py", "x = 2\n")
    git("commit", "-qam", "two")
    assert list(release.problems(None, project)) == []
    (problem,) = release.problems("v1.2.0", project)
    assert problem.startswith('docs/speed.md: the figures of "speed" are older than the code (commit ')


@pytest.mark.parametrize(
    "said", ["3 s", "Measured on 2030-01-30: 3 s", "Measured on 2030-01-30 at commit `12345678`, changed: 3 s"]
)
def test_figures_say_when_and_of_what_they_are(project: Path, said: str) -> None:
    write(project / "docs" / "speed.md", f"<!-- speed -->\n\n{said}\n\n<!-- /speed -->\n")
    assert list(release.problems(None, project)) == [
        'docs/speed.md: the figures of "speed" do not begin with date, commit and machine'
    ]


def test_all_figures_are_measured_by_one_command() -> None:
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md")]
    named = {found["name"] for text in texts for found in release.FIGURES.finditer(text)}
    assert named == set(load(ROOT / "benchmarks" / "all.py").SCRIPTS)


def test_links_that_do_not_work_are_named(tmp_path: Path) -> None:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response({"/page": 200, "/refuses": 403}.get(self.path, 404))
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}"
    page = tmp_path / "page.md"
    write(page, f"[a]({site}/page#part) [b]({site}/refuses) [c]({site}/gone) [d](other.md) [e]({site}/gone)\n")
    try:
        (line,) = load(ROOT / ".ci" / "links.py").broken([page])
    finally:
        server.shutdown()
        server.server_close()
    assert line == f"{page}: {site}/gone: HTTP Error 404: Not Found"


def test_the_notes_of_a_release_are_its_section(project: Path) -> None:
    assert release.sections(project)["1.2.0"] == ("2030-01-31", "### Added\n\n- Something.")
    assert release.sections(project)["1.1.0"] == ("2029-12-01", "### Fixed\n\n- Something else.")


def test_the_script_ends_with_1_for_a_tag_that_is_not_ready() -> None:
    done = subprocess.run([sys.executable, RELEASE, "check", "v999"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"the tag is v999, nanlint/version.py has {__version__}" in done.stdout.splitlines()
    assert subprocess.run([sys.executable, RELEASE, "check"], capture_output=True, check=False).returncode == 0


def test_nothing_is_published_that_was_not_checked() -> None:
    jobs = WORKFLOW["jobs"]
    scripts = "\n".join(step.get("run", "") for step in jobs["build"]["steps"])
    for part in ("release.py check", "links.py", "twine check --strict", 'nanlint" check --isolated', "pytest"):
        assert part in scripts
    assert jobs["pypi"]["needs"] == "build"
    assert jobs["github"]["needs"] == "pypi"


def test_each_job_may_do_only_what_it_has_to() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    allowed = {name: job["permissions"] for name, job in WORKFLOW["jobs"].items()}
    assert allowed == {
        "build": {"contents": "read", "id-token": "write", "attestations": "write"},
        "pypi": {"id-token": "write"},
        "github": {"contents": "write"},
    }
    assert WORKFLOW["jobs"]["pypi"]["environment"]["name"] == "pypi"
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")


# The packages


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source distribution and the wheel, as hatchling builds them."""
    pytest.importorskip("hatchling", reason="hatchling builds the packages")
    directory = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", str(directory)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (sdist,), (wheel,) = directory.glob("*.tar.gz"), directory.glob("*.whl")
    return sdist, wheel


def test_the_source_distribution_holds_all_that_git_tracks(packages: tuple[Path, Path]) -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout of git")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tracked = {name for name in listed.splitlines() if (ROOT / name).is_file()}
    with tarfile.open(packages[0]) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert tracked - held == set()


@pytest.mark.slow
def test_the_tests_run_in_the_unpacked_source_distribution(packages: tuple[Path, Path], tmp_path: Path) -> None:
    with tarfile.open(packages[0]) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/test_readme.py", "tests/test_silencing.py"],
        cwd=unpacked,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    where = subprocess.run(
        [sys.executable, "-c", "import nanlint; print(nanlint.__file__)"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(where.stdout.strip()).is_relative_to(unpacked), "the installed package was tested"


def test_the_wheel_holds_the_package_alone_and_is_small(packages: tuple[Path, Path]) -> None:
    wheel = packages[1]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0] for name in names} == {"nanlint", f"nanlint-{__version__}.dist-info"}
    assert "nanlint/py.typed" in names
    assert wheel.stat().st_size < 1_500_000


def test_the_wheel_holds_the_page_of_every_rule(packages: tuple[Path, Path]) -> None:
    """They are data of the package, which are there also where it is read from an archive."""
    program = "from nanlint.lint.known_rules import all_rules; print(*(c for c, r in all_rules().items() if r.page))"
    environment = {**os.environ, "PYTHONPATH": str(packages[1])}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=packages[1].parent, env=environment, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == set(all_rules())


# The dependencies

PROJECT: dict[str, Any] = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: what runs inside the user's program imports the frameworks that are there
IN_THE_PROGRAM = (
    "runtime",
    "proof",
    "keras.py",
    "lightning.py",
    "torch.py",
    "training.py",
    "transformers.py",
    "pytest_plugin.py",
)
#: distributions for other versions of Python, which are not installed here
ELSEWHERE = {"tomli": "tomli"}


def names(requirements: list[str]) -> set[str]:
    """The names of the distributions in a list of requirements."""
    return {re.split(r"[^\w.-]", requirement)[0].replace("_", "-").lower() for requirement in requirements}


def imported() -> Iterator[tuple[str, str]]:
    """Each module from another distribution that the package imports, and the part of the package that does."""
    package = ROOT / "nanlint"
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                modules.append(node.module or "")
            for module in modules:
                top = module.partition(".")[0]
                if top not in sys.stdlib_module_names and top != "nanlint":
                    yield top, path.relative_to(package).parts[0]


@cache
def installed() -> dict[str, list[str]]:
    """Top-level module -> the distributions that it may come from."""
    return {**{module: [name] for module, name in ELSEWHERE.items()}, **packages_distributions()}


def distributions(module: str) -> set[str]:
    """The names of the distributions that a top-level module may come from."""
    return {name.replace("_", "-").lower() for name in installed().get(module, [module])}


def test_each_import_is_of_a_dependency() -> None:
    required = names(PROJECT["dependencies"])
    optional = names([one for extra in ("dask", "graph") for one in PROJECT["optional-dependencies"][extra]])
    missing = {
        (module, part)
        for module, part in imported()
        if part not in IN_THE_PROGRAM and distributions(module).isdisjoint(required | optional)
    }
    assert missing == set()


def test_each_dependency_is_imported() -> None:
    found = set[str]().union(*(distributions(module) for module, _ in imported()))
    assert names(PROJECT["dependencies"]) <= found


# The start


def starts_of_python(*arguments: str, cwd: Path) -> float:
    """CPU time of nanlint, in starts of Python; the least of some runs: what else the machine does only adds to it."""

    def seconds(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], cwd=cwd, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    runs = [(seconds("-m", "nanlint", *arguments), seconds("-c", "pass")) for _ in range(5)]
    ours, pythons = (min(times) for times in zip(*runs, strict=True))
    return ours / pythons


def test_the_version_comes_at_once(tmp_path: Path) -> None:
    assert starts_of_python("--version", cwd=tmp_path) < 7


def test_a_file_without_frameworks_is_checked_without_the_rules(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("import os\n\nprint(os.getcwd())\n")
    assert starts_of_python("check", "plain.py", cwd=tmp_path) < 20
    code = "import sys\nfrom nanlint.cli import cli\ncli(['check', 'plain.py'], standalone_mode=False)\n"
    code += "print(sorted(name for name in sys.modules if name.startswith(('nanlint.rules', 'nanlint.analysis'))))"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
