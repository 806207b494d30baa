"""A golden in the layout of another: as `json.dumps` would write it, with every number as it was spelled."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.goldens.layout import in_layout_of

LAYOUTS = [
    pytest.param({"indent": 4}, id="four blanks"),
    pytest.param({"indent": 1}, id="one blank"),
    pytest.param({"indent": "\t"}, id="tab"),
    pytest.param({"indent": 0}, id="no indent"),
    pytest.param({}, id="one line"),
    pytest.param({"separators": (",", ":")}, id="compact"),
    pytest.param({"separators": (",", ":"), "indent": 2}, id="indented, without blank after the colon"),
]
CONTENT = {"a b": {"values": {"1": 1.5, "2": "nan"}}, "list": [1, [], {}, [2, {"x": None}]], "t": 'q"u\\,:{['}
MODEL = {"m": {"n": [1, 2]}, "o": True}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("source", LAYOUTS)
@pytest.mark.parametrize("last", ["", "\n"])
def test_every_layout_becomes_every_other(layout, source, last):
    made = in_layout_of(json.dumps(CONTENT, **source), json.dumps(MODEL, **layout) + last)

    assert made == json.dumps(CONTENT, **layout) + last


def test_line_ends_of_windows_stay():
    assert in_layout_of('{"a": [1]}', '{\r\n  "b": 2\r\n}\r\n') == '{\r\n  "a": [\r\n    1\r\n  ]\r\n}\r\n'


@pytest.mark.parametrize(
    "number", ["1.0", "1E+5", "-0.0", "10.93870", "1e-05", "12345678901234567890", "NaN"]
)
def test_a_number_keeps_its_spelling(number):
    assert in_layout_of(f'{{"a":{number}}}', '{"b": 1}') == f'{{"a": {number}}}'


@pytest.mark.parametrize("model", ["{}", "{}\n", "1", '"text"'])
def test_a_model_that_shows_no_layout_is_one_of_one_line(model):
    assert in_layout_of('{"a":[1,2]}', model) == '{"a": [1, 2]}' + ("\n" if model.endswith("\n") else "")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(JSON, st.sampled_from([{"indent": 4}, {"indent": 1}, {}]), st.booleans())
def test_layout_is_all_that_changes(content, layout, ascii_only):
    text = json.dumps(content, ensure_ascii=ascii_only)

    made = in_layout_of(text, json.dumps(MODEL, **layout))

    assert made == json.dumps(content, ensure_ascii=ascii_only, **layout)
