"""Paths inside a checkout: what leads out of it, or into `.git`, is refused before a file is touched."""

from pathlib import Path, PurePosixPath

from bot.core.errors import Refused


def locate(top: Path, path: str) -> Path:
    """Return where `path`, relative to the folder `top`, lies. Links are not looked at.

    Raises Refused for a path that is absolute, holds `..`, a line break or NUL, or names part of `.git`.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        raise Refused("is not a path inside the checkout", path=path or ".")
    if set(path) & {"\n", "\r", "\0"}:
        raise Refused("has a line break or a NUL in its name", path=repr(path)[1:-1])
    if _in_git_folder(PurePosixPath(path)):
        raise Refused("belongs to git itself", path=path)
    return top.joinpath(*parts)


def resolve(top: Path, path: str) -> Path | None:
    """Return the regular file at `path` with all links followed, None where there is no file.

    Raises Refused as `locate` does, and for links that lead out of `top` or into `.git`.
    """
    try:
        file = locate(top, path).resolve(strict=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, RuntimeError) as error:
        # Python before 3.13 tells a loop of links as RuntimeError.
        raise Refused("cannot be followed to a file", path=path) from error
    if not file.is_relative_to(top) or _in_git_folder(file.relative_to(top)):
        raise Refused("is a link out of the checkout", path=path)
    return file if file.is_file() else None


def refuse_other_repository(top: Path, file: Path, path: str) -> None:
    """Raise Refused when `file` lies in a submodule or another repository below `top`."""
    inner = [folder for folder in file.parents if folder.is_relative_to(top) and folder != top]
    if any((folder / ".git").exists() for folder in inner):
        raise Refused("lies in a submodule or another repository", path=path)


def _in_git_folder(path: PurePosixPath | Path) -> bool:
    # Without regard to case, as macOS and Windows look names up.
    return any(part.lower() == ".git" for part in path.parts)
