"""The tracking issue of a quarantine: found by its ledger or opened, brought up to date, reminded once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from bot.core.errors import Refused
from bot.core.host import Issue
from bot.core.recipe import BumpRecipe
from bot.core.testrecipes.hunk import Hunk
from bot.core.testrecipes.ledger_block import Done, Entry, replace_block, with_entry, write_block
from bot.core.testrecipes.plan import QuarantinePlan, section
from bot.core.testrecipes.request import Evidence, QuarantineRequest
from bot.core.testrecipes.target import Target, UnitTest
from bot.core.testrecipes.tracking import (
    Open,
    Tracked,
    choose_issue,
    expiry_marker,
    list_quarantines,
    tracked,
)
from bot.ports import CodeHost, Texts

_BODY_LIMIT = 60_000
"""Characters of an issue's text; GitHub takes 65,536."""

_REMEDIES = {
    "broken": "its scope words were replaced: the test runs nowhere",
    "allow-failure": "it may fail on GitLab",
    "n-repeat": "it is repeated less often",
    "mark": "a pytest mark keeps it out of CI",
}


@dataclass(frozen=True, slots=True)
class Case:
    """Why a test leaves the gate, for its issue: the link of the failing run, and evidence from its logs."""

    run_url: str | None = None
    evidence: Sequence[Evidence] = ()


class TrackingIssues:
    """The tracking issues of one repository."""

    def __init__(self, recipe: BumpRecipe, host: CodeHost, texts: Texts, today: date) -> None:
        self._recipe = recipe
        self._rules = section(recipe)
        self._host = host
        self._texts = texts
        self.today = today

    def known(self) -> tuple[Tracked, ...]:
        """Return every tracking issue, open or closed."""
        return tracked(self._host.bot_issues(), self._host.actor("comment").id)

    def entry(self, request: QuarantineRequest, model: str, platform: str | None) -> Entry:
        """Return what the ledger says of a quarantine that is asked for today."""
        target = request.target
        remedy: Literal["broken", "allow-failure", "n-repeat", "mark"] = request.remedy.name
        if isinstance(target, UnitTest):
            remedy = "mark"
        return Entry(
            test=str(target) if isinstance(target, UnitTest) else target.name,
            model=model,
            platform=platform,
            reason=request.reason or "over budget",
            remedy=remedy,
            owner=self._rules.owners.get(model),
            since=self.today,
            expires=self.today + timedelta(days=self._rules.expires),
        )

    def find(self, entry: Entry) -> Issue | None:
        """Return the open issue that tracks the very test already, or None."""
        choice = choose_issue(self.known(), entry, self._rules.issues_per_suite)
        if isinstance(choice, Open) or all(it.key != entry.key for it in choice.tracked.entries):
            return None
        return choice.tracked.issue

    def ensure(self, request: QuarantineRequest, entry: Entry, case: Case) -> Issue:
        """Return the issue that tracks `entry`: one that is there, an umbrella, or a new one."""
        known = self.known()
        choice = choose_issue(known, entry, self._rules.issues_per_suite)
        if isinstance(choice, Open):
            return self._open(request, entry, case, umbrella=choice.umbrella)
        found = choice.tracked
        if all(it.key != entry.key for it in found.entries):
            self._write(found, (*found.entries, entry))
        return found.issue

    def record(self, issue: Issue, plan: QuarantinePlan, entry: Entry, commit: str | None = None) -> None:
        """Write into the issue's ledger what was done; where nothing was done now, it stays as it is."""
        done = tuple(Done(it.path, hunk, commit) for it in plan.changes for hunk in it.hunks)
        if not done:
            return
        found = next((it for it in self.known() if it.issue.number == issue.number), None)
        if found is None:
            raise Refused(f"issue #{issue.number} does not show what was just written", hint="run again")
        old = next((it for it in found.entries if it.key == entry.key), entry)
        self._write(found, with_entry(found.entries, replace(old, done=done)))

    def hunks(self, target: Target) -> Mapping[str, Sequence[Hunk]]:
        """Return what the ledgers say was done for a test, the newest first, by file."""
        name = str(target) if isinstance(target, UnitTest) else target.name
        found: dict[str, list[Hunk]] = {}
        for it in self.known():
            for done in (done for entry in it.entries if entry.test == name for done in entry.done):
                found.setdefault(done.file, []).append(done.hunk)
        return found

    def announce_expired(self, known: Sequence[Tracked] | None = None) -> tuple[int, ...]:
        """Say once on each open issue what has expired, and return the numbers of those issues.

        `known` are the tracking issues, where they were read already.
        """
        told = []
        bot = self._host.actor("comment").id
        for it in list_quarantines(self.known() if known is None else known, self.today):
            if not it.has_expired or it.state == "closed":
                continue
            marker = expiry_marker(it.entry)
            comments = self._host.comments(it.number)
            if any(one.author.id == bot and one.body.startswith(marker) for one in comments):
                continue
            body = self._texts.render(
                "quarantine_expired.md.j2", marker=marker, entry=it.entry, back=_back(it.entry)
            )
            self._host.write_comment(it.number, body)
            told.append(it.number)
        return tuple(told)

    def _open(self, request: QuarantineRequest, entry: Entry, case: Case, *, umbrella: bool) -> Issue:
        labels = self._host.labels_of(self._rules.labels)
        if umbrella:
            title = f"Quarantined: more tests of {entry.model or 'the unit tests'}"
            return self._host.open_issue(title, self._umbrella((entry,)), labels)
        on = f" on {entry.platform}" if entry.platform else ""
        body = self._texts.render(
            "quarantine_issue.md.j2",
            entry=entry,
            why=request.why,
            remedy=_REMEDIES[entry.remedy],
            run_url=case.run_url,
            evidence=case.evidence,
            back=_back(entry),
            ledger=write_block((entry,)),
        )
        return self._host.open_issue(f"Quarantined: {entry.test}{on} ({entry.reason})", body, labels)

    def _umbrella(self, entries: Sequence[Entry]) -> str:
        return self._texts.render(
            "quarantine_umbrella.md.j2",
            suite=entries[0].model or "the unit tests",
            entries=entries,
            back="bot unquarantine TEST",
            ledger=write_block(entries),
        )

    def _write(self, found: Tracked, entries: Sequence[Entry]) -> None:
        # People may have written around the block of a test's own issue: nothing but the block is replaced.
        body = self._umbrella(entries) if found.umbrella else replace_block(found.issue.body, entries)
        if len(body) > _BODY_LIMIT:
            raise Refused(
                f"issue #{found.issue.number} has no room for another test",
                hint="close it once its tests are back; the next quarantine opens a new one",
            )
        self._host.edit_issue(found.issue.number, body)


def _back(entry: Entry) -> str:
    test = f"{entry.model}/{entry.test}" if entry.model else entry.test
    return f"bot unquarantine {test}" + (f" --platform {entry.platform}" if entry.platform else "")
