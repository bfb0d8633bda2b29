import pytest

from benchmaker.providers.protocols.partial_answer import is_same_model


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ("gpt-4o", "gpt-4o"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4", "gpt-4-0613"),
        ("claude-sonnet-4-0", "claude-sonnet-4-20250514"),
        ("claude-x-latest", "claude-x-20250514"),
        ("gemini-2.5-pro", "models/gemini-2.5-pro"),
        ("openai/gpt-4o", "gpt-4o"),
        ("meta-llama/Llama-3:free", "meta-llama/llama-3"),
        ("llama3", "llama3:latest"),
        ("claude-x", "claude-x@20250514"),
        ("command-r", "command-r-08-2024"),
    ],
)
def test_owner_date_and_alias_are_harmless(asked, named):
    assert is_same_model(asked, named)


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-05-13"),
        ("qwen3:4b", "qwen3:30b"),
        ("gpt-x", "another"),
        ("llama-3-70b", "llama-3-8b"),
    ],
)
def test_another_model_is_another(asked, named):
    assert not is_same_model(asked, named)
