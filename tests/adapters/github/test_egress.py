"""Where a log or an artifact may be fetched from."""

import pytest

from bot.core.errors import ServiceError
from bot.github.egress import checked_target

API = "https://api.github.com"
STORE = "https://productionresultssa0.blob.core.windows.net"


@pytest.mark.parametrize(
    ("url", "api"),
    [
        pytest.param(f"{STORE}/a?sig=x", API, id="the store"),
        pytest.param(f"{STORE}:443/a", API, id="its port written out"),
        pytest.param("https://results-receiver.actions.githubusercontent.com/a", API, id="the older store"),
        pytest.param(
            "https://github.example.org/storage/a", "https://github.example.org/api/v3", id="a server"
        ),
        pytest.param("http://127.0.0.1:9999/a", "http://127.0.0.1:8000", id="this machine"),
    ],
)
def test_targets_that_are_known(url: str, api: str):
    assert checked_target(url, api) == url


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("http://productionresultssa0.blob.core.windows.net/a", id="plain http"),
        pytest.param("https://blob.core.windows.net.example.org/a", id="the name in front"),
        pytest.param("https://evilblob.core.windows.net/a", id="no dot before the name"),
        pytest.param(f"{STORE}:8443/a", id="another port"),
        pytest.param("https://user:word@x.blob.core.windows.net/a", id="a password"),
        pytest.param("https://@x.blob.core.windows.net/a", id="an empty user"),
        pytest.param("https://example.org\\.blob.core.windows.net/a", id="a backslash"),
        pytest.param("https://example.org#.blob.core.windows.net/a", id="a fragment"),
        pytest.param("https://example.org?.blob.core.windows.net/a", id="a query"),
        pytest.param("https://x.blob.core.windows.net\t/a", id="a tab"),
        pytest.param("https://x.blob.core.windows.net:99999/a", id="no port"),
        pytest.param("http://127.0.0.1/a", id="this machine"),
        pytest.param("http://[::1]/a", id="this machine by its other address"),
        pytest.param("http://169.254.169.254/latest", id="metadata of a cloud"),
        pytest.param("https://10.0.0.1/a", id="a private address"),
        pytest.param("file:///etc/passwd", id="a file"),
        pytest.param("//x.blob.core.windows.net/a", id="no scheme"),
        pytest.param("/relative", id="a path"),
        pytest.param("", id="nothing"),
        pytest.param("https://[x.blob.core.windows.net/a", id="a broken address"),
        pytest.param("https://x.blob.core.windows.net\u3002example.org/a", id="a dot that is none"),
    ],
)
def test_targets_that_are_refused(url: str):
    with pytest.raises(ServiceError, match="nothing is fetched from"):
        checked_target(url, API)
