"""Everything that can be wrong with a bump recipe: one sentence each, with its line, all at once."""

import pytest

from bot.core.errors import UsageError
from bot.core.recipe import parse_recipe
from tests.core.recipe_texts import COMPLETE, SMALL, replaced


def parse(text):
    return parse_recipe(text, name="mine", path="recipes/mine.yaml")


def refusal(text):
    with pytest.raises(UsageError) as caught:
        parse(text)
    return caught.value


REPOSITORY = "`repository` has to be `OWNER/NAME`, such as `NVIDIA/Megatron-LM`"
INSIDE = "has to be a path inside the repository, with `/` and without `..`"
IMAGE = "`tracks.dev.image` has to be `HOST/REPOSITORY` without a tag, such as `nvcr.io/nvidia/pytorch`"
TAG = "`tracks.dev.tag` has to be a tag with `YY` and then `MM` in it, such as `YY.MM-py3`"
TITLE = "`tracks.dev.title` has to be one line with `{tag}` in it and no other braces"
PIN = "tracks.dev.pins.1"
KEYS = [
    pytest.param(
        "base: dev", "bsae: dev", "`bsae` is no key of a recipe; did you mean `base`?", id="misspelt"
    ),
    pytest.param(
        "    labels:",
        "    lables:",
        "`tracks.dev.lables` is no key of a recipe; did you mean `labels`?",
        id="misspelt in a track",
    ),
    pytest.param(
        "        count:",
        "        counts:",
        "`tracks.dev.pins.1.counts` is no key of a recipe; did you mean `count`?",
        id="misspelt in a pin",
    ),
    pytest.param(
        "          - where: {rows",
        "          - were: {rows",
        "`tracks.dev.pins.1.older_shapes.0.were` is no key of a recipe; did you mean `where`?",
        id="misspelt in a shape",
    ),
    pytest.param(
        "  project:",
        "  projekt: a\n  project:",
        "`gitlab.projekt` is no key of a recipe; did you mean `project`?",
        id="misspelt in a part that may be absent",
    ),
    pytest.param("base: dev", "xyz: dev", "`xyz` is no key of a recipe", id="like nothing"),
    pytest.param(
        "    labels:",
        "    approval:",
        "`tracks.dev.approval` is no key of a recipe",
        id="a key of another place is not suggested",
    ),
    pytest.param("base: dev", "1: dev", "`1` has to be a text: put the key in quotes", id="a number as key"),
    pytest.param("base: dev", "name: mine", "`name` is the file's name and is not written", id="the name"),
]
TYPES = [
    pytest.param(
        "tag: YY.MM-py3",
        "tag: 26.10",
        "`tracks.dev.tag` has to be a text: put it in quotes",
        id="a release that YAML reads as a number",
    ),
    pytest.param("base: dev", "base: 2026-01-02", "`base` has to be a text: put it in quotes", id="a date"),
    pytest.param("base: dev", "base:", "`base` has to be a text", id="nothing for a text"),
    pytest.param("base: dev", "base: [dev]", "`base` has to be a text", id="a list for a text"),
    pytest.param(
        "base: dev",
        "base: !!binary //8=",
        "`base` is not right: input should be a valid string, unable to parse raw data as a unicode string",
        id="bytes for a text",
    ),
    pytest.param("[docker/pin]", "docker/pin", "`fingerprint` has to be a list", id="a text for a list"),
    pytest.param(
        "[Run functional tests]",
        "[1]",
        "`tracks.dev.labels.0` has to be a text: put it in quotes",
        id="a number in a list",
    ),
    pytest.param(
        "count: 2", "count: two", f"`{PIN}.count` has to be a whole number", id="a word for a number"
    ),
    pytest.param(
        "count: 2", "count: true", f"`{PIN}.count` has to be a whole number", id="true for a number"
    ),
    pytest.param("count: 2", "count: 2.0", f"`{PIN}.count` has to be a whole number", id="a fraction"),
    pytest.param(
        "against: {version: NCCL_VERSION, cuda: CUDA_VERSION}",
        "against: NCCL_VERSION",
        "`tracks.dev.coupled.0.against` has to be a mapping",
        id="a text for a mapping",
    ),
    pytest.param(
        "gitlab:\n  project: group/project\n  branches: [main]\n",
        "gitlab: main\n",
        "`gitlab` has to be a mapping",
        id="a text for a part",
    ),
    pytest.param(
        "value: release",
        "value: month",
        "`tracks.dev.pins.2.value` has to be `reference`, `tag` or `release`",
        id="none of the choices",
    ),
]
VALUES = [
    pytest.param("NVIDIA/Megatron-LM", "Megatron-LM", REPOSITORY, id="repository without owner"),
    pytest.param("NVIDIA/Megatron-LM", "NVIDIA/..", REPOSITORY, id="repository that leads elsewhere"),
    pytest.param("NVIDIA/Megatron-LM", "https://github.com/a/b", REPOSITORY, id="repository as address"),
    pytest.param("[docker/pin]", "[/docker/pin]", f"`fingerprint.0` {INSIDE}", id="absolute path"),
    pytest.param("path: ci.yml", "path: a/../../b", f"`{PIN}.path` {INSIDE}", id="path that leads out"),
    pytest.param("path: ci.yml", "path: ''", f"`{PIN}.path` {INSIDE}", id="empty path"),
    pytest.param("path: ci.yml", "path: a/", f"`{PIN}.path` {INSIDE}", id="folder for a file"),
    pytest.param("path: ci.yml", "path: a\\b", f"`{PIN}.path` {INSIDE}", id="path of another system"),
    pytest.param(
        "path: docs/install.md", "path: ./a", f"`tracks.dev.report.0.path` {INSIDE}", id="path with a dot"
    ),
    pytest.param(
        "  dev:\n",
        "  The dev:\n",
        "`tracks.The dev` has to be named by small letters and digits, joined by `-`",
        id="track name that no branch can have",
    ),
    pytest.param(
        "image: nvcr.io/nvidia/pytorch", "image: nvcr.io/nvidia/pytorch:26.04", IMAGE, id="image with a tag"
    ),
    pytest.param("image: nvcr.io/nvidia/pytorch", "image: pytorch", IMAGE, id="image without registry"),
    pytest.param(
        "image: nvcr.io/nvidia/pytorch", "image: nvcr.io#nvidia/pytorch", IMAGE, id="image as for enroot"
    ),
    pytest.param(
        "image: nvcr.io/nvidia/pytorch", "image: nvcr.io:443/nvidia/pytorch", IMAGE, id="https's own port"
    ),
    pytest.param("tag: YY.MM-py3", "tag: 26.04-py3", TAG, id="tag without its parts"),
    pytest.param("tag: YY.MM-py3", "tag: MM.YY-py3", TAG, id="month before year"),
    pytest.param("tag: YY.MM-py3", "tag: YY.MM-YY", TAG, id="year twice"),
    pytest.param("tag: YY.MM-py3", "tag: YY.MM/py3", TAG, id="what no tag may hold"),
    pytest.param(
        "[linux/amd64, linux/arm64]",
        "[arm64]",
        "`tracks.dev.platforms.0` has to be `OS/ARCHITECTURE`, such as `linux/arm64`",
        id="architecture without system",
    ),
    pytest.param("move to {tag}", "move on", TITLE, id="title without the tag"),
    pytest.param("move to {tag}", "{track} to {tag}", TITLE, id="title with other braces"),
    pytest.param("'chore: move to {tag}'", '"move to {tag}\\n"', TITLE, id="title of two lines"),
    pytest.param(
        "cron: 17 6 *",
        "cron: 17 6",
        "`schedule.cron` has to be five fields: minute, hour, day of the month, month, day of the week",
        id="time table that is short",
    ),
    pytest.param("count: 2", "count: 0", f"`{PIN}.count` has to be at least 1", id="no pin wanted"),
    pytest.param(
        "    pattern: 'NCCL=(?P<pin>(?P<version>[0-9.]+)\\+cuda(?P<cuda>[0-9.]+))'",
        "    pattern: 'NCCL=('",
        "`tracks.dev.coupled.0.pattern` is no regular expression:"
        " missing ), unterminated subpattern at position 5",
        id="pattern that does not compile",
    ),
    pytest.param(
        "    pattern: 'NCCL=(?P<pin>",
        "    pattern: 'NCCL=(?P<nip>",
        "`tracks.dev.coupled.0.pattern` has to hold the named group `(?P<pin>…)`",
        id="pattern without the pin",
    ),
    pytest.param(
        "    pattern: 'NCCL=(?P<pin>",
        "    pattern: 'a{99999999999}NCCL=(?P<pin>",
        "`tracks.dev.coupled.0.pattern` is no regular expression: the repetition number is too large",
        id="pattern that asks too much",
    ),
    pytest.param(
        "{version: NCCL_VERSION, cuda: CUDA_VERSION}",
        "{}",
        "`tracks.dev.coupled.0.against` must not be empty",
        id="nothing to compare with",
    ),
    pytest.param(
        "- name: NCCL\n        path: Dockerfile\n        pattern: 'NCCL=(?P<pin>(?P<version>",
        "- name: NCCL\n        path: Dockerfile\n        pattern: 'NCCL=(?P<pin>(?P<number>",
        "`tracks.dev.coupled.0` has `against.version`, which is no named group of the pattern",
        id="a part that is no group",
    ),
]


@pytest.mark.parametrize(("old", "new", "sentence"), [*KEYS, *TYPES, *VALUES])
def test_a_mistake_is_said_with_its_line(old, new, sentence):
    text = replaced(COMPLETE, old, new)
    line = text[: text.index(new)].count("\n") + 1

    error = refusal(text)

    assert (error.path, error.line, error.message) == ("recipes/mine.yaml", line, sentence)
    assert error.hint == "recipes/README.md documents every key"


@pytest.mark.parametrize(
    ("removed", "near", "sentence"),
    [
        pytest.param(
            "repository: NVIDIA/Megatron-LM\n", "base: dev", "`repository` is missing", id="at the top"
        ),
        pytest.param("    tag: YY.MM-py3\n", "  dev:", "`tracks.dev.tag` is missing", id="in a track"),
        pytest.param(", why: prose", "{path: docs", "`tracks.dev.report.0.why` is missing", id="in an item"),
        pytest.param(
            "        format: whole-file\n",
            "path: docker/pin\n",
            "`tracks.dev.pins.0.format` is missing",
            id="in a pin",
        ),
        pytest.param("  project: group/project\n", "gitlab:", "`gitlab.project` is missing", id="in a part"),
    ],
)
def test_a_missing_key_has_the_line_of_what_lacks_it(removed, near, sentence):
    text = replaced(COMPLETE, removed, "")

    error = refusal(text)

    assert (error.line, error.message) == (text[: text.index(near)].count("\n") + 1, sentence)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        pytest.param("format: yaml-rows", "format: yaml-row", None, id="unknown format"),
        pytest.param(
            "          key: BASE\n",
            "",
            "needs `where.key`, as its format is `yaml-rows`",
            id="a key is missing",
        ),
        pytest.param(
            "          key: BASE\n",
            "          kye: BASE\n",
            "needs `where.key`, as its format is `yaml-rows`;"
            " has `where.kye`, which format `yaml-rows` does not know",
            id="a key is misspelt",
        ),
        pytest.param(
            "          rows: [build, matrix]\n",
            "          rows: build\n",
            "has a bad `where`: `rows` in `where` must be a list of texts",
            id="a key of another type",
        ),
        pytest.param(
            "match: {IMAGE: DEV}, key: BASE}",
            "match: {IMAGE: DEV}}",
            "needs `where.key`, as its format is `yaml-rows`",
            id="a key is missing in an older shape",
        ),
        pytest.param(
            "        count: 2\n",
            "        count: 3\n",
            "has another `count` than it has `platforms`",
            id="count and platforms",
        ),
        pytest.param(
            "          platform: PLATFORM\n",
            "",
            "has `platforms`, and no `where.platform` that names the platform of a pin",
            id="platforms that nothing names",
        ),
    ],
)
def test_a_pin_has_to_fit_its_format(old, new, problem):
    error = refusal(replaced(COMPLETE, old, new))

    if problem is None:
        assert error.message == (
            f"`{PIN}.format` has to be one of: whole-file, dockerfile-arg, dockerfile-from, yaml-rows, regex"
        )
    else:
        assert error.message == f"`{PIN}` {problem}"
        assert error.line == 12


@pytest.mark.parametrize(
    ("pin", "problem"),
    [
        pytest.param(
            "{path: pin, format: whole-file, where: {line: '1'}}",
            "has `where.line`, which format `whole-file` does not know",
            id="whole-file",
        ),
        pytest.param(
            "{path: pin, format: dockerfile-arg}",
            "needs `where.arg`, as its format is `dockerfile-arg`",
            id="dockerfile-arg",
        ),
        pytest.param(
            "{path: pin, format: dockerfile-arg, where: {arg: 1}}",
            "has a bad `where`: `arg` in `where` must be a text",
            id="dockerfile-arg with a number",
        ),
        pytest.param(
            "{path: pin, format: dockerfile-from, where: {stage: ''}}",
            "has a bad `where`: `stage` in `where` must be a text",
            id="dockerfile-from",
        ),
        pytest.param(
            "{path: pin, format: regex, where: {pattern: 'a(b)'}}",
            "has a bad `where`: the pattern `a(b)` has no group named `pin`",
            id="regex",
        ),
    ],
)
def test_the_keys_of_where_depend_on_the_format(pin, problem):
    error = refusal(replaced(SMALL, "{path: pin, format: whole-file}", pin))

    assert error.message == f"`tracks.dev.pins.0` {problem}"


def test_a_release_does_not_tell_a_version_that_only_the_registry_knows():
    text = replaced(SMALL, "YY.MM-py3", "YY.MM-cuda*-devel")

    assert parse(text).track("dev").scheme.is_computed is False
    assert refusal(replaced(text, "whole-file}", "whole-file, value: release}")).message == (
        "`tracks.dev` has a pin with `value: release`, from which the `*` of `tag` does not follow"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param("repository: a/b\ntracks: {}\n", "`tracks` must not be empty", id="no track"),
        pytest.param(
            SMALL.replace("\n      - {path: pin, format: whole-file}", " []"),
            "`tracks.dev.pins` must not be empty",
            id="no pin",
        ),
        pytest.param("- repository: a/b\n", "a bump recipe is a mapping", id="a list at the root"),
        pytest.param("", "a bump recipe is a mapping", id="an empty file"),
        pytest.param("# nothing\n", "a bump recipe is a mapping", id="only a comment"),
        pytest.param(
            "repository: a/b\n---\nrepository: c/d\n",
            "expected a single document in the stream, but found another document",
            id="two documents",
        ),
    ],
)
def test_what_is_no_recipe_at_all_is_said(text, sentence):
    error = refusal(text)

    assert error.path == "recipes/mine.yaml"
    assert error.line is not None
    assert error.message == sentence


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        pytest.param("repository: a/b\nbase: x\nbase: y\n", 3, 'duplicate key "base"', id="a key twice"),
        pytest.param("repository: a/b\ntracks:\n\tdev: x\n", 3, r"character '\t'", id="a tab"),
    ],
)
def test_what_is_no_yaml_is_said_with_its_line(text, line, says):
    error = refusal(text)

    assert error.line == line
    assert says in error.message


def test_all_problems_are_said_at_once_in_the_order_of_their_lines():
    text = """\
name: mine
repository: Megatron-LM
tracks:
  dev:
    image: nvcr.io/nvidia/pytorch
    tag: 26.10
    pins:
      - {path: ../pin, format: whole-file}
      - {path: b, format: regex}
    lables: [a]
"""

    assert str(refusal(text)) == (
        "7 problems in the recipe:\n"
        "  recipes/mine.yaml:1: `name` is the file's name and is not written\n"
        f"  recipes/mine.yaml:2: {REPOSITORY}\n"
        "  recipes/mine.yaml:4: `tracks.dev.title` is missing\n"
        "  recipes/mine.yaml:6: `tracks.dev.tag` has to be a text: put it in quotes\n"
        f"  recipes/mine.yaml:8: `tracks.dev.pins.0.path` {INSIDE}\n"
        "  recipes/mine.yaml:9: `tracks.dev.pins.1` needs `where.pattern`, as its format is `regex`\n"
        "  recipes/mine.yaml:10: `tracks.dev.lables` is no key of a recipe; did you mean `labels`?"
    )
