"""The ids of files are git's own."""

import subprocess

import pytest

from bot.core.blob import blob_id


@pytest.mark.parametrize("data", [b"", b"26.04-py3\n", b"\x00\xff", "naïve\r\n".encode()])
def test_a_file_has_the_id_that_git_gives_it(data):
    found = subprocess.run(["git", "hash-object", "--stdin"], input=data, capture_output=True, check=True)

    assert blob_id(data) == found.stdout.decode().strip()
