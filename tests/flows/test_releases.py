"""The list of releases: what the registry has now, beside what the ledger remembers."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.errors import ServiceError
from bot.core.image import TagScheme
from bot.flows.releases import ReleaseRow, list_releases
from tests.fakes.images import IMAGE, RELEASE_25_10, RELEASE_26_07, on_both_platforms
from tests.fakes.ledger import FakeLedger
from tests.fakes.registry import FakeRegistry

SCHEME = TagScheme("YY.MM-py3")
JULY = datetime(2026, 7, 1, tzinfo=UTC)
BOTH = ("linux/amd64", "linux/arm64")


@pytest.fixture
def registry():
    registry = FakeRegistry()
    for tag in ("25.09-py3", "25.11-py3", "26.06-py3"):
        registry.push(IMAGE, tag, on_both_platforms(RELEASE_25_10 | {"NVIDIA_PYTORCH_VERSION": tag[:5]}))
    return registry


@pytest.fixture
def ledger():
    return FakeLedger(JULY)


def test_the_newest_release_comes_first_and_other_tags_do_not_come(registry, ledger):
    others = ["9.12-py3", "25.2-py3", "26.07-py3-igpu", "26.07-py3.rc1", "26-py3", "sha256-0aa.att", "latest"]
    for tag in others:
        registry.push(IMAGE, tag, {"linux/arm64": RELEASE_26_07})

    rows = list_releases(registry, ledger, IMAGE, SCHEME, limit=10)

    assert [row.tag for row in rows] == ["26.06-py3", "25.11-py3", "25.09-py3"]
    assert set(registry.asked) == {row.tag for row in rows}


def test_no_more_than_the_limit_is_asked_for(registry, ledger):
    rows = list_releases(registry, ledger, IMAGE, SCHEME, limit=2)

    assert [row.tag for row in rows] == ["26.06-py3", "25.11-py3"]
    assert registry.asked == ["26.06-py3", "25.11-py3"]


def test_a_release_is_dated_by_when_it_was_first_seen(registry, ledger):
    list_releases(registry, ledger, IMAGE, SCHEME, limit=10)
    ledger.now = JULY + timedelta(days=9)
    pushed = registry.push(IMAGE, "26.07-py3", on_both_platforms(RELEASE_26_07))

    rows = list_releases(registry, ledger, IMAGE, SCHEME, limit=2)

    assert rows[0] == ReleaseRow("26.07-py3", BOTH, pushed.digest, JULY + timedelta(days=9))
    assert rows[1].first_seen == JULY


def test_a_tag_that_was_pushed_again_keeps_its_date_and_shows_its_earlier_digests(registry, ledger):
    earlier = []
    for build in ("1", "2"):
        image = on_both_platforms(RELEASE_26_07 | {"NVIDIA_BUILD_ID": build})
        earlier.append(registry.push(IMAGE, "26.07-py3", image).digest)
        list_releases(registry, ledger, IMAGE, SCHEME, limit=1)
    ledger.now = JULY + timedelta(days=3)
    now = registry.push(IMAGE, "26.07-py3", on_both_platforms(RELEASE_26_07))

    (row,) = list_releases(registry, ledger, IMAGE, SCHEME, limit=1)

    assert row == ReleaseRow("26.07-py3", BOTH, now.digest, JULY, repushed=tuple(earlier))


def test_a_release_that_lacks_a_platform_says_so(registry, ledger):
    registry.push(IMAGE, "26.07-py3", {"linux/amd64": RELEASE_26_07})

    (row,) = list_releases(registry, ledger, IMAGE, SCHEME, limit=1)

    assert row.platforms == ("linux/amd64",)


class ForgetfulRegistry(FakeRegistry):
    """Deletes its newest tag once it was listed."""

    def tags(self, name):
        listed = super().tags(name)
        self.delete(name, max(listed))
        return listed


def test_a_tag_that_is_gone_when_it_is_asked_for_has_no_row(ledger):
    registry = ForgetfulRegistry()
    for tag in ("26.06-py3", "26.07-py3"):
        registry.push(IMAGE, tag, on_both_platforms(RELEASE_26_07))

    assert [row.tag for row in list_releases(registry, ledger, IMAGE, SCHEME, limit=9)] == ["26.06-py3"]


def test_nothing_is_recorded_of_a_registry_that_fails(registry, ledger):
    registry.failure = ServiceError("`nvcr.io` answered with status 503")

    with pytest.raises(ServiceError):
        list_releases(registry, ledger, IMAGE, SCHEME, limit=9)

    assert ledger.digests(IMAGE, "26.06-py3") == ()
