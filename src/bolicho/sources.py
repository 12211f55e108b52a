"""Dependencies of a module: the sources of all modules of its own package, and of this one, that it imports.

Results and compiled code are kept with the fingerprint of the code that made them, so that a change of that code is
noticed.
"""

import hashlib
import re
import site
import sys
import sysconfig
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<base>\.*[\w.]*)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n]*)"
    r"|import[ \t]+(?P<modules>[^\n]*))",
    re.MULTILINE,
)
_CALL = re.compile(
    r"\b(?:import_module|__import__)\(\s*(?:name\s*=\s*)?(?P<quote>['\"])(?P<name>\.*[\w.]+)(?P=quote)"
    r"(?:\s*,\s*(?:package\s*=\s*)?(?P<other>['\"])(?P<package>[\w.]+)(?P=other))?"
)
_BINDINGS = re.compile(r"\bbindings\s*=\s*\{(?P<games>[^}]*)\}")  # field of a `Technique`: {game: "module:attribute"}
_BINDING = re.compile(r":\s*(?P<quote>['\"])(?P<module>[\w.]+)(?::\w+)?(?P=quote)")
_PACKAGE = __name__.partition(".")[0]
_REEXPORTS = (
    _PACKAGE,
    f"{_PACKAGE}.kit",
)  # modules that re-export names: an import depends on the module that defines the name
_HOME = Path(__file__).resolve().parent.parent


def fingerprint(module: str) -> str | None:
    """Return a hash of a module's source and all it imports of its own package or folder, or of this package.

    Packages installed from elsewhere are not included. Return None where there is no source to read (a notebook, a
    prompt): results of such code should not be kept.
    """
    files = files_of(module)
    if not files:
        return None
    lines = [f"{name} {_read(path, _package(name, path)).hash}" for name, path in sorted(files.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def files_of(module: str) -> dict[str, Path]:
    """Return the modules that a module depends on, itself included, and their files; empty without a source.

    A package is included if a name is imported from it, not if one of its modules is.
    """
    start = _loaded_file(module)
    if start is None:
        return {}
    found: dict[str, Path] = {}
    waiting = {module: start}
    while waiting:
        name, path = waiting.popitem()
        found[name] = path
        for package, part in map(_home, _read(path, _package(name, path)).imports):
            for imported in (f"{package}.{part}".strip("."), package):  # a module of a package, or a name in it
                file = _file(imported, module, start)
                if file is not None:
                    if imported not in found:
                        waiting[imported] = file
                    break
    return found


def _home(imported: tuple[str, str]) -> tuple[str, str]:
    """Return the module that defines a re-exported name, and the name; other imports unchanged."""
    face, name = imported
    if face not in _REEXPORTS or not name or (file := _in(_HOME, face)) is None:
        return imported
    return _read(file, _package(face, file)).bound.get(name, imported)


def loaded_files() -> dict[str, Path]:
    """Return the modules loaded in this process and their files, without installed modules and this package.

    In a process that has loaded one agent and nothing else, this also finds modules whose names were computed.
    """
    installed = _installed(tuple(sys.path))
    found = {name: getattr(module, "__dict__", {}).get("__file__") for name, module in sys.modules.copy().items()}
    files = {name: Path(file).resolve() for name, file in sorted(found.items()) if isinstance(file, str)}
    return {
        name: file
        for name, file in files.items()
        if name.partition(".")[0] not in (_PACKAGE, "__main__")
        and file.is_file()
        and not any(file.is_relative_to(folder) for folder in installed)
    }


def _loaded_file(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).resolve() if file and file.endswith(".py") and Path(file).exists() else None


def _package(name: str, path: Path) -> str:
    """Return the package from which the relative imports of a module start."""
    return name if path.name == "__init__.py" else name.rpartition(".")[0]


def _file(name: str, root: str, root_file: Path) -> Path | None:
    """Return the file of a module of this package, or of the root's package or folder; None for other modules."""
    top = name.partition(".")[0]
    if top == _PACKAGE:
        return _in(_HOME, name)
    if top in sys.stdlib_module_names:
        return None
    if top == root.partition(".")[0]:
        return _look(root_file.parents[root.count(".") + (root_file.name == "__init__.py")], name)
    folder = _on_path(top, tuple(sys.path))
    return None if folder is None else _look(folder, name)


def _look(folder: Path, name: str) -> Path | None:
    """Return the file of a module below a folder."""
    place = folder.joinpath(*name.split("."))
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)


_in = cache(_look)  # for a folder whose files do not change


@cache
def _on_path(top: str, path: tuple[str, ...]) -> Path | None:
    """Return the folder of a top-level module that is on the path but not installed."""
    spec = PathFinder.find_spec(top, list(path))
    if spec is None or not spec.origin:
        return None
    file = Path(spec.origin).resolve()
    if any(file.is_relative_to(installed) for installed in _installed(path)):
        return None
    return file.parent.parent if file.name == "__init__.py" else file.parent


@cache
def _installed(path: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the folders of installed packages, whose versions are not checked.

    A `.pth` file may put the packages of another environment on the path.
    """
    paths = sysconfig.get_paths()
    found = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    found |= {entry for entry in path if Path(entry).name in ("site-packages", "dist-packages")}
    return tuple(Path(path).resolve() for path in {*found, *site.getsitepackages(), site.getusersitepackages()})


class _Source(NamedTuple):
    """Hash and imports of a source file."""

    hash: str
    imports: tuple[tuple[str, str], ...]  # (module, name in it or "")
    bound: dict[str, tuple[str, str]]  # `from` imports by their local names


def _read(path: Path, package: str) -> _Source:
    """Return the source of a file, parsed again when the file has changed."""
    status = path.stat()
    return _parse(path, package, status.st_size, status.st_mtime_ns)


@cache
def _parse(path: Path, package: str, size: int, changed: int) -> _Source:
    """Parse the imports in a file; the loaded modules would depend on the history of the process."""
    data = path.read_bytes()
    text = data.decode(errors="replace")
    found: set[tuple[str, str]] = set()
    bound: dict[str, tuple[str, str]] = {}
    for match in _IMPORT.finditer(text):
        if match["modules"] is not None:
            found |= {(name, "") for name in _names(match["modules"]).values()}
            continue
        base = _absolute(match["base"], package)
        here = {known: (base, name) for known, name in _names(match["names"]).items()}
        found |= set(here.values())
        bound |= here
    found |= {(_absolute(call["name"], call["package"] or package), "") for call in _CALL.finditer(text)}
    for table in _BINDINGS.finditer(text):
        found |= {(binding["module"], "") for binding in _BINDING.finditer(table["games"])}
    return _Source(hashlib.sha256(data).hexdigest(), tuple(sorted(found)), bound)


def _absolute(name: str, package: str) -> str:
    """Return the full name of a module, imported by a module of `package` as `..name` or by its full name."""
    dots = len(name) - len(name.lstrip("."))
    return f"{package.rsplit('.', dots - 1)[0]}.{name[dots:]}".strip(".") if dots else name


def _names(text: str) -> dict[str, str]:
    """Return the names in the text after `import`, by their local names."""
    text = re.sub(r"#[^\n]*", "", text).strip("() \t\r\n")
    parts = [[name.strip() for name in part.split(" as ")] for part in text.split(",")]
    return {part[-1]: part[0] for part in parts if re.fullmatch(r"[\w.]+", part[0])}
