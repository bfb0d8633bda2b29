import pytest

from benchmaker.providers.endpoints.endpoints import resolve_model
from benchmaker.providers.wires.form import WireCall, read_fields
from benchmaker.providers.wires.paths import FORMS, find_call
from benchmaker.record.agent_trial import Wire

CHAT = WireCall(Wire.CHAT, "generate")
STREAM = WireCall(Wire.GEMINI, "generate", "gemini-x", is_streamed=True)
GOOGLE = "https://generativelanguage.googleapis.com"
EARLY = b'{"usageMetadata": {"promptTokenCount": 1}}'
LATE = b'{"usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 2}}'


@pytest.mark.parametrize(
    ("method", "path", "call"),
    [
        ("POST", "/v1/chat/completions", CHAT),
        ("POST", "/chat/completions/", CHAT),
        ("POST", "/v1/responses", WireCall(Wire.RESPONSES, "generate")),
        ("POST", "/v1/messages", WireCall(Wire.MESSAGES, "generate")),
        ("POST", "/v1/messages/count_tokens", WireCall(Wire.MESSAGES, "count", "", False)),
        ("POST", "/v1beta/models/gemini-x:streamGenerateContent", STREAM),
        ("POST", "/v1/models/gemini-x:generateContent", STREAM._replace(is_streamed=False)),
        (
            "POST",
            "/v1beta/models/org/llama3:8b:countTokens",
            WireCall(Wire.GEMINI, "count", "org/llama3:8b", False),
        ),
        ("GET", "/v1/models/llama3:8b", WireCall(Wire.CHAT, "models", "llama3:8b", False)),
        ("GET", "/v1/chat/completions", None),
        ("POST", "/v1/embeddings", None),
        ("DELETE", "/v1/models/x", None),
        ("POST", "/v1beta/models/gemini-x:embedContent", None),
    ],
)
def test_paths_name_wires_and_actions(method, path, call):
    assert find_call(method, path) == call


@pytest.mark.parametrize(
    ("model", "call", "url"),
    [
        ("openai/gpt-x", CHAT, "https://api.openai.com/v1/chat/completions"),
        ("anthropic/claude-x", CHAT, "https://api.anthropic.com/v1/chat/completions"),
        (
            "anthropic/claude-x",
            WireCall(Wire.MESSAGES, "count", "", False),
            "https://api.anthropic.com/v1/messages/count_tokens",
        ),
        (
            "openrouter/a/b",
            WireCall(Wire.MESSAGES, "generate"),
            "https://openrouter.ai/api/v1/messages",
        ),
        (
            "openai/gpt-x",
            WireCall(Wire.RESPONSES, "generate"),
            "https://api.openai.com/v1/responses",
        ),
        (
            "google/gemini-y",
            STREAM,
            f"{GOOGLE}/v1beta/models/gemini-y:streamGenerateContent",
        ),
        (
            "http://host:1/v1#a/b",
            STREAM,
            "http://host:1/v1beta/models/a%2Fb:streamGenerateContent",
        ),
    ],
)
def test_each_endpoint_has_the_paths_of_every_wire(model, call, url):
    endpoint, name = resolve_model(model)
    assert FORMS[call.wire].url(endpoint, call, name) == url


@pytest.mark.parametrize(
    ("wire", "body", "limit"),
    [
        (Wire.CHAT, b'{"max_completion_tokens": 9, "max_tokens": 7, "n": 3}', 27),
        (Wire.CHAT, b'{"max_tokens": -1}', None),
        (Wire.RESPONSES, b'{"max_output_tokens": 9}', 9),
        (Wire.MESSAGES, b'{"max_tokens": 9}', 9),
        (Wire.GEMINI, b'{"generationConfig": {"maxOutputTokens": 9, "candidateCount": 2}}', 18),
        (Wire.GEMINI, b'{"generationConfig": [1]}', None),
        (Wire.GEMINI, b"{}", None),
    ],
)
def test_the_limit_of_output_is_found(wire, body, limit):
    assert FORMS[wire].output_limit(read_fields(body)) == limit


def test_usage_is_requested_only_where_the_endpoint_needs_it():
    fields = read_fields(b'{"stream": true, "stream_options": {"include_obfuscation": false}}')
    form = FORMS[Wire.CHAT]
    openai, mistral = resolve_model("openai/x")[0], resolve_model("mistral/x")[0]
    sent = form.rewrite(fields, "m", openai)
    assert bytes(sent["stream_options"]) == b'{"include_obfuscation":false,"include_usage":true}'
    assert form.rewrite(fields, "m", mistral)["stream_options"] is fields["stream_options"]
    anthropic = resolve_model("anthropic/x")[0]
    assert b"include_usage" in bytes(form.rewrite(fields, "m", anthropic)["stream_options"])


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        (Wire.GEMINI, b"[%b, %b]" % (EARLY, LATE)),
        (Wire.RESPONSES, b'{"usage": {"input_tokens": 4, "output_tokens": 2}}'),
        (Wire.MESSAGES, b'{"usage": {"input_tokens": 4, "output_tokens": 2}}'),
        (Wire.CHAT, b'{"usage": {"prompt_tokens": 4, "completion_tokens": 2}}'),
    ],
)
def test_usage_of_a_whole_reply_is_read(wire, body):
    usage = FORMS[wire].whole_usage(body, resolve_model("openai/x")[0])
    assert (usage.input_tokens, usage.output_tokens) == (4, 2)
    assert FORMS[wire].whole_usage(b"not json", resolve_model("openai/x")[0]) is None
