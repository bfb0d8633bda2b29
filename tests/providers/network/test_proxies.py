import pytest

from benchmaker.providers.network.proxies import proxy_for

URL = "https://api.example.com/v1"


@pytest.mark.parametrize(
    ("environ", "proxy"),
    [
        ({}, None),
        ({"https_proxy": "http://p:1"}, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ({"https_proxy": "http://small:1", "HTTPS_PROXY": "http://large:1"}, "http://small:1"),
        ({"https_proxy": "p:1"}, "http://p:1"),
        ({"all_proxy": "http://a:1"}, "http://a:1"),
        ({"http_proxy": "http://p:1"}, None),
        ({"https_proxy": "http://p:1", "no_proxy": "*"}, None),
        ({"https_proxy": "http://p:1", "no_proxy": "example.com"}, None),
        ({"https_proxy": "http://p:1", "NO_PROXY": "other.org, api.example.com"}, None),
        ({"https_proxy": "http://p:1", "no_proxy": "ample.com.org"}, "http://p:1"),
        ({"https_proxy": ""}, None),
    ],
)
def test_the_variables_are_obeyed(environ, proxy):
    assert proxy_for(URL, environ) == proxy


def test_a_port_and_a_password_do_not_hide_the_host():
    environ = {"https_proxy": "http://p:1", "no_proxy": "api.example.com"}
    assert proxy_for("https://u:p@api.example.com:8443/v1", environ) is None


def test_a_cgi_client_cant_choose_the_proxy():
    environ = {"HTTP_PROXY": "http://evil:1", "REQUEST_METHOD": "GET"}
    assert proxy_for("http://api.example.com", environ) is None
