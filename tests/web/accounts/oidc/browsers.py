"""Browsers that sign in at the provider, step by step."""

import html
import http.client
import re
from urllib.parse import urlsplit

from benchmaker.accounts.oidc_settings import OidcSettings
from benchmaker.web.accounts.cookies import SIGNED
from benchmaker.web.accounts.oidc.sign_in_state import COOKIE
from tests.web.accounts.oidc.provider import (
    CLIENT,
    SECRET,
)
from tests.web.accounts.people import Asker

BACK = "/sign-in/oidc"
OLGA = {"sub": "subject of olga", "preferred_username": "olga"}
"""She has an account, and signed in from there before."""


def settings(provider, **more):
    return OidcSettings(
        issuer=provider.issuer, client_id=CLIENT, client_secret=SECRET, name="Example login", **more
    )


def leads_to(answer):
    """Where a page goes on to by itself."""
    found = re.search(r'http-equiv="refresh" content="0;url=([^"]*)"', answer.text)
    return html.unescape(found.group(1)) if found else None


def held(answer, name):
    """The cookie of that name that an answer gives, as it is sent back."""
    for one in answer.cookies:
        if one.startswith(f"{name}=") and "max-age=0" not in one.lower():
            return one.partition(";")[0]
    return None


def begun(address, back="/runs", asker=None, path=BACK, **fields):
    """A browser that is about to go to the provider, and the address there."""
    answer = (asker or Asker(address)).post(path, next=back, **fields)
    assert answer.status == 200, answer.text
    return Asker(address, {"Cookie": held(answer, COOKIE)}), leads_to(answer)


def agreed(there):
    """The path to which the provider sends whoever agrees."""
    parts = urlsplit(there)
    connection = http.client.HTTPConnection(parts.netloc, timeout=300)
    connection.request("GET", f"{parts.path}?{parts.query}")
    answer = connection.getresponse()
    assert answer.status == 302, answer.read()
    to = urlsplit(answer.headers["location"])
    connection.close()
    return f"{to.path}?{to.query}"


def through(address, **more):
    """All of it: what the browser gets in the end."""
    browser, there = begun(address, **more)
    return browser.get(agreed(there))


def signed(answer):
    """The browser of somebody who is signed in; None where nobody is."""
    cookie = held(answer, SIGNED)
    return cookie and {"Cookie": cookie}


def is_refused(answer, status=422):
    """Nobody is signed in, the browser forgets what it began, and the form is there."""
    assert answer.status == status, answer.text
    assert signed(answer) is None
    assert 'role="alert"' in answer.text
    return True


def name_of(address, answer):
    page = Asker(address, signed(answer)).get("/account")
    return re.search(r"Account of </span><bdi>([^<]*)", page.text).group(1)
