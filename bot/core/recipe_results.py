"""The sections of a bump recipe that say how a repository's CI, goldens and test recipes are read."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, Strict

from bot.core.recipe_types import Count, RecipeModel, RelativePath, not_empty


def _job_pattern(*groups: str) -> AfterValidator:
    def checked(value: str) -> str:
        try:
            found = re.compile(value).groupindex
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"is no regular expression: {error}") from error
        if missing := [name for name in groups if name not in found]:
            raise ValueError(f"has to hold the named group `(?P<{missing[0]}>…)`")
        return value

    return AfterValidator(checked)


def _path_of_a_test(value: str) -> str:
    names = re.findall(r"\{(\w*)\}", value)
    if sorted(set(names) & {"model", "test"}) != ["model", "test"] or re.search(
        r"[{}]", re.sub(r"\{\w+\}", "", value)
    ):
        raise ValueError("has to hold `{model}` and `{test}`")
    return value


def _path_in_an_artifact(value: str) -> str:
    known = re.sub(r"\{(test|environment|platform|file)\}", "", value)
    if (
        re.search(r"[{}\\]", known)
        or not value.endswith("/{file}")
        or {"", ".", ".."} & set(value.split("/"))
    ):
        raise ValueError(
            "has to be a path that ends in `/{file}`; it may hold `{test}`, `{environment}`, `{platform}`"
        )
    return value


Minutes = Annotated[int, Strict(), Field(ge=1)]
Difference = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)]
TestPath = Annotated[str, AfterValidator(_path_of_a_test)]
EntryPath = Annotated[str, AfterValidator(_path_in_an_artifact)]


class LabelProof(RecipeModel):
    """How a log shows that the label of a bump was seen when CI began."""

    job: str
    """The job whose log is read."""
    says: Annotated[Mapping[str, tuple[str, ...]], AfterValidator(not_empty)]
    """For each `KEY=VALUE` line of the log, the right values; a key that is not there is no fault."""


class Results(RecipeModel):
    """How the results of a GitHub Actions run are read."""

    workflow: RelativePath
    """The workflow whose runs are believed; runs of any other are not."""
    gate: str
    """The job that is green when the run is."""
    functional: Annotated[str, _job_pattern("model", "test")]
    """The whole name of a functional test's job; `(?P<model>…)` and `(?P<test>…)` name the test."""
    unit: Annotated[str, _job_pattern("bucket")]
    """The whole name of a unit test job; `(?P<bucket>…)` names what it runs."""
    build: Annotated[str, _job_pattern()] = r"(?!)"
    """The whole name of a job that builds the container."""
    runners: Annotated[Mapping[str, str], AfterValidator(not_empty)]
    """For each runner label, the platform on which its jobs run, as golden files spell it."""
    job_limit: Minutes = 60
    """Minutes after which the workflow cancels a job."""
    silence: Minutes = 10
    """Minutes without a line of log after which a cancelled job is said to have hung."""
    retry_at_most: Count = 5
    """How many failed jobs are still taken for bad luck and run again."""


class PipelineResults(RecipeModel):
    """How the results of a GitLab pipeline are read."""

    functional: Annotated[str, _job_pattern("model", "test", "platform")]
    """The whole name, `TRIGGER JOB / STAGE / NAME`, of a job; the group `environment` may be absent."""
    golden: Annotated[tuple[EntryPath, ...], AfterValidator(not_empty)]
    """Where an artifact holds the golden, first fit; names small, `-` for `_`; `*` is the highest number."""


class Outliers(RecipeModel):
    """A number of steps: a part of the metric's steps within bounds; none where there is only one step."""

    percent: Annotated[int, Strict(), Field(ge=0, le=100)] = 0
    """How many of a hundred steps."""
    at_least: Annotated[int, Strict(), Field(ge=0)] = 0
    """So many in any case."""
    at_most: Annotated[int, Strict(), Field(ge=0)] = 50
    """Never more."""

    def of(self, steps: int) -> int:
        """Return how many of so many steps."""
        return min(max(steps * self.percent // 100, self.at_least), self.at_most) if steps > 1 else 0


class InferenceLimits(RecipeModel):
    """Limits of answers and of figures such as `throughput`; no outliers are granted."""

    limits: Mapping[str, Difference] = {}
    """For a figure a part of its old value, for `logprobs` a difference, for tokens and texts `0`."""
    rises: Mapping[str, Difference] = {}
    """For a figure that may rise farther than it may fall, how far it may rise."""


class Goldens(RecipeModel):
    """Where golden values lie, and which new ones are taken without asking."""

    file: TestPath
    """The golden of a test: a path with `{model}`, `{test}`, `{environment}` and `{platform}`."""
    environment: str = "dev"
    """The environment whose goldens a run produces."""
    artifact: Annotated[str, AfterValidator(not_empty)]
    """The name of a test's artifact, with `{test}` and `{run_id}`; `*` stands for anything."""
    format: Literal["artifact", "keep"] = "artifact"
    """`artifact` writes the artifact's own bytes, `keep` the old file's indent and final newline."""
    linter: RelativePath | None = None
    """A script that, where it exists, blocks CI on a golden with `"nan"` in it."""
    limits: Mapping[str, Difference] = {}
    """For a metric of a training run, how far a step may move without a person: a part of its old value."""
    outliers: Outliers = Outliers()
    """How many steps of a metric may move farther than its limit."""
    inference: InferenceLimits = InferenceLimits()
    """How far the goldens of inference runs may move without a person."""


def _login_or_team(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]{1,39}(?:/[A-Za-z0-9._-]{1,100})?", value):
        raise ValueError("has to be a login or `ORG/TEAM`, without `@`")
    return value


Owner = Annotated[str, AfterValidator(_login_or_team)]


class UnitMarks(RecipeModel):
    """How a unit test is taken out of the gate."""

    folder: RelativePath
    """The folder of the unit tests."""
    marks: Annotated[Mapping[str, str], AfterValidator(not_empty)]
    """For each track, the pytest mark of a test that its CI leaves out."""


class Quarantine(RecipeModel):
    """How a functional test is taken out of the gate."""

    recipes: RelativePath
    """The folder of the test recipes."""
    scopes: Annotated[Mapping[str, str], AfterValidator(not_empty)]
    """For each scope word that runs, the word that replaces it; any other word is refused."""
    environment: str = "dev"
    """The environment whose rows are taken out; a row that has others as well is refused."""
    on_github: tuple[str, ...] = ()
    """The scope words of rows that GitHub's CI runs, where `allow_failure` does nothing."""
    model_config_file: TestPath
    """The file of a test in which `ENV_VARS.N_REPEAT` is set."""
    unit_tests: UnitMarks | None = None
    """How a unit test is marked."""
    expires: Annotated[int, Strict(), Field(ge=1)] = 60
    """Days after which a quarantine is announced as expired."""
    issues_per_suite: Count = 4
    """Tracking issues for one suite; more tests than that share one."""
    bad_image: Count = 20
    """More hanging tests than this in one run are the image's fault: one issue, no quarantine."""
    labels: tuple[str, ...] = ()
    """Labels of a tracking issue; those that the repository lacks are left out."""
    owners: Mapping[str, Owner] = {}
    """For each model folder, who is asked to look: a login or `ORG/TEAM`."""
