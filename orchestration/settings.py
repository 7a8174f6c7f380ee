"""Every environment variable that the pipeline reads: name, type, default, allowed values and meaning.

Only this module reads them; ingest and warehouse get values as parameters. The readers' package, which imports nothing
of the pipeline, reads ``ACCELMART_HOME`` and ``ACCELMART_CACHE`` itself. A variable is read and
validated when it is used, so that a wrong one stops only what depends on it. `docs/settings.md` lists them.

Not built on pydantic-settings: its import costs 0.4 s of CPU time, a command of `accelmart` starts in 0.1 s.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Generic, TypeVar

from accelmart.hosts import parse_mirror, parse_private_hosts
from accelmart.urls import HIDDEN, public_url
from ingest.core.cadence import SCHEDULED, Cadence
from ingest.core.errors import AccelmartError
from orchestration.cron import is_cron, longest_pause
from warehouse.storage.home import GENERATIONS_TO_KEEP, Home

T = TypeVar("T")
OFF = "off"
_SECRET_CHARS_MIN = 8  # shorter values may occur in other text by chance
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential")


class SettingError(AccelmartError):
    """An environment variable has a value that is not allowed; the message names variable, value and what is."""


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One environment variable.

    Args:
        name: of the variable.
        kind: type of its value, for the documentation.
        default: value of a variable that is unset or blank; empty is none.
        meaning: what it decides, with its unit.
        parse: text → value; raises ValueError for text that is not allowed.
        allowed: completes the sentence "give …" of an error.
        is_secret: the value is never shown.
    """

    name: str
    kind: str
    default: str
    meaning: str
    parse: Callable[[str], T]
    allowed: str = "a text"
    is_secret: bool = False

    def text(self) -> str:
        """Return the text that is set, without surrounding white space; empty if there is none."""
        return os.environ.get(self.name, "").strip()

    def read(self) -> T:
        """Return the value that is set, else the default.

        Raises:
            SettingError: the value is not allowed.
        """
        given = self.text()
        try:
            return self.parse(given or self.default)
        except ValueError:
            shown = "" if self.is_secret else f"={given!r}"
            raise SettingError(f"{self.name}{shown}: give {self.allowed}") from None


def _matching(pattern: str, convert: Callable[[str], T]) -> Callable[[str], T]:
    """Return a parser of texts that match a pattern as a whole."""

    def parse(text: str) -> T:
        if not re.fullmatch(pattern, text):
            raise ValueError(text)
        return convert(text)

    return parse


def _schedules(text: str) -> dict[str, str | None]:
    given = dict[str, str | None]()
    for part in filter(None, map(str.strip, text.split(";"))):
        name, _, cron = map(str.strip, part.partition("="))
        if name not in _GROUPS or not (cron.lower() == OFF or is_cron(cron)):
            raise ValueError(text)
        given[name] = None if cron.lower() == OFF else cron
    return given


_GROUPS = [cadence.name for cadence in SCHEDULED]
_SECONDS = _matching("[0-9]+", int)


def _url(name: str, meaning: str) -> Setting[str]:
    return Setting(name, "URL", "", meaning, str)


def _key(name: str, meaning: str) -> Setting[str]:
    return Setting(name, "secret", "", meaning, str, is_secret=True)


# --- where data lie ----------------------------------------------------------------------------------------------

HOME = Setting(
    "ACCELMART_HOME",
    "path",
    "data",
    "Data root: the published warehouse and everything it is built from.",
    str,
)
CACHE = Setting(
    "ACCELMART_CACHE",
    "path",
    "",
    "Folder for warehouses that were opened by a URL. Without it: `~/.cache/accelmart`.",
    str,
)
LANDING = _url(
    "ACCELMART_LANDING",
    "Landing zone, any URL that fsspec knows. Without it: `landing/` in the data root.",
)
DAGSTER_HOME = Setting(
    "DAGSTER_HOME",
    "path",
    "",
    "Dagster's home: run history and `dagster.yaml`. Without it: `dagster/` in the data root.",
    lambda text: Path(text) if text else None,
)
SPARK_URL = Setting(
    "ACCELMART_SPARK_URL",
    "URL",
    "",
    "Spark Connect server that joins more than a million observed prices. Its workers must see the data root under the "
    "same path, or `ACCELMART_SPARK_EXCHANGE`. Without it: DuckDB joins them.",
    _matching("(sc://[^/].*)?", str),
    "sc://host[:port][/;options]",
)
SPARK_EXCHANGE = _url(
    "ACCELMART_SPARK_EXCHANGE",
    "Object store through which Spark and this machine exchange prices, such as `s3a://bucket/tmp`.",
)
GENERATIONS_KEPT = Setting(
    "ACCELMART_GENERATIONS_KEPT",
    "count",
    str(GENERATIONS_TO_KEEP),
    "How many published generations (builds) are kept for `accelmart rollback`.",
    _matching("[1-9][0-9]*", int),
    "a whole number of 1 and more",
)

# --- requests to upstream ----------------------------------------------------------------------------------------

CONTACT = Setting(
    "ACCELMART_CONTACT",
    "text",
    "contact in README",
    "Contact in the User-Agent header of every request, such as an e-mail address.",
    _matching("[ -~]*", str),
    "printable ASCII, such as an e-mail address",
)
MIRROR = Setting(
    "ACCELMART_MIRROR",
    "URL",
    "",
    "Mirror of all upstreams: `https://host/path` is fetched as `MIRROR/host/path`.",
    parse_mirror,
    "http(s)://host[:port][/path], or nothing",
)
PRIVATE_HOSTS = Setting(
    "ACCELMART_PRIVATE_HOSTS",
    "names",
    "",
    "Hosts that may be fetched from although they are not public: names, `host:port`, addresses or networks such as "
    "`10.1.0.0/16`, separated by commas. Mirror and proxy are always allowed.",
    parse_private_hosts,
    "host names, addresses or networks, separated by commas",
)
# --- sources -----------------------------------------------------------------------------------------------------

SOURCES_OFF = Setting(
    "ACCELMART_SOURCES_OFF", "names", "", "Sources that are not fetched, separated by commas or spaces.", str
)
AWS_REGIONS = Setting(
    "ACCELMART_AWS_REGIONS",
    "names",
    "",
    "Regions of the AWS price list instead of the built-in ones, separated by commas. One list has up to 300 MB.",
    str,
    "region codes such as us-east-1, separated by commas",
)


INFERENCEX = Setting(
    "ACCELMART_INFERENCEX",
    "word",
    "off",
    "`on` fetches InferenceX for your own use. Its data state no licence, so they are never shipped.",
    _matching("on|off", str),
    "on or off",
)

GITHUB_TOKEN = _key(
    "GITHUB_TOKEN", "Token for the discovery of MLPerf rounds: 5,000 requests an hour instead of 60."
)
GCP_API_KEY = _key(
    "GCP_API_KEY", "API key of the GCP billing catalog. Without it the catalog is not fetched."
)
LAMBDA_API_KEY = _key("LAMBDA_API_KEY", "API key of Lambda. Without it Lambda's API is not fetched.")
RUNPOD_API_KEY = _key("RUNPOD_API_KEY", "API key of RunPod; optional.")
VAST_API_KEY = _key("VAST_API_KEY", "API key of Vast.ai; optional.")

# --- schedules and sensors ---------------------------------------------------------------------------------------

AUTOMATION = Setting(
    "ACCELMART_AUTOMATION",
    "on or off",
    OFF,
    "`on` turns on the schedules and the discovery of MLPerf rounds, as on a server. Otherwise they are off until you "
    "turn them on in the UI, because they ask third parties.",
    lambda text: _matching("on|off", str)(text) == "on",
    "on or off",
)
SCHEDULES = Setting(
    "ACCELMART_SCHEDULES",
    "cron by group",
    "",
    "When groups of sources are fetched (UTC), instead of at the "
    f"[default times](architecture.md#automation): `prices=0 6 * * 1; serving={OFF}`. Groups: "
    f"{', '.join(_GROUPS)}.",
    _schedules,
    f"group=minute hour day month weekday (UTC), such as 'prices=23 5 * * *', or group={OFF}; several separated "
    f"by ';'. Groups: {', '.join(_GROUPS)}",
)
SENSOR_INTERVAL = Setting(
    "ACCELMART_SENSOR_INTERVAL",
    "seconds",
    "",
    "Time between two evaluations of every sensor. Without it each sensor has its own, 30 to 3600.",
    lambda text: _SECONDS(text) if text else None,
    "whole seconds, such as 30",
)
REBUILD_INTERVAL = Setting(
    "ACCELMART_REBUILD_INTERVAL",
    "seconds",
    "21600",
    "Shortest time between two rebuilds after scheduled fetches. New rounds and your own fetches never wait.",
    _SECONDS,
    "whole seconds, such as 3600",
)
RETRY_DELAY = Setting(
    "ACCELMART_RETRY_DELAY",
    "seconds",
    "60",
    "Time before a failed fetch is tried again. It doubles with every try. A failed rebuild waits 15 times as "
    "long, and four times longer with every try.",
    _SECONDS,
    "whole seconds, such as 60",
)

# --- alerts ------------------------------------------------------------------------------------------------------

ALERT_URLS = Setting(
    "ACCELMART_ALERT_URLS",
    "secret URLs",
    "",
    "Where alerts go: Apprise URLs separated by spaces, such as `mailtos://user:password@host?to=ops@example.org`, "
    "`slack://…` or `json://host/path`.",
    str.split,
    "URLs separated by spaces, such as json://host/path; see https://appriseit.com",
    is_secret=True,
)
SITE_URL = Setting(
    "ACCELMART_SITE_URL",
    "URL",
    "",
    "Address at which the website is published. Previews of links have a picture only where it is set.",
    _matching(r"(https?://[^/\s]+(/.*)?)?", str),
    "http:// or https://, a host and perhaps a path, such as https://example.org/accelmart",
)
UI_URL = Setting(
    "ACCELMART_UI_URL",
    "URL",
    "http://127.0.0.1:3000",
    "Public address of the webserver, such as that of a proxy in front of it. Links in alerts use it. Requests to any "
    "other address are refused, except from this machine.",
    _matching(r"https?://[^/\s]+(/.*)?", str),
    "http:// or https://, a host and perhaps a port, such as https://accelmart.example.org",
)

SETTINGS: dict[str, Setting[Any]] = {s.name: s for s in list(vars().values()) if isinstance(s, Setting)}
"""Every setting by its name, in the order of this module."""

_OF_PROCESSES = {"ACCELMART_CODE_HOST", "ACCELMART_UI_PORT"}
"""Variables that files of deploy/ read."""


def refuse_unknown() -> None:
    """Raise SettingError if a variable is none of the settings: misspelt, or of an earlier version."""
    for name in os.environ.keys() - SETTINGS.keys() - _OF_PROCESSES:
        if name.startswith("ACCELMART_") and os.environ[name]:
            raise SettingError(
                f"{name} is no setting, or was retired: docs/settings.md lists all, CHANGELOG.md what took its place. "
                "Unset it"
            )


# --- what is made of them ----------------------------------------------------------------------------------------


def home() -> Home:
    """Return the folders of this installation.

    Raises:
        SettingError: a variable of this name is no setting.
    """
    refuse_unknown()
    root = Path(HOME.read()).resolve()
    return Home(
        root,
        LANDING.read() or f"{root}/landing",
        spark_url=SPARK_URL.read(),
        spark_exchange=SPARK_EXCHANGE.read(),
    )


def has_dagster(home: Home) -> bool:
    """Return whether Dagster was used here: by `accelmart ui`, by a fetch, or by a server with a `DAGSTER_HOME`."""
    return ((DAGSTER_HOME.read() or home.dagster) / "dagster.yaml").exists()


def source_settings() -> dict[str, str]:
    """Return what fetch plans read: variable → text, of settings that are set and not `off`."""
    return {name: text for name, s in SETTINGS.items() if (text := s.text()) and text.lower() != OFF}


def cron_of(cadence: Cadence) -> str | None:
    """Return the cron expression (UTC) of a group of sources; None if it has no schedule.

    Raises:
        SettingError: ``ACCELMART_SCHEDULES`` is not allowed.
    """
    return SCHEDULES.read().get(cadence.name, cadence.cron or None)


def stale_after(cadence: Cadence) -> timedelta:
    """Return the age from which a source of a group is stale: three times the longest time between two fetches."""
    cron = cron_of(cadence)
    return 3 * (cadence.period if cron in (None, cadence.cron) else longest_pause(str(cron)))


def hide_secrets(text: str) -> str:
    """Return the text without values of variables that are named as secrets, alert URLs, and credentials of URLs."""
    named = [value for name, value in os.environ.items() if _SECRET_NAME.search(name)]
    for secret in sorted([*named, *ALERT_URLS.read()], key=len, reverse=True):
        if len(secret) >= _SECRET_CHARS_MIN:
            text = text.replace(secret, HIDDEN)
    return public_url(text)
