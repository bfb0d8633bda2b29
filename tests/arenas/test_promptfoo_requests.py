"""A suite sends the same requests as promptfoo for the same prompts, variables and parameters.

``BODIES`` are those that promptfoo 0.121.20 sent to a local server. Its configuration had both
prompts, the second as a JSON conversation, both providers with a ``config``, and the language in
``defaultTest``. promptfoo names the limit ``max_tokens``, this program ``max_completion_tokens``.
"""

import asyncio
import json
from collections import Counter

from benchmaker import RunOptions, Suite, arun
from tests.providers.local import KEY, as_json, chat, serving

MINI = {"model": "gpt-4o-mini", "max_tokens": 90, "temperature": 0.2}
LARGE = {
    "model": "gpt-4o",
    "seed": 7,
    "max_tokens": 40,
    "temperature": 0.0,
    "top_p": 0.5,
    "response_format": {"type": "json_object"},
    "stop": ["\n\n"],
}
TEXTS = [
    ("Name the capital of Peru.", "English", "capital of Peru?"),
    ("Name the largest lake of Peru.", "English", "largest lake of Peru?"),
    (
        "Name the king's <seat> & \"court\" of Côte d'Ivoire.",
        "French",
        "king's <seat> & \"court\" of Côte d'Ivoire?",
    ),
]
MESSAGES = [
    messages
    for plain, language, question in TEXTS
    for messages in (
        [{"role": "user", "content": plain}],
        [
            {"role": "system", "content": f"Answer in {language}."},
            {"role": "user", "content": question},
        ],
    )
]
BODIES = [{**model, "messages": messages} for messages in MESSAGES for model in (MINI, LARGE)]


def the_suite():
    """The configuration as a suite, by the tables of the page "From promptfoo"."""
    talk = [
        {"role": "system", "content": "Answer in {{ language }}."},
        {"role": "user", "content": "{{ thing }} of {{country}}?"},
    ]
    large = {
        "temperature": 0,
        "max_tokens": 40,
        "top_p": 0.5,
        "stop": ["\n\n"],
        "seed": 7,
        "response_format": "json",
    }
    court = {"thing": 'king\'s <seat> & "court"', "country": "Côte d'Ivoire"}
    return Suite(
        "places",
        [
            {"id": "peru", "vars": {"thing": ["capital", "largest lake"], "country": "Peru"}},
            {"id": "court", "vars": {**court, "language": "French"}},
        ],
        scorer={"id": "exact", "auto_pass": True},
        vars={"language": "English"},
        models=[
            {
                "model": "openai/gpt-4o-mini",
                "parameters": {"temperature": 0.2, "max_tokens": 90},
            },
            {"model": "openai/gpt-4o", "parameters": large},
        ],
        prompts=[
            {"id": "plain", "prompt": "Name the {{ thing }} of {{country}}."},
            {"id": "talk", "messages": talk},
        ],
    )


async def bodies_of(suite, home):
    async with serving(as_json(chat("Lima"))) as seen:
        environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{seen.url}/v1"}
        await arun(suite, home=home, environ=environ, options=RunOptions(stream=False))
        return seen.bodies


def counted(bodies):
    return Counter(json.dumps(one, sort_keys=True) for one in bodies)


def test_a_suite_sends_what_promptfoo_sends(tmp_path):
    sent = asyncio.run(bodies_of(the_suite(), tmp_path))
    names = {"max_completion_tokens": "max_tokens"}
    older = [{names.get(name, name): value for name, value in one.items()} for one in sent]
    assert counted(older) == counted(BODIES)
