"""The messages that the bot writes, whole, and with everything in them that an enemy could put there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import TemplateNotFound, UndefinedError

from bot.core.components import Component
from bot.core.edits import FileEdit
from bot.texts import Texts, template_folder
from tests.texts import test_moved_world
from tests.texts.judge import HOSTILE, notifying, obeyed, obeyed_in_source, rendered
from tests.texts.quarantine_texts import (
    QUARANTINE_COMMENTS,
    QUARANTINE_MESSAGES,
    hostile_quarantines,
)
from tests.texts.round_texts import ROUND_MESSAGES, hostile_rounds

SHA = "60db1d25" + "3f" * 16
LIMIT = 60_000
OLD, NEW = "nvcr.io/nvidia/pytorch:26.04-py3", "nvcr.io/nvidia/pytorch:26.06-py3"

COMMIT = {
    "title": "chore: Update Docker image version to 26.06-py3",
    "track": "dev",
    "before": OLD,
    "after": NEW,
    "digest": f"sha256:{'1a' * 32}",
    "name": "ngc-bump-bot[bot]",
    "email": "1+ngc-bump-bot[bot]@users.noreply.github.com",
}
PULL_REQUEST = {
    "track": "dev",
    "base": "main",
    "recipe": "megatron-lm",
    "command": "bot bump 26.06-py3 --recipe megatron-lm",
    "before": OLD,
    "after": NEW,
    "edits": [
        FileEdit("docker/.ngc_version.dev", "a", "b", (1,)),
        FileEdit(".gitlab/stages/01.build.yml", "a", "b", (80, 84)),
    ],
    "concerns": ["docker/Dockerfile.ci.dev:12: `NCCL` is built for CUDA 13.3, the new image has CUDA 13.4.0"],
    "listed": [
        "docker/__init__.sh:3 names `nvcr.io/nvidia/pytorch:26.02-py3` and stays: prose",
        "docs/old.md is not on this branch",
    ],
    "components": [
        Component("NCCL", "linux/amd64", "2.30.7", "2.31.2", "changed"),
        Component("NIXL", "all", None, "1.0", "added"),
    ],
    "doubts": ["linux/arm64 is only in `26.06-py3`, so it is not compared"],
    "unverified": False,
    "platforms": ["linux/amd64", "linux/arm64"],
}
STATUS = {
    "tag": "26.06-py3",
    "track": "dev",
    "after": NEW,
    "labels": ["Run functional tests"],
    "conflicts": ["Run tests"],
    "approval": "taken",
    "sha": SHA,
    "opened_by": "ada",
    "stopped": None,
    "report": None,
    "components": [],
    "concerns": ["docker/Dockerfile.ci.dev:12: `NCCL` pins 2.30.7, newer than 2.30.4 of the new image"],
}
SUPERSEDED = {"number": 12, "track": "dev", "tag": "26.06-py3"}
ANSWER = {
    "marker": "<!-- ngc-bump-bot:answer 12 -->",
    "answers": [("/bot bump 26.06-py3", "opened #5"), ("/bot lock", "there is nothing to lock")],
}
MESSAGES = {
    "answer.md.j2": ANSWER,
    "commit.txt.j2": COMMIT,
    "pull_request.md.j2": PULL_REQUEST,
    "status.md.j2": STATUS,
    "superseded.md.j2": SUPERSEDED,
}
MESSAGES |= QUARANTINE_MESSAGES
MESSAGES |= ROUND_MESSAGES


def render(template, **changed):
    return Texts().render(template, **{**MESSAGES[template], **changed})


def test_every_template_is_tested_here():
    files = {path.name for path in template_folder().iterdir() if path.is_file()}
    assert files == {*MESSAGES, *test_moved_world.MESSAGES}


def test_a_commit_message():
    assert (
        render("commit.txt.j2")
        == f"""\
chore: Update Docker image version to 26.06-py3

Moves the dev track from {OLD} to {NEW}.

Base-Image: {NEW}
Base-Image-Digest: sha256:{"1a" * 32}
Signed-off-by: ngc-bump-bot[bot] <1+ngc-bump-bot[bot]@users.noreply.github.com>
"""
    )


def test_a_commit_message_without_a_digest_has_no_line_for_it():
    assert render("commit.txt.j2", digest=None).splitlines()[-2:] == [
        f"Base-Image: {NEW}",
        "Signed-off-by: ngc-bump-bot[bot] <1+ngc-bump-bot[bot]@users.noreply.github.com>",
    ]


def test_a_pull_request():
    assert (
        render("pull_request.md.j2")
        == f"""\
<!-- ngc-bump-bot:begin -->
Moves the `dev` track on branch `main` from `{OLD}` to `{NEW}`.

| file | changed lines |
| --- | --- |
| `docker/.ngc_version.dev` | 1 |
| `.gitlab/stages/01.build.yml` | 80, 84 |

### Look at these

- docker/Dockerfile.ci.dev:12: `NCCL` is built for CUDA 13.3, the new image has CUDA 13.4.0

### What the image brings

| component | platform | old | new | change |
| --- | --- | --- | --- | --- |
| NCCL | linux/amd64 | 2.30.7 | 2.31.2 | changed |
| NIXL | all | \N{EN DASH} | 1.0 | added |

- linux/arm64 is only in `26.06-py3`, so it is not compared

### What did not move

The other tracks, and everything below. Only the files that the bump recipe `megatron-lm` names were read; \
the rest of the tree was not searched.

<details><summary>Listed by the recipe and left alone: 2</summary>

- docker/\\_\\_init\\_\\_.sh:3 names `nvcr.io/nvidia/pytorch:26.02-py3` and stays: prose
- docs/old.md is not on this branch

</details>

### How to drive it

- Again or after a fix: `bot bump 26.06-py3 --recipe megatron-lm`. What is there is not done twice.
- A commit by a person is left alone: the bot goes on only when somebody with write permission has \
approved it by its full sha.
- To stop it, close this pull request: it stays closed for this tag. To undo a merged bump, revert its \
merge commit.
<!-- ngc-bump-bot:end -->
"""
    )


def test_a_pull_request_of_which_little_is_known():
    nothing = dict.fromkeys(("components", "concerns", "doubts", "listed"), ())
    body = render("pull_request.md.j2", unverified=True, **nothing)

    assert "The registry was not asked: whether the tag exists for linux/amd64 and linux/arm64" in body
    assert "What the image brings" not in body
    assert "Look at these" not in body
    assert "<details>" not in body


def test_a_pull_request_says_nothing_of_components_that_stay_the_same():
    body = render("pull_request.md.j2", components=[], unverified=False)

    assert "What the image brings" not in body
    assert "The registry was not asked" not in body


def test_a_status():
    assert (
        render("status.md.j2")
        == f"""\
<!-- ngc-bump-bot:status -->
### Base image `26.06-py3`, `dev` track

| | |
| --- | --- |
| pins | in sync at `{NEW}` |
| opened by | `ada`, from the bot's branch: the bot goes on with it, and leaves its text alone |
| labels | `Run functional tests` |
| conflict | `Run tests` makes CI do something else; remove it |
| approval | `{SHA}` approved, and copy-pr-bot has taken it |

Look at these:

- docker/Dockerfile.ci.dev:12: `NCCL` pins 2.30.7, newer than 2.30.4 of the new image
"""
    )


@pytest.mark.parametrize(
    ("approval", "row"),
    [
        pytest.param("taken", f"`{SHA}` approved, and copy-pr-bot has taken it", id="taken"),
        pytest.param("asked", f"`{SHA}` approved, copy-pr-bot has not taken it yet", id="asked"),
        pytest.param(
            "late",
            f"`{SHA}` approved more than 15 minutes ago and not taken by copy-pr-bot:"
            " is the commenting account a vetter of this repository?",
            id="late",
        ),
        pytest.param("none", "not needed here", id="not needed"),
    ],
)
def test_a_status_without_trouble_ends_with_the_approval(approval, row):
    body = render("status.md.j2", approval=approval, labels=[], conflicts=[], concerns=[], opened_by=None)

    assert body.splitlines()[6:] == ["| labels | none needed |", f"| approval | {row} |"]


@pytest.mark.parametrize(
    ("number", "newer"),
    [
        pytest.param(12, "#12", id="a pull request"),
        pytest.param(0, "Another pull request", id="one that a dry run does not open"),
    ],
)
def test_the_last_word_on_an_older_pull_request(number, newer):
    assert (
        render("superseded.md.j2", number=number)
        == f"""\
<!-- ngc-bump-bot:superseded -->
{newer} moves the `dev` track to `26.06-py3`, which is newer, so this one is closed. Nobody but the bot has \
committed here; the branch stays until somebody deletes it.
"""
    )


def test_an_answer():
    assert (
        render("answer.md.j2")
        == """\
<!-- ngc-bump-bot:answer 12 -->
`\N{DIVISION SLASH}bot bump 26.06-py3`

opened #5

`\N{DIVISION SLASH}bot lock`

there is nothing to lock
"""
    )


def hostile(text):
    """Return every message with `text` wherever somebody else could have put it."""
    component = Component(text, text, text, text, "changed")
    edit = FileEdit(text, "a", "b", (1,))
    words = dict.fromkeys(("title", "track", "before", "after", "digest", "name", "email"), text)
    yield "commit.txt.j2", render("commit.txt.j2", **words)
    yield "answer.md.j2", render("answer.md.j2", answers=[(text, "done")] * 2)
    words = dict.fromkeys(("track", "base", "recipe", "command", "before", "after"), text)
    lists = {"edits": [edit] * 2, "concerns": [text] * 2, "listed": [text] * 2, "components": [component] * 2}
    yield "pull_request.md.j2", render("pull_request.md.j2", **words, **lists)
    lists["components"] = []
    yield (
        "pull_request.md.j2",
        render("pull_request.md.j2", **words, **lists, platforms=[text] * 2, unverified=True),
    )
    words = dict.fromkeys(("tag", "track", "after", "sha"), text)
    lists = dict.fromkeys(("labels", "conflicts", "concerns"), [text] * 2)
    yield "status.md.j2", render("status.md.j2", **words, **lists)
    for template, values in (*hostile_quarantines(text), *hostile_rounds(text)):
        yield template, render(template, **values)


OUR_OWN = {
    "p",
    "h3",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "code",
    "details",
    "summary",
    "pre",
}
OUR_COMMENTS = {"answer.md.j2": 1, "pull_request.md.j2": 2, "status.md.j2": 1}
OUR_COMMENTS |= QUARANTINE_COMMENTS


def judge(text):
    for template, body in hostile(text):
        assert obeyed_in_source(body) == []
        if template.endswith(".md.j2"):
            page = rendered(body)
            assert obeyed(body) == []
            assert notifying(body) == []
            assert set(page.tags) <= OUR_OWN
            assert len(page.comments) == body.count("<!--") == OUR_COMMENTS[template]


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_nothing_hostile_does_anything_in_any_message(text):
    judge(text)


@settings(deadline=None)
@given(st.lists(st.sampled_from([*HOSTILE, "`", "|", "\n", "x", "<", "@", "\\"]), max_size=4).map("".join))
def test_hostile_texts_do_no_more_together(text):
    judge(text)


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip()], ids=repr)
def test_no_value_adds_a_line_to_a_commit_message(text):
    lines = render("commit.txt.j2", name=text, email=text, digest=text, after=text).split("\n")

    assert [line.split(":")[0] for line in lines[4:]] == [
        "Base-Image",
        "Base-Image-Digest",
        "Signed-off-by",
        "",
    ]


@pytest.mark.parametrize("length", [1, 200])
def test_a_message_is_short_enough_whatever_there_is_to_say(length):
    long = "`x|" * length
    many = [long] * 3_000
    edits = [FileEdit(long, "a", "b", tuple(range(1_000)))] * 3_000
    components = [Component(long, long, long, long, "changed")] * 3_000
    words = dict.fromkeys(("track", "base", "recipe", "command", "before", "after"), long)
    body = render(
        "pull_request.md.j2", **words, edits=edits, concerns=many, listed=many, components=components
    )
    status = render("status.md.j2", concerns=many, after=long, labels=[long] * 100, conflicts=[long] * 100)

    assert len(body) <= LIMIT
    assert len(status) <= LIMIT
    assert body.endswith("<!-- ngc-bump-bot:end -->\n")
    assert [line.split("more: ")[1] for line in body.splitlines() if " more: " in line] == [
        "see the files of this pull request",
        "`bot bump --dry-run` shows them all",
        "`bot images` shows the whole table",
        "`bot check` shows them all",
    ]
    assert rendered(body).tags.count("table") == 2


def test_a_value_that_a_template_wants_is_never_passed_over():
    with pytest.raises(UndefinedError, match="'sha' is undefined"):
        Texts().render("status.md.j2", **{key: value for key, value in STATUS.items() if key != "sha"})


def test_templates_are_looked_for_in_one_folder(tmp_path):
    (tmp_path / "mine.md.j2").write_text("\n{{ text | fenced }}\n\n")

    assert Texts(tmp_path).render("mine.md.j2", text="a") == "```\na\n```\n"
    with pytest.raises(TemplateNotFound):
        Texts(tmp_path).render("status.md.j2", **STATUS)
