"""Patterns of tasks, searched in texts that are not trusted."""

from benchmaker.scoring.pattern import TEXT_BYTES, Pattern

_SECONDS = 5.0


async def find(pattern: str, text: str) -> bool:
    """True if the pattern occurs in the text, or in the end of a long text.

    Raises:
        SpecError: the pattern is invalid.
        ScorerTimeout: searching takes too long.
    """
    searched = text.encode("utf-8", "replace")[-TEXT_BYTES:].decode("utf-8", "ignore")
    return await Pattern.parse(pattern).asearch(searched, timeout_s=_SECONDS) is not None
