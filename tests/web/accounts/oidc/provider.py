"""A provider of OpenID Connect on this machine: its own keys, its own people, and its misdeeds."""

import asyncio
import base64
import hashlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import unquote_plus, urlencode

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from joserfc import jws, jwt
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey

CLIENT = "bench marker"
SECRET = "a client's secret / +with: odd ones"  # noqa: S105
_PATIENCE_S = 120


@cache
def key_of(kind: str, kid: str) -> Key:
    """A key, made once."""
    named = {"kid": kid, "use": "sig"}
    if kind == "RSA":
        return RSAKey.generate_key(2048, named)
    return (
        ECKey.generate_key("P-256", named)
        if kind == "EC"
        else OKPKey.generate_key("Ed25519", named)
    )


@dataclass
class Conduct:
    """How the provider behaves; a test changes what it wants."""

    person: dict[str, Any] = field(default_factory=lambda: {"sub": "s-1"})
    """Who is signed in there: claims of the ID token."""

    claims: dict[str, Any] = field(default_factory=dict)
    """What the ID token says besides, or instead; None takes a claim away."""

    algorithm: str = "RS256"
    key: Key = field(default_factory=lambda: key_of("RSA", "k-1"))
    """What tokens are signed with."""

    told: list[Key | dict[str, str]] = field(default_factory=lambda: [key_of("RSA", "k-1")])
    """The keys that are told."""

    document: dict[str, Any] = field(default_factory=dict)
    """What the description says besides, or instead."""

    header: dict[str, Any] | None = None
    token: Any = None
    """The answer of the token endpoint, instead of a proper one: (status, content)."""

    id_token: str | None = None
    delay_s: float = 0.0
    names_itself: bool = False
    redirect_uris: list[str] = field(default_factory=list)
    posts_secret: bool = False

    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)
    """Codes and tokens that were given."""

    asked: list[str] = field(default_factory=list)
    """Paths that were asked."""


class OpenIdProvider:
    """Where it is, and how it behaves."""

    def __init__(self) -> None:
        self.issuer = ""
        self.conduct = Conduct()

    def document(self) -> dict[str, Any]:
        at = self.issuer
        told = {
            "issuer": at,
            "authorization_endpoint": f"{at}/authorize",
            "token_endpoint": f"{at}/token",
            "jwks_uri": f"{at}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "PS256", "EdDSA", "HS256"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_post" if self.conduct.posts_secret else "client_secret_basic"
            ],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": self.conduct.names_itself,
        }
        return _without_none({**told, **self.conduct.document})

    def new_code(self, words: dict[str, str]) -> str:
        code = f"code-{hashlib.sha256(repr(words).encode()).hexdigest()}-{len(self.conduct.codes)}"
        self.conduct.codes[code] = words
        self.conduct.secrets.append(code)
        return code

    def id_token(self, nonce: str) -> str:
        """A token for whoever is signed in."""
        own, now = self.conduct, int(time.time())
        if own.id_token is not None:
            return own.id_token
        proper = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce}
        claims = _without_none({**proper, **own.person, **own.claims})
        header = own.header or {"alg": own.algorithm, "kid": own.key.kid}
        if header["alg"] in {"none", "HS256"}:
            secret = own.key.as_pem(private=False) if header["alg"] == "HS256" else None
            return forged(header, claims, secret)
        registry = jws.JWSRegistry(algorithms=[header["alg"]])
        registry.get_alg = lambda name: jws.JWSRegistry.algorithms[name]  # without its warnings
        return jwt.encode(header, claims, own.key, registry=registry)


def created(provider: OpenIdProvider) -> FastAPI:  # noqa: C901  its four addresses
    app = FastAPI()

    @app.middleware("http")
    async def count(request: Request, call_next):
        provider.conduct.asked.append(request.url.path)
        return await call_next(request)

    @app.get("/.well-known/openid-configuration")
    def configuration() -> Any:
        return provider.document()

    @app.get("/keys")
    def keys() -> Any:
        told = provider.conduct.told
        return {"keys": [it if isinstance(it, dict) else it.as_dict(private=False) for it in told]}

    @app.get("/authorize")
    def authorize(request: Request) -> Response:
        """Whoever comes is signed in already, and agrees."""
        words = dict(request.query_params)
        assert words["client_id"] == CLIENT
        assert words["response_type"] == "code"
        assert words["code_challenge_method"] == "S256"
        assert "openid" in words["scope"].split()
        if words["redirect_uri"] not in provider.conduct.redirect_uris:
            return Response("this redirect_uri is not registered", 400)
        told = {"code": provider.new_code(words), "state": words["state"]}
        if provider.conduct.names_itself:
            told["iss"] = provider.issuer
        return RedirectResponse(f"{words['redirect_uri']}?{urlencode(told)}", 302)

    @app.post("/token")
    async def exchange(request: Request) -> Response:
        own, form = provider.conduct, dict((await request.form()).items())
        await asyncio.sleep(own.delay_s)
        if own.token is not None:
            status, content, headers = own.token
            return Response(content, status, headers=headers, media_type="application/json")
        if not _is_client(request, form, posts=own.posts_secret):
            return JSONResponse({"error": "invalid_client"}, 401)
        words = own.codes.pop(form["code"], None)
        if words is None or form["redirect_uri"] != words["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if challenge != words["code_challenge"] or form["grant_type"] != "authorization_code":
            return JSONResponse({"error": "invalid_grant"}, 400)
        given = {"access_token": f"access-{form['code']}", "token_type": "Bearer"}
        given["id_token"] = provider.id_token(words["nonce"])
        own.secrets += [given["access_token"], given["id_token"]]
        return JSONResponse(given)

    return app


def _is_client(request: Request, form: dict[str, str], *, posts: bool) -> bool:
    if posts:
        return (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    name, _, secret = base64.b64decode(given).decode().partition(":")
    is_it = (unquote_plus(name), unquote_plus(secret)) == (CLIENT, SECRET)
    return kind == "Basic" and is_it and "client_secret" not in form


def symmetric(public: Key) -> dict[str, str]:
    """A public key as if it were a secret."""
    return {"kty": "oct", "kid": "k-1", "k": _text_of(public.as_pem(private=False))}


def forged(header: dict[str, Any], claims: dict[str, Any], secret: bytes | None) -> str:
    """A token with a hash for a signature, or with none; libraries refuse to make it."""
    body = ".".join(_text_of(json.dumps(it).encode()) for it in (header, claims))
    if secret is None:
        return f"{body}."
    return f"{body}.{_text_of(hmac.new(secret, body.encode(), hashlib.sha256).digest())}"


def _text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _without_none(told: dict[str, Any]) -> dict[str, Any]:
    return {word: value for word, value in told.items() if value is not None}


@contextmanager
def providing() -> Iterator[OpenIdProvider]:
    """A provider that listens, under another name than the server has."""
    provider = OpenIdProvider()
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen(50)
        provider.issuer = f"http://localhost:{bound.getsockname()[1]}"
        config = uvicorn.Config(
            created(provider), log_level="critical", timeout_graceful_shutdown=1, lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        end = time.monotonic() + _PATIENCE_S
        while not server.started:
            assert time.monotonic() < end
            time.sleep(0.01)
        try:
            yield provider
        finally:
            server.should_exit = True
            thread.join(_PATIENCE_S)
