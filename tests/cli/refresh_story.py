"""A pull request with its CI on the simulated GitHub, and a clone whose goldens are refreshed from it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from bot.lab.megatron import REPOSITORY, megatron_files
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome

CASES = "tests/functional_tests/test_cases"
RESUME = "gpt/gpt_small_tp1_pp4_resume"
FSDP = "gpt/gpt_small_dp8_fsdp"
BOTH = "moe/moe_small_ep4_both"
FILES = megatron_files()


def golden(test: str, name: str = "dev_dgx_h100") -> str:
    return f"{CASES}/{test}/golden_values_{name}.json"


PINS = {
    path: FILES[path].replace(b"26.04-py3", b"26.06-py3")
    for path in ("docker/.ngc_version.dev", ".gitlab/stages/01.build.yml")
}


def git(clone, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


class Story:
    """A bump's pull request whose head is checked out, and the CI of its repository."""

    def __init__(self, lab, bot, folder: Path, files: Mapping[str, bytes] = FILES) -> None:
        self.lab, self.world = lab, lab.world
        self.bot, self.clone = bot, folder
        self.script = MegatronCi()
        self.world.add_repository(REPOSITORY, files)
        self.world.on_push(REPOSITORY, "pull-request/*", self.script, path=WORKFLOW, name=NAME)
        start = self.world.repository(REPOSITORY).branch("main")
        self.world.create_branch(REPOSITORY, "bump", start, author="ann")
        self.head = self.world.push(REPOSITORY, "bump", PINS, author="ann")
        self.world.open_pull_request(REPOSITORY, "bump", "main", author="ann")
        self.world.label(REPOSITORY, 1, "Run functional tests")
        repository = self.world.repository(REPOSITORY)
        git(folder.parent, "init", "--quiet", "--initial-branch=empty", str(folder))
        git(folder, "remote", "add", "origin", f"https://github.com/{REPOSITORY}.git")
        for branch in ("main", "bump"):
            ref = repository.ref(f"refs/heads/{branch}")
            git(folder, "fetch", "--quiet", str(repository.git.directory), f"{ref}:refs/heads/{branch}")
        git(folder, "checkout", "--quiet", "bump")

    def goes(self, **outcomes: Outcome) -> None:
        """Say how tests go, by `resume`, `fsdp`, `both_gb200`."""
        names = {
            "resume": f"{RESUME}@dgx_h100",
            "fsdp": f"{FSDP}@dgx_h100",
            "both_h100": f"{BOTH}@dgx_h100",
            "both_gb200": f"{BOTH}@dgx_gb200",
        }
        self.script.outcomes.update({names[name]: it for name, it in outcomes.items()})

    def begin(self):
        self.world.create_branch(REPOSITORY, "pull-request/1", self.head, author="max")
        return self.world.workflow_runs(REPOSITORY)[-1]

    def finished(self):
        run = self.begin()
        self.world.finish(run)
        return run

    def refresh(self, run, *words: str, which: str = "--only-failing"):
        return self.bot(
            "goldens", "refresh", "--run-id", str(run.id), which, "--checkout", str(self.clone), *words
        )

    @property
    def changed(self) -> list[str]:
        return git(self.clone, "diff", "--name-only").splitlines()

    def read(self, path: str) -> bytes:
        return (self.clone / path).read_bytes()
