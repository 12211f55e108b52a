"""Catalogues: the same messages in all languages, and exactly those that the sources use.

A file has keys that begin with its name: `page.json` those of the section `page`, `page.dominoes.json` a part of
them.
"""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

import bolicho
from bolicho.i18n import _FIELD, LANGUAGES, catalogue, sections

PACKAGE = Path(bolicho.__file__).parent
FILES = [file.name for file in sections("en")]
SECTIONS = sorted({name.partition(".")[0] for name in FILES})
SECTION = rf"(?:{'|'.join(SECTIONS)})\."
FILE = r".*\.(?:js|css|html|json|svg|py|parquet|safetensors)"
HOLE = "\0"  # in a key that a source builds from parts


def placeholders(template):
    return {field[1] for field in _FIELD.finditer(template) if field[1]}


# --- Catalogues compared with each other ----------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_are_unique_and_begin_with_the_name_of_their_file(language):
    assert [file.name for file in sections(language)] == FILES
    for file in sections(language):
        pairs = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=list)
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"{file} has a key twice"
        assert [key for key in keys if not key.startswith(f"{file.stem}.")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_keys(language):
    assert set(catalogue(language).templates) ^ set(catalogue("en").templates) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_placeholders(language):
    ours, english = catalogue(language).templates, catalogue("en").templates
    assert {key: ours[key] for key in english if placeholders(ours[key]) != placeholders(english[key])} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_template_is_valid(language):
    for key, template in catalogue(language).templates.items():
        assert template.strip() or key == "agents.nothing", key
        assert not re.search(r"[{}]", _FIELD.sub("", template)), (key, template)


# --- Texts of the sources -------------------------------------------------------------------------


def text_of(node):
    """Return a literal text, with a hole for what is inserted; None if the node is no text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(text_of(part) or HOLE for part in values)
    return None


@cache
def python_texts():
    """Return every literal text of the package, and the keys of messages: the first argument of a `Message`."""
    every, said = set(), set()
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        every |= {text for node in ast.walk(tree) if (text := text_of(node))}
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and call.args and getattr(call.func, "id", "") == "Message":
                said |= {(file.name, text) for text in _keys_in(call.args[0])}
    return every, said


def _keys_in(node):
    """Return the keys that an expression may be: of `a if b else c`, both."""
    if isinstance(node, ast.IfExp):
        return _keys_in(node.body) | _keys_in(node.orelse)
    return {text} if (text := text_of(node)) else set()


@cache
def page_texts():
    """Return every literal text of the pages that looks like a key."""
    folders = [PACKAGE / "web" / "pages", PACKAGE / "site" / "pages", PACKAGE / "wasm" / "javascript"]
    files = [file for folder in folders for kind in ("js", "html") for file in folder.rglob(f"*.{kind}")]
    found = set()
    for file in files:
        for _, text in re.findall(rf"([\"'`])({SECTION}[^\"'`\n]*)\1", file.read_text(encoding="utf-8")):
            text = re.sub(r"\$\{[^}]*\}", HOLE, text)
            if not re.fullmatch(FILE, text):
                found.add((file.name, text))
    return found


def pattern(text):
    return re.compile(".+".join(map(re.escape, text.split(HOLE))))


def missing(texts):
    """Return the keys among texts that no catalogue has; a key with holes needs at least one match."""
    keys = catalogue("en").templates
    return sorted(
        (file, text.replace(HOLE, "{}"))
        for file, text in texts
        if (text not in keys if HOLE not in text else not any(pattern(text).fullmatch(key) for key in keys))
    )


def test_every_key_of_the_python_sources_is_in_the_catalogue():
    _, said = python_texts()
    assert len(said) > 100 and missing(said) == []


def test_every_key_of_the_pages_is_in_the_catalogue():
    assert missing(page_texts()) == []


def test_every_key_of_the_catalogue_is_used():
    every, _ = python_texts()
    texts = {text for text in every if re.match(SECTION, text)} | {text for _, text in page_texts()}
    whole = {text for text in texts if HOLE not in text}
    made = [  # a whole section proves no use
        pattern(text) for text in texts - whole if not re.fullmatch(SECTION + HOLE, text)
    ]
    joined = {"page.and", "page.or"}  # used by `Several`
    keys = set(catalogue("en").templates) - whole - joined
    assert sorted(key for key in keys if not any(one.fullmatch(key) for one in made)) == []
