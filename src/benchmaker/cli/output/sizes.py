"""Bytes as readable text."""


def format_bytes(size: float) -> str:
    """A number of bytes in decimal units.

    >>> format_bytes(0), format_bytes(48_100), format_bytes(2_100_000)
    ('0 B', '48 kB', '2.1 MB')
    """
    if size < 1000:  # noqa: PLR2004  decimal units
        return f"{size:.0f} B"
    if size < 1_000_000:  # noqa: PLR2004
        return f"{size / 1e3:.0f} kB"
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"  # noqa: PLR2004
