"""What a `.gitmodules` says of a build context."""

import pytest

from bot.core.build_context import submodules_of


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("", ()),
        ('[submodule "a"]\n\tpath = 3rdparty/a\n\turl = https://example.com/a\n', ("3rdparty/a",)),
        ('[submodule "b"]\r\npath="b c"\r\n[submodule "d"]\n  path = d\n', ("b c", "d")),
        ("path = ../outside\npath = /etc\npath = a/../../b\n", ()),
        ("# path = a\nxpath = b\n", ()),
    ],
)
def test_the_paths_are_read(text, paths):
    assert submodules_of(text) == paths
