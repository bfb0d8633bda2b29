"""Patterns of tasks, searched in texts that are not trusted."""

from benchmaker.scoring.pattern import TEXT_BYTES, Pattern

_SECONDS = 5.0


async def find(pattern: str, text: str) -> bool:
    """True if the pattern is found in the text, of which the end is searched when it is long.

    Raises:
        SpecError: it is no pattern.
        ScorerTimeout: searching takes too long.
    """
    searched = text.encode("utf-8", "replace")[-TEXT_BYTES:].decode("utf-8", "ignore")
    return await Pattern.parse(pattern).asearch(searched, timeout_s=_SECONDS) is not None
