"""What builders and CI runners write around a build: one text of a log → what it says of the steps.

The forms are those of BuildKit's plain progress (https://github.com/moby/buildkit, `util/progress`), of
Docker's classic builder, of GitHub's runner and of GitLab's. Some lines quote a command or a source:
they prove nothing about what happened.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto


class Mark(Enum):
    """What a text says of the steps of a build."""

    TEXT = auto()
    """Nothing: a program wrote it."""
    QUOTED = auto()
    """A source or a command, repeated."""
    BEGAN = auto()
    """A step of BuildKit."""
    DONE = auto()
    CANCELLED = auto()
    """A step that BuildKit stopped because another one failed."""
    FAILED = auto()
    EXCERPT = auto()
    """BuildKit repeats the end of the step that failed."""
    EXCERPT_EDGE = auto()
    CLASSIC = auto()
    """A step of the classic builder; those before it are done."""
    CLASSIC_FAILED = auto()
    SOLVE_FAILED = auto()
    NEW_BUILD = auto()
    RUNNER_STEP = auto()
    """A step of the runner; those before it are done."""
    RUNNER_FAILED = auto()
    SUCCEEDED = auto()
    INSTALLED = auto()
    """A program is content; it speaks for the log where nobody else does."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A text and what it says of the steps.

    `id` is BuildKit's number of a step, `number` its place as `5/20`, `text` what is left of the line:
    the instruction, the error, or what a program wrote.
    """

    mark: Mark
    text: str
    id: int | None = None
    stage: str | None = None
    platform: str | None = None
    number: str | None = None
    seconds: float | None = None


WORDS = (
    *(f" {word}" for word in ("exporting to ", "DONE", "CACHED", "CANCELED")),
    " ERROR: ",
    "#0 building with",
    "> [",
    "------",
    "Step ",
    "STEP ",
    " returned a non-zero code: ",
    "failed to solve",
    "executor failed running",
    "Successfully ",
    "##[group]Run ",
    "##[error]",
    "section_start:",
    "ERROR: Job failed",
    "Job succeeded",
    "Exited with exit code",
    "Installed ",
    "] FROM ",
    "] RUN ",
    "] COPY ",
    "] ADD ",
    "] WORKDIR ",
    "] resolve image config",
    "internal] load ",
    " [auth] ",
)
"""In each text with a mark stands one of these."""

_KIT = re.compile(r"#(?P<id>\d{1,6}) (?P<rest>.*)")
_OUTPUT = re.compile(r"\d+\.\d+ ?(?P<text>.*)")
_ENDED = re.compile(r"(?P<word>DONE|CACHED|CANCELED)(?: (?P<seconds>\d+(?:\.\d+)?)s)?$")
# What a build says first; Docker 20.10 does not name its builder.
_FIRST = ("building with ", "[internal] load build definition")
_LABEL = re.compile(r"\[(?P<inside>[^\]]{1,200})\] (?P<text>.*)")
_NUMBER = re.compile(r"\d+/\d+$")
_PLATFORM = re.compile(r"[a-z]+/[a-z0-9]+(?:/v\d+)?(?:->[a-z0-9/]+)?$")
_TITLE = re.compile(r"exporting to |resolve image config |importing cache |exporting cache |\[auth\]")
_CLASSIC = re.compile(r"(?:Step|STEP) (?P<number>\d+/\d+) ?: (?P<text>.*)")
_AS_STAGE = re.compile(r"FROM \S+ (?:AS|as|As) (?P<stage>\S+)")
_SOLVE = re.compile(
    r"(?:##\[error\])?(?:buildx failed with: )?(?:ERROR: )?(?:failed to build: )?failed to solve"
    r"(?: with frontend [\w.:/-]+)?: (?P<text>.*)"
)
# Up to here a line repeats the command that failed, with whatever stands in it.
_REPEATED = re.compile(
    r"process \".*\" (?=did not complete successfully)|executor failed running \[.*\]: "
    r"|The command '.*' (?=returned a non-zero code)"
)
_QUOTED = re.compile(
    r"\s*(?:\d+ \| (?!\s*(?:<{7} |>{7} |={7}$))|\++ |raise |File \"|\$ |# )"
    r"|\s+\| "
)
_AFTER_A_FAILURE = ("after_script", "upload_artifacts", "cleanup_file_variables", "archive_cache")

_PLAIN = (
    (Mark.EXCERPT_EDGE, re.compile(r"------$")),
    (Mark.RUNNER_STEP, re.compile(r"##\[group\](?P<text>Run .*)")),
    (Mark.RUNNER_STEP, re.compile(r"section_start:\d+:(?P<text>\w+)")),
    (Mark.RUNNER_FAILED, re.compile(r"(?:##\[error\]|ERROR: Job failed)")),
    (Mark.RUNNER_FAILED, re.compile(r"srun: error: .*Exited with exit code [1-9]")),
    (Mark.SUCCEEDED, re.compile(r"Job succeeded$|Successfully (?:built [0-9a-f]{12}|tagged \S+)$")),
    (Mark.INSTALLED, re.compile(r"Installed \d+ packages? in |Successfully installed ")),
)


def frame_of(text: str) -> Frame:
    """Return what a text says of the steps of a build."""
    if kit := _KIT.match(text):
        return _of_buildkit(int(kit["id"]), kit["rest"]) or Frame(Mark.TEXT, text)
    if text.startswith(" > [") and (label := _LABEL.match(text, 3)):
        return _labelled(Mark.EXCERPT, label, label["text"].removesuffix(":"))
    if solve := _SOLVE.match(text):
        return Frame(Mark.SOLVE_FAILED, _without_command(solve["text"]))
    return _classic(text) or _plain(text)


def _of_buildkit(number: int, rest: str) -> Frame | None:
    if rest.startswith(_FIRST):
        return Frame(Mark.NEW_BUILD, rest)
    if label := _LABEL.match(rest):
        return _labelled(Mark.BEGAN, label, label["text"], number)
    if _TITLE.match(rest):
        return Frame(Mark.BEGAN, rest, number)
    if ended := _ENDED.match(rest):
        mark = Mark.CANCELLED if ended["word"] == "CANCELED" else Mark.DONE
        return Frame(mark, "", number, seconds=float(ended["seconds"]) if ended["seconds"] else None)
    if rest.startswith("ERROR: "):
        return Frame(Mark.FAILED, _without_command(rest.removeprefix("ERROR: ")), number)
    output = _OUTPUT.match(rest)
    text = output["text"] if output else rest
    return Frame(Mark.QUOTED if _QUOTED.match(text) else Mark.TEXT, text, number)


def _labelled(mark: Mark, label: re.Match[str], text: str, number: int | None = None) -> Frame:
    """Return the frame of a label, `[linux/arm64 main 5/20]` with each part but one left out or not."""
    words = label["inside"].split(" ")
    place = words.pop() if _NUMBER.match(words[-1]) else None
    platform = words.pop(0) if words and _PLATFORM.match(words[0]) else None
    stage = words[0] if words and words[0] not in ("internal", "auth") else None
    return Frame(mark, text, number, stage, platform, place)


def _classic(text: str) -> Frame | None:
    if step := _CLASSIC.match(text):
        stage = _AS_STAGE.match(step["text"])
        return Frame(
            Mark.CLASSIC, step["text"], stage=stage["stage"] if stage else None, number=step["number"]
        )
    if " returned a non-zero code: " in text and text.startswith("The command '"):
        return Frame(Mark.CLASSIC_FAILED, _without_command(text))
    if text.startswith("executor failed running ["):
        return Frame(Mark.SOLVE_FAILED, _without_command(text))
    return None


def _plain(text: str) -> Frame:
    for mark, pattern in _PLAIN:
        if found := pattern.match(text):
            said = found.groupdict().get("text") or text
            ends = mark is Mark.RUNNER_STEP and said.startswith(_AFTER_A_FAILURE)
            return Frame(Mark.QUOTED if ends else mark, said)
    return Frame(Mark.QUOTED if _QUOTED.match(text) else Mark.TEXT, text)


def _without_command(text: str) -> str:
    return _REPEATED.sub("", text, count=1)
