import pytest


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--temperature", "nan"),
        ("--temperature", "2.1"),
        ("--top-p", "0"),
        ("--max-tokens", "0"),
        ("--presence-penalty", "-3"),
        ("--timeout", "inf"),
        ("--timeout", "0"),
        ("--max-cost", "-1"),
        ("--max-cost", "nan"),
        ("--threshold", "nan"),
        ("--retries", "-1"),
        ("--concurrency", "0"),
    ],
)
def test_a_number_beyond_its_bounds_is_a_usage_error(cli, sums, option, value):
    said = cli("run", sums, "--model", "ollama/any", option, value, code=2)
    assert option in said.stderr
