"""The only place that builds adapters from settings; each is imported when it is first needed."""
# An adapter costs up to half a second to import: a command pays only for those it uses.
# ruff: noqa: PLC0415

import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from bot.core.errors import UsageError
from bot.core.recipe import BumpRecipe, parse_recipe
from bot.ports import ArtifactReader, Charts, Clone, CodeHost, Folder, ImageRegistry, Ledger, Sources, Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic import SecretStr

    from bot.artifacts.blob import Locate
    from bot.core.events import Delivery
    from bot.core.host import Call
    from bot.core.reconcile import Goal
    from bot.core.rounds import Words
    from bot.core.work import Key
    from bot.engine.board import MemoryBoard
    from bot.flows.rounds import Rounds
    from bot.flows.triage import Reading
    from bot.github.auth import Accounts
    from bot.github.ci import GitHubActions
    from bot.github.code_host import GitHubHost
    from bot.github.dry_run import DryRunHost
    from bot.github.session import Session
    from bot.gitlab.pipelines import GitLabPipelines
    from bot.metrics import PrometheusMeter
    from bot.ports import Reruns
    from bot.service_ports import ChartImages, PageFiles, WorkQueue
    from bot.settings import Settings
    from bot.store.command_log import SqlCommandLog
    from bot.store.ledger import SqlLedger
    from bot.store.pauses import SqlPauses

    WebhookReader = Callable[[Mapping[str, str], bytes, Sequence[str]], Delivery]

LOGS_AT_ONCE = 8
"""Logs that are read side by side: they come from a store that takes its time for each."""


_PIECE = 1024 * 1024
"""Bytes of a file that are read in one go."""


def recipe_folder() -> Path:
    """Return where the shipped bump recipes lie: beside the package in a checkout, inside it in a wheel."""
    package = Path(str(resources.files("bot")))
    shipped = package / "_shipped" / "recipes"
    return shipped if shipped.is_dir() else package.parent / "recipes"


def shipped_recipes() -> tuple[BumpRecipe, ...]:
    """Return every shipped bump recipe, by name."""
    return tuple(_read_recipe(path) for path in sorted(recipe_folder().glob("*.yaml")))


def load_recipe(name: str) -> BumpRecipe:
    """Return a shipped recipe by its name, or the recipe file that `name` is the path of.

    Raises UsageError when there is none, or when it has problems.
    """
    shipped = recipe_folder() / f"{name}.yaml"
    if "/" not in name and shipped.is_file():
        return _read_recipe(shipped)
    with suppress(OSError):  # a name too long for the file system is no file's
        if Path(name).is_file():
            return _read_recipe(Path(name))
    names = ", ".join(f"`{path.stem}`" for path in sorted(recipe_folder().glob("*.yaml")))
    raise UsageError(
        f"there is no bump recipe `{name}`", hint=f"shipped are {names}; a file's path is taken too"
    )


def _read_recipe(path: Path) -> BumpRecipe:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", path=str(path)) from error
    return parse_recipe(text, name=path.stem, path=str(path))


def settings(config: str | None) -> "Settings":
    """Return the settings from the environment and the settings file."""
    from bot.settings import load_settings

    return load_settings(os.environ, Path(config) if config else None)


def registry(settings: "Settings") -> ImageRegistry:
    """Return the registry client."""
    from bot.registry.client import RegistryClient

    _keep_retries_quiet()
    key = settings.ngc_api_key.get_secret_value() if settings.ngc_api_key else None
    return RegistryClient(settings.registry_endpoints, api_key=key)


def artifact_reader(settings: "Settings", locate: "Locate") -> ArtifactReader:
    """Return the reader of CI's artifacts, which are where `locate` says for each artifact's id."""
    from bot.artifacts.reader import ZipReader

    _keep_retries_quiet()
    return ZipReader(locate, [it for it in (settings.github_api_url, settings.gitlab_url) if it])


def _keep_retries_quiet() -> None:
    """Let a retry that helps pass without a word; one that does not ends in an error that says it all."""
    import stamina

    stamina.instrumentation.set_on_retry_hooks([])


def ledger(settings: "Settings") -> "SqlLedger":
    """Return the ledger, with its database brought up to date; whoever opens it closes it."""
    from bot.store.ledger import open_ledger

    return open_ledger(settings.database_url.get_secret_value(), lambda: datetime.now(UTC))


def command_log(settings: "Settings") -> "SqlCommandLog":
    """Return the log of commands in the ledger's database; whoever opens it closes it."""
    from bot.store.command_log import open_command_log

    return open_command_log(settings.database_url.get_secret_value(), lambda: datetime.now(UTC))


def pieces(path: str) -> Iterator[bytes]:
    """Return a file in pieces, standard input for `-`. Raises UsageError when it cannot be read."""
    try:
        with sys.stdin.buffer if path == "-" else Path(path).open("rb") as file:
            yield from iter(lambda: file.read(_PIECE), b"")
    except OSError as error:
        raise UsageError(
            f"`{path[:80]}` cannot be read: {error.strerror}", hint="name a file, or `-` for standard input"
        ) from error


def pauses(settings: "Settings") -> "SqlPauses":
    """Return the pauses in the ledger's database; whoever opens them closes them."""
    from bot.store.pauses import open_pauses

    return open_pauses(settings.database_url.get_secret_value(), lambda: datetime.now(UTC))


def clone(path: str) -> Clone:
    """Return the clone at a path."""
    from bot.checkout.clone import Checkout

    try:
        return Checkout.open(Path(path))
    except OSError as error:
        raise UsageError(
            f"`{path[:80]}` cannot be opened: {error.strerror}", hint="name a git clone"
        ) from error


def folder(path: str) -> Folder:
    """Return the folder at a path. Raises UsageError when there is none."""
    from bot.checkout.folder import Folder as PlainFolder

    return PlainFolder.open(Path(path))


def charts(folder: str) -> Charts:
    """Return what draws charts into a folder."""
    from bot.charts import SvgCharts

    return SvgCharts(Path(folder))


def texts() -> Texts:
    """Return the renderer of messages."""
    from bot.texts import Texts as Templates

    return Templates()


def board(mode: str, interval: timedelta) -> "MemoryBoard":
    """Return the board of this process, from which the pages are made."""
    from bot.engine.board import MemoryBoard

    return MemoryBoard(mode, interval)


def pages() -> "PageFiles":
    """Return the renderer of the dashboard's pages."""
    from bot.texts import Pages

    return Pages()


def chart_images() -> "ChartImages":
    """Return what draws charts for pages."""
    from bot.charts import DrawnCharts

    return DrawnCharts()


def unwritten(ledger: Ledger) -> Ledger:
    """Return a ledger that records no commit, for a dry run."""
    from bot.store.unwritten import UnwrittenLedger

    return UnwrittenLedger(ledger)


def gitlab_branch(settings: "Settings", project: str, branch: str) -> Sources:
    """Return the files of a branch on GitLab. Raises UsageError when no server is configured."""
    from bot.gitlab.branch_files import GitLabBranch

    url, token = _gitlab(settings)
    return GitLabBranch(url, token, project, branch)


def gitlab_pipelines(settings: "Settings", project: str) -> "GitLabPipelines":
    """Return the pipelines of a project on GitLab. Raises UsageError when no server is configured."""
    from bot.gitlab.pipelines import GitLabPipelines

    url, token = _gitlab(settings)
    return GitLabPipelines(url, token, project)


def _gitlab(settings: "Settings") -> tuple[str, str | None]:
    """Return address and token of the GitLab server."""
    _keep_retries_quiet()
    if settings.gitlab_url is None:
        raise UsageError("no GitLab server is configured", hint="set `GITLAB_URL`, and `GITLAB_TOKEN`")
    return settings.gitlab_url, settings.gitlab_token.get_secret_value() if settings.gitlab_token else None


def code_host(settings: "Settings", repository: str) -> CodeHost:
    """Return a repository on GitHub, as the configured identities see it. Raises UsageError without any."""
    from bot.github.code_host import GitHubHost

    return GitHubHost(repository, settings.fork or repository, _accounts(settings, repository))


def ci_runs(settings: "Settings", repository: str) -> "GitHubActions":
    """Return a repository's GitHub Actions, as whoever opens pull requests sees them."""
    from bot.github.ci import GitHubActions

    return GitHubActions(_actions_session(settings, repository), repository)


def _actions_session(settings: "Settings", repository: str) -> "Session":
    accounts = _accounts(settings, repository)
    return accounts.session(accounts.credentials.kind("pull_request"), repository)


def ci_reading(settings: "Settings", recipe: BumpRecipe) -> "Reading":
    """Return where CI is read. Raises UsageError where the recipe does not say how."""
    from bot.flows.triage import Reading

    if recipe.results is None:
        raise UsageError(
            f"recipe `{recipe.name}` does not say how CI is read",
            hint="add a `results` section to the recipe",
        )
    ci = ci_runs(settings, recipe.repository)
    reader = artifact_reader(settings, ci.location)
    return Reading(ci, reader, recipe.results, recipe.goldens, LOGS_AT_ONCE, ci)


def rounds(
    settings: "Settings",
    recipe: BumpRecipe,
    goal: "Goal",
    *,
    host: CodeHost,
    ledger: Ledger,
    words: "Words | None" = None,
    recorded: "list[Call] | None" = None,
) -> "Rounds | None":
    """Return what takes a pull request on by its CI; None where the recipe says nothing of that.

    With `recorded`, the calls of a dry run, nothing is run again either: the call joins them.
    """
    from bot.flows.round_perform import Outside
    from bot.flows.rounds import Rounds
    from bot.github.dry_run import DryRunActions

    if recipe.results is None:
        return None
    reading = ci_reading(settings, recipe)
    ci: Reruns = ci_runs(settings, recipe.repository)
    if recorded is not None:
        session = _actions_session(settings, recipe.repository)
        ci = DryRunActions(session, recipe.repository, recorded)
    outside = Outside(host, ci, ledger, texts(), datetime.now(UTC).date())
    return Rounds(recipe, goal, outside, reading, words)


def dry_run_host(settings: "Settings", repository: str) -> "DryRunHost":
    """Return the same with every write recorded instead of sent."""
    from bot.github.dry_run import DryRunHost

    return DryRunHost(repository, settings.fork or repository, _accounts(settings, repository))


def _accounts(settings: "Settings", repository: str) -> "Accounts":
    from bot.github.auth import Accounts, Credentials
    from bot.github.session import Server

    token, key = settings.github_token, settings.app_private_key
    credentials = Credentials(
        roles=settings.roles,
        token=token.get_secret_value() if token else None,
        app_id=settings.app_id,
        app_private_key=key.get_secret_value() if key else None,
    )
    return Accounts(credentials, Server(settings.github_api_url, settings.write_spacing), repository)


def examine_github(
    settings: "Settings", recipe: BumpRecipe, base: str
) -> tuple[tuple[str, bool | None, str], ...]:
    """Return what GitHub shows of the bot's means: (what, state, detail); state None where it is silent."""
    from bot.github.doctor import Subject, examine

    labels = dict.fromkeys(label for track in recipe.tracks.values() for label in track.labels)
    place = settings.fork or recipe.repository
    subject = Subject(recipe.repository, place, base, tuple(labels), recipe.pull_requests.teams)
    return examine(_accounts(settings, recipe.repository), subject)


def meter() -> "PrometheusMeter":
    """Return what counts for Prometheus."""
    from bot.metrics import PrometheusMeter

    return PrometheusMeter()


def work_queue(report: "Callable[[Key, BaseException, bool], None]") -> "WorkQueue":
    """Return the work queue of this process; `report` is told of runs that failed."""
    from bot.engine.memory import MemoryQueue

    return MemoryQueue(time.monotonic, random.random, report)


def service_host(
    settings: "Settings", repository: str
) -> "tuple[GitHubHost | DryRunHost, Callable[[], int | None]]":
    """Return a repository on GitHub as the mode has it, and what tells how many requests it still takes."""
    from bot.github.code_host import GitHubHost
    from bot.github.dry_run import DryRunHost

    accounts = _accounts(settings, repository)
    kind = DryRunHost if settings.mode == "dry-run" else GitHubHost
    host = kind(repository, settings.fork or repository, accounts)
    return host, lambda: accounts.requests_left


def recorded(host: CodeHost) -> "tuple[Call, ...]":
    """Return the writes that a host has kept instead of sending; none for one that sends them."""
    from bot.github.dry_run import DryRunHost

    return tuple(host.calls) if isinstance(host, DryRunHost) else ()


def webhooks(settings: "Settings") -> "Mapping[str, tuple[WebhookReader, tuple[str, ...]]]":
    """Return, by the name of a sender that has a secret, how its deliveries are read, and its secrets."""
    from bot.github.webhook import github_delivery
    from bot.gitlab.webhook import gitlab_delivery

    senders: dict[str, tuple[WebhookReader, tuple[SecretStr, ...]]] = {
        "github": (github_delivery, settings.webhook_secret),
        "gitlab": (gitlab_delivery, settings.gitlab_webhook_secret),
    }
    return {
        name: (reader, tuple(it.get_secret_value() for it in secrets))
        for name, (reader, secrets) in senders.items()
        if secrets
    }
