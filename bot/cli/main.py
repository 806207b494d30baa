"""The table of verbs → a click program; one place prints results and errors."""

import importlib
import json
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import click

from bot.cli.result import Result
from bot.core.commands import VERBS, Argument, Flag, Verb
from bot.core.errors import BotError, Refused, UsageError

SCHEMA = 1
"""Version of the JSON documents; it rises when a field changes its meaning or goes."""


def _module(command: str) -> str:
    return f"bot.cli.{command.replace(' ', '_')}"


# Modules are named, not imported: `bot --help` needs none of them.
HANDLERS = {verb.name: _module(verb.name) for verb in VERBS}

GROUPS: Mapping[str, str] = {
    "goldens": "Golden values: refresh them from a CI run, compare them.",
    "build": "Container builds: build one, say why one broke.",
}
"""For the first word of commands of two, what `bot --help` says of it."""


class Word(click.ParamType[str]):
    """A text that says something: an empty variable in somebody's script is a mistake, not a default."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text, or fail when it is blank."""
        if not str(value).strip():
            self.fail("is empty", param, ctx)
        return str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the process's exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        return 141
    except Exception:  # noqa: BLE001 - whatever it is: a script gets its one document, a report its traceback
        traceback.print_exc()
        return _print_error(words, BotError("a bug in the bot", hint="report it with the traceback above"))


def _run(words: Sequence[str]) -> int:
    try:
        status = program().main(list(words), prog_name="bot", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _print_error(words, UsageError(error.format_message(), hint=_usage_hint(error)))
    except BotError as error:
        return _print_error(words, error)
    return status if isinstance(status, int) else 0


def program(verbs: Sequence[Verb] = VERBS) -> click.Group:
    """Return the command line as click commands, made from the table of verbs.

    A group whose name is a verb too is that verb as long as no word of the group follows.
    """
    group = click.Group(
        "bot",
        help="Moves a GPU training repository to a new NVIDIA NGC base image.",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    alone = {verb.name: verb for verb in verbs if " " not in verb.name}
    groups = {name: _group(name, text, alone.pop(name, None)) for name, text in GROUPS.items()}
    for verb in verbs:
        first, _, second = verb.name.partition(" ")
        if second or first in alone:
            (groups[first] if second else group).add_command(_command(verb))
    for inner in groups.values():
        group.add_command(inner)
    return click.version_option(package_name="ngc-bump-bot", prog_name="bot")(group)


def _group(name: str, text: str, verb: Verb | None) -> click.Group:
    if verb is None:
        return click.Group(name, help=text, no_args_is_help=True)
    command, act = _command(verb), _callback(verb)

    @click.pass_context
    def call(context: click.Context, /, **options: Any) -> int:
        return 0 if context.invoked_subcommand else act(**options)

    return click.Group(
        name,
        params=command.params,
        help=command.help,
        short_help=command.short_help,
        invoke_without_command=True,
        callback=call,
    )


def _command(verb: Verb) -> click.Command:
    parameters: list[click.Parameter] = [_argument(argument) for argument in verb.arguments]
    parameters += [_option(flag) for flag in verb.all_flags]
    details = "".join(f"\n\n{argument.name}: {argument.help}" for argument in verb.arguments)
    return click.Command(
        verb.name.rpartition(" ")[2],
        params=parameters,
        help=verb.help + details,
        short_help=verb.help,
        callback=_callback(verb),
    )


def _argument(argument: Argument) -> click.Argument:
    shown = argument.name if argument.required else f"[{argument.name}]"
    return click.Argument([argument.key], metavar=shown, type=Word(), required=argument.required)


def _option(flag: Flag) -> click.Option:
    if flag.metavar is None:
        return click.Option([flag.name, flag.key], is_flag=True, help=flag.help)
    kind = click.Choice(flag.choices) if flag.choices else {"text": Word(), "integer": int}[flag.kind]
    return click.Option(
        [flag.name, flag.key], metavar=flag.metavar, type=kind, help=flag.help, multiple=flag.many
    )


def _callback(verb: Verb) -> Callable[..., int]:
    def call(**options: Any) -> int:
        as_json = options.pop("json") or options.get("format") == "json"
        handler = importlib.import_module(_module(verb.name))
        result: Result = handler.run(**options)
        _print_result(verb.name, result, as_json=as_json)
        return result.exit_code

    return call


def _print_result(command: str, result: Result, *, as_json: bool) -> None:
    if as_json:
        click.echo(result.text, err=True)
        click.echo(_json(command, result.document))
    else:
        click.echo(result.text)


def _json(command: str | None, document: Mapping[str, Any]) -> str:
    return json.dumps({"schema": SCHEMA, "command": command, **document}, indent=2, ensure_ascii=False)


def _print_error(words: Sequence[str], error: BotError) -> int:
    click.echo(f"error: {error}" + (f"\nhint: {error.hint}" if error.hint else ""), err=True)
    if _wants_json(words):
        # `build diagnose` is asked for in more words than `build`.
        names = sorted(HANDLERS, key=lambda name: -name.count(" "))
        command = next((name for name in names if _is_asked(name, words)), None)
        click.echo(_json(command, {**_refusal(command, error), "error": _explained(error)}))
    return error.exit_code


def _wants_json(words: Sequence[str]) -> bool:
    return "--json" in words or "--format=json" in words or ("--format", "json") in pairwise(words)


def _is_asked(name: str, words: Sequence[str]) -> bool:
    first, *rest = name.split()
    return first in words and rest == list(words[words.index(first) + 1 :][: len(rest)])


def _refusal(command: str | None, error: BotError) -> Mapping[str, Any]:
    """Return the command's own document of a refusal, where it has one."""
    if command is None or not isinstance(error, Refused):
        return {}
    document: Callable[[Refused], Mapping[str, Any]] | None = getattr(
        importlib.import_module(HANDLERS[command]), "refusal", None
    )
    return document(error) if document else {}


def _explained(error: BotError) -> Mapping[str, Any]:
    return {
        "code": error.code,
        "message": error.message,
        "path": error.path,
        "line": error.line,
        "hint": error.hint,
    }


def _usage_hint(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"`{context.command_path if context else 'bot'} --help` says what it takes"
