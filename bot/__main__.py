"""`python -m bot` and the console script `bot`."""

import sys


def main() -> None:
    """Run the command line and leave with its exit status."""
    from bot.cli.main import main as run  # noqa: PLC0415  # the entry point itself imports nothing

    sys.exit(run())


if __name__ == "__main__":
    main()
