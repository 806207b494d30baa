"""Plays a story: does its steps in turn, waits for the bot in between, and tells what happens."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.demo.final import final_state
from bot.demo.scene import Scene, scene
from bot.demo.story import Goal, Saying, Story
from bot.demo.timeline import Event, Timeline
from bot.lab.model import Issue

PATIENCE = 60.0
"""Seconds that a step may take; then the story has failed."""

_LOOK = 0.02
_SETTLE = 1.0


@dataclass(frozen=True, slots=True)
class Played:
    """How a story went: `missed` is what it waited for in vain, empty where its end was reached."""

    story: Story
    events: Sequence[Event]
    final: Mapping[str, Any]
    missed: str = ""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a story is told: `pause` seconds before each step, `patience` for what is waited for."""

    pause: float = 0.8
    patience: float = PATIENCE


def play(
    story: Story,
    pace: Pace,
    say: Callable[[Event], None],
    *,
    opened: Callable[[str], None],
    stays: Callable[[], None] = lambda: None,
) -> Played:
    """Play a story. `opened` is told the address of the page, `stays` keeps everything up at the end."""
    with scene(story) as place:
        opened(place.page)
        director = _Director(story, place, pace, say)
        missed = director.play()
        with place.world.lock:
            final = final_state(place.world, place.recipe)
        stays()
    return Played(story, director.timeline.events, final, missed)


class _Director:
    def __init__(self, story: Story, place: Scene, pace: Pace, say: Callable[[Event], None]) -> None:
        self._story = story
        self._place = place
        self._pace = pace
        self._name = place.recipe.repository
        self.timeline = Timeline(place.world, self._name, say)
        self._issue: Issue | None = None
        self._ended: set[tuple[int, int]] = set()

    def play(self) -> str:
        """Do every step and return what was waited for in vain."""
        for step in self._story.steps:
            if step.until is None:
                self._watch(self._pace.pause)
            if step.release is not None:
                self._place.push_image(step.release)
                image = self._place.recipe.track("dev").image
                self.timeline.happened("registry", "release", f"{image}:{step.release} appeared")
            elif step.finish is not None:
                self._finish()
            elif step.say is not None:
                self._say(step.say)
            elif step.until is not None and not self._wait(step.until):
                return f"{step.until}, after {self._pace.patience:.0f} s"
        # The last writes of the bot, such as the status comment, follow upon what the story ends with.
        self._watch(_SETTLE)
        return ""

    def _finish(self) -> None:
        with self._place.world.lock:
            run = self._place.world.workflow_runs(self._name)[-1]
            self._place.world.finish(run)
            self._ended.add((run.id, run.attempt))

    def _say(self, saying: Saying) -> None:
        world = self._place.world
        with world.lock:
            if saying.on == "issue" and self._issue is None:
                self._issue = world.open_issue(self._name, saying.by, title="Newer image")
            where = self._issue if saying.on == "issue" else world.pull_requests(self._name)[-1]
            if where is not None:
                world.comment(self._name, where.number, saying.by, saying.text)

    def _wait(self, goal: Goal) -> bool:
        deadline = time.monotonic() + self._pace.patience
        while time.monotonic() < deadline:
            self.timeline.look()
            with self._place.world.lock:
                if self._is_reached(goal):
                    return True
            time.sleep(_LOOK)
        return False

    def _watch(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        self.timeline.look()
        while time.monotonic() < deadline:
            time.sleep(_LOOK)
            self.timeline.look()

    def _is_reached(self, goal: Goal) -> bool:
        world = self._place.world
        if goal == "run":
            runs = world.workflow_runs(self._name)
            return any(it.status != "completed" and (it.id, it.attempt) not in self._ended for it in runs)
        pulls = world.pull_requests(self._name)
        if goal == "ready":
            return any(it.pull is not None and not it.pull.draft for it in pulls)
        return any("A person has to decide" in said.body for it in pulls for said in it.comments)
