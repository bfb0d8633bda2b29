"""What to do about a failure, where the endpoint that was asked tells."""

import pytest

from benchmaker.errors import AuthError, ProviderError
from benchmaker.providers.endpoints.advice import Advice
from benchmaker.providers.endpoints.endpoints import Endpoint, endpoint_table


def advised(message, status=400, *, endpoint="openai", url=None, key="OPENAI_API_KEY", hint=""):
    known = endpoint_table()[endpoint] if isinstance(endpoint, str) else endpoint
    if url:
        known = Endpoint(**{name: getattr(known, name) for name in known.__slots__} | {
            "base_url": url
        })  # fmt: skip
    kind = AuthError if status == 401 else ProviderError
    return Advice(known, "gpt-x", key).hint_for(kind(message, status=status, hint=hint))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Unsupported parameter: 'temperature' is not supported.", "--temperature none"),
        (
            "Unsupported parameter: 'temperature' is not supported.",
            "temperature: null in the suite",
        ),
        ("unknown field top_p", "--top-p none"),
        ("`frequency_penalty` is not allowed", "--frequency-penalty none"),
        ("property 'presence_penalty' is unsupported", "--presence-penalty none"),
        ("'max_tokens' is not supported. Use 'max_completion_tokens'.", "max_tokens_field: max_co"),
        ("seed is not supported", "Remove --seed."),
        ("Unrecognized request argument supplied: reasoning_effort", "{reasoning_effort: null}"),
        ('Unknown name "top_k": Cannot find field.', "{top_k: null}"),
        ('json: unknown field "min_p"', "{min_p: null}"),
        ("Unsupported parameter: 'stop' is not supported with this model.", "{stop: null}"),
        (
            "Unsupported value: 'minimal' is not supported with 'gpt-5.1'. (reasoning.effort)",
            "{reasoning_effort: null}",
        ),
        ("This model does not support effort.", "{reasoning_effort: null}"),
        ("adaptive thinking is not supported on this model", "{reasoning_effort: null}"),
        ("thinking.budget_tokens: Extra inputs are not permitted", "{thinking_budget: null}"),
        ("`logprobs` is not supported with this model", "{logprobs: null}"),
        ("response_format: unsupported value", "{response_format: null}"),
        ("max_tokens: 40000 is too large", "--max-tokens"),
    ],
)
def test_a_bad_request_that_names_a_parameter_says_what_leaves_it_out(message, words):
    assert words in advised(f"host answered HTTP 400: {message}")


@pytest.mark.parametrize(
    "message",
    ["Please stop sending empty messages", "thinking blocks must come first", "the model stopped"],
)
def test_a_word_that_is_also_a_field_is_not_taken_for_one(message):
    assert advised(f"host answered HTTP 400: {message}", hint="own") == "own"


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Unknown parameter: 'service_tier'.", "service_tier"),
        ("extra_forbidden: body.service_tier, Extra inputs are not permitted", "service_tier"),
        ("Invalid value for 'temperature'", "temperature"),
        ('json: unknown field "budget"', "google.budget"),
    ],
)
def test_a_refused_field_of_extra_body_is_to_be_removed_from_it(message, name):
    extra = {"service_tier": "flex", "temperature": 3, "google": {"budget": 1}}
    error = ProviderError(f"host answered HTTP 400: {message}", status=400)
    advice = Advice(endpoint_table()["openai"], "gpt-x", "OPENAI_API_KEY")
    hint = f"Remove {name} from extra_body of the suite, of this model or of its prompt."
    assert advice.hint_for(error, extra) == hint


def test_fields_of_extra_body_that_are_not_named_or_not_refused_change_no_hint():
    advice = Advice(endpoint_table()["openai"], "gpt-x", "OPENAI_API_KEY")
    error = ProviderError("host answered HTTP 400: unknown field top_p", status=400)
    assert "--top-p none" in advice.hint_for(error, {"p": 1, "tier": 2})
    error = ProviderError("host answered HTTP 400: the user must speak", status=400, hint="own")
    assert advice.hint_for(error, {"user": "u"}) == "own"


def test_another_bad_request_keeps_its_own_hint():
    assert advised("host answered HTTP 400: low-temperature mode is off", hint="own") == "own"


def test_a_wrong_key_is_named_by_its_variable():
    assert advised("Incorrect API key", 401) == (
        "Check that OPENAI_API_KEY is a key for api.openai.com."
    )
    bare = Endpoint(name="x", base_url="https://x/v1", needs_key=False)
    assert "No key was sent" in advised("Unauthorized", 401, endpoint="ollama", key=None)
    assert "No key was sent" in advised("Unauthorized", 401, endpoint=bare, key=None)


def test_a_missing_key_names_the_endpoint_to_add_it_to():
    mine = Endpoint(name="my-lab", base_url="https://x/v1", needs_key=False)
    assert advised("Unauthorized", 401, endpoint=mine, key=None) == (
        "No key was sent. Add a key to the endpoint my-lab in endpoints.yaml in the data folder: "
        "my-lab: {key: MY_LAB_KEY}."
    )
    url = Endpoint(name="https://x/v1", base_url="https://x/v1", needs_key=False)
    assert "Define the endpoint with a key" in advised("no", 401, endpoint=url, key=None)


def test_a_wrong_model_is_answered_with_the_command_that_lists_them():
    said = advised("HTTP 404: The model alfa does not exist", 404)
    assert said == "Check the model's name with: benchmaker models openai"


def test_a_missing_path_is_answered_with_the_base_url_that_has_one():
    said = advised("HTTP 404: Unknown path", 404, endpoint="deepseek")
    assert said.endswith("set DEEPSEEK_BASE_URL to https://api.deepseek.com/v1")


def test_a_scheme_that_the_port_does_not_speak_is_answered_with_the_other():
    wrong = "no secure connection to localhost:1: [SSL: WRONG_VERSION_NUMBER] wrong version."
    assert advised(wrong, None, url="https://localhost:1/v1").endswith("http://localhost:1/v1")
    wrong = "HTTP 400: The plain HTTP request was sent to HTTPS port"
    assert advised(wrong, 400, url="http://localhost:1/v1").endswith("https://localhost:1/v1")


def test_models_behind_a_base_url_are_listed_by_that():
    url = "http://localhost:1/v1"
    local = Endpoint(name=url, base_url=url, needs_key=False)
    said = advised("HTTP 404: model 'x' not found", 404, endpoint=local, key=None)
    assert said.endswith(f"the model's name with: benchmaker models {url}")
