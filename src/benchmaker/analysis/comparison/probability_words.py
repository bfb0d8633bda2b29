"""Probabilities in words: one rule for all of them."""

_LEAST = 0.001


def chance_words(chance: float, decimals: int = 1) -> str:
    """Return a probability in percent, never 0 or 100, which draws and models cannot establish.

    >>> chance_words(0.5), chance_words(0.00001), chance_words(0.9999)
    ('50.0%', '< 0.1%', '> 99.9%')
    >>> chance_words(0.8, 0), chance_words(0.997, 0)
    ('80%', '99.7%')
    """
    if chance < _LEAST:
        return "< 0.1%"
    if chance > 1 - _LEAST:
        return "> 99.9%"
    text = f"{100 * chance:.{decimals}f}"
    return f"{100 * chance:.1f}%" if float(text) in {0.0, 100.0} else f"{text}%"
