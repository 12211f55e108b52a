"""`bolicho site build`: the pages of the server as static files, with tables in the browser in the place of matches."""

import gzip
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from bolicho import __version__
from bolicho.agents.player import Compiled, InMemoryAgent
from bolicho.agents.registry import Entry, built_in_entries
from bolicho.errors import BadInput
from bolicho.games import game as make_game
from bolicho.games import kind as find_kind
from bolicho.games.game import Game
from bolicho.i18n import LANGUAGES, catalogue
from bolicho.progress import progress
from bolicho.site.variants import variants
from bolicho.wasm import describe, doors
from bolicho.web.assets import PAGES, pages
from bolicho.web.game_list import opponents, told_of

HOME = Path(__file__).parent / "pages"
ENGINE = Path(doors.__file__).parent / "javascript"
HTML = ("index.html", "learn.html", "replay.html", "table.html")
"""Pages of a site."""

UNUSED = (
    "analyse", "agents.cbr", "agents.input", "agents.markov", "agents.neural", "agents.rules", "agents.search",
    "agents.sarsa", "lab",
    "page.arena", "page.fair", "page.puzzle", "page.research", "page.study",
    "server.arena", "server.bots", "server.study",
)  # fmt: skip
"""Beginnings of sentences that no page of a site says."""


TRIALS, SEARCH_TRIALS = 100, 8
"""Draws of luck with which a page tries a decision whose probabilities the player does not know."""

SMALL = 1 << 16
"""Bytes of an array below which it has no file of its own."""


@dataclass
class Built:
    """Files of a site, by path, and agents that it lacks with the reasons."""

    files: dict[str, bytes] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def keep(self, name: str, data: bytes, ending: str) -> str:
        """Add a file named by its content, once; return its path."""
        path = f"{name}-{sha256(data).hexdigest()[:12]}{ending}"
        self.files[path] = data
        return path

    @property
    def size(self) -> int:
        return sum(map(len, self.files.values()))


def build(folder: Path, games: Iterable[str]) -> Built:
    """Write a site with these games into a new or empty folder, or over an earlier site."""
    _check(folder)
    built = _with_games(games)
    _add_pages(built)
    _write(folder, built)
    return built


def package(folder: Path, games: Iterable[str]) -> Built:
    """Write a package for npm with these games: modules, type declarations, rules and agents."""
    _check(folder)
    built = _with_games(games)
    for path in [*ENGINE.rglob("*.js"), ENGINE / "index.d.ts", ENGINE / "README.md"]:
        built.files[path.relative_to(ENGINE).as_posix()] = path.read_bytes()
    entry = {"types": "./index.d.ts", "default": "./index.js"}
    about = {
        "name": "bolicho",
        "version": re.sub(r"\.?(dev|a|b|rc)", r"-\1", __version__, count=1),
        "description": "Truco, dominoes and 7 Wonders with agents, compiled to WebAssembly",
        "license": "MIT",
        "type": "module",
        "exports": {".": entry, "./*": "./*"},
        "engines": {"node": ">=20"},
    }
    built.files["package.json"] = json.dumps(about, indent=2).encode()
    _write(folder, built)
    return built


def _check(folder: Path) -> None:
    """Raise for a folder with other files."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "games" / "catalog.json").is_file():
        raise BadInput(f"{folder} has other files; name a new folder, or one with an earlier site")


def _with_games(games: Iterable[str]) -> Built:
    built = Built()
    catalog: dict[str, Any] = {"games": [], "agents": {}}
    chosen = list(games)
    with progress("building", len(chosen)) as bar:
        for name in chosen:
            bar.update(what=f"building {name}")
            _add_game(built, catalog, name)
            bar.advance()
    built.files["games/catalog.json"] = _json(catalog)
    return built


def _write(folder: Path, built: Built) -> None:
    for old in ("games", "agents", "a", "words"):
        shutil.rmtree(folder / old, ignore_errors=True)
    for path, data in built.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


# --- Games and agents ----------------------------------------------------------------------------


def _add_game(built: Built, catalog: dict[str, Any], name: str) -> None:
    kind = find_kind(name)
    usual = make_game(name)
    description = describe.describe_game(usual)
    known = _agents(built, usual)
    told: dict[str, Any] = {}
    seatings: list[dict[str, Any]] = []
    for rules in variants(kind):
        game = make_game(name, **rules)
        key = json.dumps(sorted(map(list, rules.items())), separators=(",", ":"))
        players = _players(built, game, known)
        if players not in seatings:
            seatings.append(players)
        told[key] = {**_variant(built, description, game), "players": seatings.index(players)}
    seated = list(seatings[0])
    players_at = built.keep(f"games/{_plain(name)}-players", _json(seatings), ".json")
    names = [list(players) for players in seatings]
    about = {"description": description, "variants": told, "agents": names, "players": players_at}
    file = built.keep(f"games/{_plain(name)}", _json(about), ".json")
    catalog["games"].append({**told_of(name, tuple(seated)), "drawn": False, "file": file})
    catalog["agents"][name] = opponents(name, [known[one] for one in seated], {})


def _plain(name: str) -> str:
    return re.sub(r"\W+", "-", name)


def _agents(built: Built, game: Game) -> dict[str, Entry]:
    """Return the agents of a game that compile; note the reasons for the others."""
    found = {}
    for entry in built_in_entries():
        if entry.name == "human" or entry.oracle or not entry.plays(game.name):
            continue
        try:
            doors.compiled_form(entry.made(), game, entry.name)
            found[entry.name] = entry
        except BadInput as reason:
            built.absent[entry.name] = str(reason)
    return found


def _variant(built: Built, description: Mapping[str, Any], game: Game) -> dict[str, Any]:
    """Return the parts of a description that differ for these rules, and the file of the rules."""
    own = describe.describe_game(game)
    told = {name: own[name] for name in ("rules", "seats", "num_actions") if own[name] != description[name]}
    record = {name: value for name, value in own["record"].items() if value != description["record"][name]}
    module = built.keep("games/rules", doors.game_module(game), ".wasm")
    return {**told, "record": record, "module": module}


def _players(built: Built, game: Game, known: Mapping[str, Entry]) -> dict[str, Any]:
    """Return the agents that play by these rules, with their files."""
    agents = {}
    for name, entry in known.items():
        try:
            agents[name] = _player(built, doors.compiled_form(entry.made(), game), game)
        except BadInput:
            if not game.options:  # otherwise what it learned is for other rules
                raise
    return agents


def _player(built: Built, agent: Compiled, game: Game) -> dict[str, Any]:
    code, packed = doors.player_module(agent, game)
    return {
        "code": built.keep("agents/code", code, ".wasm"),
        "data": [built.keep("agents/data", _zipped(part), ".bin.gz") for part in _parts(packed.arrays)],
        "about": describe.describe_player(agent, game, packed),
        "trials": SEARCH_TRIALS if isinstance(agent, InMemoryAgent) else TRIALS,
    }


def _parts(arrays: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the arrays in order, small neighbours joined: agents of a family share the files of large ones."""
    small = b""
    for array in arrays:
        if len(array) < SMALL:
            small += array
            continue
        if small:
            yield small
        yield array
        small = b""
    if small:
        yield small


@cache
def _zipped(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


# --- Pages ---------------------------------------------------------------------------------------


def _add_pages(built: Built) -> None:
    """Add the pages and their modules; modules of `site/pages` replace those of the server with the same name."""
    own = {path.name: path.read_bytes() for path in HOME.iterdir() if path.suffix in (".js", ".css")}
    used = _modules([*own, *HTML], own)
    for name in sorted(used):
        built.files[f"a/{name}"] = _moved(own.get(name) or (PAGES / name).read_bytes(), name)
    built.files["a/manifest.webmanifest"] = _json(_manifest())
    for path in ENGINE.rglob("*.js"):
        built.files[f"a/engine/{path.relative_to(ENGINE).as_posix()}"] = path.read_bytes()
    footer = (HOME / "footer.html").read_text().strip()
    for name in HTML:
        text = pages()[name].body.decode().replace("</head>", '<link rel="stylesheet" href="/a/site.css">\n</head>')
        text = _FOOTER.sub(rf"\1{footer}\2", text)
        built.files[name] = _relative(text).replace('href="/"', 'href="index.html"').encode()
    for language in LANGUAGES:
        said = {key: text for key, text in catalogue(language).templates.items() if not key.startswith(UNUSED)}
        built.files[f"words/{language}.json"] = _json(said)
    first = sorted(path for path in built.files if not path.startswith("agents/"))
    version = sha256(b"".join(path.encode() + built.files[path] for path in first)).hexdigest()[:16]
    offline = built.files.pop("a/offline.js").decode()
    listed = [path for path in first if path != "a/offline.js"]
    built.files["offline.js"] = offline.replace("@VERSION@", version).replace("@FILES@", json.dumps(listed)).encode()


_FOOTER = re.compile(r'(<footer class="researchers">).*?(</footer>)')  # of the home page: studies and tournaments
_NAMED = re.compile(r"/a/([\w.-]+?\.(?:js|css|svg|png|webmanifest))")
_LOOKS = ("truco", "dominoes", "wonders", "generic")


def _modules(start: Iterable[str], own: Mapping[str, bytes]) -> set[str]:
    """Return the files that pages name, directly or not."""
    found: set[str] = set()
    waiting = {*start, *(f"{look}{ending}" for look in _LOOKS for ending in (".js", ".css")), "wood.svg"}
    while waiting:
        name = waiting.pop()
        found.add(name)
        if not name.endswith(".png"):
            body = own[name] if name in own else pages()[name].body
            waiting |= {other for other in _NAMED.findall(body.decode()) if (PAGES / other).is_file() or other in own}
        waiting -= found
    return found - set(HTML)


def _manifest() -> dict[str, Any]:
    """Return the manifest of an installed site, with addresses relative to its own."""
    told: dict[str, Any] = json.loads(pages()["manifest.webmanifest"].body)
    del told["id"]  # by default the start
    icons = [{**icon, "src": icon["src"].removeprefix("/a/")} for icon in told["icons"]]
    shortcuts = [{**one, "url": one["url"].replace("/learn/", "../learn.html?game=")} for one in told["shortcuts"]]
    return {**told, "start_url": "../index.html", "scope": "../", "icons": icons, "shortcuts": shortcuts}


def _moved(body: bytes, name: str) -> bytes:
    """Return a module with relative addresses: imports beside it, files from the page's folder."""
    if not name.endswith(".js"):
        return body
    text = re.sub(r'(from|import) "/a/', r'\1 "./', body.decode())
    text = text.replace("import(`/a/", "import(`./").replace('import("/a/', 'import("./')
    return _relative(text).encode()


def _relative(text: str) -> str:
    return re.sub(r'(["`(])/(a|words)/', r"\1\2/", text)
