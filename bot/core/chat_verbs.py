"""The verbs that a comment may give, beside those of the command line: the same arguments, flags and levels.

A comment says less than a command line: the repository, the branch, the pull request and its run are
those of the conversation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.core.commands import PLATFORM, TAG, TEST, TRACK, VERBS, Argument, Flag, Level


@dataclass(frozen=True, slots=True)
class ChatVerb:
    """A word after `/bot`, what it takes, who may give it, and the verb of the command line behind it.

    `required` are the flags that have to be there, `shorts` other names of flags.
    """

    word: str
    command: str
    help: str
    level: Level
    arguments: tuple[Argument, ...] = ()
    flags: tuple[Flag, ...] = ()
    required: tuple[str, ...] = ()
    shorts: Mapping[str, str] = field(default_factory=dict)

    @property
    def usage(self) -> str:
        """The whole command, as help shows it."""
        takes = [it.name if it.required else f"[{it.name}]" for it in self.arguments]
        takes += [self._flag(flag) for flag in self.flags]
        return " ".join(["/bot", self.word, *takes])

    def _flag(self, flag: Flag) -> str:
        name = next((short for short, long in self.shorts.items() if long == flag.name), flag.name)
        value = "" if flag.metavar is None else f" {'|'.join(flag.choices) or flag.metavar}"
        return f"{name}{value}" if flag.name in self.required else f"[{name}{value}]"


def _flag_of(command: str, name: str) -> Flag:
    return next(flag for verb in VERBS if verb.name == command for flag in verb.flags if flag.name == name)


SOME_TEST = Argument("TEST", "One test; all that are safe to refresh unless named.", required=False)
JOB = Argument("JOB", "One job; every failed one unless named.", required=False)
CLASS = _flag_of("quarantine", "--class")
WHY = _flag_of("quarantine", "-m")
ISSUE = _flag_of("quarantine", "--issue")

CHAT_VERBS = (
    ChatVerb(
        "bump",
        "bump",
        "Move every pin of a track to TAG in a draft pull request.",
        "write",
        (TAG,),
        (TRACK, _flag_of("bump", "--anyway")),
    ),
    ChatVerb("status", "status", "Say what the bot sees here, and what it waits for.", "anyone"),
    ChatVerb("triage", "triage", "Judge the failed tests of the newest run; writes nothing.", "write"),
    ChatVerb(
        "refresh",
        "goldens refresh",
        "Take golden values from the newest run; naming TEST accepts a large drift.",
        "write",
        (SOME_TEST,),
    ),
    ChatVerb(
        "quarantine",
        "quarantine",
        "Take a test out of the gate, with an issue that says why.",
        "maintain",
        (TEST,),
        (CLASS, WHY, ISSUE, PLATFORM),
        required=("--class", "-m"),
        shorts={"-c": "--class"},
    ),
    ChatVerb(
        "unquarantine", "unquarantine", "Put a test back into the gate.", "maintain", (TEST,), (PLATFORM,)
    ),
    ChatVerb("retry", "retry", "Run failed jobs again, or open another round.", "write", (JOB,)),
    ChatVerb("build", "build", "Build the container of this pull request's head.", "maintain"),
    ChatVerb("lock", "lock", "Make `uv.lock` anew inside the image.", "maintain"),
    ChatVerb(
        "undo",
        "undo",
        "Take back what the bot committed here.",
        "maintain",
        (),
        (WHY,),
        required=("-m",),
    ),
    ChatVerb("pause", "pause", "Let the bot do nothing here until it is told to resume.", "maintain"),
    ChatVerb("resume", "resume", "Let the bot go on.", "maintain"),
    ChatVerb("help", "help", "Show this table.", "anyone"),
)

_WHO: Mapping[Level, str] = {"anyone": "anyone", "write": "write", "maintain": "maintain"}


def chat_help(verbs: Sequence[ChatVerb] = CHAT_VERBS) -> str:
    """Return the table of commands as Markdown."""
    rows = ["| command | who | what it does |", "|---|---|---|"]
    for verb in verbs:
        usage = verb.usage.replace("|", "\\|")
        rows.append(f"| `{usage}` | {_WHO[verb.level]} | {verb.help} |")
    return "\n".join(rows) + "\n"
