"""Pictures that go with a question, as the two protocols write them."""

import base64
import json

from benchmaker.providers.base import Image, Request
from benchmaker.providers.endpoints.endpoints import endpoint_table
from benchmaker.providers.protocols.anthropic import Messages
from benchmaker.providers.protocols.openai import ChatCompletions
from benchmaker.spec import Message, Parameters

PICTURE = Image("image/png", b"\x89PNG")
DATA = base64.b64encode(PICTURE.data).decode()
ASKED = (Message(role="system", content="Judge."), Message(role="user", content="This."))


def last_of(dialect, *images):
    request = Request(
        model="m", case_id="c", messages=ASKED, parameters=Parameters(), images=images
    )
    return json.loads(dialect.body(request, stream=False))["messages"][-1]


def test_a_picture_is_a_part_of_the_last_message_of_a_chat():
    assert last_of(ChatCompletions(endpoint_table()["openai"], "m"), PICTURE) == {
        "role": "user",
        "content": [
            {"type": "text", "text": "This."},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}},
        ],
    }


def test_a_picture_is_a_block_of_the_last_message_of_anthropics():
    assert last_of(Messages(endpoint_table()["anthropic"], "m"), PICTURE) == {
        "role": "user",
        "content": [
            {"type": "text", "text": "This."},
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": DATA},
            },
        ],
    }


def test_without_pictures_a_message_is_text():
    assert last_of(ChatCompletions(endpoint_table()["openai"], "m"))["content"] == "This."
