"""A hash is shown whole in any window, and in one line without one."""

import re


def test_the_content_hash_fits_a_narrow_window(cli, sums, monkeypatch):
    whole = re.search(r"content hash: (\w{64})\n", cli("validate", sums).stdout)[1]
    monkeypatch.setenv("COLUMNS", "60")
    _, *lines = cli("validate", sums).stdout.splitlines()
    assert max(map(len, lines)) <= 60
    assert whole in re.sub(r"\s", "", "".join(lines))
