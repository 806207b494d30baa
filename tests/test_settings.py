import base64
import secrets

import pytest
from pydantic import ValidationError

from bot.core.errors import UsageError
from bot.settings import Settings, load_settings, settings_reference


def private_key() -> str:
    label = "PRIVATE KEY"
    body = base64.b64encode(secrets.token_bytes(48)).decode()
    return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----\n"


USER = {"GITHUB_TOKEN": "t"}
APP = {"BOT_APP_ID": "7", "BOT_APP_PRIVATE_KEY": private_key()}


@pytest.fixture
def load(tmp_path):
    """Loads settings from an environment and the texts of the two files."""

    def load(
        environ: dict[str, str] | None = None, *, config: str | None = None, user: str | None = None
    ) -> Settings:
        named, by_user = tmp_path / "named.toml", tmp_path / "user.toml"
        if config is not None:
            named.write_text(config)
        if user is not None:
            by_user.write_text(user)
        return load_settings(environ or {}, named if config is not None else None, by_user)

    return load


def problems_of(load, environ=None, **files) -> list[str]:
    with pytest.raises(UsageError) as failure:
        load(environ, **files)
    return failure.value.message.splitlines()


def test_nothing_given_is_a_running_bot_without_credentials(load):
    settings = load()

    assert settings.mode == "running"
    assert settings.write_spacing == 1
    assert settings.github_api_url == "https://api.github.com"
    assert settings.registry_endpoints == {}
    assert settings.roles == {}
    assert settings.database_url.get_secret_value().startswith("sqlite:////")


@pytest.mark.parametrize(
    ("name", "value", "key", "expected"),
    [
        ("BOT_FORK", "me/Megatron-LM", "fork", "me/Megatron-LM"),
        (
            "GITHUB_API_URL",
            "https://github.example.com/api/v3/",
            "github_api_url",
            "https://github.example.com/api/v3",
        ),
        ("GITHUB_API_URL", "http://127.0.0.1:8080", "github_api_url", "http://127.0.0.1:8080"),
        ("GITLAB_URL", "http://[::1]:8080", "gitlab_url", "http://[::1]:8080"),
        ("GITLAB_URL", "http://localhost:8080", "gitlab_url", "http://localhost:8080"),
        ("BOT_MODE", "dry-run", "mode", "dry-run"),
        ("BOT_MODE", " stopped\n", "mode", "stopped"),
        ("BOT_MODE", "  ", "mode", "running"),
        ("BOT_WRITE_SPACING", "0.25", "write_spacing", 0.25),
        ("BOT_RECIPE", "megatron-lm", "recipe", "megatron-lm"),
        ("BOT_RECIPE", "", "recipe", None),
        (
            "BOT_REGISTRY_ENDPOINTS",
            "nvcr.io=http://127.0.0.1:5055, ghcr.io=https://mirror.example.com,",
            "registry_endpoints",
            {"nvcr.io": "http://127.0.0.1:5055", "ghcr.io": "https://mirror.example.com"},
        ),
    ],
)
def test_a_value_of_the_environment_is_read(load, name, value, key, expected):
    assert getattr(load({name: value}), key) == expected


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("GITHUB_TOKEN", "github_token"),
        ("GITLAB_TOKEN", "gitlab_token"),
        ("NGC_API_KEY", "ngc_api_key"),
        ("BOT_DATABASE_URL", "database_url"),
    ],
)
def test_a_secret_is_read_without_blanks_around_it_and_never_shown(load, name, key):
    secret = secrets.token_hex(16)

    settings = load({name: f" {secret}\r\n"})

    assert getattr(settings, key).get_secret_value() == secret
    assert secret not in f"{settings!r} {settings} {settings.model_dump_json()}"


def test_the_environment_comes_before_the_named_file_and_that_before_the_users_own(load):
    settings = load(
        {"BOT_MODE": "stopped"},
        config='mode = "dry-run"\nwrite_spacing = 2',
        user='mode = "running"\nwrite_spacing = 3\nrecipe = "mine"',
    )

    assert (settings.mode, settings.write_spacing, settings.recipe) == ("stopped", 2, "mine")


def test_every_setting_can_stand_in_a_file(load):
    text = f"""
        github_token = "user-token"
        app_id = 12345
        app_private_key = {private_key()!r}
        commit_as = "user"
        pull_request_as = "app"
        comment_as = "app"
        fork = "me/fork"
        github_api_url = "https://github.example.com/api/v3"
        gitlab_url = "https://gitlab.example.com"
        gitlab_token = "gitlab-token"
        webhook_secret = ["new", "old"]
        gitlab_webhook_secret = "new,old"
        ngc_api_key = "ngc"
        database_url = "sqlite:////srv/ledger.sqlite3"
        mode = "stopped"
        write_spacing = 0
        recipe = "megatron-lm"
        recipes = ["megatron-lm", "nemo-rl"]
        listen = "127.0.0.1:9000"
        resync = 60
        release_poll = 60
        [registry_endpoints]
        "nvcr.io" = "http://127.0.0.1:5055"
    """.replace("'", '"')

    settings = load(config=text)

    untold = {key for key in Settings.model_fields if getattr(settings, key) == getattr(load(), key)}
    assert untold == {"app_private_key_file"}


def test_the_named_file_is_the_one_of_the_command_line_else_of_the_environment(tmp_path):
    named, other = tmp_path / "named.toml", tmp_path / "other.toml"
    named.write_text('recipe = "named"')
    other.write_text('recipe = "other"')
    environ = {"BOT_CONFIG": str(other)}

    assert load_settings(environ, None, tmp_path / "none.toml").recipe == "other"
    assert load_settings(environ, named, tmp_path / "none.toml").recipe == "named"


def test_a_named_file_that_is_missing_is_a_problem_and_the_users_own_is_none(tmp_path):
    missing = tmp_path / "missing.toml"

    assert load_settings({}, None, missing).mode == "running"
    with pytest.raises(UsageError, match=r"missing\.toml: there is no such file"):
        load_settings({}, missing, missing)


@pytest.mark.parametrize("name", ["BOT_CONFIG", "BOT_APP_PRIVATE_KEY_FILE"])
def test_a_relative_path_is_refused_since_the_current_folder_decides_nothing(load, name):
    assert f"{name}: has to be an absolute path" in problems_of(load, {name: "bot.toml", "BOT_APP_ID": "1"})


def test_no_file_of_the_current_folder_is_read(tmp_path, monkeypatch):
    home, checkout = tmp_path / "home", tmp_path / "checkout"
    checkout.mkdir()
    (checkout / ".env").write_text("BOT_MODE=stopped\nGITHUB_API_URL=https://evil.example.com\n")
    (checkout / "bot.toml").write_text('mode = "stopped"\nfork = "evil/fork"\n')
    (checkout / "pyproject.toml").write_text(
        '[tool.bot]\nmode = "stopped"\n[tool.ngc-bump-bot]\nmode = "stopped"\n'
    )
    (checkout / "ngc-bump-bot").mkdir()
    (checkout / "ngc-bump-bot" / "bot.toml").write_text('mode = "stopped"\n')
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", ".")
    elsewhere = load_settings({})

    monkeypatch.chdir(checkout)

    assert load_settings({}) == elsewhere
    assert elsewhere.mode == "running"


def test_the_users_own_file_is_found_in_the_config_folder(tmp_path, monkeypatch):
    folder = tmp_path / "config" / "ngc-bump-bot"
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text('recipe = "mine"')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    assert load_settings({}).recipe == "mine"


def test_every_problem_of_every_source_is_told_at_once_with_its_place(load, tmp_path):
    problems = problems_of(
        load,
        {"BOT_WRITE_SPACING": "soon"},
        config='mode = "fast"\n\n[gate]\nname = "x"\n',
        user='# mine\ngithub_tokn = "t"\n',
    )

    assert problems == [
        f"{tmp_path}/user.toml:2: github_tokn: unknown key, did you mean `github_token`?",
        f"{tmp_path}/named.toml:3: gate: unknown key",
        f"{tmp_path}/named.toml:1: mode: input should be 'running', 'dry-run' or 'stopped'",
        "BOT_WRITE_SPACING: input should be a valid number, unable to parse string as a number",
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"mode = ", "is not TOML: Invalid value (at end of document)", id="broken"),
        pytest.param(b'recipe = "\xff"', "is not UTF-8", id="not UTF-8"),
        pytest.param(None, "cannot be read: Is a directory", id="a folder"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, content, problem):
    file = tmp_path / "bot.toml"
    file.mkdir() if content is None else file.write_bytes(content)

    with pytest.raises(UsageError) as failure:
        load_settings({}, None, file)

    assert failure.value.message == f"{file}: {problem}"


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("BOT_MODE", "Running", "input should be 'running', 'dry-run' or 'stopped'"),
        ("BOT_APP_ID", "0", "input should be greater than 0"),
        ("BOT_WRITE_SPACING", "-1", "input should be greater than or equal to 0"),
        ("BOT_FORK", "fork", "string should match pattern"),
        ("BOT_FORK", "https://github.com/me/fork", "string should match pattern"),
        ("BOT_COMMIT_AS", "bot", "input should be 'app' or 'user'"),
        (
            "GITHUB_API_URL",
            "http://api.github.com",
            "has to use https; plain http is for a loopback address only",
        ),
        ("GITHUB_API_URL", "http://127.0.0.1.example.com", "has to use https"),
        ("GITHUB_API_URL", "api.github.com", "has to be a URL"),
        ("GITHUB_API_URL", "file:///etc/passwd", "has to be a URL"),
        ("GITHUB_API_URL", "https://api.github.com:port", "has to be a URL"),
        ("GITHUB_API_URL", "https://api.github\n.com", "has to be a URL"),
        ("GITHUB_API_URL", "https://[::1", "has to be a URL"),
        ("GITHUB_API_URL", "https://api.github.com?x=1", "must hold no `?` or `#`"),
        ("GITLAB_URL", "http://127.0.0.1@example.com", "must hold no user name or password"),
        ("BOT_REGISTRY_ENDPOINTS", "nvcr.io", "has to be a URL"),
        ("BOT_REGISTRY_ENDPOINTS", "nvcr.io=http://10.0.0.1:5055", "has to use https"),
        (
            "BOT_REGISTRY_ENDPOINTS",
            "nvcr.io/nvidia=https://example.com",
            "has to name a registry by its host",
        ),
        ("BOT_REGISTRY_ENDPOINTS", "a.io=https://b.io,a.io=https://c.io", "names a registry twice"),
    ],
)
def test_a_wrong_value_is_refused(load, name, value, problem):
    (told,) = problems_of(load, USER | APP | {name: value})

    assert told.startswith(f"{name}: {problem}")


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("GITHUB_TOKEN", "two words-s3cret"),
        ("GITHUB_TOKEN", "line\nbreak-s3cret"),
        ("GITLAB_TOKEN", "ümlaut-s3cret"),
        ("NGC_API_KEY", "nul\0-s3cret"),
        ("BOT_APP_PRIVATE_KEY", "/home/me/s3cret.pem"),
        ("BOT_APP_ID", "s3cret"),
        ("BOT_MODE", "s3cret"),
        ("BOT_REGISTRY_ENDPOINTS", "s3cret=s3cret"),
        ("GITLAB_URL", "https://oauth2:s3cret@gitlab.example.com"),
    ],
)
def test_a_wrong_value_is_never_shown(load, name, secret):
    (told,) = problems_of(load, APP | {name: secret})

    assert told.startswith(f"{name}: ")
    assert "s3cret" not in told


def test_a_secret_of_the_wrong_type_in_a_file_is_never_shown(load):
    (told,) = problems_of(load, user="github_token = 31415926")

    assert told.endswith("user.toml:1: github_token: input should be a valid string")


def test_even_the_error_of_the_model_itself_shows_no_value():
    with pytest.raises(ValidationError) as failure:
        Settings(github_token=31415926)

    assert "31415926" not in str(failure.value)


def test_settings_cannot_be_changed(load):
    with pytest.raises(ValidationError, match="frozen"):
        load().mode = "stopped"


def test_the_private_key_may_stand_in_a_file(load, tmp_path):
    file, key = tmp_path / "app.pem", private_key()
    file.write_text(key)

    settings = load({"BOT_APP_ID": "7", "BOT_APP_PRIVATE_KEY_FILE": str(file)})

    assert settings.app_private_key.get_secret_value() == key


def test_a_key_file_that_holds_something_else_is_refused(load, tmp_path):
    file = tmp_path / "app.pem"
    file.write_text("s3cret")

    told = problems_of(load, {"BOT_APP_ID": "7", "BOT_APP_PRIVATE_KEY_FILE": str(file)})

    assert told == ["BOT_APP_PRIVATE_KEY_FILE: is no private key in PEM form"]


def test_the_private_key_may_have_its_line_breaks_written_out(load):
    key = private_key().strip()

    settings = load({"BOT_APP_ID": "7", "BOT_APP_PRIVATE_KEY": key.replace("\n", "\\n")})

    assert settings.app_private_key.get_secret_value() == key


@pytest.mark.parametrize(
    ("environ", "problem"),
    [
        pytest.param(
            {"BOT_APP_ID": "7", "BOT_APP_PRIVATE_KEY": private_key(), "BOT_APP_PRIVATE_KEY_FILE": "/key.pem"},
            "BOT_APP_PRIVATE_KEY: given twice, by BOT_APP_PRIVATE_KEY_FILE too",
            id="key and key file",
        ),
        pytest.param(
            {"BOT_APP_ID": "7", "BOT_APP_PRIVATE_KEY_FILE": "/nowhere/key.pem"},
            "BOT_APP_PRIVATE_KEY_FILE: `/nowhere/key.pem` cannot be read: No such file or directory",
            id="no such key file",
        ),
        pytest.param(
            {"BOT_APP_ID": "7"},
            "BOT_APP_ID: needs the private key of the App too, BOT_APP_PRIVATE_KEY_FILE",
            id="App without key",
        ),
        pytest.param(
            {"BOT_APP_PRIVATE_KEY": private_key()},
            "BOT_APP_PRIVATE_KEY: needs the number of the App too, BOT_APP_ID",
            id="key without App",
        ),
        pytest.param(
            {"BOT_COMMIT_AS": "user"},
            "BOT_COMMIT_AS: `user` is not configured, set GITHUB_TOKEN",
            id="commits of a user without token",
        ),
        pytest.param(
            {"GITHUB_TOKEN": "t", "BOT_COMMENT_AS": "app"},
            "BOT_COMMENT_AS: `app` is not configured, set BOT_APP_ID",
            id="comments of an App that is not there",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(load, environ, problem):
    assert problem in problems_of(load, environ)


@pytest.mark.parametrize(
    ("environ", "commit", "pull_request", "comment"),
    [
        pytest.param(USER, "user", "user", "user", id="a user alone does all"),
        pytest.param(APP, "app", "app", "app", id="an App alone does all"),
        pytest.param(USER | APP, "app", "user", "user", id="both share the work"),
        pytest.param(
            USER | APP | {"BOT_COMMIT_AS": "user", "BOT_COMMENT_AS": "app", "BOT_PULL_REQUEST_AS": "app"},
            "user",
            "app",
            "app",
            id="a role that is named wins",
        ),
    ],
)
def test_who_acts_in_which_role(load, environ, commit, pull_request, comment):
    assert load(environ).roles == {"commit": commit, "pull_request": pull_request, "comment": comment}


def test_the_reference_lists_every_setting_with_both_names():
    rows = settings_reference().splitlines()[2:]

    keys = [row.split("|")[2].strip().strip("`") for row in rows]
    assert keys == ["", *Settings.model_fields]
    assert "| `BOT_MODE` | `mode` | `running` | " in settings_reference()
    assert "| `NGC_API_KEY` | `ngc_api_key` | | " in settings_reference()
