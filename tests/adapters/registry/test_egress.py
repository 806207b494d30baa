"""Where the requests and the key of a registry may go."""

import httpx
import pytest

from bot.core.errors import UsageError
from bot.registry.egress import registry_egress

REMOTE = registry_egress("nvcr.io", {})
LOCAL = registry_egress("nvcr.io", {"nvcr.io": "http://127.0.0.1:5055"})
FOREIGN = registry_egress("reg.example:5005", {})


@pytest.mark.parametrize(
    ("egress", "realm", "allowed", "with_key"),
    [
        pytest.param(REMOTE, "https://nvcr.io/proxy_auth", True, True, id="its own"),
        pytest.param(REMOTE, "https://auth.nvcr.io/token", True, True, id="under its name"),
        pytest.param(REMOTE, "https://authn.nvidia.com/token", True, True, id="where NVIDIA moves to"),
        pytest.param(REMOTE, "https://docs.nvidia.com/token", False, False, id="another of NVIDIA"),
        pytest.param(REMOTE, "http://nvcr.io/proxy_auth", False, False, id="plain http"),
        pytest.param(REMOTE, "https://nvcr.io:8443/token", False, False, id="another port"),
        pytest.param(REMOTE, "https://xnvcr.io/token", False, False, id="a name that ends alike"),
        pytest.param(REMOTE, "https://nvcr.io.evil.example/", False, False, id="a name that begins alike"),
        pytest.param(REMOTE, "https://nvcr.io@evil.example/", False, False, id="a login that looks like it"),
        pytest.param(REMOTE, "https://u:p@nvcr.io/proxy_auth", False, False, id="a login"),
        pytest.param(REMOTE, "http://127.0.0.1:5055/token", False, False, id="this machine"),
        pytest.param(REMOTE, "https://10.0.0.1/token", False, False, id="a private address"),
        pytest.param(LOCAL, "http://127.0.0.1:5055/token", True, True, id="the configured endpoint"),
        pytest.param(LOCAL, "http://127.0.0.1:6000/token", True, False, id="another service here"),
        pytest.param(LOCAL, "http://localhost:6000/token", True, False, id="here by name"),
        pytest.param(LOCAL, "http://10.0.0.1/token", False, False, id="a private address, from here"),
        pytest.param(LOCAL, "https://nvcr.io/proxy_auth", True, True, id="the real one, through a relay"),
        pytest.param(FOREIGN, "https://reg.example:5005/token", True, False, id="another registry's own"),
        pytest.param(
            FOREIGN, "https://nvcr.io/proxy_auth", False, False, id="another registry wants our token"
        ),
    ],
)
def test_a_realm_is_asked_only_if_it_belongs_to_the_registry(egress, realm, allowed, with_key):
    url = httpx.URL(realm)

    assert (egress.allows_realm(url), egress.allows_key(url)) == (allowed, with_key)


@pytest.mark.parametrize(
    ("egress", "target", "allowed"),
    [
        (REMOTE, "https://layers.nvcr.io/x?Signature=1", True),
        (REMOTE, "https://files.ngc.nvidia.com/x", True),
        (REMOTE, "https://nvidia.com.evil.example/x", False),
        (REMOTE, "http://layers.nvcr.io/x", False),
        (REMOTE, "http://127.0.0.1:5055/x", False),
        (LOCAL, "http://127.0.0.1:6000/x", True),
        (LOCAL, "http://192.168.0.1/x", False),
        (LOCAL, "file://127.0.0.1/etc/passwd", False),
        (FOREIGN, "https://reg.example:5005/x", True),
        (FOREIGN, "https://layers.nvcr.io/x", False),
    ],
)
def test_a_redirect_is_followed_only_under_the_names_of_the_registry(egress, target, allowed):
    assert egress.allows_redirect(httpx.URL(target)) is allowed


@pytest.mark.parametrize(
    ("host", "endpoint"),
    [
        ("nvcr.io", "https://nvcr.io"),
        ("nvcr.io:443", "https://nvcr.io"),
        ("reg.example:5005", "https://reg.example:5005"),
    ],
)
def test_a_registry_answers_at_https(host, endpoint):
    assert registry_egress(host, {}).endpoint == httpx.URL(endpoint)


@pytest.mark.parametrize(
    "endpoint", ["http://127.0.0.1:5055", "http://[::1]:5055/", "http://localhost", "https://mirror.example"]
)
def test_a_registry_can_be_given_another_address(endpoint):
    assert registry_egress("nvcr.io", {"nvcr.io": endpoint}).endpoint == httpx.URL(endpoint)


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        ("http://mirror.example", "plain http to another machine"),
        ("http://0.0.0.0:5055", "plain http to another machine"),
        ("127.0.0.1:5055", "no address of a registry"),
        ("https://mirror.example/v2", "no address of a registry"),
        ("https://mirror.example?x=1", "no address of a registry"),
        ("https://user:word@mirror.example", "no address of a registry"),
        ("ftp://127.0.0.1", "no address of a registry"),
        ("http://[::1", "no address of a registry"),
        ("", "no address of a registry"),
    ],
)
def test_an_address_that_is_none_is_a_usage_error(endpoint, words):
    with pytest.raises(UsageError, match=words) as caught:
        registry_egress("nvcr.io", {"nvcr.io": endpoint})

    assert "word" not in str(caught.value)
