"""A container build in a GitLab pipeline as values: where the commit goes, what is asked, which jobs answer.

Variables are those of Megatron-LM's own starter of internal pipelines
(https://github.com/NVIDIA/Megatron-LM/blob/main/tools/trigger_internal_ci.py).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.core.ci import Job
from bot.core.errors import Refused

_PREFIX = "pull-request/"
_SHA = re.compile(r"[0-9a-f]{40}")
# A part of what git allows (https://git-scm.com/docs/git-check-ref-format): nothing that needs quoting.
_BRANCH = re.compile(r"(?!.*(?:\.\.|//|\.lock(?:/|\Z)|/\.))[A-Za-z0-9_][A-Za-z0-9_./+-]{0,180}(?<![./])")
_BUILD_JOB = re.compile(r"(?:.* / )?test:pre_build_image: \[(?P<values>[^\]]+)\]")
_LONG_SCOPES = frozenset({"release", "weekly"})
_LONG = 4 * 60 * 60


@dataclass(frozen=True, slots=True)
class MirrorBranch:
    """A branch on GitLab: its head, and whether GitLab protects it."""

    name: str
    sha: str
    is_protected: bool


@dataclass(frozen=True, slots=True)
class StartedPipeline:
    """A pipeline that was asked for: the commit that GitLab took for it, and its address."""

    id: int
    sha: str
    url: str


@dataclass(frozen=True, slots=True)
class PipelineRequest:
    """A commit whose containers a pipeline is to build; `branch` is the bot's own branch on GitHub."""

    branch: str
    sha: str
    variables: Mapping[str, str]

    @property
    def target(self) -> str:
        """The branch on GitLab that gets the commit; raises Refused for names that are none."""
        if not _BRANCH.fullmatch(self.branch):
            raise Refused(f"`{self.branch[:100]!a}` is no branch that can be pushed")
        if not _SHA.fullmatch(self.sha):
            raise Refused(f"`{self.sha[:50]!a}` is no commit", hint="give all 40 digits")
        return _PREFIX + self.branch


@dataclass(frozen=True, slots=True)
class ImageBuild:
    """The newest attempt to build one image for one platform."""

    image: str
    platform: str
    job: Job


@dataclass(frozen=True, slots=True)
class PipelineReport:
    """What became of the builds of a pipeline; `notices` are what a person should know besides."""

    pipeline: StartedPipeline
    builds: tuple[ImageBuild, ...]
    notices: tuple[str, ...] = ()

    @property
    def succeeded(self) -> bool:
        """Whether every image was built, and there was one."""
        return bool(self.builds) and all(it.job.conclusion == "success" for it in self.builds)


def pipeline_variables(
    *,
    scope: str = "mr",
    repeat: int = 5,
    cases: str = "all",
    name: str | None = None,
    time_limit: int | None = None,
    clusters: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the variables of a pipeline; the time limit is in seconds, clusters are by GPU (`H100`)."""
    limit = time_limit if time_limit is not None else _LONG if scope in _LONG_SCOPES else None
    chosen = {
        "UNIT_TEST": "no",
        "INTEGRATION_TEST": "no",
        "FUNCTIONAL_TEST_SCOPE": scope,
        "FUNCTIONAL_TEST_REPEAT": str(repeat),
        "FUNCTIONAL_TEST_CASES": cases,
        "FUNCTIONAL_TEST_NAME": name,
        "FUNCTIONAL_TEST_TIME_LIMIT": None if limit is None else str(limit),
        **{f"CLUSTER_{gpu}": cluster for gpu, cluster in (clusters or {}).items()},
    }
    return {key: value for key, value in chosen.items() if value is not None}


def refuse_target(request: PipelineRequest, branch: MirrorBranch | None, shared: Iterable[str]) -> None:
    """Raise Refused where the commit must not go to its target; `shared` are branches of everybody.

    `branch` is what GitLab has under the name of the target now.
    """
    target = request.target
    if target in shared or request.branch in shared:
        raise Refused(f"`{request.branch}` is a branch of everybody, and is not built as the bot's own")
    if branch and branch.is_protected:
        raise Refused(
            f"`{target}` is a protected branch on GitLab", hint="let a maintainer of the project unprotect it"
        )


def image_builds(jobs: Iterable[Job]) -> tuple[ImageBuild, ...]:
    """Return the newest attempt for each image and platform, in the order of the pipeline.

    GitLab names a job of a matrix by its values, of which the first is the image and the last the platform.
    """
    found: dict[str, ImageBuild] = {}
    for job in sorted(jobs, key=lambda it: it.id):
        named = _BUILD_JOB.fullmatch(job.name)
        if named:
            values = named["values"].split(", ")
            found[job.name] = ImageBuild(values[0], values[-1], job)
    return tuple(found.values())


def differing(asked: Mapping[str, str], got: Mapping[str, str]) -> tuple[str, ...]:
    """Return which variables a pipeline has otherwise than they were asked for, or not at all."""
    return tuple(name for name, value in asked.items() if got.get(name) != value)
