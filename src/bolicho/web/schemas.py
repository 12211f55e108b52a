"""Shared parts of the HTTP interface: field types, tokens and replies."""

import json
import unicodedata
from ipaddress import IPv6Address, IPv6Network
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request, Response
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from starlette.requests import HTTPConnection

from bolicho.i18n import Message
from bolicho.store.tokens import Holder, holder
from bolicho.web.assets import Asset
from bolicho.web.match import dumps
from bolicho.web.refusal import Refusal
from bolicho.web.transactions import Transaction

JOINERS = "\u200c\u200d"  # invisible, but needed in some scripts and emoji


def _shown_as_written(name: str) -> str:
    """Check that a name reads the same everywhere: visible, without control characters or changes of direction."""
    hidden = [letter for letter in name if unicodedata.category(letter) in HIDDEN and letter not in JOINERS]
    if hidden or not name.strip(JOINERS):
        raise ValueError("a name must have visible letters and no control characters")
    return name


HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=24),
    AfterValidator(_shown_as_written),
]
Nonce = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
NonceCommit = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]
Code = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Number = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{1,16}$")]
ActionText = Annotated[str, StringConstraints(min_length=1, max_length=80)]
BotName = Annotated[str, StringConstraints(max_length=40, pattern=r"^[A-Za-z0-9_.-]*$")]
GameName = Annotated[str, StringConstraints(max_length=40)]
Spec = Annotated[str, StringConstraints(max_length=200)]
RulesRequest = Annotated[dict[GameName, bool | int | str], Field(max_length=20)]
RulesText = Annotated[str, Query(max_length=1000, description="rules that differ from the default, as a JSON object")]
Bearer = Annotated[str | None, Header(alias="authorization", max_length=200)]
Ply = Annotated[int, Query(ge=0, le=100_000)]


class Strict(BaseModel):
    """Body of a request; unknown fields and text that is not Unicode are refused."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_unicode(cls, data: Any) -> Any:
        """Refuse lone surrogates, which JSON can spell and no database or file can hold."""
        try:
            json.dumps(data, ensure_ascii=False, default=repr).encode()
        except (UnicodeEncodeError, RecursionError):
            raise ValueError("text must be Unicode without lone surrogates, and not nested deeply") from None
        return data


class ClockRequest(Strict):
    """Thinking time of a seat: seconds for the whole match, and seconds added with every move."""

    seconds: Annotated[float, Field(ge=5, le=86_400)]
    plus: Annotated[float, Field(ge=0, le=600)] = 0


class OptionsRequest(Strict):
    """Options that the players agree to."""

    why: bool = True
    hint: bool = True
    open_end: bool = True
    clock: ClockRequest | None = None
    series: Annotated[int, Field(ge=10, le=1000)] | None = None  # points to win over several games


class RefusalResponse(BaseModel):
    """Body of every refusal."""

    says: Annotated[
        tuple[str, dict[str, Any]], Field(description="key of a sentence in the catalogues, and its values")
    ]
    message: Annotated[str, Field(description="the sentence in English")]
    after: Annotated[float | None, Field(description="seconds after which to repeat the request, if that helps")] = None


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "model": RefusalResponse}
    for status, text in {
        400: "Not a valid HTTP request.", 401: "A token is needed.", 403: "The token does not allow this.",
        404: "No such match, page or call.", 405: "The method is not allowed here.",
        408: "The request did not arrive in time.", 409: "Not possible in the present state.",
        410: "The invitation is used or expired.", 413: "The body is too large.",
        422: "Invalid request: `message` names the field and the problem.",
        429: "Too many requests: `after` says when to repeat the request.", 500: "An error of the server.",
        503: "Not available at the moment: `after` says when to repeat the request.",
    }.items()
}  # fmt: skip


_RULES = TypeAdapter(RulesRequest)


def read_rules(text: str) -> dict[str, bool | int | str]:
    """Return rules from JSON."""
    try:
        return _RULES.validate_json(text, strict=True)
    except ValidationError as problem:
        raise Refusal(422, Message("server.unreadable", where="rules", problem=problem.errors()[0]["msg"])) from None


def client_of(connection: HTTPConnection) -> str:
    """Return the key under which a client without a token is counted: its address; of IPv6 the network."""
    host = connection.client.host if connection.client else ""
    if ":" in host:
        address = IPv6Address(host.partition("%")[0])
        host = str(address.ipv4_mapped or IPv6Network((address, NETWORK), strict=False))
    return f"client\n{host}"  # no token has a line break


NETWORK = 64  # bits of an IPv6 address that identify a subscriber
Client = Annotated[str, Depends(client_of)]


def token_of(authorization: str | None) -> str | None:
    """Return the token of a header, or None without a header."""
    if authorization is None:
        return None
    scheme, _, token = authorization.partition(" ")
    if scheme.casefold() != "bearer" or not token or len(token) > 100 or not token.isascii():
        raise Refusal(401, Message("server.token"))
    return token


def needed_token(authorization: str | None) -> str:
    """Return the token of a header; refuse a request without one."""
    token = token_of(authorization)
    if token is None:
        raise Refusal(401, Message("server.no-token"))
    return token


def known(transaction: Transaction, token: str) -> Holder:
    """Return the holder of a personal token; refuse an unknown token."""
    found = holder(transaction.connection, token)
    if found is None:
        raise Refusal(401, Message("server.bots.token"))
    return found


def allowed(transaction: Transaction, token: str, scope: str) -> Holder:
    """Return the holder of a personal token with a scope; refuse others."""
    found = known(transaction, token)
    if scope not in found.scopes:
        raise Refusal(403, Message("server.scope", scope=scope))
    return found


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a reply in JSON, which is not cached."""
    return answer_text(dumps(value), status, headers)


def answer_text(text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a reply with a text that is JSON already."""
    return Response(text, status, {"cache-control": "no-store", **(headers or {})}, "application/json")


def send_asset(request: Request, asset: Asset | None, status: int = 200) -> Response:
    """Send a page or a file of a page; an unchanged file is not sent again."""
    if asset is None:
        raise Refusal(404, Message("server.no-page"))
    headers = {"etag": asset.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if status == 200 and request.headers.get("if-none-match") == asset.tag:
        return Response(None, 304, headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.zipped, status, {**headers, "content-encoding": "gzip"}, asset.type)
    return Response(asset.body, status, headers, asset.type)
