"""P-values in words, the same in every sentence and table."""

_LEAST = 0.0005
"""What is smaller would be rounded to 0."""


def p_value_text(p: float) -> str:
    """Return a p-value with three decimals, never 0.

    >>> p_value_text(0.0312), p_value_text(0.00004)
    ('0.031', '< 0.001')
    """
    return "< 0.001" if p < _LEAST else f"{p:.3f}"


def p_value_equation(p: float) -> str:
    """Return a p-value for a sentence.

    >>> p_value_equation(0.125), p_value_equation(2.3e-7)
    ('p = 0.125', 'p < 0.001')
    """
    return f"p {p_value_text(p)}" if p < _LEAST else f"p = {p_value_text(p)}"
