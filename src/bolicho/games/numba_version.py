"""Supported versions of Numba, and the private names of Numba that `jit.py` and `kernel.py` use.

Numba guarantees none of these names.  With a version outside the tested range, the import checks them: if one is
missing, it fails and names it, since compilation would otherwise fail somewhere inside Numba; if none is, it prints
on stderr that the version was not tested.
"""

import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numba

OLDEST, NEWEST = (0, 61), (0, 68)
"""The tested range, equal to that in `pyproject.toml`: 0.61.0, and 0.68.1."""

WANTED = f"numba>={OLDEST[0]}.{OLDEST[1]},<{NEWEST[0]}.{NEWEST[1] + 1}"

NAMES: dict[str, str | None] = {
    "numba.core.event:Listener": None,
    "numba.core.event:register": "kind listener",
    "numba.core.caching:NullCache": None,
    "numba.core.caching:NullCache.load_overload": "self sig target_context",
    "numba.core.caching:NullCache.save_overload": "self sig cres",
    "numba.core.compiler:Compiler": None,
    "numba.core.compiler:compile_result": "entries",
    "numba.core.compiler:CompileResult._reduce": "self",
    "numba.core.compiler:CompileResult._rebuild": None,
    "numba.core.compiler:CompileResult._find_referenced_environments": "self",
    "numba.core.compiler:CompileResult._replace": None,
    "numba.core.dispatcher:_FunctionCompiler": "py_func targetdescr targetoptions locals pipeline_class",
    "numba.core.dispatcher:_FunctionCompiler.fold_argument_types": "self args kws",
    "numba.core.dispatcher:_FunctionCompiler._customize_flags": "self flags",
    "numba.core.dispatcher:_FunctionCompiler._compile_core": "self args return_type",
    "numba.core.registry:CPUDispatcher": None,
    "numba.core.registry:CPUDispatcher.get_call_template": "self args kws",
    "numba.core.registry:CPUDispatcher.get_overload": "self sig",
    "numba.core.registry:CPUDispatcher.add_overload": "self cres",
    "numba.core.registry:CPUDispatcher.compile": "self sig",
    "numba.core.serialize:dumps": "obj",
    "numba.core.types:BaseNamedTuple": None,
    "numba.core.types:Record.mangling_args": None,
    "numba.core.typing.templates:AbstractTemplate": None,
    "numba.core.typing.templates:infer_global": None,
    "llvmlite.binding:parse_bitcode": None,
    "llvmlite.binding:ModuleRef.as_bitcode": "self",
    "llvmlite.binding:ModuleRef.link_in": "self other preserve",
}
"""Each name as module:name, with its parameters if `jit.py` replaces it or depends on their order."""

OF_A_DISPATCHER = ("_cache", "_compiler", "_compiling_counter", "overloads", "targetdescr", "targetoptions")
OF_A_RESULT = ("entry_point", "environment", "fndesc", "library", "lifted", "metadata", "signature", "target_context")
OF_A_LIBRARY = (
    *("_final_module", "_finalized", "_finalize_dynamic_globals", "_get_module_for_linking", "_linking_libraries"),
    *("_shared_module", "add_linking_library", "codegen", "enable_object_caching", "has_dynamic_globals", "name"),
)
OF_A_CONTEXT = ("codegen", "create_cpython_wrapper", "get_executable", "insert_user_function", "refresh")
OF_A_CODEGEN = ("create_library", "magic_tuple", "set_env")
OF_FLAGS = ("no_compile", "no_cfunc_wrapper", "no_cpython_wrapper", "nrt")


def missing() -> list[str]:
    """Return the private names that the installed Numba lacks or defines with other parameters."""
    return [*_missing_names(), *_missing_attributes()]


def _missing_names() -> Iterator[str]:
    for name, parameters in NAMES.items():
        home, _, path = name.partition(":")
        try:
            found: Any = import_module(home)
            for part in path.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError):
            yield f"{home}.{path}"
            continue
        if parameters is not None and list(inspect.signature(found).parameters) != parameters.split():
            yield f"{home}.{path}({', '.join(parameters.split())})"


def _missing_attributes() -> Iterator[str]:
    """Yield missing attributes of objects; classes do not declare all of them."""
    try:
        from numba.core.compiler import CompileResult, Flags
        from numba.core.registry import cpu_target

        context = cpu_target.target_context
        codegen = context.codegen()
        objects = (
            ("dispatcher", numba.njit(_missing_names), OF_A_DISPATCHER),
            ("CompileResult", CompileResult, OF_A_RESULT),
            ("code library", codegen.create_library("bolicho"), OF_A_LIBRARY),
            ("target context", context, OF_A_CONTEXT),
            ("codegen", codegen, OF_A_CODEGEN),
            ("Flags", Flags, OF_FLAGS),
        )
    except (ImportError, AttributeError, TypeError) as problem:
        yield str(problem)
        return
    for what, found, names in objects:
        yield from (f"{name} of a {what}" for name in names if name not in dir(found))


def check_version() -> None:
    """Raise if Numba lacks a name; print a notice for an untested version."""
    if OLDEST <= tuple(int(part) for part in numba.__version__.split(".")[:2]) <= NEWEST:
        return
    if lacking := missing():
        raise ImportError(
            f"bolicho cannot compile with numba {numba.__version__}, which lacks {', '.join(lacking)}; "
            f"pip install '{WANTED}'"
        )
    print(
        f"bolicho was not tested with numba {numba.__version__}; if something fails: pip install '{WANTED}'",
        file=sys.stderr,
    )


check_version()
