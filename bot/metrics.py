"""Numbers of the service in the form that Prometheus reads; the only importer of prometheus_client."""

from collections import Counter as Tally
from collections.abc import Callable, Iterator
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

from bot.core.work import WorkState
from bot.service_ports import Standing

_LOOK = (0.1, 0.5, 1, 2, 5, 10, 30, 60, 300)
_HOURS = tuple(hours * 3600 for hours in (0.02, 0.1, 0.5, 1, 6, 24, 48, 96, 168, 336))


class PrometheusMeter:
    """Implements `bot.service_ports.Meter`; `page` is what is scraped."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._looks = Histogram(
            "bot_look_seconds", "How long looks took.", ["kind", "ok"], registry=self._registry, buckets=_LOOK
        )
        self._detection = Histogram(
            "bot_detection_seconds",
            "From the moment a release was due to its pull request.",
            ["track"],
            registry=self._registry,
            buckets=_HOURS,
        )
        self._bump = Histogram(
            "bot_bump_seconds",
            "From the first sight of a release to `ready for review`.",
            registry=self._registry,
            buckets=_HOURS,
        )
        self._steps = Counter(
            "bot_steps", "Steps of bumps that were written.", ["step"], registry=self._registry
        )
        self._verdicts = Counter(
            "bot_verdicts", "Verdicts that led to a round.", ["verdict"], registry=self._registry
        )

    def looked(self, kind: str, seconds: float, *, ok: bool) -> None:
        self._looks.labels(kind, str(ok).lower()).observe(seconds)

    def released(self, track: str, seconds: float) -> None:
        self._detection.labels(track).observe(max(0.0, seconds))

    def wrote(self, what: str) -> None:
        self._steps.labels(what).inc()

    def ready(self, seconds: float) -> None:
        self._bump.observe(max(0.0, seconds))

    def judged(self, kind: str, number: int) -> None:
        self._verdicts.labels(kind).inc(number)

    def watch(
        self,
        standing: Standing,
        work: Callable[[], WorkState],
        budget: Callable[[], int | None],
        now: Callable[[], datetime],
    ) -> None:
        """Show what the service knows of itself on each page from now on.

        `budget` returns how many requests the code host still takes, None where that is not known.
        """
        self._registry.register(_Gauges(standing, work, budget, now))

    def page(self) -> bytes:
        """Return all numbers as text."""
        return generate_latest(self._registry)


class _Gauges:
    """What is looked up whenever somebody scrapes."""

    def __init__(
        self,
        standing: Standing,
        work: Callable[[], WorkState],
        budget: Callable[[], int | None],
        now: Callable[[], datetime],
    ) -> None:
        self._standing = standing
        self._work = work
        self._budget = budget
        self._now = now

    def describe(self) -> list[Metric]:
        """Promise nothing ahead: what there is depends on the repositories."""
        return []

    def collect(self) -> Iterator[Metric]:
        state, work = self._standing.state(), self._work()
        missed = GaugeMetricFamily("bot_heartbeat_missed", "1 for a missed heartbeat.", labels=["repository"])
        success = GaugeMetricFamily(
            "bot_last_success_timestamp_seconds", "When all was last looked at well.", labels=["repository"]
        )
        for heart in state.heartbeats:
            missed.add_metric([heart.repository], heart.is_missed(self._now()))
            if heart.last_success:
                success.add_metric([heart.repository], heart.last_success.timestamp())
        bumps = GaugeMetricFamily("bot_open_bumps", "Open bumps by state.", labels=["repository", "state"])
        standing = Tally((it.repository, it.state) for it in state.bumps)
        for labels, number in standing.items():
            bumps.add_metric(labels, number)
        alerts = GaugeMetricFamily(
            "bot_repushed_tags", "Tags that were pushed again.", labels=["repository", "track"]
        )
        for release in state.releases:
            alerts.add_metric([release.repository, release.track], len(release.alerts))
        keys = GaugeMetricFamily("bot_work_keys", "Keys of work by what they do.", labels=["state"])
        for name, number in (
            ("due", work.due),
            ("later", work.later),
            ("running", work.running),
            ("failing", len(work.failing)),
            ("given_up", len(work.given_up)),
        ):
            keys.add_metric([name], number)
        yield from (missed, success, bumps, alerts, keys)
        left = self._budget()
        if left is not None:
            yield GaugeMetricFamily("bot_api_requests_left", "Requests that GitHub still takes.", value=left)
