"""Plans: which bytes move a track to a tag, what a person should look at, and when the bot refuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.errors import BotError, Refused
from bot.core.plan import plan_bump
from tests.core.plan_tree import DEV, LTS, SPLIT, TREES, image, rows, tree

PYTORCH = "nvcr.io/nvidia/pytorch"
ONE, TWO = "sha256:" + "1a" * 32, "sha256:" + "2b" * 32
NEW = image("26.06-py3")


def plan(files, target=NEW, track=DEV, environment=None):
    return plan_bump("dev", track, files, target, environment)


def refusal(files, target=NEW, track=DEV):
    with pytest.raises(Refused) as caught:
        plan(files, target, track)
    return caught.value


def edits(found):
    return [(edit.path, edit.lines) for edit in found.edits]


def test_every_pin_of_the_track_moves_and_nothing_else():
    found = plan(tree())

    assert (found.before, found.after) == (image("26.04-py3"), NEW)
    assert edits(found) == [("pin.dev", (1,)), ("ci.yml", (4, 5))]
    assert found.files == {
        "pin.dev": b"nvcr.io/nvidia/pytorch:26.06-py3\n",
        "ci.yml": rows(f"{PYTORCH}:26.06-py3"),
    }


def test_the_diff_shows_all_edits():
    assert plan(tree(ci_yml=rows(f"{PYTORCH}:26.06-py3"))).diff == (
        "--- a/pin.dev\n+++ b/pin.dev\n@@ -1 +1 @@\n"
        "-nvcr.io/nvidia/pytorch:26.04-py3\n+nvcr.io/nvidia/pytorch:26.06-py3\n"
    )


def test_the_other_track_moves_alone_although_it_holds_the_same_tag():
    found = plan(tree(), track=LTS)

    assert edits(found) == [("pin.lts", (1,)), ("ci.yml", (3,))]
    assert found.files["pin.lts"] == b"nvcr.io/nvidia/pytorch:26.06-py3", "no line feed is added"
    assert found.files["ci.yml"] == rows(lts=f"{PYTORCH}:26.06-py3")


def test_pins_that_are_there_already_need_no_edit():
    found = plan(tree(), image("26.04-py3"))

    assert (found.edits, found.diff, found.files) == ((), "", {})
    assert found.before == found.after == image("26.04-py3")


@pytest.mark.parametrize(
    ("files", "moved"),
    [
        pytest.param(
            tree(ci_yml=rows(f"{PYTORCH}:26.06-py3")), [("pin.dev", (1,))], id="the rows moved before"
        ),
        pytest.param(
            tree(pin_dev=f"{PYTORCH}:26.06-py3\n".encode()), [("ci.yml", (4, 5))], id="the file moved before"
        ),
        pytest.param(
            tree(ci_yml=rows(f"{PYTORCH}:26.06-py3", f"{PYTORCH}:26.04-py3")),
            [("pin.dev", (1,)), ("ci.yml", (5,))],
            id="one of two rows moved before",
        ),
    ],
)
def test_a_pin_that_moved_before_is_left_alone(files, moved):
    found = plan(files)

    assert edits(found) == moved
    assert found.before == image("26.04-py3")


def test_pins_of_one_file_move_together():
    found = plan(tree(), track=SPLIT)

    assert edits(found) == [("Dockerfile.split", (1, 2, 3))]
    assert found.files["Dockerfile.split"] == (
        b"ARG YYMM=26.06\nRUN tag=26.06-py3 \nFROM nvcr.io/nvidia/pytorch:26.06-py3\n"
    )


@pytest.mark.parametrize(
    ("written", "target", "moved"),
    [
        pytest.param(
            f"{PYTORCH}:26.04-py3@{ONE}",
            image("26.06-py3", TWO),
            f"{PYTORCH}:26.06-py3@{TWO}",
            id="with the tag",
        ),
        pytest.param(
            f"{PYTORCH}:26.06-py3@{ONE}",
            image("26.06-py3", TWO),
            f"{PYTORCH}:26.06-py3@{TWO}",
            id="alone, where the tag was built anew",
        ),
        pytest.param(
            f"{PYTORCH}:26.04-py3", image("26.06-py3", TWO), f"{PYTORCH}:26.06-py3", id="and is added to none"
        ),
        pytest.param(
            "nvcr.io#nvidia/pytorch:26.04-py3",
            NEW,
            "nvcr.io#nvidia/pytorch:26.06-py3",
            id="enroot's form stays",
        ),
    ],
)
def test_a_digest_moves(written, target, moved):
    found = plan(tree(pin_dev=written.encode(), ci_yml=rows(f"{PYTORCH}:26.06-py3")), target)

    assert found.files == {"pin.dev": moved.encode()}


def test_a_digest_that_is_unknown_is_not_made_up():
    error = refusal(tree(pin_dev=f"{PYTORCH}:26.04-py3@{ONE}".encode()))

    assert (error.where, error.hint) == ("pin.dev:1", "let the bot ask the registry")
    assert "carries a digest, and that of `26.06-py3` is unknown" in error.message


def test_a_digest_of_the_same_tag_is_no_work_where_the_target_names_none():
    files = tree(pin_dev=f"{PYTORCH}:26.06-py3@{ONE}".encode(), ci_yml=rows(f"{PYTORCH}:26.06-py3"))

    assert plan(files).edits == ()


@pytest.mark.parametrize(
    ("files", "where", "message", "hint"),
    [
        pytest.param(
            tree(pin_dev=None),
            "pin.dev",
            "the file is missing",
            "the repository has moved on: update the bump recipe",
            id="missing file",
        ),
        pytest.param(
            tree(pin_dev=b"\xff"), "pin.dev", "the file is not UTF-8", "save it as UTF-8", id="not UTF-8"
        ),
        pytest.param(
            tree(pin_dev=b"nvcr.io/nvidia/pytorch:26.04-py3\r\n"),
            "pin.dev:1",
            "a carriage return would become part of the image's name",
            "the file must be one image reference and at most one final line feed",
            id="a carriage return in a whole file",
        ),
        pytest.param(
            tree(pin_dev=b"nvcr.io/nvidia/pytorch:latest"),
            "pin.dev:1",
            "`nvcr.io/nvidia/pytorch:latest` names no release: `latest` moves by itself",
            "name a tag `YY.MM-py3`",
            id="latest",
        ),
        pytest.param(
            tree(ci_yml=b"build:\n  matrix: []\n"),
            "ci.yml",
            "expected 2 pins, found none at rows `build / matrix`, match `IMAGE: DEV`, key `BASE`, "
            "platform `PLATFORM`",
            "the file has moved on: update the bump recipe",
            id="no rows",
        ),
        pytest.param(
            tree(pin_dev=f"{PYTORCH}:26.08-py3".encode()),
            "pin.dev:1",
            "`26.08-py3` is newer than `26.06-py3`",
            "to go back, revert the pull request that bumped",
            id="newer than the target",
        ),
        pytest.param(
            tree(ci_yml=b"# Do not bump: hangs\n" + rows()[:-1] + b" # pinned, see #1\n"),
            "ci.yml:6",
            "a comment holds this pin: `pinned, see #1`",
            "settle what the comment says and remove it first",
            id="held by a comment beside it",
        ),
    ],
)
def test_one_pin_that_cannot_move_stops_all_of_them(files, where, message, hint):
    error = refusal(files)

    assert (error.where, error.message, error.hint) == (where, message, hint)


@pytest.mark.parametrize(
    ("files", "message", "hint"),
    [
        pytest.param(
            tree(pin_dev=b"", ci_yml=None),
            "the pins are not as the recipe says:\n"
            "  pin.dev:1: the file is empty\n"
            "  ci.yml: the file is missing",
            "the file must be one image reference and at most one final line feed;"
            " the repository has moved on: update the bump recipe",
            id="defects",
        ),
        pytest.param(
            tree(ci_yml=rows(f"{PYTORCH}:26.10-py3")),
            "the bot never moves a pin back:\n"
            "  ci.yml:4: `26.10-py3` is newer than `26.06-py3`\n"
            "  ci.yml:5: `26.10-py3` is newer than `26.06-py3`",
            "to go back, revert the pull request that bumped",
            id="newer than the target",
        ),
        pytest.param(
            tree(
                ci_yml=b"build:\n  matrix:\n  # hold: broken\n"
                + rows().split(b"matrix:\n")[1].split(b"\n", 1)[1].replace(b"}\n", b"} # do not bump\n")
            ),
            "comments hold these pins:\n"
            "  ci.yml:3: a comment holds this pin: `hold: broken`\n"
            "  ci.yml:5: a comment holds this pin: `do not bump`",
            "settle what the comment says and remove it first",
            id="held by comments",
        ),
    ],
)
def test_all_reasons_of_a_kind_are_said_at_once(files, message, hint):
    error = refusal(files)

    assert (error.where, error.message, error.hint) == ("", message, hint)


def test_rows_of_one_place_that_disagree_are_refused():
    error = refusal(tree(ci_yml=rows(f"{PYTORCH}:26.02-py3", f"{PYTORCH}:26.04-py3")))

    assert error.where == "ci.yml:4"
    assert "`26.02-py3` in line 4" in error.message
    assert "`26.04-py3` in line 5" in error.message


def test_places_that_lag_behind_each_other_are_brought_along_and_that_is_said_first():
    found = plan(tree(pin_dev=f"{PYTORCH}:26.02-py3".encode()))

    assert edits(found) == [("pin.dev", (1,)), ("ci.yml", (4, 5))]
    assert found.concerns[0] == (
        "the pins disagreed before: pin.dev:1 held `26.02-py3`,"
        " ci.yml:4 held `26.04-py3`, ci.yml:5 held `26.04-py3`"
    )


def test_a_hold_keeps_no_pin_that_is_there_already():
    held = rows(f"{PYTORCH}:26.06-py3").replace(b"}\n", b"} # pinned\n")

    assert edits(plan(tree(ci_yml=held))) == [("pin.dev", (1,))]


@pytest.mark.parametrize("tag", ["26.06-py3-igpu", "latest"])
def test_a_target_that_is_no_release_of_the_track_is_refused(tag):
    assert "is not of the form `YY.MM-py3`" in refusal(tree(), image(tag)).message


def test_without_an_environment_the_coupled_pins_are_left_to_a_person():
    assert plan(tree()).concerns == (
        "Dockerfile:2: compare NCCL `2.30.7+cuda13.3` with what the new image brings",
        "Dockerfile:3: compare NVSHMEM `3.4.5` with what the new image brings",
    )


@pytest.mark.parametrize(
    ("environment", "concerns"),
    [
        pytest.param(
            {"NCCL_VERSION": "2.30.7", "CUDA_VERSION": "13.3.1.008", "NVSHMEM_VERSION": "3.4.5"},
            (),
            id="all agree",
        ),
        pytest.param(
            {"NCCL_VERSION": "2.31.2", "CUDA_VERSION": "13.4.0", "NVSHMEM_VERSION": "3.7.1"},
            (
                "Dockerfile:2: `NCCL` pins 2.30.7 and would take the new image back from 2.31.2",
                "Dockerfile:2: `NCCL` is built for CUDA 13.3, the new image has CUDA 13.4.0",
                "Dockerfile:3: `NVSHMEM` pins 3.4.5 and would take the new image back from 3.7.1",
            ),
            id="all differ, a part or the whole pin",
        ),
        pytest.param(
            {"NCCL_VERSION": "2.30.7", "CUDA_VERSION": "13.3"},
            ("Dockerfile:3: `NVSHMEM` pins 3.4.5; the new image does not say its `NVSHMEM_VERSION`",),
            id="the image does not say",
        ),
    ],
)
def test_coupled_pins_are_compared_with_the_new_image(environment, concerns):
    assert plan(tree(), environment=environment).concerns == concerns


def test_places_that_stay_are_listed_after_what_a_person_should_look_at():
    found = plan(tree(Dockerfile=b"ARG NCCL=2.30.7+cuda13.3\n"))

    assert found.listed == (
        f"docs.md:3 names `{PYTORCH}:26.02-py3` and stays: prose",
        "Dockerfile does not name NVSHMEM on this branch",
    )
    assert found.notices == (*found.concerns, *found.listed)


@given(
    files=TREES,
    track=st.sampled_from([DEV, LTS, SPLIT]),
    tag=st.sampled_from(["26.04-py3", "26.06-py3", "x"]),
)
def test_whatever_stands_in_the_files_it_is_planned_or_explained(files, track, tag):
    try:
        found = plan(files, image(tag), track, {"CUDA_VERSION": "13.3"})
    except BotError:
        return

    moved = {**files, **found.files}
    assert plan(moved, image(tag), track).edits == (), "a second bump finds nothing to do"
    assert {edit.path for edit in found.edits} <= set(track.pin_paths)
