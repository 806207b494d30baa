"""Settings of the bot: from the environment, then a named file, then `bot.toml` in the user's config folder.

A setting is named `BOT_MODE` in the environment and `mode` in a file: lower case, without `BOT_`
(`GITHUB_TOKEN` is `github_token`). No file of the current folder or of a checkout is ever read, and
paths are absolute: what holds for every call must not depend on the folder one stands in.
"""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PositiveInt,
    SecretStr,
    ValidationError,
)

from bot.core.doctor import GITLAB_SCOPES
from bot.core.errors import UsageError
from bot.core.host import Role
from bot.core.loopback import is_loopback

APP_NAME = "ngc-bump-bot"

Identity = Literal["app", "user"]
"""Who writes on GitHub: the GitHub App, or the user whose token it is."""

_UNPREFIXED = frozenset(
    {
        "github_token",
        "github_api_url",
        "gitlab_url",
        "gitlab_token",
        "gitlab_webhook_secret",
        "ngc_api_key",
    }
)
_VISIBLE = re.compile(r"[!-~]+")
_HOST = re.compile(r"[A-Za-z0-9.-]+(?::[0-9]{1,5})?")


def _service_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if not (host and parts.scheme in {"https", "http"} and _VISIBLE.fullmatch(text)):
        raise ValueError("has to be a URL such as `https://host`")
    if "@" in parts.netloc:
        raise ValueError("must hold no user name or password")
    if parts.query or parts.fragment:
        raise ValueError("must hold no `?` or `#`")
    if parts.scheme == "http" and not is_loopback(host):
        raise ValueError("has to use https; plain http is for a loopback address only")
    return text.rstrip("/")


def _token(secret: SecretStr) -> SecretStr:
    # HTTP libraries quote a header that they cannot send, and with it the secret.
    if not _VISIBLE.fullmatch(secret.get_secret_value()):
        raise ValueError("holds a blank, a line break or another character that no token has")
    return secret


def _private_key(secret: SecretStr) -> SecretStr:
    # Files of environment variables hold no line breaks: there `\n` stands for one.
    text = secret.get_secret_value().replace("\\n", "\n")
    if not re.search(r"-----BEGIN [A-Z ]*PRIVATE KEY-----\n.+\n-----END", text, re.DOTALL):
        raise ValueError("is no private key in PEM form")
    return SecretStr(text)


def _endpoints(value: object) -> object:
    if not isinstance(value, str):
        return value
    pairs = [item.partition("=") for item in value.split(",") if item.strip()]
    endpoints = {host.strip(): url.strip() for host, _, url in pairs}
    if len(endpoints) != len(pairs):
        raise ValueError("names a registry twice")
    return endpoints


def _several(value: object) -> object:
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value


def _registry_host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError("has to name a registry by its host, such as `nvcr.io`")
    return text


def _default_database() -> SecretStr:
    return SecretStr(f"sqlite:///{platformdirs.user_state_path(APP_NAME) / 'ledger.sqlite3'}")


def _address(text: str) -> str:
    host, colon, port = text.rpartition(":")
    if not (colon and host and _VISIBLE.fullmatch(text) and port.isdecimal() and int(port) < PORTS):
        raise ValueError("has to be `HOST:PORT`, such as `127.0.0.1:8089`")
    return text


PORTS = 65_536

Address = Annotated[str, AfterValidator(_address)]
Names = Annotated[tuple[str, ...], BeforeValidator(_several)]
Token = Annotated[SecretStr, AfterValidator(_token)]
Secrets = Annotated[tuple[Token, ...], BeforeValidator(_several)]
PrivateKey = Annotated[SecretStr, AfterValidator(_private_key)]
ServiceUrl = Annotated[str, AfterValidator(_service_url)]
RegistryHost = Annotated[str, AfterValidator(_registry_host)]
Endpoints = Annotated[dict[RegistryHost, ServiceUrl], BeforeValidator(_endpoints)]
RepositoryName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")]


class Settings(BaseModel):
    """All settings, checked; secrets are `SecretStr` and show as stars."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    github_token: Token | None = Field(None, description="token of the user that the bot writes as")
    app_id: PositiveInt | None = Field(None, description="number of the GitHub App that the bot writes as")
    app_private_key: PrivateKey | None = Field(None, description="private key of the App, in PEM form")
    app_private_key_file: Path | None = Field(None, description="file with that key, instead of the key")
    commit_as: Identity | None = Field(
        None, description="who commits: `app` or `user`; by default the App where there is one"
    )
    pull_request_as: Identity | None = Field(
        None, description="who opens pull requests; by default the user where there is one"
    )
    comment_as: Identity | None = Field(
        None, description="who comments; by default the user where there is one"
    )
    fork: RepositoryName | None = Field(
        None, description="`OWNER/NAME` that the bot pushes to, instead of the repository"
    )
    github_api_url: ServiceUrl = Field("https://api.github.com", description="address of GitHub's REST API")
    gitlab_url: ServiceUrl | None = Field(None, description="address of the GitLab server")
    gitlab_token: Token | None = Field(None, description=f"token for GitLab; {GITLAB_SCOPES}")
    webhook_secret: Secrets = Field(
        (), description="secret of the webhooks on GitHub; while it is exchanged two, with a comma"
    )
    gitlab_webhook_secret: Secrets = Field(
        (), description="secret token or signing key (`whsec_…`) of the webhooks on GitLab, or several"
    )
    ngc_api_key: Token | None = Field(None, description="key for private images; public ones need none")
    registry_endpoints: Endpoints = Field(
        default_factory=dict,
        description="other addresses of registries: `nvcr.io=http://127.0.0.1:5055`, several with commas",
    )
    database_url: SecretStr = Field(
        default_factory=_default_database,
        description="the ledger; by default a SQLite file in the user's state folder",
    )
    mode: Literal["running", "dry-run", "stopped"] = Field(
        "running", description="`dry-run` shows every write and makes none, `stopped` refuses to write"
    )
    write_spacing: float = Field(
        1.0,
        ge=0,
        allow_inf_nan=False,
        description="seconds between two writes to one repository",
    )
    recipe: str | None = Field(None, description="bump recipe that is used when none is named")
    recipes: Names = Field(
        (), description="bump recipes that `bot serve` looks after, several with commas; else `recipe` alone"
    )
    listen: Address = Field("127.0.0.1:8089", description="where `bot serve` takes webhooks: `HOST:PORT`")
    resync: float = Field(
        300.0, gt=0, allow_inf_nan=False, description="seconds between two looks of the service at everything"
    )
    release_poll: float = Field(
        600.0, gt=0, allow_inf_nan=False, description="seconds between two looks of the service at a registry"
    )

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret of these settings, for whoever keeps them out of a text."""
        values = (getattr(self, key) for key in type(self).model_fields)
        several = (it for value in values for it in (value if isinstance(value, tuple) else (value,)))
        return tuple(it.get_secret_value() for it in several if isinstance(it, SecretStr))

    @property
    def identities(self) -> tuple[Identity, ...]:
        """The credentials that are configured, the App first."""
        has: dict[Identity, bool] = {"app": self.app_id is not None, "user": self.github_token is not None}
        return tuple(identity for identity, configured in has.items() if configured)

    @property
    def roles(self) -> Mapping[Role, Identity]:
        """Who acts in each role; empty without any credential.

        GitHub signs the commits of an App. Pull requests and comments are the user's where there is
        one: CI and copy-pr-bot know people, and pass over Apps.
        """
        if not self.identities:
            return {}
        app_first, user_first = self.identities[0], self.identities[-1]
        return {
            "commit": self.commit_as or app_first,
            "pull_request": self.pull_request_as or user_first,
            "comment": self.comment_as or user_first,
        }


@dataclass(frozen=True, slots=True)
class _Given:
    """A value as it was given, and where: `BOT_MODE`, or `/home/…/bot.toml:3: mode`."""

    value: object
    place: str


@dataclass(frozen=True, slots=True)
class _Source:
    """What one source gives, by field, and what is wrong with the source itself."""

    given: Mapping[str, _Given] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def load_settings(
    environ: Mapping[str, str], config: Path | None = None, user_config: Path | None = None
) -> Settings:
    """Return the settings: `environ` before `config` (else the file `BOT_CONFIG` names) before `user_config`.

    `user_config` is `bot.toml` in the user's config folder unless given, and may be missing.

    Raises UsageError with all problems, one a line, each with its place; no value is ever shown.
    """
    by_user = user_config or platformdirs.user_config_path(APP_NAME) / "bot.toml"
    sources = [
        _from_file(by_user, required=False),
        _from_named_file(environ, config),
        _from_environment(environ),
    ]
    given: dict[str, _Given] = {}
    for source in sources:
        given |= source.given
    sources.append(_from_key_file(given))
    given |= sources[-1].given
    problems = [problem for source in sources for problem in source.problems]
    problems += [*_contradictions(given), *_invalid_values(given)]
    if problems:
        raise UsageError("\n".join(problems), hint="README.md lists every setting")
    return Settings.model_validate({key: item.value for key, item in given.items()})


def settings_reference() -> str:
    """Return all settings as a Markdown table."""
    rows = [
        "| environment | file | default | what for |",
        "|---|---|---|---|",
        "| `BOT_CONFIG` | | | a file of settings; `--config` names another |",
    ]
    for key, setting in Settings.model_fields.items():
        default = f" `{setting.default}`" if isinstance(setting.default, str | float) else ""
        rows.append(f"| `{_environment_name(key)}` | `{key}` |{default} | {setting.description} |")
    return "\n".join(rows) + "\n"


def _environment_name(key: str) -> str:
    return key.upper() if key in _UNPREFIXED else f"BOT_{key.upper()}"


def _from_environment(environ: Mapping[str, str]) -> _Source:
    names = {key: _environment_name(key) for key in Settings.model_fields}
    given = {key: _Given(environ.get(name, "").strip(), name) for key, name in names.items()}
    return _Source({key: item for key, item in given.items() if item.value})


def _from_named_file(environ: Mapping[str, str], config: Path | None) -> _Source:
    named = environ.get("BOT_CONFIG", "").strip()
    if config is not None:
        return _from_file(config, required=True)
    if not named:
        return _Source()
    path = Path(named).expanduser()
    if not path.is_absolute():
        return _Source(problems=("BOT_CONFIG: has to be an absolute path",))
    return _from_file(path, required=True)


def _from_file(file: Path, *, required: bool) -> _Source:
    try:
        text = file.read_text(encoding="utf-8")
        entries = tomllib.loads(text)
    except FileNotFoundError:
        return _Source(problems=(f"{file}: there is no such file",) if required else ())
    except OSError as error:
        return _Source(problems=(f"{file}: cannot be read: {error.strerror}",))
    except UnicodeDecodeError:
        return _Source(problems=(f"{file}: is not UTF-8",))
    except tomllib.TOMLDecodeError as error:
        return _Source(problems=(f"{file}: is not TOML: {error}",))
    given = {key: _Given(_stripped(value), _place(file, text, key)) for key, value in entries.items()}
    known = Settings.model_fields
    return _Source(
        {key: item for key, item in given.items() if key in known and item.value != ""},
        tuple(f"{item.place}: unknown key{_similar(key)}" for key, item in given.items() if key not in known),
    )


def _stripped(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def _place(file: Path, text: str, key: str) -> str:
    found = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*[\].=]", text, re.MULTILINE)
    line = f":{text.count(chr(10), 0, found.start()) + 1}" if found else ""
    return f"{file}{line}: {key}"


def _similar(key: str) -> str:
    near = difflib.get_close_matches(key.lower().removeprefix("bot_"), Settings.model_fields, n=1)
    return f", did you mean `{near[0]}`?" if near else ""


def _from_key_file(given: Mapping[str, _Given]) -> _Source:
    """Return the text of the key file, where one is named and the key is not given itself."""
    item = given.get("app_private_key_file")
    if item is None or "app_private_key" in given:
        return _Source()
    path = Path(str(item.value)).expanduser()
    if not path.is_absolute():
        return _Source(problems=(f"{item.place}: has to be an absolute path",))
    try:
        return _Source({"app_private_key": _Given(path.read_text(encoding="ascii"), item.place)})
    except UnicodeDecodeError:
        return _Source(problems=(f"{item.place}: `{path}` is no private key in PEM form",))
    except OSError as error:
        return _Source(problems=(f"{item.place}: `{path}` cannot be read: {error.strerror}",))


def _contradictions(given: Mapping[str, _Given]) -> Iterator[str]:
    number, key, file = (given.get(name) for name in ("app_id", "app_private_key", "app_private_key_file"))
    if key and file and key.place != file.place:
        yield f"{key.place}: given twice, by {file.place} too"
    if number and not (key or file):
        yield f"{number.place}: needs the private key of the App too, BOT_APP_PRIVATE_KEY_FILE"
    if not number and (orphan := file or key):
        yield f"{orphan.place}: needs the number of the App too, BOT_APP_ID"
    for role in ("commit_as", "pull_request_as", "comment_as"):
        item = given.get(role)
        for identity, credential in (("app", "app_id"), ("user", "github_token")):
            if item and item.value == identity and credential not in given:
                yield f"{item.place}: `{identity}` is not configured, set {_environment_name(credential)}"


def _invalid_values(given: Mapping[str, _Given]) -> Iterator[str]:
    try:
        Settings.model_validate({key: item.value for key, item in given.items()})
    except ValidationError as error:
        for problem in error.errors(include_input=False, include_url=False):
            text = problem["msg"].removeprefix("Value error, ")
            yield f"{given[str(problem['loc'][0])].place}: {text[0].lower()}{text[1:]}"
