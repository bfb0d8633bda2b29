"""Google's counts as five disjoint kinds of tokens."""

from benchmaker.arenas.agentic.importers.gemini_cli.records import Tokens
from benchmaker.record.submissions.submission import TokenUsage


def usage_of(tokens: Tokens) -> TokenUsage:
    """The tokens of one answer: thoughts are paid as output, a tool's prompt as input."""
    prompt = tokens.prompt if tokens.prompt is not None else tokens.input
    output = tokens.output if tokens.output is not None else tokens.candidates
    uncached = None if prompt is None else _beside_cache(tokens, prompt, output or 0)
    return TokenUsage(
        input_uncached=None if uncached is None else uncached + (tokens.tool or 0),
        cache_read=tokens.cached,
        output=None if output is None else output + (tokens.thoughts or 0),
        reasoning=tokens.thoughts,
    )


def _beside_cache(tokens: Tokens, prompt: int, output: int) -> int:
    """The input without the cache, which lies inside it unless the total says otherwise."""
    cached = tokens.cached or 0
    inside = prompt + output + (tokens.thoughts or 0) + (tokens.tool or 0)
    is_beside = tokens.total is not None and cached > 0 and tokens.total == inside + cached
    return prompt if is_beside else max(prompt - cached, 0)
