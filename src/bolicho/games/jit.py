"""Compilation: two decorators, a disk cache, and a notice.

Numba's own cache does not notice a change of a called function in another file, of a table that was
compiled in, or of the rules that a generic function resolves to by the type of its record.  The key of this
cache covers all of these: the sources that a function's module depends on (`bolicho.sources`), the argument
types, and the sources of everything registered for the records among them (`games.kernel.implements`).  A
change of a rule, or of a number in a table, recompiles exactly the functions that depend on it.
"""

import hashlib
import os
import pickle
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from bolicho.games import numba_version  # noqa: F401, first: refuses a Numba that lacks a private name used below

# isort: split
import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numba
from numba import types
from numba.core import event
from numba.core.caching import NullCache
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from bolicho.sources import files_of, fingerprint

F = TypeVar("F", bound=Callable[..., Any])


def _cache_home() -> Path:
    """Return the user's cache directory (`NUMBA_CACHE_DIR` or `XDG_CACHE_HOME` if set)."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(base).expanduser() / "bolicho"


NOTICE_AFTER = 1.0  # seconds: loading from the cache is faster
USUAL_SECONDS = "3 to 30 s"  # per subject, see benchmarks/README.md


class _Notice(event.Listener):  # type: ignore[misc]
    """Print the subject of a compilation on stderr, once each, if it takes longer than `NOTICE_AFTER`."""

    def __init__(self) -> None:
        self.depth = 0
        self.timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth == 1 and event.data:
            function = event.data["dispatcher"].py_func
            self.timer = threading.Timer(NOTICE_AFTER, self.say, [_subject(function.__module__, event.data["args"])])
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def say(self, subject: str) -> None:
        _say_once(f"Compiling {subject} for the first time, usually {USUAL_SECONDS}; the result is kept.")


def _subject(module: str, types_: Any) -> str:
    """Return the subject of a function in words: the rules of a game, or the agents of a technique in a game."""
    games = {
        home.removeprefix("bolicho.games.").split(".")[0]
        for record in _records(types_)
        if isinstance(record, types.Record)  # not `ANY`: code for all records belongs to no game
        for generic, home in registered.get(record, ())
        if generic == "bolicho.games.kernel"
    }
    of = f" of {min(games)}" if games else ""
    package, _, rest = module.partition(".")
    if package == "bolicho" and rest.startswith("agents."):
        technique = "".join(f"{name} " for name in rest.split(".")[1:-1][:1])  # empty for shared code
        return f"{technique}agents{of}"
    return f"the rules{of}" if package == "bolicho" and rest.startswith("games.") else module


if not os.environ.get("BOLICHO_QUIET"):
    event.register("numba:compile", _Notice())


# --- Names of compiled functions ------------------------------------------------------------------


def _mangling_args(kind: Any) -> tuple[str, tuple[str]]:
    """Return the part of a symbol that stands for a type, the same in every process.

    Numba names records by a counter of the process, and named tuples by their class without its module.  Two cached
    functions, compiled in different processes, could then have one symbol: the second would run the code of the first.
    """
    home = getattr(kind, "instance_class", None)
    text = kind.name if home is None else f"{home.__module__}.{home.__qualname__} {kind.name}"
    return type(kind).__name__, (hashlib.sha256(text.encode()).hexdigest()[:32],)


types.Record.mangling_args = types.BaseNamedTuple.mangling_args = property(_mangling_args)


# --- Disk cache ---------------------------------------------------------------------------------

KEPT = 64  # compiled forms of one function; the least recently used are deleted

Registered = tuple[str, str]
"""(module of a generic function, module of the implementation)."""

registered: dict[Any, set[Registered]] = {}
"""For each record type, or all (`games.kernel.ANY`), the implementations that compiled code may resolve to.

Code that registers a generic function with Numba must add to it, as `games.kernel.implements` does.
"""


@cache
def _stamp(module: str) -> tuple[str | None, frozenset[str]]:
    """Return the fingerprint and the dependencies of a module, as they were when it was imported."""
    return fingerprint(module), frozenset(files_of(module))


def _resting_on(module: str, records: Iterable[Any]) -> set[str]:
    """Return a module and the registered modules for the records that it depends on, directly or indirectly."""
    offered = {each for record in records for each in registered.get(record, ())}
    found: set[str] = set()
    more = {module}
    while more:
        found |= more
        known = frozenset().union(*(_stamp(name)[1] for name in found))
        more = {implementation for generic, implementation in offered if generic in known} - found
    return found


class _DiskCache(NullCache):  # type: ignore[misc]
    """Compiled forms of one function: one file each, named by a hash of all dependencies."""

    _suffix = ""
    _reduce = staticmethod(CompileResult._reduce)

    def __init__(self, function: Callable[..., Any], compiler: Any = None) -> None:
        self.compiler = compiler  # for a function that Python calls; tests replace it to compile in another process
        self._module = function.__module__
        _stamp(self._module)  # cached now: the file may be edited before the first call
        name = re.sub(r"[^\w.]", "", f"{self._module}.{function.__qualname__}")
        self._label = f"{name}-{function.__code__.co_firstlineno}{self._suffix}"

    @staticmethod
    def _rebuild(target: Any, *kept: Any) -> Any:
        compiled = CompileResult._rebuild(target, *kept)
        compiled.library._shared_module = None  # only needed for linking into callers, which never link a door
        return compiled

    def load_overload(self, signature: Any, target: Any) -> Any:
        target.refresh()
        path = self._path(signature, target.codegen())
        if path is None:
            return None
        try:
            data = path.read_bytes()
        except OSError:
            return None
        digest, payload = data[:32], data[32:]
        if hashlib.sha256(payload).digest() != digest:  # truncated or damaged: compile again
            return None
        try:
            kept = pickle.loads(payload)
        except (AttributeError, ImportError):  # a class among the types has moved: compile again
            return None
        os.utime(path)
        return self._rebuild(target, *kept)

    def save_overload(self, signature: Any, compiled: Any) -> None:
        path = self._path(signature, compiled.codegen)
        if path is None or compiled.library.has_dynamic_globals or compiled.lifted:
            return
        payload = dumps(self._reduce(compiled))
        try:
            _write(path, hashlib.sha256(payload).digest() + payload)
            _make_room(path.parent, self._label)
        except OSError as problem:
            _say_once(f"What is compiled cannot be kept in {str(path.parent)!r} ({problem.strerror}).")

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        """Return the path of the form for these types, or None if a dependency has no source."""
        sources = {_stamp(module)[0] for module in _resting_on(self._module, _records(signature))}
        if None in sources:
            return None
        rest = [
            *map(str, signature),
            repr(codegen.magic_tuple()),
            numba.__version__,
            sys.version,
            *sorted(map(str, sources)),
        ]
        digest = hashlib.sha256("\n".join(rest).encode()).hexdigest()
        return CACHE_DIR / f"{self._label}.{digest[:32]}"


class _PartCache(_DiskCache):
    """Disk cache of functions that compiled code calls: stores code to link into callers, not machine code."""

    _suffix = "p"

    @staticmethod
    def _reduce(compiled: Any) -> Any:
        compiled.fndesc.typemap = compiled.fndesc.calltypes = None  # as Numba does: they cannot be pickled
        names = ("fndesc", "environment", "signature", "referenced_envs")
        return compiled.library.name, compiled.library.bitcode, {name: getattr(compiled, name) for name in names}

    @staticmethod
    def _rebuild(target: Any, name: str, bitcode: bytes, kept: dict[str, Any]) -> Any:
        library = target.codegen().create_library(name)
        compiled = compile_result(target_context=target, library=library, objectmode=False, lifted=(), **kept)
        return _part(compiled, bitcode)


def _records(types_: Any) -> Iterator[Any]:
    """Yield the kinds (see `games.kernel.implements`) among the types of arguments, nested ones included."""
    for each in types_:
        if isinstance(each, types.Record):
            yield from (each, type(each))
        elif isinstance(each, types.Array):
            yield from _records([each.dtype])
        elif isinstance(each, types.BaseTuple):
            yield getattr(each, "instance_class", None)
            yield from _records(each.types)


def _write(path: Path, data: bytes) -> None:
    """Write a file atomically but without fsync; `load_overload` detects damage after a power cut by the hash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _make_room(folder: Path, label: str) -> None:
    """Delete the least recently used forms of a function."""
    forms = list(folder.glob(f"{label}.*"))
    if len(forms) > KEPT:
        forms.sort(key=lambda form: form.stat().st_mtime)
        for form in forms[:-KEPT]:
            form.unlink(missing_ok=True)


_said: set[str] = set()


def _say_once(sentence: str) -> None:
    if sentence not in _said:
        _said.add(sentence)
        print(sentence, file=sys.stderr)


CACHE_DIR = _cache_home() / "compiled"


# --- The decorators -----------------------------------------------------------------------------


def njit(function: F) -> F:
    """Compile `function` on first call and keep the result on disk."""
    return _compiled(function)  # type: ignore[no-any-return]


def rule(function: F) -> F:
    """Compile `function` like `njit`, without reference counting: 1.3 times the speed.

    It must not allocate, as the rules of a game do not (see `games.kernel`); Numba refuses `np.zeros` in it.
    """
    return _compiled(function, _nrt=False)  # type: ignore[no-any-return]


def entry_point(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return a compiled function for the types of these arguments that skips Numba's dispatch on types.

    It takes half the time of the function itself if the work is short.  The caller must pass arguments of these
    types, with contiguous arrays.
    """
    return function.compile(tuple(map(numba.typeof, arguments)))  # type: ignore[attr-defined, no-any-return]


def _compiled(function: Any, **options: Any) -> Any:
    """Return the dispatcher for Python (the "door") and attach the function's `_Part` to it."""
    door = numba.njit(nogil=True, error_model="numpy", **options)(function)
    part = _Part(function, targetoptions=door.targetoptions)
    for face in ("get_call_template", "get_overload", "fold_argument_types", "_compiling_counter"):
        setattr(door, face, getattr(part, face))  # compiled code, the function itself included, calls the part
    door._compiler = _DoorCompiler(part)
    if function.__closure__ is None:  # closures are not cached
        door._cache = _DiskCache(function, door._compiler)
        part._cache = _PartCache(function)
    return door


class _Part(CPUDispatcher):  # type: ignore[misc]
    """Function for compiled callers: neither optimised nor executable until Python calls a function that contains it.

    Numba would optimise a function once for itself and once more in each direct or indirect caller, and
    would make all of them callable from Python.
    """

    def __init__(self, function: Callable[..., Any], targetoptions: Any) -> None:
        super().__init__(function, targetoptions=targetoptions)
        self._compiler = _PartCompiler(function, self.targetdescr, targetoptions, {}, Compiler)

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres  # for compiled code only


class _PartCompiler(_FunctionCompiler):  # type: ignore[misc]
    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """Give all callers one form: treat constants as values, and widen signed integers to 64 bits.

        Numba would compile `log(s, 3, seat)` for every constant and every width of `seat`.  Arithmetic on
        small integers uses 64 bits anyway, so results do not change.
        """
        signature, given = super().fold_argument_types(args, kws)
        return signature, tuple(map(_widened, given))

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        compiled = super()._compile_core(args, return_type)
        library = compiled.library
        for called in dict.fromkeys(library._linking_libraries):
            library._final_module.link_in(called._get_module_for_linking(), preserve=True)
        compiled = compiled._replace(
            referenced_envs=compiled._find_referenced_environments(), type_annotation=None, metadata=None
        )
        library._finalize_dynamic_globals()
        library._finalized = True
        part = _part(compiled, library._get_module_for_linking().as_bitcode())
        part.target_context.insert_user_function(part.entry_point, part.fndesc, [part.library])
        return part


def _part(compiled: Any, bitcode: bytes) -> Any:
    """Return the compiled function in linkable form; Python cannot call it.

    A part includes all its callees, so it is stored as bitcode and parsed into an LLVM module only for linking.
    """
    library = compiled.library
    library._finalized = True
    library.bitcode = bitcode
    library._final_module = library._shared_module = None
    library._get_module_for_linking = partial(llvm.parse_bitcode, bitcode)
    return compiled._replace(entry_point=object())


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


class _DoorCompiler(_FunctionCompiler):  # type: ignore[misc]
    """Compile a part with its callees into optimised machine code that Python can call."""

    def __init__(self, part: _Part) -> None:
        super().__init__(part.py_func, part.targetdescr, part.targetoptions, {}, Compiler)
        self._part = part

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        self._part.compile(args)
        inner = self._part.overloads[args]
        context = inner.target_context
        library = context.codegen().create_library(inner.fndesc.qualname)
        library.enable_object_caching()
        library.add_linking_library(inner.library)
        context.create_cpython_wrapper(library, inner.fndesc, inner.environment, None, release_gil=True)
        entry_point = context.get_executable(library, inner.fndesc, inner.environment)
        door = inner._replace(library=library, entry_point=entry_point, metadata=None)
        for environment in door._find_referenced_environments():
            library.codegen.set_env(environment.env_name, environment)
        return door
