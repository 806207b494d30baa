"""Comment → the commands that it gives, in their order; what cannot be understood says what would be."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from bot.core.chat_verbs import CHAT_VERBS, ChatVerb
from bot.core.commands import Flag
from bot.core.comment_text import Line, command_lines
from bot.core.errors import UsageError
from bot.core.markdown import code
from bot.core.words import Unclosed, Word, words

Value = str | int | bool | None

MOST_COMMANDS = 20
"""Commands of one comment that are read; one that holds more gives none of them."""

_LONGEST_VALUE = 500
_NUMBER = re.compile(r"#?([1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A verb and its values by key, None or false where none was given, as the command line hands them on."""

    verb: ChatVerb
    values: Mapping[str, Value]
    text: str


@dataclass(frozen=True, slots=True)
class ChatProblem:
    """A line that asks for something in a way that the bot does not understand. `hint` says what to write."""

    text: str
    message: str
    hint: str


def chat_commands(body: str, verbs: Sequence[ChatVerb] = CHAT_VERBS) -> tuple[ChatCommand | ChatProblem, ...]:
    """Return what a comment asks for, one item for each of its commands; mostly nothing."""
    lines = list(islice(command_lines(body), MOST_COMMANDS + 1))
    if len(lines) > MOST_COMMANDS:
        message = f"the comment holds more than {MOST_COMMANDS} commands, none of them was followed"
        return (ChatProblem(_text(lines[0]), message, "write several comments"),)
    return tuple(_command(line, verbs) for line in lines)


def _text(line: Line) -> str:
    return "".join(piece.text for piece in line).strip()


def _command(line: Line, verbs: Sequence[ChatVerb]) -> ChatCommand | ChatProblem:
    text = _text(line)
    try:
        verb, rest = _verb(words(line)[1:], verbs)
        return ChatCommand(verb, _values(verb, rest), text)
    except Unclosed:
        return ChatProblem(text, "a quote is opened and not closed", "close it, on the same line")
    except UsageError as error:
        return ChatProblem(text, error.message, error.hint or "`/bot help` lists the commands")


def _verb(given: Sequence[Word], verbs: Sequence[ChatVerb]) -> tuple[ChatVerb, Sequence[Word]]:
    if not given:
        raise UsageError("`/bot` needs a word that says what to do")
    by_word = {verb.word: verb for verb in verbs}
    word = given[0].text.lower()
    if word not in by_word:
        near = difflib.get_close_matches(word[:40], by_word, n=1)
        hint = f"did you mean `/bot {near[0]}`?" if near else None
        raise UsageError(f"there is no command {code(word, 40)}", hint=hint)
    return by_word[word], given[1:]


def _values(verb: ChatVerb, given: Sequence[Word]) -> Mapping[str, Value]:
    flags = {flag.name: flag for flag in verb.flags}
    flags |= {short: flags[name] for short, name in verb.shorts.items()}
    values: dict[str, Value] = {it.key: None for it in verb.arguments}
    values |= {flag.key: False if flag.metavar is None else None for flag in verb.flags}
    told: set[str] = set()
    waiting = list(verb.arguments)
    left = iter(given)
    for word in left:
        if word.is_flag:
            key, value = _flag_value(word, left, flags, verb)
        elif waiting:
            key, value = waiting.pop(0).key, _checked(word.text, verb)
        else:
            raise UsageError(f"{code(word.text, 40)} is one word too many", hint=_many_words(verb))
        if key in told:
            raise UsageError(f"{code(word.text, 40)} is given twice", hint=_write(verb))
        told.add(key)
        values[key] = value
    missing = [it.name for it in waiting if it.required]
    missing += [flag.name for flag in verb.flags if flag.name in verb.required and flag.key not in told]
    if missing:
        raise UsageError(f"`{missing[0]}` is missing", hint=_write(verb))
    return values


def _flag_value(
    word: Word, left: Iterator[Word], flags: Mapping[str, Flag], verb: ChatVerb
) -> tuple[str, Value]:
    """Return the key and the value of a flag; its value may be the next word of `left`."""
    name, equals, attached = word.text.partition("=")
    flag = flags.get(name)
    if flag is None:
        near = difflib.get_close_matches(name[:40], flags, n=1)
        hint = f"did you mean `{near[0]}`?" if near else _write(verb)
        raise UsageError(f"`/bot {verb.word}` has no {code(name, 40)}", hint=hint)
    if flag.metavar is None:
        if equals:
            raise UsageError(f"`{name}` takes no value", hint=_write(verb))
        return flag.key, True
    following = None if equals else next(left, None)
    if not equals and (following is None or following.is_flag):
        raise UsageError(f"`{name}` needs a value", hint=_write(verb))
    text = _checked(following.text if following else attached, verb)
    return flag.key, _of_kind(flag, name, text)


def _of_kind(flag: Flag, name: str, text: str) -> Value:
    if flag.kind == "integer":
        number = _NUMBER.fullmatch(text)
        if number is None:
            raise UsageError(f"{code(text, 40)} is no number", hint=f"write `{name} 12`")
        return int(number[1])
    if flag.choices and text not in flag.choices:
        allowed = ", ".join(f"`{choice}`" for choice in flag.choices)
        raise UsageError(f"{code(text, 40)} is no value of `{name}`", hint=f"it takes {allowed}")
    return text


def _checked(text: str, verb: ChatVerb) -> str:
    if not text.strip():
        raise UsageError("a value is empty", hint=_write(verb))
    if len(text) > _LONGEST_VALUE:
        raise UsageError(f"a value is longer than {_LONGEST_VALUE} characters", hint=_write(verb))
    return text.strip()


def _write(verb: ChatVerb) -> str:
    return f"write `{verb.usage}`"


def _many_words(verb: ChatVerb) -> str:
    takes_text = any(flag.metavar and not flag.choices for flag in verb.flags)
    return f"{_write(verb)}, several words as one in quotes" if takes_text else _write(verb)
