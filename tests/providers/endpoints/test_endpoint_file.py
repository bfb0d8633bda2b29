import pytest

from benchmaker.errors import SpecError
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.spec import Parameters

GOOD = """
endpoints:
  lab:
    base_url: http://lab:8000/v1/
    key: LAB_KEY
    max_tokens_field: max_completion_tokens
    stream_options: false
    prices: openai
  claude-proxy:
    base_url: https://proxy.example
    protocol: anthropic
  openai:
    base_url: https://mine.example/v1
    key: MINE
"""


def written(tmp_path, text):
    (tmp_path / "endpoints.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_without_a_file_there_are_the_known_ones(tmp_path):
    assert endpoints_of(tmp_path).keys() == endpoints_of(None).keys()


def test_the_file_adds_and_replaces(tmp_path):
    known = endpoints_of(written(tmp_path, GOOD))
    lab = known["lab"]
    assert (lab.base_url, lab.keys, lab.needs_key) == ("http://lab:8000/v1", ("LAB_KEY",), True)
    assert lab.quirks.max_tokens_field == "max_completion_tokens"
    assert not lab.quirks.stream_options
    assert lab.prices == "openai"
    assert known["claude-proxy"].protocol == "anthropic"
    assert not known["claude-proxy"].needs_key
    assert known["openai"].base_url == "https://mine.example/v1"
    assert known["openai"].base_urls == ()


def test_an_empty_file_adds_nothing(tmp_path):
    assert len(endpoints_of(written(tmp_path, "# nothing yet\n"))) == len(endpoints_of(None))


FORM = """
endpoints:
  lab:
    base_ulr: http://lab:8000/v1
  third:
    base_url: lab:8000
    protocol: grpc
"""

SENSE = """
endpoints:
  Other Lab:
    base_url: http://lab
  third:
    base_url: lab:8000
  fourth:
    base_url: http://h/v1
    key: sk-not-a-variable
"""


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            FORM,
            (
                "endpoints.yaml:4:5: unknown field 'base_ulr'. Did you mean 'base_url'?",
                "endpoints.yaml:7:15: endpoints.third.protocol must be 'openai' or 'anthropic'",
            ),
        ),
        (
            SENSE,
            (
                "endpoints.yaml:3:3: 'Other Lab' is not a valid endpoint name",
                "endpoints.yaml:6:15: 'lab:8000' is not a base URL",
                "endpoints.yaml:9:10: key must be the name of a variable",
            ),
        ),
    ],
)
def test_every_fault_is_named_with_its_place(tmp_path, text, parts):
    with pytest.raises(SpecError) as caught:
        endpoints_of(written(tmp_path, text))
    told = str(caught.value)
    assert [part for part in parts if part not in told] == [], told
    assert "sk-not" not in told


def test_an_address_that_is_none_is_named_with_its_place(tmp_path):
    text = "endpoints:\n  lab:\n    base_url: lab:8000\n"
    with pytest.raises(SpecError, match=r"endpoints.yaml:3:15: 'lab:8000' is not a base URL"):
        endpoints_of(written(tmp_path, text))


@pytest.mark.parametrize("text", ["- a list", "just text", "endpoints: [1]"])
def test_a_file_of_another_form_is_refused(tmp_path, text):
    with pytest.raises(SpecError, match="mapping"):
        endpoints_of(written(tmp_path, text))


def test_the_file_states_the_fields_of_parameters(tmp_path):
    text = """
endpoints:
  lab:
    base_url: http://lab:8000/v1
    thinking: chat_template
    top_k: true
    logprobs: none
  proxy:
    base_url: https://proxy.example
    protocol: anthropic
"""
    known = endpoints_of(written(tmp_path, text))
    given = Parameters(temperature=None, max_tokens=5, reasoning_effort="none", top_k=4, logprobs=1)
    assert known["lab"].quirks_of("claude-opus-4-8").sent_fields(given) == {
        "max_tokens": 5,
        "top_k": 4,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert known["lab"].stated == {"thinking": "chat_template", "top_k": True, "logprobs": "none"}
    assert known["proxy"].stated == {}
    effort = Parameters(temperature=None, max_tokens=5, reasoning_effort="low")
    assert known["proxy"].quirks_of("claude-sonnet-4-5").sent_fields(effort) == {
        "max_tokens": 4101,
        "thinking": {"type": "enabled", "budget_tokens": 4096},
    }
