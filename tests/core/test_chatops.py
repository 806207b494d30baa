import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.chat_verbs import CHAT_VERBS, SOME_TEST, ChatVerb, chat_help
from bot.core.chatops import MOST_COMMANDS, ChatCommand, ChatProblem, chat_commands
from bot.core.commands import VERBS, Argument, Flag


def asked(body):
    """Return each command's word and the values that are not at rest."""
    commands = chat_commands(body)
    assert all(isinstance(it, ChatCommand) for it in commands), commands
    return [
        (it.verb.word, {key: value for key, value in it.values.items() if value not in {None, False}})
        for it in commands
    ]


HANG = {"test": "gpt3_tp2", "reason": "hang", "why": "it hangs"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("/bot bump 26.06-py3", ("bump", {"tag": "26.06-py3"})),
        ("/bot Bump 26.06-py3", ("bump", {"tag": "26.06-py3"})),
        ("/bot bump --track lts 26.06-py3", ("bump", {"tag": "26.06-py3", "track": "lts"})),
        ("/bot bump 26.06-py3 --anyway", ("bump", {"tag": "26.06-py3", "anyway": True})),
        ("/bot bump `26.06-py3`", ("bump", {"tag": "26.06-py3"})),
        ("/bot\u00a0bump\u00a026.06-py3\u00a0\r\n", ("bump", {"tag": "26.06-py3"})),
        ("/bot status", ("status", {})),
        ("/bot triage", ("triage", {})),
        ("/bot refresh", ("refresh", {})),
        ("/bot refresh gpt3_tp2", ("refresh", {"test": "gpt3_tp2"})),
        ('/bot quarantine gpt3_tp2 -c hang -m "it hangs"', ("quarantine", HANG)),
        ('/bot quarantine gpt3_tp2 --class=hang -m="it hangs"', ("quarantine", HANG)),
        ("/bot quarantine gpt3_tp2 —class hang \u2013m “it hangs”", ("quarantine", HANG)),
        ("/bot quarantine -c hang -m 'it hangs' `gpt3_tp2`", ("quarantine", HANG)),
        (
            '/bot quarantine gpt3_tp2 -c hang -m "it hangs" --issue #12 --platform dgx_h100',
            ("quarantine", {**HANG, "issue": 12, "platform": "dgx_h100"}),
        ),
        (
            "/bot quarantine tests/unit_tests/test_a.py::test_b[1-2] -c oom -m x",
            ("quarantine", {"test": "tests/unit_tests/test_a.py::test_b[1-2]", "reason": "oom", "why": "x"}),
        ),
        ("/bot unquarantine gpt3_tp2", ("unquarantine", {"test": "gpt3_tp2"})),
        ("/bot retry", ("retry", {})),
        ("/bot retry 'gpt - dgx h100'", ("retry", {"job": "gpt - dgx h100"})),
        ("/bot build", ("build", {})),
        ("/bot lock", ("lock", {})),
        ('/bot undo -m "wrong *image*"', ("undo", {"why": "wrong *image*"})),
        ("/bot pause", ("pause", {})),
        ("/bot resume", ("resume", {})),
        ("/bot help", ("help", {})),
    ],
)
def test_a_command(body, expected):
    assert asked(body) == [expected]


def test_every_value_has_a_key_as_on_the_command_line():
    (command,) = chat_commands("/bot bump 26.06-py3")

    assert command.values == {"tag": "26.06-py3", "track": None, "anyway": False}
    assert command.text == "/bot bump 26.06-py3"


def test_several_commands_keep_their_order():
    body = "/bot refresh\nthanks\n\n> /bot undo\n\n/bot retry\n/bot nonsense\n/bot status"

    told = chat_commands(body)

    assert [it.text for it in told] == ["/bot refresh", "/bot retry", "/bot nonsense", "/bot status"]
    assert [type(it) for it in told] == [ChatCommand, ChatCommand, ChatProblem, ChatCommand]


def test_a_comment_without_a_command_asks_for_nothing():
    assert chat_commands("looks good, `/bot bump` is next") == ()


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("/bot", "`/bot` needs a word that says what to do", "`/bot help` lists the commands"),
        ("/bot bmup 26.06", "there is no command `bmup`", "did you mean `/bot bump`?"),
        ("/bot quarantaine x", "there is no command `quarantaine`", "did you mean `/bot quarantine`?"),
        ("/bot frobnicate", "there is no command `frobnicate`", "`/bot help` lists the commands"),
        ("/bot bump", "`TAG` is missing", "write `/bot bump TAG [--track TRACK] [--anyway]`"),
        ("/bot bump <tag>", "`TAG` is missing", "write `/bot bump TAG [--track TRACK] [--anyway]`"),
        ("/bot status now", "`now` is one word too many", "write `/bot status`"),
        ('/bot bump ""', "a value is empty", "write `/bot bump TAG [--track TRACK] [--anyway]`"),
        ("/bot bump 1 --trak lts", "`/bot bump` has no `--trak`", "did you mean `--track`?"),
        ("/bot status --json", "`/bot status` has no `--json`", "write `/bot status`"),
        ("/bot bump 1 --anyway=yes", "`--anyway` takes no value", None),
        ("/bot bump 1 --track", "`--track` needs a value", None),
        ("/bot bump 1 --track --anyway", "`--track` needs a value", None),
        ("/bot bump 1 --track=", "a value is empty", None),
        ("/bot bump 1 --track lts --track dev", "`--track` is given twice", None),
        ("/bot bump 1 --anyway --anyway", "`--anyway` is given twice", None),
        ('/bot undo -m "why', "a quote is opened and not closed", "close it, on the same line"),
        ("/bot undo", "`-m` is missing", "write `/bot undo -m WHY`"),
        (
            "/bot undo -m it is wrong",
            "`is` is one word too many",
            "write `/bot undo -m WHY`, several words as one in quotes",
        ),
        (
            "/bot quarantine a -c slow -m x",
            "`slow` is no value of `-c`",
            "it takes `hang`, `oom`, `crash`, `regression`",
        ),
        ("/bot quarantine a -m x", "`--class` is missing", None),
        ("/bot quarantine a -c hang -m x --issue twelve", "`twelve` is no number", "write `--issue 12`"),
        ("/bot quarantine a -c hang -m x --issue 0", "`0` is no number", None),
        ("/bot quarantine a -c hang -m x --issue ٣", "`٣` is no number", None),
        (f"/bot bump {'9' * 501}", "a value is longer than 500 characters", None),
    ],
)
def test_what_cannot_be_understood_says_what_would_be(body, message, hint):
    (told,) = chat_commands(body)

    assert isinstance(told, ChatProblem)
    assert told.message == message
    assert told.hint == hint or (hint is None and told.hint)


@pytest.mark.parametrize("word", ["@everyone", "x" * 5000, "#1", "`/ok\u00a0to\u00a0test`", "|a|"])
def test_a_message_repeats_a_word_only_as_inert_code(word):
    (told,) = chat_commands(f"/bot {word}")

    assert len(told.message) < 80
    assert not re.search(r"@everyone|#1|/ok to", told.message)


def test_a_pile_of_commands_gives_none():
    assert len(chat_commands("/bot status\n" * MOST_COMMANDS)) == MOST_COMMANDS

    (told,) = chat_commands("/bot status\n" * (MOST_COMMANDS + 1))

    assert told.message == "the comment holds more than 20 commands, none of them was followed"


@given(
    st.lists(
        st.sampled_from([*"-—='\"“`*<>\\\n\r\t#[]()", "/bot ", "bump ", "quarantine ", "-c ", "-m ", "x"])
    )
)
def test_no_text_is_an_error(parts):
    for it in chat_commands("/bot " + "".join(parts)):
        assert isinstance(it, ChatCommand | ChatProblem)
        assert isinstance(it, ChatCommand) or (it.message and it.hint)


def test_a_table_of_other_verbs_is_read_in_the_same_way():
    verb = ChatVerb("go", "go", "Go.", "write", (Argument("WHERE", "To."),), (Flag("--fast", "Run."),))

    (told,) = chat_commands("/bot go home --fast", [verb])

    assert (told.verb, told.values) == (verb, {"where": "home", "fast": True})


def test_help_is_made_from_the_table():
    lines = chat_help().splitlines()

    assert lines[:2] == ["| command | who | what it does |", "|---|---|---|"]
    assert len(lines) == 2 + len(CHAT_VERBS)
    assert (
        "| `/bot quarantine TEST -c hang\\|oom\\|crash\\|regression -m WHY [--issue N] "
        "[--platform PLATFORM]` | maintain | Take a test out of the gate, with an issue that says why. |"
        in lines
    )
    assert "| `/bot retry [JOB]` | write | Run failed jobs again, or open another round. |" in lines


def test_help_gives_no_command():
    assert chat_commands(chat_help()) == ()


@pytest.mark.parametrize("verb", CHAT_VERBS, ids=lambda verb: verb.word)
def test_help_is_one_short_sentence(verb):
    assert re.fullmatch(r"[A-Z][^\n|]*\.", verb.help)
    assert len(verb.help) <= 100


# The levels of the commands, as they were agreed on.
LEVELS = {
    "anyone": {"help", "status"},
    "write": {"bump", "refresh", "retry", "triage"},
    "maintain": {"build", "lock", "pause", "quarantine", "resume", "undo", "unquarantine"},
}


def test_each_verb_is_there_once_with_its_level():
    assert len({verb.word for verb in CHAT_VERBS}) == len(CHAT_VERBS)
    for level, words in LEVELS.items():
        assert {verb.word for verb in CHAT_VERBS if verb.level == level} == words


COMMANDS = {verb.name: verb for verb in VERBS}
SHARED = [pytest.param(verb, id=verb.word) for verb in CHAT_VERBS if verb.command in COMMANDS]


@pytest.mark.parametrize("verb", SHARED)
def test_a_verb_takes_what_the_command_line_takes(verb):
    command = COMMANDS[verb.command]

    assert verb.level == command.level
    assert set(verb.flags) <= set(command.all_flags)
    # Of golden values a comment names the one test that the command line names with `--accept`.
    assert set(verb.arguments) <= {*command.arguments, SOME_TEST}


@pytest.mark.parametrize("verb", CHAT_VERBS, ids=lambda verb: verb.word)
def test_what_is_required_and_what_is_short_exists(verb):
    names = {flag.name for flag in verb.flags}

    assert {*verb.required, *verb.shorts.values()} <= names
    assert not names & verb.shorts.keys()
