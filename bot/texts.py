"""Messages and pages for people: the only home of jinja2, and nothing undefined in either."""

from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bot.core import board, board_words, markdown


def template_folder() -> Path:
    """Return where the templates lie: beside the package in a checkout, inside it in a wheel."""
    package = Path(str(resources.files("bot")))
    shipped = package / "_shipped" / "templates"
    return shipped if shipped.is_dir() else package.parent / "templates"


class Texts:
    """Renders the templates; values from outside pass through a filter of `bot.core.markdown`."""

    def __init__(self, folder: Path | None = None) -> None:
        # Markdown is not HTML: what is dangerous here is defused by name, at each place.
        self._environment = Environment(  # noqa: S701
            loader=FileSystemLoader(folder or template_folder()),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=False,
        )
        self._environment.filters |= {
            "cell": markdown.cell,
            "code": markdown.code,
            "code_cell": markdown.code_cell,
            "defused": markdown.defused,
            "fenced": markdown.fenced,
            "one_line": markdown.one_line,
            "plain": markdown.plain,
            "rows": markdown.rows,
        }

    def render(self, template: str, **values: Any) -> str:
        """Return a template filled with `values`. Raises jinja2's errors: a broken template is a bug."""
        return self._environment.get_template(template).render(values).strip() + "\n"


class Pages:
    """Renders the pages of the dashboard; every value is escaped, so outside text never becomes markup."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or template_folder() / "page"
        self._environment = Environment(
            loader=FileSystemLoader(self._folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {
            "age": board_words.age,
            "ago": board_words.ago,
            "days": board_words.days,
            "figure": board_words.figure,
            "one_line": markdown.one_line,
            "public_link": board.public_link,
            "span": board_words.span,
            "stages": board_words.stages,
        }

    def render(self, template: str, **values: Any) -> str:
        """Return a page filled with `values`. Raises jinja2's errors: a broken template is a bug."""
        return self._environment.get_template(template).render(values)

    def asset(self, name: str) -> bytes:
        """Return the bytes of a file that pages name, such as `page.css`."""
        return (self._folder / name).read_bytes()
