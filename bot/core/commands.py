"""The bot's verbs, as one table: the command line is made from it, and so is everything that names a flag."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["anyone", "write", "maintain"]
"""Who may give a command in a comment; on the command line a person's own credentials decide."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An option; `metavar` is None for a switch, `choices` are all the words that it takes.

    One that may be repeated (`many`) hands a tuple on.
    """

    name: str
    help: str
    metavar: str | None = None
    kind: Literal["text", "integer"] = "text"
    choices: tuple[str, ...] = ()
    handed_on_as: str = ""
    many: bool = False

    @property
    def key(self) -> str:
        """The name under which the value is handed on, `--no-verify` as `no_verify`."""
        return self.handed_on_as or self.name.removeprefix("--").replace("-", "_")


@dataclass(frozen=True, slots=True)
class Argument:
    """A word without a flag."""

    name: str
    help: str
    required: bool = True

    @property
    def key(self) -> str:
        """The name under which the value is handed on."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Verb:
    """One command: what it takes, what it is for, whether it writes and who may ask for it.

    A name of two words, such as `goldens refresh`, is a command in a group.
    """

    name: str
    help: str
    level: Level
    arguments: tuple[Argument, ...] = ()
    flags: tuple[Flag, ...] = ()
    writes: bool = False

    @property
    def all_flags(self) -> tuple[Flag, ...]:
        """The verb's own flags, and those that every command on a repository takes."""
        return (*self.flags, *((DRY_RUN,) if self.writes else ()), *COMMON)


RECIPE = Flag("--recipe", "A shipped bump recipe by name, or a recipe file.", "NAME|FILE")
REPOSITORY = Flag("--repo", "The repository on GitHub, instead of the recipe's.", "OWNER/NAME")
BASE = Flag("--base", "The branch to work on, instead of the recipe's.", "BRANCH")
CONFIG = Flag("--config", "A settings file, instead of the one in the user's config folder.", "FILE")
JSON = Flag("--json", "Print one JSON document and nothing else on standard output.")
DRY_RUN = Flag("--dry-run", "Show the diff, the texts and each API call; write nothing.")
COMMON = (RECIPE, REPOSITORY, BASE, CONFIG, JSON)

TRACK = Flag("--track", "The track, `dev` unless named; `lts` is only ever explicit.", "TRACK")
PULL_REQUEST = Flag("--pr", "The bot's pull request, where several are open.", "N", kind="integer")
EVERY_TRACK = Flag("--track", "One track; every one of them, each for itself, unless named.", "TRACK")
CHECKOUT = Flag("--checkout", "Work in this clone instead of on GitHub.", "DIR")
PLATFORM = Flag("--platform", "The platform, where the test runs on several.", "PLATFORM")
MARK_TRACK = Flag("--track", "The track whose mark a unit test gets, `dev` unless named.", "TRACK")
TEST = Argument("TEST", "A functional test case, `MODEL/TEST`, or `path/test_x.py::test_y` for a unit test.")
TAG = Argument("TAG", "The new tag, such as `26.06-py3`.")
CONTEXT = Flag("--checkout", "The clone; the current folder's unless named.", "DIR")
BUILDER = Flag("--builder", "What builds; `docker` unless named.", "BUILDER", choices=("docker",))
ARCHITECTURES = Flag(
    "--platform",
    "The architecture, the builder's own unless named; may be repeated.",
    "ARCH",
    choices=("amd64", "arm64"),
    many=True,
)
NETWORK = Flag(
    "--network",
    "The network of the steps: default, host or none.",
    "NETWORK",
    choices=("default", "host", "none"),
)

VERBS = (
    Verb(
        "bump",
        "Move every pin of a track to TAG, in a clone or as a draft pull request.",
        "write",
        (TAG,),
        (
            TRACK,
            CHECKOUT,
            Flag("--no-verify", "Do not ask the registry whether the tag exists for every platform."),
            Flag("--anyway", "Go on although somebody else's pull request moves a pin to this tag."),
        ),
        writes=True,
    ),
    Verb(
        "check",
        "Say whether all pins of a track are in sync; exit status 1 when they are not.",
        "anyone",
        (),
        (
            EVERY_TRACK,
            CHECKOUT,
            Flag("--pr", "Read the head of this pull request.", "N", kind="integer"),
            Flag("--expect", "Also fail unless the pins of --track (default dev) are at TAG.", "TAG"),
            Flag("--gitlab", "Also read the pins of the branches on GitLab."),
        ),
    ),
    Verb(
        "releases",
        "List the tags that the registry has for a track, with platforms, digest and first sighting.",
        "anyone",
        (),
        (
            TRACK,
            Flag("--limit", "How many of the newest tags to look at; 12 unless given.", "N", kind="integer"),
        ),
    ),
    Verb(
        "images",
        "Compare the components of two images, read from their environments; nothing is pulled.",
        "anyone",
        (Argument("OLD", "The tag that is in use."), Argument("NEW", "The tag to compare it with.")),
        (TRACK,),
    ),
    Verb(
        "quarantine",
        "Take a test out of the gate, with an issue that says why.",
        "maintain",
        (TEST,),
        (
            Flag(
                "--class",
                "What goes wrong: hang, oom, crash or regression.",
                "CLASS",
                choices=("hang", "oom", "crash", "regression"),
                handed_on_as="reason",
            ),
            Flag(
                "--issue",
                "The tracking issue; with --checkout nothing is asked of GitHub.",
                "N",
                kind="integer",
            ),
            Flag("--file-issue", "Find the tracking issue on GitHub, or open it."),
            PLATFORM,
            Flag("--comment", "The comment that the row or mark gets, instead of the bot's.", "TEXT"),
            Flag("-m", "Why, in a few words.", "WHY", handed_on_as="why"),
            Flag(
                "--as",
                "The remedy: `broken` unless named, `allow-failure` (GitLab only), or `n-repeat=N`.",
                "REMEDY",
                handed_on_as="remedy",
            ),
            MARK_TRACK,
            CHECKOUT,
            PULL_REQUEST,
        ),
        writes=True,
    ),
    Verb(
        "unquarantine",
        "Put a test back into the gate, with exactly the text that it had before.",
        "maintain",
        (TEST,),
        (PLATFORM, MARK_TRACK, CHECKOUT, PULL_REQUEST),
        writes=True,
    ),
    Verb(
        "retry",
        "Run the failed jobs of the bot's pull request again, and let the bot begin new rounds.",
        "write",
        (Argument("JOB", "One job; every failed one unless named.", required=False),),
        (PULL_REQUEST,),
        writes=True,
    ),
    Verb(
        "goldens refresh",
        "Take the new golden values of a CI run; what moved too far waits for a person.",
        "write",
        (),
        (
            Flag("--run-id", "The run of GitHub Actions.", "N", kind="integer"),
            Flag("--pipeline-id", "The pipeline of GitLab.", "N", kind="integer"),
            Flag("--only-failing", "Those of failed tests."),
            Flag("--all", "Those of passed tests too."),
            Flag(
                "--accept",
                "Take this test's although it moved far, or `all`; may be repeated.",
                "TEST",
                many=True,
            ),
            CHECKOUT,
            PULL_REQUEST,
        ),
        writes=True,
    ),
    Verb(
        "goldens compare",
        "Compare golden values, a clone's with a commit's or two folders of them; needs no network.",
        "anyone",
        (
            Argument("OLD_DIR", "A folder with old golden values.", required=False),
            Argument("NEW_DIR", "A folder with the new ones, at the same paths.", required=False),
        ),
        (
            Flag("--checkout", "The clone; the current folder's unless named.", "DIR"),
            Flag("--rev", "The commit whose golden values are the old ones; HEAD unless named.", "REVISION"),
            Flag(
                "--format",
                "How the result is printed: text, json, csv or markdown; text unless named.",
                "FORMAT",
                choices=("text", "json", "csv", "markdown"),
            ),
            Flag("--charts", "Also draw each file, as an SVG in this folder.", "DIR"),
        ),
    ),
    Verb(
        "triage",
        "Say of each test of a CI run what became of it and what proves it; nothing is written.",
        "write",
        (),
        (Flag("--run-id", "The run, by the number in its address.", "N", kind="integer"),),
    ),
    Verb(
        "undo",
        "Take a bump back: on its branch, or once it is merged as a draft pull request.",
        "maintain",
        (),
        (
            Flag("--pr", "The pull request of the bump.", "N", kind="integer"),
            Flag("-m", "Why, in a few words.", "WHY", handed_on_as="why"),
        ),
        writes=True,
    ),
    Verb(
        "build",
        "Build the container of a clone with the image that its pins name.",
        "maintain",
        (),
        (
            TRACK,
            CONTEXT,
            BUILDER,
            ARCHITECTURES,
            Flag("--smoke", "Try the image: Python, its modules and versions, and a GPU where there is one."),
            Flag("--target", "The stage of the Dockerfile, instead of the recipe's.", "STAGE"),
            Flag("--no-cache", "Run every step anew."),
            NETWORK,
            Flag("--timeout", "Stop a build that takes longer than this.", "MINUTES", kind="integer"),
        ),
        writes=True,
    ),
    Verb(
        "build diagnose",
        "Say why a container build broke, from its log; exit status 1 when the log does not say.",
        "anyone",
        (Argument("LOG", "The log of a build; `-` for standard input."),),
    ),
    Verb(
        "status",
        "Say where the bot's open bumps stand, and what is out of the gate; nothing is written.",
        "anyone",
    ),
    Verb(
        "serve",
        "Take webhooks and commands in comments, and watch for releases, until told to stop.",
        "maintain",
    ),
    Verb(
        "demo",
        "Play a bump from the release to the review in a simulated world; needs no account and no network.",
        "anyone",
        (),
        (
            Flag("--story", "Which story; `release` unless named.", "NAME"),
            Flag("--fast", "Without pauses."),
            Flag("--stay", "Keep the service up at the end, until Ctrl-C."),
        ),
    ),
    Verb(
        "lock",
        "Lock a clone's dependencies with uv, in the container and never on this machine.",
        "maintain",
        (),
        (
            TRACK,
            CHECKOUT,
            Flag("--resolve-conflict", "Begin with the base branch's uv.lock, whatever the clone's holds."),
            Flag("--add", "Add this package to the project first.", "PKG"),
            NETWORK,
        ),
        writes=True,
    ),
    Verb(
        "doctor",
        "Say which setting, permission, label or team membership is missing, and why it matters.",
        "anyone",
        (),
        (Flag("--remote", "Also ask GitHub, GitLab and the registry."),),
    ),
)
