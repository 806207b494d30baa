"""Hold comments: who asks to leave a pin alone, and who only seems to."""

import pytest

from bot.core.pins.hold import hold_comment
from bot.core.pins.pin import Pin
from bot.core.pins.span import Span

IMAGE = "nvcr.io/nvidia/pytorch:26.05-py3"


def pin_in(text, value=IMAGE):
    at = text.index(value)
    return Pin(Span(at, at + len(value)))


@pytest.mark.parametrize(
    "comment",
    [
        "Pinned to 26.05: newer TensorRT (26.06) removed the API. Bump once it is back",
        "pinned",
        "This row is PINNED, waiting for apex",
        "pinned image, see the release notes",
        "hold",
        "hold: TE 2.18 is not out",
        "HOLD until TE 2.15",
        "Hold the image where it is",
        "# hold #",
        "--- HOLD! ---",
        "NOTE: hold for the freeze",
        "Do not touch; hold this at 26.04",
        "we hold it here for now",
        "please hold the old image",
        "put on hold",
        "On hold, ask the CI owners",
        "do not bump before the freeze ends",
        "Don't bump",
        "don\u2019t update without asking",
        "DO NOT UPDATE",
        "never bump this by hand",
        "do not  bump",
        "do-not-bump",
        "DO-NOT-UPDATE: see the release notes",
        "should not be bumped before the freeze ends",
        "mustn't be changed",
        "can't be bumped yet",
        "cannot be updated before TE 2.18",
        "pinned in May, see the release notes",
        "pinned by the CI owners",
        "pinned through Q3",
        "don't touch",
        "never touch this row",
        "frozen",
        "frozen until TE 2.18",
        "keep at 26.04",
        "Please keep it at 26.04",
    ],
)
def test_a_comment_above_the_pin_that_asks_to_hold_it_is_found(comment):
    text = f"image:\n  # {comment}\n  container: {IMAGE}\n"

    line, found = hold_comment(text, pin_in(text))

    assert (line, found) == (2, comment.strip("#-! "))


@pytest.mark.parametrize(
    "comment",
    [
        "the loss threshold of the household",
        "uses pinned memory for the copies",
        "pinned-host buffers need this driver",
        "pinned CPU tensors",
        "unpinned on purpose",
        "not pinned: moves with each release",
        "no longer pinned, no longer on hold",
        "these rows hold the images of both tracks",
        "class to hold attributes",
        "if this does not hold, ask",
        "the lock that holds it",
        "keep at least three of them",
        "keep in step with docker/.ngc_version.dev",
        "bump together with the GitLab rows",
        "the shareholder update",
        "versions are pinned in uv.lock",
        "was on hold until June",
        "these tests do not touch the network",
        "tags that never change",
        "the frozen layers of the model",
        "frozen weights are loaded from here",
    ],
)
def test_a_comment_about_something_else_is_no_hold(comment):
    text = f"  # {comment}\n  container: {IMAGE}\n"

    assert hold_comment(text, pin_in(text)) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(f"# hold\na\nb\nimage: {IMAGE}\n", 1, id="three lines above"),
        pytest.param(f"// hold\nimage: {IMAGE}\n", 1, id="slashes"),
        pytest.param(f"x\n\t# hold\r\nimage: {IMAGE}\r\n", 2, id="indented, CRLF"),
        pytest.param(f"x\nimage: {IMAGE}  # hold", 2, id="behind the pin, at the end of the file"),
        pytest.param(f'image = "{IMAGE}" // hold\n', 1, id="behind a quoted pin, slashes"),
        pytest.param(f"a: 'x # y' \nimage: {IMAGE} # don't bump\n", 2, id="an apostrophe in the comment"),
        pytest.param(f"it's: {IMAGE} # don't bump\n", 1, id="an apostrophe before and in the comment"),
    ],
)
def test_where_a_hold_comment_may_stand(text, line):
    assert hold_comment(text, pin_in(text))[0] == line


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"# hold\na\nb\nc\nimage: {IMAGE}\n", id="four lines above"),
        pytest.param(f"a: 1 # hold\nimage: {IMAGE}\n", id="behind another line"),
        pytest.param(f"image: {IMAGE}\n# hold\n", id="below"),
        pytest.param(f"hold: {IMAGE}\npinned: true\n", id="no comment"),
        pytest.param(f"image: {IMAGE} 'see # hold'\n", id="in quotes"),
        pytest.param(f"image: {IMAGE}#hold\n", id="no blank before the sign"),
        pytest.param(f"see: https://hold.example/pinned image: {IMAGE}\n", id="a URL"),
    ],
)
def test_where_the_word_does_not_speak_of_the_pin(text):
    assert hold_comment(text, pin_in(text)) is None


def test_the_sign_in_an_enroot_reference_begins_no_comment():
    held = "nvcr.io#hold/pinned:26.05-py3"
    text = f"image: {held}\n"

    assert hold_comment(text, pin_in(text, held)) is None


def test_a_context_replaces_the_lines_above_and_allows_comments_behind_any_of_its_lines():
    text = f"# hold a\n- IMAGE: dev # hold b\n  BASE: {IMAGE}\n  PLATFORM: amd64 # hold c\n"
    span = pin_in(text).span

    def held(first, last):
        context = Span(text.index(first), text.index(last) + len(last))
        return hold_comment(text, Pin(span, context=context))

    assert held("# hold a", "hold c") == (1, "hold a")
    assert held("- IMAGE", "hold c") == (2, "hold b")
    assert held("BASE", "hold c") == (4, "hold c")
    assert held("BASE", "amd64") is None
