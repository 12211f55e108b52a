"""Seeded mutations of texts, JSON values and files."""

import json
import random

LETTERS = [
    "\u2028",
    "\u2029",
    "\x85",
    "\x00",
    "\x1b[2J",
    "\u202e",
    "é",
    "🂡",
    "\ufeff",
    "[red]",
    "[/nonsense]",
    "'",
    '"',
    "\\",
    "\n",
]
ODD = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    -0.0,
    1e308,
    2**63,
    2**64,
    10**19,
    10**4000,
    "",
    " ",
    "self",
    "NaN",
    "1e",
    "random",
    [],
    {},
    [[]],
    {"self": 1},
    {"name": 1},
    ["1e"],
    "\ud800",
    *LETTERS,
]
TOKENS = [
    b"9" * 5000,
    b"[" * 20_000,
    b"{" * 3000,
    b'{"a":' * 20_000,
    b"(" * 5000,
    b"-" * 3000,
    b"NaN",
    b"1e999",
    b"-1",
    b"0x" + b"f" * 5000,
    b"null",
    b"true",
    b'"',
    b"\xff",
    b"\xed\xa0\x80",
    b"\r\n",
    b"\n\n",
    b" ",
    b",",
    b"=",
    b":",
    b"1_000",
    b"1979-05-27",
]


def bytes_of(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with some of them changed, lost, doubled, exchanged or inserted."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice([1, 1, 2, 8, 40]))
        match rng.randrange(7):
            case 0:
                data = data[:at] + bytes(byte ^ 1 << rng.randrange(8) for byte in data[at:end]) + data[end:]
            case 1:
                data = data[:at]
            case 2:
                data = data[:end] + data[at:]
            case 3:
                data = data[:at] + data[end:]
            case 4:
                data = data[:at] + rng.choice(TOKENS) + data[at:]
            case 5:
                data = data[:at] + rng.choice(TOKENS) + data[end:]
            case 6:
                data = data[:at] + rng.choice(LETTERS).encode() + data[at:]
    return data


def value_of(value: object, rng: random.Random) -> object:
    """Return the JSON value with one place changed: another type, another value, doubled, lost or renamed."""
    value = json.loads(json.dumps(value))
    places = []

    def walk(inside: object) -> None:
        if isinstance(inside, dict | list):
            for key in list(inside) if isinstance(inside, dict) else range(len(inside)):
                places.append((inside, key, inside[key]))
                walk(inside[key])

    walk(value)
    named = [place for place in places if isinstance(place[0], dict)]  # rare among the items of long lists
    holder, key, old = rng.choice(rng.choice([places, named]) or places)
    match rng.randrange(6):
        case 0 | 1:
            holder[key] = rng.choice(ODD)
        case 2:
            holder[key] = json.loads(json.dumps(rng.choice(places)[2]))
        case 3:
            del holder[key]
        case 4 if isinstance(old, list):
            del old[rng.randrange(len(old) + 1) :]
        case 5 if isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), old)
        case _:
            holder[str(rng.choice(ODD))[:20] if isinstance(holder, dict) else key] = [old]
    return value


def json_of(value: object, rng: random.Random) -> bytes:
    """Return a JSON value with a changed meaning or changed bytes."""
    if rng.random() < 0.5:
        value = value_of(value, rng)
        for _ in range(rng.randrange(2)):
            value = value_of(value, rng) if isinstance(value, dict) and value else value
        return json.dumps(value, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
    return bytes_of(json.dumps(value, ensure_ascii=False).encode(), rng)
