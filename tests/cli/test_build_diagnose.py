"""`bot build diagnose`: the document, the text and the exit status."""

import io
import sys
from types import ModuleType, SimpleNamespace

import pytest

from bot.cli.main import main, program
from bot.cli.result import Result
from bot.core.commands import VERBS, Flag, Verb
from bot.core.errors import UsageError

FAILING = """\
#0 building with "default" instance using docker driver
#5 [main 1/2] RUN probe
#5 DONE 1.5s
#6 [main 2/2] RUN uv sync --locked
#6 9.1   error: Failed to build `flash-mla==1.0`
#6 9.1     g++: fatal error: Killed signal terminated program cc1plus
#6 ERROR: process "/bin/sh -c uv sync --locked" did not complete successfully: exit code: 1
"""
HINT = (
    "the compiler for `flash-mla` was killed, mostly for want of memory: "
    "fewer jobs (`MAX_JOBS`), or a larger machine"
)
UNEXPLAINED = """\
#6 [main 2/2] RUN \x1b[2Jmake
#6 ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 2
"""


@pytest.fixture
def log(tmp_path):
    def write(text: str) -> str:
        path = tmp_path / "build.log"
        path.write_bytes(text.encode())
        return str(path)

    return write


def test_the_document_names_cause_place_package_hint_and_lines(bot, log):
    outcome = bot("build", "diagnose", log(FAILING))

    assert outcome.status == 0
    assert list(outcome.document)[:2] == ["schema", "command"]
    assert outcome.document["command"] == "build diagnose"
    assert outcome.document["outcome"] == "failed"
    assert outcome.document["causes"] == [
        {
            "cause": "compiler-killed",
            "role": "root",
            "stage": "main",
            "step": "2/2 RUN uv sync --locked",
            "platform": None,
            "package": "flash-mla",
            "subject": "cc1plus",
            "hint": HINT,
            "lines": [
                {"n": 5, "text": "error: Failed to build `flash-mla==1.0`"},
                {"n": 6, "text": "g++: fatal error: Killed signal terminated program cc1plus"},
            ],
        }
    ]
    assert outcome.document["stages"] == [{"stage": "main", "platform": None, "steps": 1, "seconds": 1.5}]


def test_a_person_reads_what_went_wrong_where_and_what_to_do(bot, log):
    assert (
        bot("build", "diagnose", log(FAILING)).people
        == f"""\
root: compiler-killed (flash-mla, cc1plus)
  in    main 2/2 RUN uv sync --locked
      5  error: Failed to build `flash-mla==1.0`
      6  g++: fatal error: Killed signal terminated program cc1plus
     -> {HINT}
stage main: 1 steps done in 2 s
"""
    )


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        pytest.param("Job succeeded\n", 0, "the build succeeded\n", id="success"),
        pytest.param(
            UNEXPLAINED,
            1,
            "the build failed, and no line says why\n  in    main 2/2 RUN make\n",
            id="a failure without a cause, and no control sequence",
        ),
        pytest.param("", 1, "the log shows neither a failure nor the end of a build\n", id="empty"),
    ],
)
def test_exit_status(bot, log, text, status, said):
    outcome = bot("build", "diagnose", log(text))

    assert (outcome.status, outcome.document["causes"], outcome.people) == (status, [], said)


def test_a_log_is_read_from_standard_input(bot, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(FAILING.encode())))

    assert bot("build", "diagnose", "-").document["causes"][0]["cause"] == "compiler-killed"


@pytest.mark.parametrize("name", ["none.log", "."])
def test_a_log_that_cannot_be_read_is_wrong_usage(bot, tmp_path, name):
    outcome = bot("build", "diagnose", str(tmp_path / name))

    assert (outcome.status, outcome.document["command"]) == (2, "build diagnose")
    assert "cannot be read" in outcome.document["error"]["message"]


def test_a_group_alone_shows_its_commands(capsys):
    assert main(["goldens"]) == 0
    assert "compare" in capsys.readouterr().out


def test_a_group_may_be_a_command_too(monkeypatch, capsys):
    """`bot build --platform arm64` and `bot build diagnose LOG` are told apart."""
    asked = ModuleType("bot.cli.build")
    asked.run = lambda **options: Result({}, f"built for {options['platform']}", 3)
    monkeypatch.setitem(sys.modules, "bot.cli.build", asked)
    build = Verb("build", "Build the image.", "maintain", (), (Flag("--platform", "One platform.", "P"),))
    bot = program((*VERBS, build))

    assert bot.main(["build", "--platform", "arm64"], standalone_mode=False) == 3
    assert capsys.readouterr().out == "built for arm64\n"
    with pytest.raises(UsageError, match="cannot be read"):
        bot.main(["build", "diagnose", "/nonexistent/x.log"], standalone_mode=False)
    assert capsys.readouterr().out == ""
