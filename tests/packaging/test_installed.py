"""The package finds its folders from a wheel, from an sdist, from an editable install and from a checkout.

Nothing is downloaded: the build uses the hatchling of this environment, and the clean environments see this
one's libraries, but not its `reporting`, by a path file.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from reporting import __version__

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [".ci", "configs", "docs", "reporting", "templates", "tests"]
FILES = [
    "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "PROMISES.md", "README.md", "SECURITY.md", "constraints.txt", "pyproject.toml",
]  # fmt: skip

WHERE = "from reporting.base.resources import folder; print(folder('templates'), folder('configs'))"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, so that nothing is built in the working tree."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in SOURCES:
        shutil.copytree(
            ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules")
        )
    for name in FILES:
        shutil.copy(ROOT / name, copy)
    return copy


@pytest.fixture(scope="module")
def built(checkout: Path) -> Path:
    """An sdist, and the wheel built from it."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", "built", str(checkout), cwd=checkout)
    return checkout / "built"


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., Path]:
    """A function that installs into a clean environment and returns its Python."""

    def into_clean_environment(*what: str) -> Path:
        run(sys.executable, "-m", "venv", "--without-pip", "clean", cwd=tmp_path)
        python = tmp_path / "clean" / "bin" / "python"
        paths = {key: sysconfig.get_path(key) for key in ("purelib", "platlib")}
        [site] = (tmp_path / "clean" / "lib").glob("python*/site-packages")
        (site / "libraries.pth").write_text("\n".join(dict.fromkeys(paths.values())) + "\n")
        pip = (sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index")
        run(*pip, "--no-deps", "--no-build-isolation", "--ignore-installed", *what, cwd=tmp_path)
        return python

    return into_clean_environment


def test_the_wheel_works_in_a_clean_environment(
    built: Path, install: Callable[..., Path], tmp_path: Path
) -> None:
    [wheel] = built.glob("trial_reporting-*.whl")
    python = install(str(wheel))
    places = run(str(python), "-I", "-c", WHERE, cwd=tmp_path).split()
    assert all(str(tmp_path / "clean") in place for place in places)
    command = python.with_name("reporting")
    assert "run" in run(str(command), "--help", cwd=tmp_path)
    assert run(str(python.with_name("trial-reporting")), "--version", cwd=tmp_path).startswith("reporting ")
    config = run(str(command), "example", "vote", "vote", cwd=tmp_path).strip()
    few = ("--set", "significance.replicates=199")
    page = run(str(command), "run", config, *few, cwd=tmp_path).splitlines()[-1]
    assert (tmp_path / page).stat().st_size > 0


def test_the_wheel_holds_every_folder(built: Path) -> None:
    [wheel] = built.glob("trial_reporting-*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    assert "reporting/py.typed" in held
    words = {path.relative_to(ROOT).as_posix() for path in (ROOT / "reporting").rglob("*.yaml")}
    assert "reporting/features/gates/words.yaml" in words <= held
    for name in ("templates", "configs"):
        for path in (ROOT / name).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                place = path.relative_to(ROOT)
                # The programs of papers are for a checkout: `make papers` runs them.
                assert (f"reporting/{place.as_posix()}" in held) == (place.parts[:2] != ("configs", "papers"))
    assert {name.split("/")[0] for name in held} == {"reporting", f"trial_reporting-{__version__}.dist-info"}


def test_the_sdist_holds_the_checkout(built: Path) -> None:
    [sdist] = built.glob("trial_reporting-*.tar.gz")
    with tarfile.open(sdist) as archive:
        top = {name.split("/")[1] for name in archive.getnames()}
    assert top == {*SOURCES, *FILES, "PKG-INFO"}


def test_a_wheel_straight_from_the_checkout_is_the_same(checkout: Path, built: Path) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", "direct", ".", cwd=checkout)
    names = [
        sorted(zipfile.ZipFile(wheel).namelist())
        for folder in (built, checkout / "direct")
        for wheel in folder.glob("*.whl")
    ]
    assert names[0] == names[1]


def test_an_editable_install_uses_the_checkout(
    checkout: Path, install: Callable[..., Path], tmp_path: Path
) -> None:
    python = install("--editable", str(checkout))
    places = run(str(python), "-I", "-c", WHERE, cwd=tmp_path).split()
    assert places == [str(checkout / "templates"), str(checkout / "configs")]
    [site] = (tmp_path / "clean" / "lib").glob("python*/site-packages")
    assert not (site / "reporting").exists()  # no stale copies


def test_a_bare_checkout_uses_itself(checkout: Path) -> None:
    places = run(sys.executable, "-c", WHERE, cwd=checkout).split()
    assert places == [str(checkout / "templates"), str(checkout / "configs")]


def run(*command: str, cwd: Path) -> str:
    """Run a command and return what it prints; fail with its messages."""
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
