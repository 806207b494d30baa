# ruff: noqa: RUF001 - signs that look alike are what people write

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.comment_text import Piece
from bot.core.words import Unclosed, Word, words


def split(text):
    return [word.text for word in words((Piece(text),))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \t\u00a0\u3000\u200b\ufeff ", []),
        ("/bot bump 26.06-py3", ["/bot", "bump", "26.06-py3"]),
        ("a\u00a0b\u2003c\u200bd", ["a", "b", "c", "d"]),
        ('-m "it hangs"', ["-m", "it hangs"]),
        ("-m 'it hangs'", ["-m", "it hangs"]),
        ("-m “it hangs”", ["-m", "it hangs"]),
        ("-m „it hangs“", ["-m", "it hangs"]),
        ('-m ”it hangs"', ["-m", "it hangs"]),
        ("-m ‘it hangs’", ["-m", "it hangs"]),
        ('-m ""', ["-m", ""]),
        ('-m "it\'s slow"', ["-m", "it's slow"]),
        ("-m 'it's slow'", ["-m", "it's slow"]),
        ("-m don't", ["-m", "don't"]),
        ("-m don’t", ["-m", "don’t"]),
        ('"a"b c"', ['a"b c']),
        ('a"b c"', ['a"b', 'c"']),
        ('--comment="a b" c', ["--comment=a b", "c"]),
        ("—comment=“a b” c", ["--comment=a b", "c"]),
        ('x="a b"', ['x="a', 'b"']),
        ('"a b"', ["a b"]),
        ('"a""b"', ['a""b']),
        ("—class hang", ["--class", "hang"]),
        ("–class hang", ["--class", "hang"]),
        ("––class hang", ["--class", "hang"]),
        ("−m x", ["-m", "x"]),
        ("–m=x", ["-m=x"]),
        ("--class -m - --", ["--class", "-m", "-", "--"]),
        ("—", ["-"]),
        ("a—b", ["a—b"]),
        ('"—class"', ["—class"]),
    ],
)
def test_a_line_is_split_into_words(text, expected):
    assert split(text) == expected


@pytest.mark.parametrize("text", ['"', '-m "it hangs', "-m 'it hangs\"", "-m “it", '"a"b', '--m="a'])
def test_a_quote_that_is_not_closed_is_an_error(text):
    with pytest.raises(Unclosed):
        split(text)


def test_code_is_one_word_and_no_flag():
    line = (
        Piece("refresh "),
        Piece("a  b", literal=True),
        Piece(" "),
        Piece("--x", literal=True),
        Piece("y"),
    )

    assert words(line) == (Word("refresh"), Word("a  b", literal=True), Word("--xy", literal=True))


def test_a_quote_behind_a_backslash_opens_and_closes_nothing():
    quote = Piece('"', literal=True)

    assert words((Piece('"a '), quote, Piece("b"), quote, Piece(' c" '), quote, Piece("d"))) == (
        Word('a "b" c', literal=True),
        Word('"d', literal=True),
    )


@pytest.mark.parametrize(
    ("word", "is_flag"),
    [
        (Word("--class"), True),
        (Word("-m"), True),
        (Word("--"), True),
        (Word("-"), False),
        (Word("class"), False),
        (Word("--class", literal=True), False),
    ],
)
def test_what_names_a_flag(word, is_flag):
    assert word.is_flag is is_flag


@given(
    st.lists(st.text(st.characters(exclude_characters="\"'“”„‟‘’‚‛", exclude_categories=["Cs"]), min_size=1))
)
def test_what_is_quoted_comes_back_as_it_was(values):
    line = " ".join(f'"{value}"' for value in values)

    assert split(line) == values
