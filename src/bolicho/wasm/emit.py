"""WebAssembly modules of compiled functions: from Numba's code to the bytes that a browser loads (docs/wasm.md).

Every function becomes a *door*, an exported function `code = door(out, ...)`.  It writes its result at the address
`out` and returns 0, or an error code.  Its arguments are flattened: a signed integer is an `i32`; an unsigned 64-bit
integer an `i64`; an array its address and its shape; a player the address of its slots (`pack.pack`).
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bolicho.games.jit import CACHE_DIR, njit  # noqa: F401, before llvmlite: refuses a Numba that is too new

# isort: split
import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numba
from numba import types

from bolicho.errors import BadInput
from bolicho.files import write_bytes_atomic
from bolicho.wasm.compiled import functions

TRIPLE = "wasm32-unknown-unknown"
LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"
STACK = 1 << 20
"""Bytes of the stack; arrays are in the heap."""

FUNCTIONS = ("exp", "log", "log10")
"""Functions of the C library that players use; a browser has none that gives the same bits everywhere."""

_HOME = Path(__file__).parent


class Door(NamedTuple):
    """Function to export: its name, the compiled function, and an example of each argument."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def module_of(doors: Iterable[Door]) -> bytes:
    """Return a WebAssembly module that exports these doors, `memory`, and `reserve(size)`, which never frees."""
    doors = list(doors)
    key = tuple((door.name, door.function, tuple(map(numba.typeof, door.arguments))) for door in doors)
    if key not in _modules:
        _modules[key] = _module_of(doors)
    return _modules[key]


_modules: dict[Any, bytes] = {}


def _module_of(doors: Iterable[Door]) -> bytes:
    names, symbols, source = [], [], ""
    linked = llvm.parse_assembly("")
    for door in doors:
        symbol, arguments, kinds = _link_in(linked, door)
        source += _wrapper(door.name, symbol, arguments, kinds)
        names.append(door.name)
        symbols.append(symbol)
    code = str(linked)
    for name in FUNCTIONS:
        if f"@llvm.{name}.f64(" in code or f"@{name}(" in code:
            symbol, *_ = _link_in(linked, Door(name, getattr(functions, name), (0.0,)))
            source += _FUNCTION.format(name=name, symbol=symbol)
            symbols.append(symbol)
    return _cached(str(linked), source, names, symbols)


def _link_in(linked: Any, door: Door) -> tuple[str, list[str], Any]:
    """Link the code of a door; return its symbol, and its arguments as LLVM and Numba type them."""
    compiled = _linkable(door)
    module = compiled.library._get_module_for_linking()
    symbol = compiled.fndesc.llvm_func_name
    arguments = [str(argument.type) for argument in module.get_function(symbol).arguments]
    module.get_function(symbol).linkage = llvm.Linkage.external
    if linked.triple == "":
        linked.triple, linked.data_layout = module.triple, module.data_layout
    linked.link_in(module)
    return symbol, arguments, compiled.signature.args


def _linkable(door: Door) -> Any:
    """Return the code of a function for these arguments, for linking; from the cache on disk after the first time."""
    part = door.function._compiler._part  # type: ignore[attr-defined]
    given = tuple(map(numba.typeof, door.arguments))
    _, folded = part._compiler.fold_argument_types(given, {})
    part.compile(folded)
    return part.overloads[folded]


def _cached(code: str, source: str, names: list[str], symbols: list[str]) -> bytes:
    digest = hashlib.sha256("\n".join([code, source, *map(_text, ("emit.py", "runtime.ll"))]).encode())
    path = CACHE_DIR / f"wasm.{digest.hexdigest()[:32]}"
    try:
        data = path.read_bytes()
        os.utime(path)
    except OSError:
        data = _emit(code, source, names, symbols)
        write_bytes_atomic(path, data)
    return data


def _text(name: str) -> str:
    return (_HOME / name).read_text()


# --- Code --------------------------------------------------------------------------------------


def _emit(code: str, source: str, names: list[str], symbols: list[str]) -> bytes:
    """Optimise for the layout that Numba assumed, then make it code for 32-bit addresses.

    Numba's passes have replaced the fields of structures by offsets that assume pointers of 64 bits, so the first step
    does the same with all others, and structures on the stack keep that size.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    native = llvm.parse_assembly(code)
    _hide_all_but(native, symbols)
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3)
    _optimise(native, machine, level=3)
    text = _for_wasm(str(native)) + source
    text += _DECLARED.sub(lambda found: "" if f"@{found[1]}(" in text else found[0], _text("runtime.ll"))
    module = llvm.parse_assembly(text)
    _hide_all_but(module, [*names, "reserve", *FUNCTIONS])
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        opt=3, features=FEATURES, reloc="static", codemodel="small"
    )
    _optimise(module, machine, level=3)
    missing = [function.name for function in module.functions if _is_missing(function)]
    if missing:
        raise BadInput(f"this code cannot run in a browser: it calls {', '.join(sorted(missing))}")
    return _link(machine.emit_object(module), [*names, "reserve"])


def _hide_all_but(module: Any, names: Iterable[str]) -> None:
    kept = set(names)
    for function in module.functions:
        if not function.is_declaration and function.name not in kept:
            function.linkage = llvm.Linkage.internal


def _is_missing(function: Any) -> bool:
    return function.is_declaration and not function.name.startswith("llvm.")


def _optimise(module: Any, machine: Any, level: int) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = options.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)


_ATTRIBUTES = re.compile(r' "(?:target-cpu|target-features|tune-cpu)"="[^"]*"')
_REFERENCES = re.compile(r"^define [^\n]*@NRT_(incref|decref)\(.*?^}\n", re.MULTILINE | re.DOTALL)
_NATIVE = re.compile(r"^declare [^\n]*@llvm\.x86\.[^\n]*\n", re.MULTILINE)
_ALLOCATED = re.compile(r"(= alloca )([^\n]*?)(?=, align)")
_DECLARED = re.compile(r"^declare [^@]*@([\w.]+)\(.*\n", re.MULTILINE)
_OWN = re.compile(r"^define [^@]*@(\w+)\(", re.MULTILINE)


def _for_wasm(text: str) -> str:
    text = re.sub(r"^target datalayout = .*$", f'target datalayout = "{LAYOUT}"', text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^target triple = .*$", f'target triple = "{TRIPLE}"', text, count=1, flags=re.MULTILINE)
    text = _ATTRIBUTES.sub("", text)
    text = _REFERENCES.sub("", text)
    text = _NATIVE.sub("", text)
    text = re.sub(r"^(@[^\n]*?= )common ", r"\1internal ", text, flags=re.MULTILINE)
    text = _ALLOCATED.sub(lambda found: found[1] + found[2].replace("ptr", "i64"), text)
    for name in (*_OWN.findall(_text("runtime.ll")), *FUNCTIONS):  # declared by Numba, defined by the runtime
        text = re.sub(rf"^declare [^\n]*@{name}\([^\n]*\n", "", text, flags=re.MULTILINE)
    return text


# --- Doors -------------------------------------------------------------------------------------


def _wrapper(name: str, symbol: str, arguments: list[str], kinds: Iterable[Any]) -> str:
    """Return the code of a door, which frees what the function allocates."""
    left = iter(arguments[2:])  # after the result and the exception
    parameters, lines, given = ["i32 %out"], [], ["ptr %result", "ptr @exception"]
    for number, kind in enumerate(kinds):
        for part in _argument(f"a{number}", kind, left):
            parameters += part.parameters
            lines += part.lines
            given += part.given
    assert next(left, None) is None, (name, arguments)
    body = "\n".join(f"  {line}" for line in lines)
    return f"""
define i32 @{name}({", ".join(parameters)}) {{
  %heap = load i32, ptr @heap
  %result = inttoptr i32 %out to ptr
{body}
  %code = call i32 @{symbol}({", ".join(given)})
  store i32 %heap, ptr @heap
  %none = icmp eq i32 %code, -2
  %told = select i1 %none, i32 0, i32 %code
  ret i32 %told
}}
"""


_FUNCTION = """
define double @{name}(double %x) {{
  %result = alloca double
  %code = call i32 @{symbol}(ptr %result, ptr @exception, double %x)
  %value = load double, ptr %result
  ret double %value
}}
"""


class _Argument(NamedTuple):
    parameters: list[str]
    lines: list[str]
    given: list[str]


def _argument(name: str, kind: Any, left: Iterator[str]) -> Iterator[_Argument]:
    """Yield the code that turns the parameters of a door into the arguments of the function."""
    if isinstance(kind, types.Array):
        yield _array(name, kind, left)
    elif isinstance(kind, types.BaseTuple):
        lines, given = [f"%{name} = inttoptr i32 %{name}.at to ptr"], []
        for slot in range(num_slots(kind)):
            kind_of_slot = next(left)
            lines.append(f"%{name}.{slot}.at = getelementptr i8, ptr %{name}, i32 {8 * slot}")
            lines.append(f"%{name}.{slot} = load {kind_of_slot}, ptr %{name}.{slot}.at")
            given.append(f"{kind_of_slot} %{name}.{slot}")
        yield _Argument([f"i32 %{name}.at"], lines, given)
    elif isinstance(kind, types.Record):
        next(left)
        yield _Argument([f"i32 %{name}.at"], [f"%{name} = inttoptr i32 %{name}.at to ptr"], [f"ptr %{name}"])
    elif isinstance(kind, types.Boolean) or (isinstance(kind, types.Integer) and kind.signed):
        wide = next(left)
        how = "sext" if wide == "i64" else "trunc" if wide != "i32" else "bitcast"
        yield _Argument([f"i32 %{name}.in"], [f"%{name} = {how} i32 %{name}.in to {wide}"], [f"{wide} %{name}"])
    else:
        wide = next(left)
        yield _Argument([f"{wide} %{name}"], [], [f"{wide} %{name}"])


def _array(name: str, kind: Any, left: Iterator[str]) -> _Argument:
    """Return the code for an array: address and shape; the rest follows, since it is contiguous."""
    for _ in range(5 + 2 * kind.ndim):
        next(left)
    item = kind.dtype.size if isinstance(kind.dtype, types.Record) else kind.dtype.bitwidth // 8
    axes = range(kind.ndim)
    parameters = [f"i32 %{name}.at", *(f"i32 %{name}.n{axis}" for axis in axes)]
    lines = [f"%{name} = inttoptr i32 %{name}.at to ptr"]
    lines += [f"%{name}.s{axis} = zext i32 %{name}.n{axis} to i64" for axis in axes]
    stride = str(item)
    strides = {}
    for axis in reversed(axes):
        strides[axis] = stride
        lines.append(f"%{name}.t{axis} = mul i64 {stride}, %{name}.s{axis}")
        stride = f"%{name}.t{axis}"
    lines.append(f"%{name}.size = sdiv i64 {stride}, {item}")
    given = ["ptr null", "ptr null", f"i64 %{name}.size", f"i64 {item}", f"ptr %{name}"]
    given += [f"i64 %{name}.s{axis}" for axis in axes] + [f"i64 {strides[axis]}" for axis in axes]
    return _Argument(parameters, lines, given)


def num_slots(kind: Any) -> int:
    """Return the number of slots of a value in a player (see `pack.pack`)."""
    if isinstance(kind, types.BaseTuple):
        return sum(map(num_slots, kind.types))
    return 5 + 2 * kind.ndim if isinstance(kind, types.Array) else 1


# --- Linking -----------------------------------------------------------------------------------


def _link(code: bytes, names: list[str]) -> bytes:
    linker = _linker()
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "code.o"), Path(folder, "code.wasm")
        given.write_bytes(code)
        exports = [f"--export={name}" for name in names]
        flags = ["--no-entry", "--strip-all", "--gc-sections", "-z", f"stack-size={STACK}", "--stack-first"]
        run = subprocess.run([*linker, *flags, *exports, str(given), "-o", str(made)], capture_output=True, text=True)
        if run.returncode:
            raise BadInput(f"the linker refused the code: {run.stderr.strip()}")
        return made.read_bytes()


def _linker() -> list[str]:
    """Return the command of the linker, from the extra `wasm`."""
    from importlib.util import find_spec
    from shutil import which

    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    if found := which("wasm-ld"):
        return [found]
    raise BadInput("WebAssembly needs a linker: pip install 'bolicho[wasm]'")
