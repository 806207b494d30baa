"""The table of verbs: complete, consistent, and written for people."""

import re

import pytest

from bot.core.commands import COMMON, DRY_RUN, VERBS, Argument, Flag, Verb

WORDS = [pytest.param(verb, id=verb.name) for verb in VERBS]
HELPS = [
    pytest.param(part.help, id=f"{verb.name} {part.name}")
    for verb in VERBS
    for part in (verb, *verb.arguments, *verb.all_flags)
]


@pytest.mark.parametrize("text", HELPS)
def test_help_is_one_short_sentence(text):
    assert re.fullmatch(r"[A-Z][^\n]*\.", text)
    assert len(text) <= 100


def test_each_verb_is_there_once():
    names = [verb.name for verb in VERBS]

    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+( [a-z]+)?", name) for name in names)


@pytest.mark.parametrize("verb", WORDS)
def test_nothing_of_a_verb_is_handed_on_under_two_meanings(verb):
    keys = [part.key for part in (*verb.arguments, *verb.all_flags)]

    assert len(keys) == len(set(keys))
    assert all(key.isidentifier() for key in keys)


@pytest.mark.parametrize("verb", WORDS)
def test_flags_look_like_flags_and_arguments_like_arguments(verb):
    assert all(re.fullmatch(r"-[a-z]|--[a-z]+(-[a-z]+)*", flag.name) for flag in verb.all_flags)
    assert all(re.fullmatch(r"[A-Z]+(_[A-Z]+)*", argument.name) for argument in verb.arguments)
    assert all(flag.metavar for flag in verb.all_flags if flag.kind != "text")


@pytest.mark.parametrize("verb", WORDS)
def test_what_writes_has_a_dry_run_and_is_not_for_everybody(verb):
    assert (DRY_RUN in verb.all_flags) == verb.writes
    assert not verb.writes or verb.level != "anyone"


@pytest.mark.parametrize("verb", WORDS)
def test_every_verb_takes_what_all_commands_on_a_repository_take(verb):
    assert set(COMMON) <= set(verb.all_flags)


def test_a_flag_and_an_argument_have_keys():
    assert Flag("--no-verify", "").key == "no_verify"
    assert Argument("TAG", "").key == "tag"


def test_a_verbs_own_flags_come_first():
    own = Flag("--own", "Its own.")

    assert Verb("a", "Read.", "anyone", flags=(own,)).all_flags == (own, *COMMON)
    assert Verb("a", "Write.", "write", flags=(own,), writes=True).all_flags == (own, DRY_RUN, *COMMON)
