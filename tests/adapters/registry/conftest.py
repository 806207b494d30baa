"""nvcr.io's double, and a client that reads from it without waiting."""

import pytest

from bot.registry.client import RegistryClient
from bot.registry.transport import Patience
from tests.adapters.registry.layout import ngc_layout
from tests.adapters.registry.nvcr import Nvcr, serving

AT_ONCE = Patience(attempts=4, first_wait=0, longest_wait=0, jitter=0)


@pytest.fixture
def nvcr():
    with serving(Nvcr(ngc_layout())) as nvcr:
        yield nvcr


@pytest.fixture
def registry(nvcr):
    return RegistryClient({"nvcr.io": nvcr.registry.url}, patience=AT_ONCE)
