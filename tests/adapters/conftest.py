"""What the tests of several adapters share."""

import pytest

from tests.adapters.artifact_store import running


@pytest.fixture
def store():
    with running() as store:
        yield store


@pytest.fixture(scope="module")
def shared_store():
    """One server for many reads, where each is a case of one test."""
    with running() as store:
        yield store
