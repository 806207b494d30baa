"""The pin format `dockerfile-arg`, and with it the reading of a Dockerfile's lines."""

import pytest

from bot.core.errors import UsageError
from bot.core.pins.dockerfile_arg import locate
from bot.core.pins.errors import PinError

IMAGE = "nvcr.io/nvidia/pytorch:26.06-py3"
OTHER = "nvcr.io/nvidia/pytorch:24.01-py3"
WHERE = {"arg": "BASE"}


def values(text):
    return [pin.span.of(text) for pin in locate(text, WHERE)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"ARG BASE={IMAGE}\nFROM ${{BASE}}\n", id="plain"),
        pytest.param(f"ARG BASE={IMAGE}", id="no final line feed"),
        pytest.param(f'ARG BASE="{IMAGE}"\n', id="double quotes"),
        pytest.param(f"ARG BASE='{IMAGE}'\n", id="single quotes"),
        pytest.param(f"arg BASE={IMAGE}\n", id="lower-case instruction"),
        pytest.param(f"  \tARG\t BASE={IMAGE}  \n", id="indented, with blanks behind"),
        pytest.param(f"ARG OTHER={OTHER}\nARG BASE={IMAGE}\n", id="another image before"),
        pytest.param(f'ARG A="x y" BASE={IMAGE} C=\n', id="several on a line"),
        pytest.param(
            f"ARG BASELINE={OTHER} BASE={IMAGE} MY_BASE={OTHER}\n", id="names that contain the name"
        ),
        pytest.param(f"ARG BASE\nARG BASE={IMAGE}\n", id="a declaration without default"),
        pytest.param(f"# ARG BASE={OTHER}\n  # ARG BASE={OTHER}\nARG BASE={IMAGE}\n", id="commented out"),
        pytest.param(f"# syntax=docker/dockerfile:1\r\nARG BASE={IMAGE}\r\nFROM x\r\n", id="CRLF"),
        pytest.param(f"\ufeffARG BASE={IMAGE}\n", id="byte order mark"),
        pytest.param(f"ARG A=1 \\\n    BASE={IMAGE}\n", id="continued line"),
        pytest.param(
            f"ARG A=1 \\  \r\n # why\r\n\r\n BASE={IMAGE}\r\n", id="comment and gap in a continued line"
        ),
        pytest.param(f"# escape=`\nARG A=1 `\n BASE={IMAGE}\n", id="escape directive"),
        pytest.param(f"# syntax=x\n#ESCAPE = `\nARG A=1 `\n BASE={IMAGE}\n", id="escape directive, second"),
        pytest.param(
            f"# note\n# escape=`\nARG A=1 \\\n BASE={IMAGE}\n", id="too late for an escape directive"
        ),
        pytest.param(f"# escape=\\\nARG A=1 \\\n BASE={IMAGE}\n", id="escape directive with the default"),
        pytest.param(f"# 🚀 für arm\nARG BASE={IMAGE}\n", id="characters beyond ASCII"),
        pytest.param(f"ENV BASE={OTHER}\nARG BASE={IMAGE}\n", id="an ENV of the same name"),
        pytest.param(f"RUN <<EOF\nARG BASE={OTHER}\nEOF\nARG BASE={IMAGE}\n", id="here-document"),
        pytest.param(
            f"RUN <<EOF\r\nARG BASE={OTHER}\r\nEOF\r\nARG BASE={IMAGE}\r\n", id="here-document, CRLF"
        ),
        pytest.param(
            f'RUN bash -e <<"EOF"\nEOF2\nARG BASE={OTHER}\nEOF\nARG BASE={IMAGE}\n', id="quoted ending"
        ),
        pytest.param(f"RUN <<-'EOF'\nARG BASE={OTHER}\n\tEOF\nARG BASE={IMAGE}\n", id="ending behind a tab"),
        pytest.param(
            f"COPY <<A <<B /x/\nARG BASE={OTHER}\nA\nARG BASE={OTHER}\nB\nARG BASE={IMAGE}\n",
            id="two here-documents",
        ),
        pytest.param(
            f"ONBUILD RUN <<EOF\nARG BASE={OTHER}\nEOF\nARG BASE={IMAGE}\n", id="here-document of ONBUILD"
        ),
        pytest.param(f"RUN cat <<< word\nARG BASE={IMAGE}\n", id="a here-string is no here-document"),
        pytest.param(f"RUN echo '<<EOF' << EOF\nARG BASE={IMAGE}\n", id="no here-document in quotes"),
        pytest.param(f"LABEL x=<<EOF\nARG BASE={IMAGE}\n", id="no here-document in other instructions"),
        pytest.param(f'RUN echo it\\\'s "a \\" b" \'c\nARG BASE={IMAGE}\n', id="odd quotes before"),
        pytest.param(
            f'RUN echo x\\\\\nARG BASE={IMAGE}\nRUN "open\\', id="an escaped backslash continues nothing"
        ),
        pytest.param(f"\\\nARG BASE={IMAGE}\n", id="a continuation with nothing before it"),
    ],
)
def test_the_default_is_found_by_its_name(text):
    assert values(text) == [IMAGE]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("ARG BASE\nFROM ${BASE}\n", [], id="no default"),
        pytest.param(f"FROM {IMAGE}\n", [], id="no such argument"),
        pytest.param(f"RUN <<EOF\nARG BASE={OTHER}\n", [], id="a here-document without end takes the rest"),
        pytest.param("ARG BASE=\n", [""], id="an empty default"),
        pytest.param('ARG BASE=""\n', [""], id="an empty default in quotes"),
        pytest.param(f"ARG BASE={IMAGE}\nFROM x\nARG BASE={OTHER}\n", [IMAGE, OTHER], id="one in each stage"),
        pytest.param("ARG BASE=${REGISTRY}/x:1\n", ["${REGISTRY}/x:1"], id="a variable in it"),
        pytest.param("", [], id="an empty file"),
        pytest.param("\\", [], id="a lone backslash"),
        pytest.param("# syntax=docker/dockerfile:1", [], id="nothing but a directive"),
    ],
)
def test_every_default_of_that_name_is_a_pin(text, found):
    assert values(text) == found


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param(
            "FROM x\nARG BASE=nvcr.io/nvidia/\\\npytorch:1\n", 2, "continued on the next line", id="continued"
        ),
        pytest.param(
            'ARG BASE=nvcr.io/"nvidia"/pytorch:1\n', 1, "quotes or escapes inside", id="partly quoted"
        ),
        pytest.param('ARG BASE="nvcr.io/x:1\n', 1, "quotes or escapes inside", id="quote never closed"),
        pytest.param("ARG BASE=nvcr.io/x\\:1\n", 1, "quotes or escapes inside", id="escape"),
    ],
)
def test_a_value_that_a_cut_could_damage_is_refused(text, line, message):
    with pytest.raises(PinError, match=message) as refused:
        locate(text, WHERE)

    assert refused.value.line == line


@pytest.mark.parametrize("where", [{}, {"arg": ""}, {"arg": 7}])
def test_a_where_without_a_name_is_the_recipes_fault(where):
    with pytest.raises(UsageError, match="`arg` in `where` must be a text"):
        locate("", where)
