"""A further address for a server that is running."""

import re
from urllib.parse import urlsplit

from tests.web.results_data import fetched
from tests.web.serving import serving


def test_a_link_opens_a_session_of_the_running_server(cli, home):
    with serving(home, token="first") as address:
        port = urlsplit(address).port
        out = cli("serve", "--link", "--port", str(port)).stdout
        link = re.search(r"http://\S+", out)[0]
        assert link.startswith(f"{address}/?token=")
        assert fetched(link)[0] == 303
        assert fetched(link)[0] == 401
    assert "within 5 minutes" in out


def test_a_link_needs_a_running_server(cli):
    result = cli("serve", "--link", "--port", "1", code=3)
    assert "no server listens on 127.0.0.1, port 1." in result.stderr
