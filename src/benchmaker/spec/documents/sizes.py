"""Numbers of bytes as readable text: sizes in decimal units, limits in binary ones."""


def readable_size(size: float) -> str:
    """A size.

    >>> readable_size(0), readable_size(48_100), readable_size(2_100_000)
    ('0 B', '48 kB', '2.1 MB')
    """
    if size < 1000:  # noqa: PLR2004  decimal units
        return f"{size:.0f} B"
    if size < 1_000_000:  # noqa: PLR2004
        return f"{size / 1e3:.0f} kB"
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"  # noqa: PLR2004


def readable_limit(limit: int) -> str:
    """A limit, which is a round number of binary units.

    >>> readable_limit(16 * 2**20), readable_limit(5)
    ('16 MiB', '5 bytes')
    """
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if limit >= factor:
            return f"{limit / factor:.4g} {unit}"
    return f"{limit} bytes"
