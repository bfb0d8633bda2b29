"""Signed notices, over a real connection."""

import asyncio
import base64
import hashlib
import hmac
import json

import pytest
from aiohttp import web

from benchmaker.errors import PrerequisiteError, ProviderError, SpecError
from benchmaker.providers.notices.webhooks import Webhook, signature
from tests.providers.local import serving


def test_the_signature_is_that_of_the_published_example():
    found = signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp=1614265330,
        body=b'{"test": 2432232314}',
    )
    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def answering(status):
    async def handler(_request):
        return web.Response(status=status, headers={"location": "http://127.0.0.1:1/"})

    return handler


async def sent(status=200, body=b'{"a": 1}'):
    async with serving(answering(status)) as seen:
        hook = Webhook(f"{seen.url}/hook?token=secret-token", secret="key", clock=lambda: 77.9)
        try:
            await hook.send("n1", body)
        finally:
            await hook.close()
    return seen


def test_a_notice_is_posted_with_its_id_its_moment_and_its_signature():
    seen = asyncio.run(sent())
    (head,) = seen.heads
    assert seen.bodies == [{"a": 1}]
    assert (head["webhook-id"], head["webhook-timestamp"]) == ("n1", "77")
    own = hmac.new(b"key", b'n1.77.{"a": 1}', hashlib.sha256).digest()
    assert head["webhook-signature"] == f"v1,{base64.b64encode(own).decode()}"
    assert head["content-type"] == "application/json"


@pytest.mark.parametrize("status", [301, 404, 500])
def test_any_other_answer_than_2xx_is_no_delivery_and_tells_no_address(status):
    with pytest.raises(ProviderError, match=f"answered {status}") as told:
        asyncio.run(sent(status))
    assert "secret-token" not in str(told.value)


def test_nobody_at_the_address_is_no_delivery():
    hook = Webhook("http://127.0.0.1:9/x?token=secret-token", secret="key", timeout_s=1.0)
    with pytest.raises(ProviderError) as told:
        asyncio.run(hook.send("n1", json.dumps({}).encode()))
    assert "secret-token" not in str(told.value)


def test_an_address_and_a_secret_are_wanted():
    with pytest.raises(SpecError, match="https://"):
        Webhook("file:///etc/passwd", secret="key")
    with pytest.raises(PrerequisiteError, match="secret"):
        Webhook("https://x.test", secret="")
    with pytest.raises(PrerequisiteError, match="Base64"):
        Webhook("https://x.test", secret="whsec_?")
