"""Bytes as people read them."""


def readable(size: float) -> str:
    """A number of bytes in decimal units.

    >>> readable(0), readable(48_100), readable(2_100_000)
    ('0 B', '48 kB', '2.1 MB')
    """
    if size < 1000:  # noqa: PLR2004  decimal units
        return f"{size:.0f} B"
    if size < 1_000_000:  # noqa: PLR2004
        return f"{size / 1e3:.0f} kB"
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"  # noqa: PLR2004
