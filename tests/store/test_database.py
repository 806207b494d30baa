"""The file behind the ledger: made, found, migrated, shared, refused."""

import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, event

from bot.core.command_log import CommandState
from bot.core.errors import ServiceError, UsageError
from bot.store import migrations
from bot.store.command_log import open_command_log
from bot.store.database import open_database
from bot.store.ledger import open_ledger
from bot.store.schema import REVISION, VERSION_TABLE, metadata

NOW = datetime(2026, 7, 1, tzinfo=UTC)
NAME = "nvcr.io/nvidia/pytorch"
TAG = "26.04-py3"


def url_of(file: Path) -> str:
    return f"sqlite:///{file}"


def open_at(file: Path):
    return closing(open_ledger(url_of(file), lambda: NOW))


def script(source: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", source, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def execute(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "ledger.sqlite3"


def test_what_was_recorded_is_there_when_the_file_is_opened_again(file):
    with open_at(file) as ledger:
        ledger.saw_tag(NAME, TAG, "sha256:a")
        ledger.created_commit("me/repo", "a" * 40, "bot/one")

    with closing(open_ledger(url_of(file), lambda: NOW + timedelta(days=9))) as ledger:
        assert ledger.saw_tag(NAME, TAG, "sha256:a") == NOW
        assert ledger.commits("me/repo", "bot/one") == {"a" * 40}


def test_a_moment_of_another_zone_is_kept_as_the_same_moment(file):
    tokyo = datetime(2026, 7, 1, 9, tzinfo=timezone(timedelta(hours=9)))

    with closing(open_ledger(url_of(file), lambda: tokyo)) as ledger:
        assert ledger.saw_tag(NAME, TAG, "sha256:a") == NOW


def test_a_missing_folder_is_made_for_the_user_alone(tmp_path):
    file = tmp_path / "state" / "bot" / "ledger.sqlite3"

    with open_at(file):
        assert file.exists()
        assert file.parent.stat().st_mode & 0o077 == 0


def test_readers_and_a_writer_do_not_wait_for_each_other(file):
    with closing(sqlite3.connect(file, isolation_level=None)) as writer, open_at(file) as ledger:
        assert writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        ledger.created_commit("me/repo", "a" * 40, "bot/one")
        writer.execute("BEGIN EXCLUSIVE")

        assert ledger.commits("me/repo", "bot/one") == {"a" * 40}

        writer.execute("ROLLBACK")


def test_a_database_that_is_up_to_date_is_opened_without_alembic(file):
    source = "import sys; from bot.store.database import open_database; open_database(sys.argv[1]).dispose()"
    source += "; print('alembic' in sys.modules)"

    first, second = (script(source, url_of(file)).communicate()[0].strip() for _ in range(2))

    assert (first, second) == ("True", "False")


@contextmanager
def listening(moment, call):
    def listener(_connection, _cursor, statement, *_rest):
        call(statement)

    event.listen(Engine, moment, listener)
    try:
        yield
    finally:
        event.remove(Engine, moment, listener)


def test_who_comes_while_another_migrates_waits_and_finds_the_tables(file):
    entered, second = threading.Event(), []

    def come_in_between(statement):
        if "INSERT INTO ledger_version" in statement and not second:
            second.append(pool.submit(open_database, url_of(file)))
            assert not entered.wait(0.3)

    def note(statement):
        if statement.startswith("BEGIN") and threading.current_thread() is not threading.main_thread():
            entered.set()

    with (
        ThreadPoolExecutor() as pool,
        listening("before_cursor_execute", come_in_between),
        listening("after_cursor_execute", note),
    ):
        open_database(url_of(file)).dispose()
        second[0].result().dispose()


def test_processes_that_open_a_new_file_at_one_moment_all_succeed(file):
    source = """
import sys
from datetime import UTC, datetime
from bot.core.command_log import CommandState
from bot.store import migrations
from bot.store.command_log import open_command_log
from bot.store.ledger import open_ledger
print("ready", flush=True)
sys.stdin.readline()
ledger = open_ledger(sys.argv[1], lambda: datetime.now(UTC))
ledger.created_commit("me/repo", sys.argv[2], "bot/one")
ledger.close()
"""
    command = [sys.executable, "-W", "error", "-c", source, url_of(file)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    processes = [subprocess.Popen([*command, sha], **pipes) for sha in ("a", "b", "c")]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()

    told = [process.communicate()[0] for process in processes]

    assert told == ["", "", ""]
    with open_at(file) as ledger:
        assert ledger.commits("me/repo", "bot/one") == {"a", "b", "c"}


def test_a_process_that_is_killed_loses_nothing_that_was_recorded(file):
    source = """
import os, signal, sys
from datetime import UTC, datetime
from bot.store.ledger import open_ledger
ledger = open_ledger(sys.argv[1], lambda: datetime(2026, 7, 1, tzinfo=UTC))
ledger.saw_tag("nvcr.io/nvidia/pytorch", "26.04-py3", "sha256:a")
ledger.created_commit("me/repo", "a", "bot/one")
os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = script(source, url_of(file))
    killed.communicate()

    assert killed.returncode == -signal.SIGKILL
    with closing(open_ledger(url_of(file), lambda: NOW + timedelta(days=9))) as ledger:
        assert ledger.commits("me/repo", "bot/one") == {"a"}
        assert ledger.saw_tag(NAME, TAG, "sha256:a") == NOW


def test_a_migration_that_is_killed_leaves_an_empty_database(file):
    source = """
import os, signal, sys
from sqlalchemy import Engine, event
from bot.store.database import open_database
@event.listens_for(Engine, "before_cursor_execute")
def stop(_connection, _cursor, statement, *_rest):
    if "INSERT INTO ledger_version" in statement:
        os.kill(os.getpid(), signal.SIGKILL)
open_database(sys.argv[1])
"""
    script(source, url_of(file)).communicate()

    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    with open_at(file) as ledger:
        assert ledger.commits("me/repo", "bot/one") == frozenset()


def test_a_migration_that_fails_leaves_an_empty_database(file):
    def fail(statement):
        if "INSERT INTO ledger_version" in statement:
            raise RuntimeError("no more")

    with listening("before_cursor_execute", fail), pytest.raises(RuntimeError, match="no more"):
        open_database(url_of(file))

    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []


def test_the_migrations_lead_to_the_tables_that_the_code_writes(file):
    engine = open_database(url_of(file))

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        difference = compare_metadata(context, metadata)
        newest = ScriptDirectory.from_config(migrations.configuration(connection)).get_current_head()
    engine.dispose()

    assert difference == []
    assert newest == REVISION


def test_a_database_of_an_older_bot_is_brought_up_to_date_and_keeps_what_it_has(file):
    with open_at(file) as ledger:
        ledger.created_commit("me/repo", "a" * 40, "bot/one")
    newer = ("comment_cursors", "commands", "answers", "pauses")
    execute(
        file, *(f"DROP TABLE {name}" for name in newer), f"UPDATE {VERSION_TABLE} SET version_num = '0001'"
    )

    with closing(open_command_log(url_of(file), lambda: NOW)) as log, open_at(file) as ledger:
        assert log.command_state("me/repo", 7, 0) is None
        assert ledger.commits("me/repo", "bot/one") == {"a" * 40}


def test_what_a_killed_process_knew_of_a_command_is_there(file):
    source = """
import os, signal, sys
from datetime import UTC, datetime
from bot.store.command_log import open_command_log
log = open_command_log(sys.argv[1], lambda: datetime(2026, 7, 1, tzinfo=UTC))
log.begin_command("me/repo", 7, 0, "bump", 1)
log.decide_command("me/repo", 7, 0, "opened it")
log.begin_command("me/repo", 7, 1, "retry", 1)
os.kill(os.getpid(), signal.SIGKILL)
"""
    script(source, url_of(file)).communicate()

    with closing(open_command_log(url_of(file), lambda: NOW + timedelta(days=9))) as log:
        assert log.command_state("me/repo", 7, 0) == CommandState(NOW, "opened it")
        assert log.command_state("me/repo", 7, 1) == CommandState(NOW, None)


def test_a_database_of_a_newer_bot_is_refused_and_left_alone(file):
    with open_at(file) as ledger:
        ledger.created_commit("me/repo", "a", "bot/one")
    execute(file, f"UPDATE {VERSION_TABLE} SET version_num = '0999'")

    with pytest.raises(UsageError, match=r"has revision `0999`, this version of the bot knows") as failure:
        open_database(url_of(file))

    assert str(file) in failure.value.message
    assert failure.value.hint.startswith("a newer bot wrote it")


def test_a_database_of_another_program_is_refused_and_left_alone(file):
    execute(file, "CREATE TABLE notes (text)")
    before = file.read_bytes()

    with pytest.raises(UsageError, match="is a database of another program"):
        open_database(url_of(file))

    assert file.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(file):
    file.write_bytes(b"garbage " * 100)

    with pytest.raises(UsageError, match=f"{file}` cannot be used: file is not a database"):
        open_database(url_of(file))

    assert file.read_bytes() == b"garbage " * 100


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        pytest.param(
            "sqlite:////dev/null/x/ledger", "the folder of the ledger `/dev/null/x/ledger`", id="no folder"
        ),
        pytest.param("sqlite:////dev", "the ledger `/dev` cannot be used", id="a folder"),
        pytest.param(
            "sqlite:///ledger.sqlite3", "the database `ledger.sqlite3` is not an absolute", id="relative"
        ),
        pytest.param("sqlite://", "the database `.` is not an absolute path", id="in memory"),
        pytest.param(
            "mysql://bot:s3cret@host/db", "a database of the kind `mysql` is not", id="another kind"
        ),
        pytest.param("s3cret", "the database URL cannot be understood", id="no URL"),
    ],
)
def test_an_unusable_place_is_named_but_no_password(url, problem):
    with pytest.raises(UsageError) as failure:
        open_database(url)

    assert failure.value.message.startswith(problem)
    assert "s3cret" not in failure.value.message
    assert failure.value.hint


def test_a_database_that_fails_later_is_a_failed_service(file):
    with open_at(file) as ledger:
        execute(file, "DROP TABLE commits")

        with pytest.raises(ServiceError, match=f"the ledger `{file}` failed: no such table: commits"):
            ledger.commits("me/repo", "bot/one")


def test_the_folder_of_the_migrations_may_hold_a_percent_sign(tmp_path):
    copy = tmp_path / "100%s" / "bot"
    copy.parent.mkdir()
    copy.symlink_to(Path(migrations.__file__).parents[2])
    source = "import sys; sys.path.insert(0, sys.argv[1]); from bot.store.database import open_database"
    source += "; open_database(sys.argv[2]).dispose(); import bot; print(bot.__file__)"

    told = script(source, copy.parent, url_of(tmp_path / "ledger.sqlite3")).communicate()[0]

    assert told.strip() == str(copy / "__init__.py")
