"""The section of a bump recipe that says when a track moves to a newer release by itself."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, Field, Strict

from bot.core.recipe_types import Count, RecipeModel, TrackName

CRON_FIELDS = 5


def _cron(value: str) -> str:
    if len(value.split()) != CRON_FIELDS:
        raise ValueError("has to be five fields: minute, hour, day of the month, month, day of the week")
    try:
        CronSim(value, datetime(2026, 1, 1, tzinfo=UTC))
    except CronSimError as error:
        raise ValueError(f"is no time table of cron: {str(error).lower()}") from error
    return value


def _time_zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (OSError, ValueError, KeyError):
        raise ValueError("has to be a time zone of IANA, such as `Europe/Berlin`") from None
    return value


def _reasons(value: Mapping[str, str]) -> Mapping[str, str]:
    if missing := [tag for tag, why in value.items() if not why.strip()]:
        raise ValueError(f"has to say why `{missing[0]}` is skipped")
    return value


Days = Annotated[int, Strict(), Field(ge=0)]


class Schedule(RecipeModel):
    """When a track moves to a newer release without being asked; a person may ask at any time."""

    track: TrackName = "dev"
    """The track; every other one moves only when somebody asks for it."""
    cron: Annotated[str, AfterValidator(_cron)] | None = None
    """When a bump may begin, as cron has it; at any time unless told."""
    time_zone: Annotated[str, AfterValidator(_time_zone)] = "UTC"
    """The time zone of `cron`."""
    minimum_age: Days = 0
    """Days for which the bot has to have known a tag: registries do not tell how old one is."""
    every_months: Count = 1
    """Months by which a release has to be newer than the one that is in use."""
    lag: Days = 0
    """How many of the newest releases are left to others."""
    skip: Annotated[Mapping[str, str], AfterValidator(_reasons)] = {}
    """For each tag that is passed over, why."""

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of `cron`."""
        return ZoneInfo(self.time_zone)
