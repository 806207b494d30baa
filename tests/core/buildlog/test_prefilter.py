"""The prefilter finds all that is asked for, whatever the words are."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.buildlog.frames import WORDS
from bot.core.buildlog.prefilter import any_of, prefilter

LETTERS = st.text("abe EO#[]:é", min_size=1, max_size=9)


@given(words=st.lists(LETTERS, min_size=1, max_size=8), before=LETTERS, after=LETTERS)
def test_it_is_in_every_text_in_which_a_word_stands(words, before, after):
    found = prefilter(words)

    assert all(found.search(f"{before}{word}{after}".encode()) for word in words)


@given(words=st.lists(LETTERS, min_size=1, max_size=8), text=st.text("abe EO#[]:é", max_size=40))
def test_any_word_is_found_and_nothing_else(words, text):
    assert bool(any_of(words).search(text)) == any(word in text for word in words)


def test_signs_that_mean_something_in_a_pattern_mean_themselves():
    found = prefilter(["a.b+c (x)"])

    assert found.search(b"a.b+c (x)")
    assert not found.search(b"axbbc xx)")


def test_of_a_word_the_end_is_enough_but_never_fewer_than_six_bytes():
    found = prefilter(["eeeeeeeeZeeeee"])

    assert found.search(b"Zeeeee")
    assert not found.search(b"Zeeee")
    assert not found.search(b"eeee")


def test_the_words_of_builders_are_not_in_what_compilers_write():
    line = b"c++ -O3 -Wall -I/usr/local/cuda/include -c csrc/a.cpp -o build/temp.linux-x86_64/csrc/a.o"

    assert not prefilter(WORDS).search(line)
