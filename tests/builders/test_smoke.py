"""`bot build --smoke` in an image with a real Python and stand-ins for its modules."""

import pytest

from tests.builders.clones import make_clone
from tests.builders.test_build_command import recipe
from tests.builders.test_lock import bot, uv_engine

__all__ = ["bot", "recipe", "uv_engine"]

pytestmark = pytest.mark.component("docker")

VENV = """RUN uv venv --offline /opt/venv && for name in torch transformer_engine; do \\
    echo "%s" > $(echo /opt/venv/lib/python3*/site-packages)/$name.py; done"""


def smoke(bot, folder, module):
    clone = make_clone(folder / "clone", VENV % module)
    return bot("build", "--checkout", str(clone), "--smoke")


def test_an_image_whose_modules_import_is_good(bot, tmp_path):
    module = (
        "__version__ = '9.9'; version = type('v', (), {'cuda': '13.3'}); "
        "cuda = type('c', (), {'nccl': type('n', (), {'version': staticmethod(lambda: (2, 30, 7))})})"
    )

    status, document, people = smoke(bot, tmp_path, module)

    assert status == 0, people
    states = {it["name"]: it["state"] for it in document["smoke"]}
    assert states == {
        "python": "ok",
        "environment": "ok",
        "torch": "ok",
        "transformer_engine": "ok",
        "cuda version": "ok",
        "nccl version": "ok",
        "gpu": "skipped",
    }


def test_a_module_that_does_not_import_ends_with_1(bot, tmp_path):
    status, document, _ = smoke(bot, tmp_path, "raise ImportError('libnvshmem.so is missing')")

    assert (status, document["outcome"]) == (1, "succeeded")
    [torch] = [it for it in document["smoke"] if it["name"] == "torch"]
    assert "libnvshmem.so is missing" in torch["text"]
