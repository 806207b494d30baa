"""One daemon for all tests that build."""

import pytest

from tests.builders.daemon import running_engine


@pytest.fixture(scope="session")
def engine():
    with running_engine() as running:
        yield running
