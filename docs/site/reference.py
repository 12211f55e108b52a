"""The parts of the reference that come from the program itself, as Markdown.

Each function of `PARTS` returns what a comment `<!-- generated: NAME ARGUMENT -->` of a page stands for.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
from markdown_tables import code, table
from shown_data import (
    columns,
    features,
    file_formats,
    leaderboard,
    outcomes,
    promises,
    record_fields,
    study_table,
    view_fields,
)  # fmt: skip

import bolicho


def rules(game: str) -> str:
    """Return the rules of a game's package."""
    return (Path(bolicho.__file__).parent / "games" / game / "rules.md").read_text(encoding="utf-8")


# --- Command line -------------------------------------------------------------------------------


def cli() -> str:
    """Return every command with its arguments and options."""
    from bolicho.cli import app

    group = typer.main.get_command(app)
    return "\n".join(_command(typer.Context(group, info_name="bolicho"), 2))


def _command(context: Any, level: int) -> Iterator[str]:
    command = context.command
    yield f"{'#' * level} `{context.command_path}`\n"
    yield (inspect.cleandoc(command.help or "")) + "\n"
    yield f"```text\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    records = [(parameter, parameter.get_help_record(context)) for parameter in command.get_params(context)]
    for kind in ("argument", "option"):
        rows = [(code(name), what) for p, (name, what) in filter(_has_help, records) if p.param_type_name == kind]
        if rows:
            yield table([kind, ""], rows)
    for name, child in getattr(command, "commands", {}).items():
        yield from _command(typer.Context(child, info_name=name, parent=context), min(level + 1, 3))


def _has_help(record: tuple[Any, Any]) -> bool:
    return record[1] is not None


# --- Agents and trainings -----------------------------------------------------------------------


def agents() -> str:
    """Return every agent, by technique, with the options it takes."""
    from bolicho.agents.registry import entries

    found = list(entries())
    parts = []
    for declared in dict.fromkeys(entry.declared for entry in found):
        here = [entry for entry in found if entry.declared == declared]
        title, about = _technique(declared)
        rows = [(code(entry.name), _games(entry), entry.about + " Oracle." * _adds_oracle(entry)) for entry in here]
        parts += [f"## {title}\n", about, table(["agent", "games", "what it does"], rows)]
        for same in _same_options(here).values():
            if options := same[0].options:
                parts.append(f"Options of {', '.join(code(entry.name) for entry in same)}:\n")
                means = meanings(same[0].factory())
                rows = [(code(key), code(repr(v)), means.get(key, "")) for key, v in options.items()]
                parts.append(table(["option", "default", ""], rows))
    return "\n".join(parts)


def _technique(declared: str) -> tuple[str, str]:
    """Return the name of a technique and the summary of the module that declares it."""
    if not declared:
        return "Installed packages", ""
    module = import_module(declared)
    return module.TECHNIQUE.name, (inspect.getdoc(module) or "").partition("\n\n")[0] + "\n"


def _games(entry: Any) -> str:
    return "all" if entry.games is None else ", ".join(entry.games) or "by its options"


def _adds_oracle(entry: Any) -> bool:
    return entry.oracle and "oracle" not in entry.about


def _same_options(found: list[Any]) -> dict[str, list[Any]]:
    """Return agents by their options: many presets of one class take the same."""
    groups: dict[str, list[Any]] = {}
    for entry in found:
        groups.setdefault(repr(entry.options), []).append(entry)
    return groups


def meanings(factory: Any) -> dict[str, str]:
    """Return what options of an agent or a training mean, from comments and docstrings of their dataclass."""
    found: dict[str, str] = {}
    for parameter in inspect.signature(factory).parameters.values():
        if is_dataclass(parameter.default):
            source = inspect.getsource(type(parameter.default))
            found |= dict(re.findall(r"^    (\w+): [^#\n]+  # (.*)$", source, re.MULTILINE))
            found |= {
                name: " ".join(text.split())
                for name, text in re.findall(r'^    (\w+): [^\n]+\n    """(.*?)"""', source, re.MULTILINE | re.DOTALL)
            }
    return found


def trainings() -> str:
    """Return every training with its games and options."""
    from bolicho.agents.training import trainings as all_trainings

    by_name: dict[str, list[Any]] = {}
    for chosen in all_trainings():
        by_name.setdefault(chosen.training.name, []).append(chosen)
    return "\n".join(_training(name, chosen) for name, chosen in by_name.items())


def _training(name: str, chosen: list[Any]) -> str:
    parts = [f"## `{name}`\n"]
    parts += [f"```text\nbolicho train {name} {'|'.join(one.game for one in chosen)} [OPTION=VALUE]...\n```\n"]
    about: dict[Any, list[str]] = {}
    for one in chosen:
        about.setdefault((one.training.about, one.training.played), []).append(one.game)
    for (what, played), games in about.items():
        parts.append(f"- {', '.join(games)}: {what}{f'; `{played}` plays it' if played else ''}.")
    options = {one.game: one.options() for one in chosen}
    names = dict.fromkeys(option for found in options.values() for option in found)
    from bolicho.agents.technique import load

    means = meanings(load(chosen[0].training.learner))
    rows = [
        [
            code(key),
            *(code(repr(found[key][0])) if key in found else "" for found in options.values()),
            means.get(key, ""),
        ]
        for key in names
    ]
    parts.append("\n" + table(["option", *(f"default, {game}" for game in options), ""], rows))
    return "\n".join(parts)


# --- Python -------------------------------------------------------------------------------------


def module(name: str) -> str:
    """Return the public names of a module with their signatures and docstrings."""
    found = import_module(name)
    public = getattr(found, "__all__", None) or [
        key for key, value in vars(found).items() if not key.startswith("_") and _home(value) == name and value.__doc__
    ]
    elsewhere = [key for key in public if name != "bolicho" and key in bolicho.__all__]
    parts = [markdown(found), f":::::{{py:module}} {name}\n:::::\n"]
    if elsewhere:
        links = ", ".join(f"{{py:obj}}`bolicho.{key}`" for key in sorted(elsewhere))
        parts.append(f"The same as in `bolicho`: {links}.\n")
    parts += [documented(f"{name}.{key}", getattr(found, key)) for key in public if key not in elsewhere]
    return "\n".join(parts)


def documented(name: str, value: Any) -> str:
    """Return the description of a class, a function, or a module of functions."""
    value = getattr(value, "py_func", value)  # the source of a compiled function
    if inspect.ismodule(value):
        functions = [(key, one) for key, one in vars(value).items() if _is_stub(one, value)]
        return f"## `{name}`\n\n{markdown(value)}\n" + "\n".join(
            documented(f"{name}.{key}", one) for key, one in functions
        )
    if inspect.isclass(value):
        members = "\n".join(_members(value))
        directive = "exception" if issubclass(value, BaseException) else "class"
        return f"::::{{py:{directive}}} {name}{_signature(value)}\n{markdown(value)}\n{members}\n::::\n"
    if callable(value):
        return f"::::{{py:function}} {name}{_signature(value)}\n{markdown(value)}\n::::\n"
    return f"::::{{py:data}} {name}\n{code(repr(value)) if isinstance(value, int | str) else ''}\n::::\n"


def _is_stub(value: Any, home: ModuleType) -> bool:
    """Return whether a module defines a function that games or players implement."""
    return inspect.isfunction(value) and value.__module__ == home.__name__ and not value.__name__.startswith("_")


def _home(value: Any) -> str:
    """Return the module that defines a value; of plain data, none."""
    return getattr(value, "__module__", "") if callable(value) else ""


def _members(owner: type) -> Iterator[str]:
    """Yield the documented public methods and properties of a class."""
    fields = getattr(owner, "__dataclass_fields__", {})  # part of the signature
    for attribute in sorted(inspect.classify_class_attrs(owner), key=lambda found: found.name):
        of_ours = attribute.defining_class.__module__.startswith("bolicho")
        if (
            attribute.name.startswith("_")
            or attribute.name in fields
            or not of_ours
            or not (text := _own_doc(attribute.object))
        ):
            continue
        function = getattr(attribute.object, "__func__", attribute.object)
        if inspect.isfunction(function):
            yield f":::{{py:method}} {attribute.name}{_signature(function, drop=1)}\n{text}\n:::\n"
        else:
            yield f":::{{py:property}} {attribute.name}\n{text}\n:::\n"


def _own_doc(value: Any) -> str:
    """Return the docstring of a method or a property; of plain data, nothing."""
    is_property = isinstance(value, property | cached_property)
    return markdown(value) if is_property or inspect.isfunction(getattr(value, "__func__", value)) else ""


def _signature(value: Any, drop: int = 0) -> str:
    """Return the arguments as the source has them; of generated code, as Python prints them."""
    is_class = inspect.isclass(value)
    try:
        source = textwrap.dedent(inspect.getsource(value.__init__ if is_class else value))
    except (OSError, TypeError):
        return _printed_signature(value)
    found = ast.parse(source).body[0]
    if not isinstance(found, ast.FunctionDef):  # an attribute that holds a function
        return _printed_signature(value)
    for _ in range(1 if is_class else drop):
        (found.args.posonlyargs or found.args.args).pop(0)
    returned = (
        found.returns.value if isinstance(found.returns, ast.Constant) else found.returns and ast.unparse(found.returns)
    )
    return f"({ast.unparse(found.args)})" + (f" -> {returned}" if returned and not is_class else "")


def _printed_signature(value: Any) -> str:
    """Return the arguments of a dataclass or a named tuple, without the modules of their types."""
    try:
        found = inspect.signature(value).replace(return_annotation=inspect.Signature.empty)
    except (TypeError, ValueError):
        return ""
    plain = [p.replace(default=...) if " at 0x" in repr(p.default) else p for p in found.parameters.values()]
    return re.sub(r"\b(?:[a-zA-Z_]\w*\.)+([A-Za-z_]\w*)", r"\1", str(found.replace(parameters=plain)))


def markdown(value: Any) -> str:
    """Return a docstring as Markdown, with its examples as code."""
    text = inspect.getdoc(value) or ""
    if not str(getattr(value, "__module__", "bolicho")).startswith("bolicho"):
        text = text.partition("\n\n")[0]  # only the first sentence of another package's docstring
    text = re.sub(r"^>>> (?:.+\n?)+", lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text, flags=re.MULTILINE)
    return text + "\n"


# --- HTTP ---------------------------------------------------------------------------------------


@cache
def _app() -> Any:
    """Return the server's application, which is never opened: it reads no database and starts no process."""
    from sqlalchemy import create_engine

    from bolicho.web.app import make_app
    from bolicho.web.app_state import Settings
    from bolicho.web.workers import AgentPool

    return make_app(Settings(""), AgentPool([]), create_engine("sqlite://"))


def rest() -> str:
    """Return every request of the server's OpenAPI description, and the structures that it names."""
    described = _app().openapi()
    groups: dict[str, list[str]] = {}
    refusals: dict[str, str] = {}
    for path, methods in described["paths"].items():
        for method, call in methods.items():
            groups.setdefault(path.split("/")[2], []).append(_call(method, path, call))
            refusals |= {s: r["description"] for s, r in call["responses"].items() if s >= "400"}
    parts = [f"## {name.capitalize()}\n\n" + "\n".join(calls) for name, calls in groups.items()]
    parts += ["## Refusals\n", "Every request may be refused; the body is [RefusalResponse](#refusalresponse).\n"]
    parts += [table(["status", ""], sorted(refusals.items())), "## Structures\n"]
    parts += [_structure(name, schema) for name, schema in sorted(described["components"]["schemas"].items())]
    return "\n".join(parts)


def _call(method: str, path: str, call: dict[str, Any]) -> str:
    parts = [f"### `{method.upper()} {path}`\n", call.get("description", "") + "\n"]
    parameters = [
        (code(p["name"]), p["in"], _type(p["schema"]), _default(p["schema"], p.get("required", False)))
        for p in call.get("parameters", [])
    ]
    if parameters:
        parts.append(table(["parameter", "in", "type", "default"], parameters))
    for body in call.get("requestBody", {}).get("content", {}).values():
        parts.append(f"Body: {_type(body['schema'])}\n")
    for status, answer in call["responses"].items():
        if status < "400":
            schemas = [_type(content.get("schema", {})) for content in answer.get("content", {}).values()]
            parts.append(f"Answer: {status}{', ' if any(schemas) else ''}{', '.join(filter(None, schemas))}\n")
    return "\n".join(parts)


def _structure(name: str, schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    rows = [
        (code(key), _type(one), _default(one, key in required), one.get("description", ""))
        for key, one in schema.get("properties", {}).items()
    ]
    about = schema.get("description", "").partition("\n\n")[0]
    return f"### {name}\n\n{about}\n\n" + (
        table(["field", "type", "default", ""], rows) if rows else _type(schema) + "\n"
    )


def _type(schema: dict[str, Any]) -> str:
    """Return a JSON schema in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(_type(one) for one in schema[key])
    if "const" in schema or "enum" in schema:
        return ", ".join(code(repr(one)) for one in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", "")
    if kind == "array":
        items = schema.get("items") or {}
        each = " × ".join(_type(one) for one in schema["prefixItems"]) if "prefixItems" in schema else _type(items)
        return f"list of {each or 'any'}" + _bounds(schema)
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties']) or 'any'}"
    return kind + _bounds(schema)


BOUNDS = {
    "minimum": "≥ {}", "exclusiveMinimum": "> {}", "maximum": "≤ {}", "exclusiveMaximum": "< {}", "pattern": "`{}`",
    "minLength": "{} characters or more", "maxLength": "{} characters or fewer",
    "minItems": "{} items or more", "maxItems": "{} items or fewer",
}  # fmt: skip


def _bounds(schema: dict[str, Any]) -> str:
    found = [text.format(schema[key]) for key, text in BOUNDS.items() if key in schema]
    return f" ({', '.join(found)})" if found else ""


def _default(schema: dict[str, Any], required: bool) -> str:
    if required:
        return "required"
    return code(repr(schema["default"])) if "default" in schema else ""


def streams() -> str:
    """Return the addresses that OpenAPI does not describe: the WebSocket and the streams of lines."""
    rows = [
        (
            code(("WS " if "WebSocket" in type(route).__name__ else "GET ") + route.path),
            inspect.getdoc(route.endpoint) or "",
        )
        for route in _app().routes
        if "WebSocket" in type(route).__name__ or route.path.startswith("/api/stream/")
    ]
    return table(["address", ""], rows)


_ALL = (
    agents, cli, columns, features, file_formats, leaderboard, module, outcomes, promises, record_fields, rest, rules,
    streams, study_table, trainings, view_fields,
)  # fmt: skip
PARTS: dict[str, Callable[..., str]] = {part.__name__: part for part in _ALL}
