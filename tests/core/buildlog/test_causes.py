"""Each cause: its lines in the tools' own words prove it, and those that resemble them do not."""

import re

import pytest

from bot.core.buildlog.causes import FAMILIES
from bot.core.buildlog.diagnosis import Outcome
from bot.core.buildlog.frames import frame_of
from bot.core.buildlog.lines import said
from bot.core.buildlog.reader import read_build_log
from bot.core.buildlog.signs import Rank
from tests.core.buildlog import said_by_builders, said_by_programs
from tests.core.buildlog.logs import LOGS

PROVING = (*said_by_builders.PROVING, *said_by_programs.PROVING)
CAUSES = [cause for family in FAMILIES.values() for cause in family]
SIGNS = [pytest.param(sign, id=f"{cause.name} {sign.word}") for cause in CAUSES for sign in cause.signs]
WARNINGS = {cause.name for cause in CAUSES if cause.rank is Rank.WARNING}
FAILING = "ERROR: Failed building wheel for stand-in"
"""A failure without which a warning is not looked at."""


@pytest.mark.parametrize(("cause", "line", "package", "subject"), PROVING)
def test_a_line_in_the_tools_own_words_proves_its_cause(cause, line, package, subject):
    log = f"{line}\n{FAILING}\n" if cause in WARNINGS else f"{line}\n"
    found = [it for it in read_build_log([log.encode()]).causes if it.cause == cause]

    assert [(it.subject, it.lines[0].n) for it in found] == [(subject, 1)]
    assert found[0].package in {package, "stand-in"}


SILENT = (
    "mlx5: No space left on device",
    "ENOSPC: System limit for number of file watchers reached",
    "/bin/sh: 1: [: not found",
    "warning: error: nothing really",
    "Searching for a compatible version of numpy (>=1.26)",
    '+ echo "uv: command not found"',
    "++ cat /run/secrets/JET_INDEX_URLS",
    "   4 | >>> RUN cat /run/secrets/JET_INDEX_URLS: No such file or directory",
    "    raise ImportError('ModuleNotFoundError: No module named torch')",
    "$ echo no space left on device",
    "copying exec_format_error.py -> build/lib/exec_format_error.py",
    "checking for nvcc... not found",
    "retrying after 401 Unauthorized was answered with a token",
    "Downloading internal-compiler-error 1.0",
    "-- Looking for pthread_create in pthreads - not found",
)
"""Lines that resemble those above and prove nothing."""


@pytest.mark.parametrize("line", SILENT)
def test_what_only_resembles_a_failure_proves_nothing(line):
    diagnosis = read_build_log([f"{line}\n".encode()])

    assert (diagnosis.outcome, diagnosis.causes) == (Outcome.UNKNOWN, ())


EXAMPLES = [line for _, line, _, _ in PROVING] + [
    re.sub(r"^\d+\.\d+ ", "", frame_of(said(line)).text)
    for path in LOGS
    for line in re.split(rb"[\r\n]", path.read_bytes())
]


@pytest.mark.parametrize("sign", SIGNS)
def test_every_sign_has_an_example(sign):
    found = [line for line in EXAMPLES if re.search(sign.pattern, line)]

    assert found
    assert all(sign.word in line for line in found)


@pytest.mark.parametrize("cause", [pytest.param(it, id=it.name) for it in CAUSES])
def test_a_hint_is_one_line_and_names_only_what_there_is(cause):
    filled = cause.hint.format(package="P", subject="S")

    assert "\n" not in filled
    assert not filled.endswith(".")


def test_what_a_cause_leads_to_is_a_cause():
    names = {cause.name for cause in CAUSES}

    assert {name for cause in CAUSES for name in cause.leads_to} <= names
    assert {cause.in_build for cause in CAUSES if cause.in_build} <= names
