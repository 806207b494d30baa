"""Real programs that some tests need: a missing one skips on a person's machine and fails in CI."""

import os
from typing import NoReturn

import pytest


def component_missing(name: str, why: str) -> NoReturn:
    """Skip the test, or fail it where every component is promised (`BOT_TEST_COMPONENTS=required`)."""
    message = f"{name} is not usable here: {why}"
    if os.environ.get("BOT_TEST_COMPONENTS") == "required":
        pytest.fail(f"{message}; CI has to install and start it", pytrace=False)
    pytest.skip(message)
