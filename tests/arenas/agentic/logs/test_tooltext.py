"""Content of tools as text."""

import msgspec
import pytest

from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text

KEEP = Options(skip=print)
DROP = Options(skip=print, drop_content=True)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"plain"', "plain"),
        (b'[{"type": "text", "text": "a"}, {"type": "image"}, "b"]', "a\n\nb"),
        (b"null", None),
        (b'{"content": "x"}', '{"content": "x"}'),
        (b"", None),
    ],
)
def test_a_result_is_a_text_or_parts_of_one(raw, text):
    assert result_text(msgspec.Raw(raw), KEEP) == text
    assert result_text(msgspec.Raw(raw), DROP) is None


def test_arguments_are_kept_as_they_stand():
    assert raw_text(b'{"a": 1}', KEEP) == '{"a": 1}'
    assert raw_text(b'{"a": 1}', DROP) is None
    assert raw_text(b"", KEEP) is None


def test_long_texts_are_cut():
    short = Options(skip=print, max_text_bytes=40)
    kept = result_text(msgspec.Raw(b'"' + b"x" * 1_000 + b'"'), short)
    assert kept.startswith("x" * 40 + "…")
    assert "960 bytes left out" in kept
