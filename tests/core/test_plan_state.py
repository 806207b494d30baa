"""What the files of a branch say of a track, with every defect as a value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.plan import SiteState, read_track
from tests.core.plan_tree import DEV, LTS, SPLIT, TREES, image, rows, tree

ONE, TWO = "sha256:" + "1a" * 32, "sha256:" + "2b" * 32
PYTORCH = "nvcr.io/nvidia/pytorch"


def state(files, track=DEV):
    return read_track("dev", track, files)


def problems(found):
    return [(site.where, site.problem) for site in found.sites if site.problem]


def test_a_tree_in_sync_shows_one_image():
    found = state(tree())

    assert found.in_sync
    assert found.image == image("26.04-py3")
    assert [(pin.where, pin.value, pin.platform, pin.problem) for pin in found.pins] == [
        ("pin.dev:1", f"{PYTORCH}:26.04-py3", None, None),
        ("ci.yml:4", f"{PYTORCH}:26.04-py3", "amd64", None),
        ("ci.yml:5", f"{PYTORCH}:26.04-py3", "arm64", None),
    ]
    assert found.notices == ()


def test_places_that_stay_are_listed_with_what_they_hold():
    found = [site for site in state(tree()).sites if site.policy != "edit"]

    assert [(site.policy, site.where, site.value) for site in found] == [
        ("report", "docs.md:3", f"{PYTORCH}:26.02-py3"),
        ("coupled", "Dockerfile:2", "2.30.7+cuda13.3"),
        ("coupled", "Dockerfile:3", "3.4.5"),
    ]


def test_a_line_that_names_the_image_twice_is_listed_once():
    link = f"[{PYTORCH}:26.02-py3]({PYTORCH}:26.02-py3)\n".encode()

    assert [site.where for site in state(tree(docs_md=link)).sites if site.policy == "report"] == [
        "docs.md:1"
    ]


@pytest.mark.parametrize(
    ("files", "lagging"),
    [
        pytest.param(
            tree(ci_yml=rows(f"{PYTORCH}:26.06-py3")),
            [("pin.dev:1", "holds `26.04-py3` while ci.yml:4 holds `26.06-py3`")],
            id="the file",
        ),
        pytest.param(
            tree(ci_yml=rows(f"{PYTORCH}:26.04-py3", f"{PYTORCH}:25.11-py3")),
            [("ci.yml:5", "holds `25.11-py3` while pin.dev:1 holds `26.04-py3`")],
            id="one row",
        ),
        pytest.param(
            tree(pin_dev=f"{PYTORCH}:26.10-py3".encode(), ci_yml=rows(f"{PYTORCH}:26.09-py3")),
            [
                ("ci.yml:4", "holds `26.09-py3` while pin.dev:1 holds `26.10-py3`"),
                ("ci.yml:5", "holds `26.09-py3` while pin.dev:1 holds `26.10-py3`"),
            ],
            id="both rows",
        ),
    ],
)
def test_a_pin_that_lags_names_the_newest_one(files, lagging):
    found = state(files)

    assert problems(found) == lagging
    assert found.image is None
    assert not found.in_sync


@pytest.mark.parametrize(
    ("first", "second", "third", "differing"),
    [
        pytest.param(ONE, ONE, ONE, [], id="all the same"),
        pytest.param(None, ONE, None, [], id="some pins have none"),
        pytest.param(ONE, TWO, ONE, ["ci.yml:4"], id="one differs from the others"),
        pytest.param(None, ONE, TWO, ["ci.yml:5"], id="two differ beside one without"),
    ],
)
def test_pins_of_one_tag_may_not_hold_two_digests(first, second, third, differing):
    pins = [f"{PYTORCH}:26.04-py3" + (f"@{digest}" if digest else "") for digest in (first, second, third)]
    found = state(tree(pin_dev=pins[0].encode(), ci_yml=rows(*pins[1:])))

    assert [where for where, _ in problems(found)] == differing
    assert all("holds another digest than" in problem for _, problem in problems(found))
    assert found.in_sync == (not differing)


@pytest.mark.parametrize(
    ("content", "where", "problem"),
    [
        pytest.param(None, "pin.dev", "the file is missing", id="missing"),
        pytest.param(b"\xff\xfe", "pin.dev", "the file is not UTF-8", id="not UTF-8"),
        pytest.param(b"", "pin.dev:1", "the file is empty", id="empty"),
        pytest.param(
            b"nvcr.io/nvidia/pytorch:latest",
            "pin.dev:1",
            "`nvcr.io/nvidia/pytorch:latest` names no release: `latest` moves by itself",
            id="latest",
        ),
        pytest.param(
            b"docker.io/nvidia/pytorch:26.04-py3",
            "pin.dev:1",
            "`docker.io/nvidia/pytorch:26.04-py3` is not an image of `nvcr.io/nvidia/pytorch`",
            id="another registry",
        ),
        pytest.param(
            b"nvcr.io/nvidia/pytorch:26.04-py3-igpu",
            "pin.dev:1",
            "the tag of `nvcr.io/nvidia/pytorch:26.04-py3-igpu` is not of the form `YY.MM-py3`",
            id="another flavour",
        ),
    ],
)
def test_a_defect_is_said_where_it_stands(content, where, problem):
    found = state(tree(pin_dev=content))

    assert problems(found) == [(where, problem)]
    assert not found.in_sync
    assert found.image == image("26.04-py3"), "the sound pins still agree"


def test_a_track_of_which_nothing_is_left_has_no_image():
    found = state({})

    assert problems(found) == [("pin.dev", "the file is missing"), ("ci.yml", "the file is missing")]
    assert found.image is None
    assert found.notices == ("docs.md is not on this branch", "Dockerfile is not on this branch")


@pytest.mark.parametrize(
    ("changed", "notices"),
    [
        pytest.param({"docs_md": None}, ("docs.md is not on this branch",), id="no such file"),
        pytest.param(
            {"Dockerfile": None}, ("Dockerfile is not on this branch",), id="said once for two pins"
        ),
        pytest.param(
            {"docs_md": b"# Start\n"}, ("docs.md does not name the image on this branch",), id="no reference"
        ),
        pytest.param(
            {"docs_md": b"\xff"}, ("docs.md does not name the image on this branch",), id="not readable"
        ),
        pytest.param(
            {"Dockerfile": b"ARG NCCL=2.30.7+cuda13.3\n"},
            ("Dockerfile does not name NVSHMEM on this branch",),
            id="one of two pins",
        ),
    ],
)
def test_what_only_some_branches_have_is_a_notice(changed, notices):
    found = state(tree(**changed))

    assert found.notices == notices
    assert found.in_sync


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(tree(), [], id="all there"),
        pytest.param(
            tree(pin_dev=f"{PYTORCH}:26.02-py3".encode(), ci_yml=rows(f"{PYTORCH}:26.02-py3")),
            [
                ("pin.dev:1", "holds `26.02-py3`, expected `26.04-py3`"),
                ("ci.yml:4", "holds `26.02-py3`, expected `26.04-py3`"),
                ("ci.yml:5", "holds `26.02-py3`, expected `26.04-py3`"),
            ],
            id="none there",
        ),
        pytest.param(
            tree(pin_dev=f"{PYTORCH}:26.02-py3".encode()),
            [("pin.dev:1", "holds `26.02-py3` while ci.yml:4 holds `26.04-py3`")],
            id="a pin that lags says so already",
        ),
        pytest.param(tree(pin_dev=b""), [("pin.dev:1", "the file is empty")], id="a defect stays what it is"),
    ],
)
def test_an_expected_tag_is_asked_of_every_sound_pin(files, expected):
    found = state(files).expecting("26.04-py3")

    assert problems(found) == expected
    assert found.in_sync == (not expected)


def test_tracks_are_judged_one_by_one():
    files = tree(pin_dev=f"{PYTORCH}:26.06-py3".encode(), ci_yml=rows(f"{PYTORCH}:26.06-py3"))

    assert state(files, DEV).image == image("26.06-py3")
    assert state(files, LTS).image == image("26.04-py3")


def test_a_tag_and_a_release_stand_for_the_whole_reference():
    found = state(tree(), SPLIT)

    assert found.in_sync
    assert {(pin.where, pin.value) for pin in found.pins} == {
        ("Dockerfile.split:1", "26.04"),
        ("Dockerfile.split:2", "26.04-py3"),
        ("Dockerfile.split:3", f"{PYTORCH}:26.04-py3"),
    }


def test_a_place_without_a_line_is_its_file():
    assert SiteState("a", None, None, "edit").where == "a"


@given(files=TREES, track=st.sampled_from([DEV, LTS, SPLIT]))
def test_whatever_stands_in_the_files_it_is_read(files, track):
    found = state(files, track)

    assert found.pins, "no site is passed over in silence"
    assert found.in_sync == (found.image is not None and not problems(found))
