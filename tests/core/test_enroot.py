"""What an import needs, before anything is asked of a registry."""

import pytest

from bot.core.enroot import (
    Place,
    archive_name,
    credential_hosts,
    credential_problems,
    folders,
    import_arguments,
    known_hosts,
    space_problems,
)
from bot.core.errors import Refused
from bot.core.image import parse_image

IMAGE = parse_image("nvcr.io/nvidia/pytorch:26.06-py3")


def test_an_image_is_imported_in_enroot_s_form():
    assert import_arguments(IMAGE, "/a/x.part") == (
        "enroot",
        "import",
        "--output",
        "/a/x.part",
        "docker://nvcr.io#nvidia/pytorch:26.06-py3",
    )


def test_an_image_without_tag_is_refused():
    with pytest.raises(Refused):
        import_arguments(parse_image("nvcr.io/nvidia/pytorch"), "/a/x")


def test_each_reference_has_an_archive_of_its_own():
    names = {
        archive_name(parse_image(text))
        for text in ("a.b/c:1", "a.b/c-1:1", "a.b/c/d:1", "a.b/c__d:1", "a.b:5/c:1", "a.b/c:2")
    }

    assert len(names) == 6
    assert not any("/" in name or name.startswith(".") for name in names)
    assert archive_name(IMAGE) == "nvcr.io+23nvidia+2fpytorch+3a26.06-py3.sqsh"


@pytest.mark.parametrize(
    ("image", "hosts"),
    [
        ("nvcr.io/nvidia/pytorch:1", ("nvcr.io", "authn.nvidia.com")),
        ("gitlab.example.com:5005/group/image:1", ("gitlab.example.com",)),
        ("registry-1.docker.io/library/busybox:1", ("registry-1.docker.io", "auth.docker.io")),
    ],
)
def test_who_grants_access_needs_credentials_too(image, hosts):
    assert credential_hosts(parse_image(image)) == hosts


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("machine nvcr.io login $oauthtoken password $KEY\n", {"nvcr.io"}),
        ("machine a\n  login b\n  password c\nmachine d login e password machine\n", {"a", "d"}),
        ("# machine x login y\n", set()),
        ("machine", set()),
        ("login a machine b", {"b"}),
        ("default login a password b", set()),
        ("", set()),
    ],
)
def test_credentials_name_hosts(text, hosts):
    assert known_hosts(text) == hosts


@pytest.mark.parametrize(
    ("credentials", "words"),
    [
        (None, "is not there"),
        ("", "names no `nvcr.io` and `authn.nvidia.com`"),
        ("machine nvcr.io login a password b", "names no `authn.nvidia.com`"),
    ],
)
def test_a_host_without_credentials_is_said_and_does_not_stop_public_images(credentials, words):
    (problem,) = credential_problems(IMAGE, credentials, "/home/.credentials")

    assert words in problem.text
    assert not problem.fatal


def test_with_both_hosts_there_is_no_problem():
    text = "machine nvcr.io login a password b\nmachine authn.nvidia.com login a password b\n"

    assert credential_problems(IMAGE, text, "/home/.credentials") == ()


def test_what_lies_on_one_file_system_is_added_up():
    cache = Place("the cache", "/c", 1, 30.0, 15)
    scratch = Place("the scratch space", "/t", 1, 30.0, 20)
    archive = Place("the archive", "/a", 2, 30.0, 20)

    (problem,) = space_problems([cache, scratch, archive])

    assert problem.text == "30 GB are free for the cache `/c`, the scratch space `/t`, and 35 GB are needed"
    assert problem.fatal
    assert space_problems([cache, archive]) == ()


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"HOME": "/h"}, ("/h/.config/enroot", "/h/.cache/enroot", "/tmp")),
        (
            {"HOME": "/h", "XDG_CONFIG_HOME": "/x", "XDG_CACHE_HOME": "/y", "TMPDIR": "/z"},
            ("/x/enroot", "/y/enroot", "/z"),
        ),
        (
            {"ENROOT_CONFIG_PATH": "/1", "ENROOT_CACHE_PATH": "/2", "ENROOT_TEMP_PATH": "/3", "TMPDIR": "/z"},
            ("/1", "/2", "/3"),
        ),
    ],
)
def test_enroot_s_folders_are_those_of_its_configuration(environ, expected):
    assert tuple(folders(environ).values()) == expected
