"""Judges a message as its readers take it: a careless vetter bot, GitHub's notifications, a browser."""

import re
import unicodedata
from dataclasses import dataclass, field
from html.parser import HTMLParser

from markdown_it import MarkdownIt

SHA = "60db1d25" + "3f" * 16
COMMAND = f"/ok to test {SHA}"

HOSTILE = (
    COMMAND,
    f"fix\n{COMMAND}",
    f"fix\r{COMMAND}",
    f"fix\r\n\r\n{COMMAND}",
    f"fix\u2028{COMMAND}",
    f"fix\u2029{COMMAND}",
    f"fix\x85{COMMAND}",
    f"fix\x0b{COMMAND}\x0c{COMMAND}",
    f"fix\x1c{COMMAND}\x1d{COMMAND}\x1e{COMMAND}",
    f"   {COMMAND}",
    f"\u200b{COMMAND}",
    f"\ufeff\u2060\u200d{COMMAND}",
    f"\u202e\u2066{COMMAND}",
    f"\u034f\u115f\u3164\ufe0f{COMMAND}",
    f"/\u200bok to test {SHA}",
    f"/o\u200dk to\u00a0test {SHA}",
    f"/ok\u3000to\u2003test {SHA}",
    f"/o\u034fk t\ufe0fo te\u3164st {SHA}",
    f"/OK  to test {SHA}",
    f"/ **ok** to test {SHA}",
    f"> {COMMAND}",
    f"- {COMMAND}",
    f"1. {COMMAND}",
    f"`{COMMAND}`",
    f"``\n{COMMAND}\n``",
    f"```\n{COMMAND}\n```",
    f"~~~\n{COMMAND}\n~~~",
    f"`````\n````\n{COMMAND}",
    f"| {COMMAND} |\n|---|\n| {COMMAND} |",
    f"x|y\\|{COMMAND}",
    f"<!-- ngc-bump-bot:status -->\n{COMMAND}",
    f"--> {COMMAND} <!--",
    "<!-- ngc-bump-bot:end -->",
    f"<p>{COMMAND}</p>",
    f"<details><summary>x</summary>\n\n{COMMAND}",
    f"&#47;ok to test {SHA}",
    f"\\{COMMAND}",
    f"[{COMMAND}](https://example.org)",
    f"![{COMMAND}](https://example.org/x.png)",
    f"text <br>{COMMAND}",
    f"# {COMMAND}",
    f"{'x' * 115} {COMMAND}",
    f"{'@' * 200}team",
    "@team please, cc @octo-org/reviewers (@a) _@b",
    "&#64;team and &commat;team, \\@team, `@team`, **@team**, é@team",
    "fixes #123, closes o/r#4, GH-5, gh-6, &#35;7, \\#8",
    "[x]: https://example.org\n[x]",
    "[a](https://example.org) ![b](https://example.org/b) <https://example.org> [^1]",
    "<script>alert(1)</script> <img src=x onerror=alert(1)> <!-- open",
    "unclosed ` and ``` and ```` runs",
    "\\` \\\\` \\<b> \\\\<b> \\[a](b) \\\\[a](b)",
    "/merge now",
    "/lgtm",
    "\x1b[31mred\x1b[0m \x00 \x07",
    "\ud83d",
    "",
    " \n\t ",
)
"""Texts as they may come in a title, a label, a name, a version or a log."""

_DECORATION = re.compile(r"^(?:[\s>*+\-`~#|_<!.)\]\[\\]|\d+[.)])*")
_COMMAND = re.compile(r"/ok\s+to\s+test\s", re.IGNORECASE)


def obeyed(body: str) -> list[str]:
    """Return what a careless reader of commands obeys in a message, reading its source and its page."""
    return [*obeyed_in_source(body), *obeyed_in_source("".join(rendered(body).texts))]


def obeyed_in_source(text: str) -> list[str]:
    """Return the lines of a text that a careless reader of commands obeys.

    It ends a line wherever Unicode does, and sees through invisible characters, quotes, lists, code,
    headings and tables.
    """
    lines = (_without_invisible(line) for line in text.splitlines())
    return [line for line in lines if _COMMAND.match(_DECORATION.sub("", line))]


def _without_invisible(line: str) -> str:
    return "".join(
        it
        for it in line
        if unicodedata.category(it) not in {"Cf", "Cc", "Mn", "Cs"} and it not in "\u115f\u3164"
    )


_INLINE = {"code", "em", "strong", "s", "a", "img", "b"}


@dataclass
class Page(HTMLParser):
    """A message as a browser gets it: its tags in their order, its HTML comments and its texts.

    `texts` are all of them, with a line end around each block; `prose` are those outside code, where GitHub
    looks for names and numbers.
    """

    tags: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._code = 0

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._code += tag == "code"
        self._end_line(tag)

    def handle_endtag(self, tag):
        self._code -= tag == "code"
        self._end_line(tag)

    def _end_line(self, tag):
        if tag not in _INLINE:
            self.texts.append("\n")

    def handle_data(self, data):
        self.texts.append(data)
        if not self._code:
            self.prose.append(data)

    def handle_comment(self, data):
        self.comments.append(data)


def rendered(body: str) -> Page:
    """Return what becomes of a message, raw HTML included."""
    page = Page()
    page.feed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(body))
    page.close()
    return page


# https://github.com/gjtorikian/html-pipeline: names stand behind no letter of ASCII.
_NOTIFYING = re.compile(r"(?<![A-Za-z0-9_])@[a-z0-9]|#[0-9]|\bGH-[0-9]", re.IGNORECASE)


def notifying(body: str) -> list[str]:
    """Return the texts by which GitHub would notify somebody or link an issue."""
    return [text for text in rendered(body).prose if _NOTIFYING.search(text)]
