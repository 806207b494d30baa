"""Web addresses: the same place, this machine, or under a list."""

from dataclasses import dataclass

import pytest

from bot.core.address import is_https_of, is_loopback, matches, same_origin


@dataclass(frozen=True)
class Url:
    scheme: str
    host: str
    port: int | None = None


HOSTS = ("store.example", ".blob.example")


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (Url("https", "a.example"), True),
        (Url("http", "a.example"), False),
        (Url("https", "b.example"), False),
        (Url("https", "a.example", 8443), False),
    ],
)
def test_an_origin_is_scheme_host_and_port(other, same):
    assert same_origin(Url("https", "a.example"), other) is same


@pytest.mark.parametrize(
    ("url", "local"),
    [
        (Url("http", "127.0.0.1", 80), True),
        (Url("https", "localhost"), True),
        (Url("http", "::1"), True),
        (Url("file", "127.0.0.1"), False),
        (Url("http", "10.0.0.1"), False),
        (Url("http", "127.0.0.1.example"), False),
    ],
)
def test_a_web_address_of_this_machine_is_known(url, local):
    assert is_loopback(url) is local


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        (Url("https", "store.example"), True),
        (Url("https", "x.blob.example"), True),
        (Url("http", "store.example"), False),
        (Url("https", "store.example", 8443), False),
        (Url("https", "sub.store.example"), False),
        (Url("https", "blob.example"), False),
        (Url("https", "xblob.example"), False),
        (Url("https", "x.blob.example.evil.example"), False),
    ],
)
def test_only_https_at_its_own_port_is_of_a_list(url, allowed):
    assert is_https_of(url, HOSTS) is allowed


def test_nothing_is_on_an_empty_list():
    assert not matches("store.example", ())
