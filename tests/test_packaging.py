"""The distributions: what they hold, and an installation used from an empty folder."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import bolicho

ROOT = Path(__file__).parents[1]
PACKAGE = Path(bolicho.__file__).parent

pytest.importorskip("hatchling", reason="hatchling is not installed; it comes with the extra `test`")


def run(*command: object, cwd: Path) -> str:
    """Run a command without the environment of the tests, and return its standard output."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Source distribution of the working tree."""
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", folder, cwd=ROOT)
    return next(folder.glob("bolicho-*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """Wheel built from the source distribution, as an installer builds it, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder)
    run(sys.executable, "-m", "pip", "wheel", *options, sdist, cwd=folder)
    return next(folder.glob("bolicho-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Folder of the commands of an environment with the wheel, and the dependencies of this environment."""
    place = tmp_path_factory.mktemp("installed")
    venv.create(place, with_pip=False, symlinks=os.name != "nt")
    paths = {"base": str(place), "platbase": str(place)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=paths))
    commands = Path(sysconfig.get_path("scripts", "venv", vars=paths))
    python = commands / Path(sys.executable).name
    options = ("--quiet", "--no-deps", "--no-index", "--no-compile")
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, wheel, cwd=place)
    outside = [path for path in sys.path if path.endswith("site-packages")]  # their own .pth files are not read
    (packages / "dependencies.pth").write_text("\n".join(outside) + "\n")
    return commands


def test_wheel_holds_every_file_of_the_package(wheel):
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    found = {
        f"bolicho/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert found - names == set()
    assert {name.split("/")[0] for name in names - found} == {f"bolicho-{bolicho.__version__}.dist-info"}


def test_source_distribution_holds_files_for_tests_and_docs(sdist):
    top = f"bolicho-{bolicho.__version__}"
    with tarfile.open(sdist) as packed:
        names = set(packed.getnames())
    wanted = ("LICENSE", "Makefile", "constraints.txt", "tests/conftest.py", "docs/architecture.md", "examples/kuhn.py")
    assert {f"{top}/{name}" for name in wanted} <= names


def test_installation_works_from_an_empty_folder(installed, tmp_path):
    python, command = installed / Path(sys.executable).name, installed / "bolicho"
    where = run(python, "-c", "import bolicho; print(bolicho.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent), "the package of the tests was imported"
    games = run(command, "games", cwd=tmp_path)
    assert all(name in games for name in ("truco", "dominoes", "fives", "wonders"))
    assert "pvcnps" in run(command, "agents", "truco", cwd=tmp_path)
    assert "cbr-stage-1" in run(command, "lab", "list", cwd=tmp_path)
    assert "markov" in run(command, "play", "truco", "markov", "random", "--seed", "3", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
