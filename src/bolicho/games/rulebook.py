"""Rules of a game as text, for readers of prompts and tools."""

from importlib import import_module
from pathlib import Path

from bolicho.games import home
from bolicho.games.game import Game

RULES = "rules.md"


def rules_file(game: Game) -> Path | None:
    """Return the file `rules.md` in the package of a game, or None where there is none."""
    module = import_module(home(game.name).partition(":")[0])
    if module.__file__ is None or not hasattr(module, "__path__"):
        return None
    path = Path(module.__file__).with_name(RULES)
    return path if path.is_file() else None


def rules_text(game: Game) -> str:
    """Return the title of a game, its rules where they are written, and the options that this match changes."""
    path = rules_file(game)
    text = f"# {game.kind.title}\n\n" + (path.read_text(encoding="utf-8") if path is not None else "")
    changed = [f"`{name}` is `{value!r}`" for name, value in game.options.items()]
    options = f"all options have their defaults ({game.seats} seats)" if not changed else ", ".join(changed)
    return f"{text.rstrip()}\n\nIn this match (`{game.name}`): {options}.\n"
