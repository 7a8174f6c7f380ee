"""Delivery of alerts: messages to a webhook and by e-mail, kept in an outbox until they are delivered.

The outbox and the firing alerts are in one file of the data root, not in a sensor's cursor: a tick that cannot deliver
fails, so that it is visible, and a failed tick cannot change its cursor.
"""

from __future__ import annotations

import json
import logging
import re
import smtplib
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from hashlib import sha256
from typing import Annotated, Any, Literal, get_args
from urllib.parse import unquote, urlsplit

import requests
from filelock import FileLock
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from ingest.core.errors import AccelmartError
from ingest.core.urls import HIDDEN, public_url
from orchestration import settings
from orchestration.incidents import Incidents, from_json
from warehouse.files import written_whole
from warehouse.home import Home

# their debug messages contain the webhook's path, which is a secret
for _name in ("urllib3.connectionpool", "urllib3.util.retry"):
    logging.getLogger(_name).setLevel(logging.INFO)

_FILE = "alerts.json"
TIMEOUT_S = 10
_TRIES = 3
_WORDS_MAX = 2500
# Slack takes 50 blocks of 3000 characters
_SLACK_BLOCKS_MAX = 45
_MIN_SECRET_CHARS = 8  # shorter values may occur in other text by chance
_LOCAL_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})
_SMTP_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_PUBLIC_DOMAIN = "accelmart"
Channel = Literal["webhook", "email"]


class AlertSettingsError(AccelmartError):
    """An alert setting is invalid; the message names it."""


class NotDeliveredError(AccelmartError):
    """A channel did not accept a message; the message is kept, and the next tick tries again."""


def _listed(value: object) -> object:
    return [v.strip() for v in value.split(",") if v.strip()] if isinstance(value, str) else value


class AlertSettings(BaseModel):
    """Alert channels from the environment. Without a channel, alerts are not sent."""

    model_config = ConfigDict(hide_input_in_errors=True, frozen=True, extra="ignore")

    webhook: SecretStr | None = Field(None, alias=settings.ALERT_WEBHOOK.name)
    webhook_format: Literal["json", "slack"] = Field("json", alias=settings.ALERT_WEBHOOK_FORMAT.name)
    email_to: Annotated[list[str], BeforeValidator(_listed)] = Field([], alias=settings.ALERT_EMAIL_TO.name)
    email_from: str = Field("", alias=settings.ALERT_EMAIL_FROM.name)
    smtp: SecretStr | None = Field(None, alias=settings.SMTP_URL.name)
    ui: str = Field(settings.UI_URL.default, alias=settings.UI_URL.name)

    @model_validator(mode="after")
    def _is_meant(self) -> AlertSettings:
        if self.webhook is not None:
            _require_url("ACCELMART_ALERT_WEBHOOK", self.webhook.get_secret_value(), {"http", "https"})
        _require_url("ACCELMART_UI_URL", self.ui, {"http", "https"})
        for address in [*self.email_to, *([self.email_from] if self.email_from else [])]:
            if not re.fullmatch(r"[^@\s<>,]+@[^@\s<>,]+", address):
                raise ValueError(
                    f"ACCELMART_ALERT_EMAIL_TO and _FROM: {address!r} is not an address; separate several by commas"
                )
        if bool(self.email_to) != (self.smtp is not None):
            raise ValueError(
                "ACCELMART_ALERT_EMAIL_TO and ACCELMART_SMTP_URL belong together: set both or neither"
            )
        if self.smtp is not None:
            parts = _require_url("ACCELMART_SMTP_URL", self.smtp.get_secret_value(), set(_SMTP_PORTS))
            if parts.password and parts.scheme == "smtp" and parts.hostname not in _LOCAL_HOSTS:
                raise ValueError(
                    "ACCELMART_SMTP_URL would send its password unencrypted: use smtp+starttls:// or smtps://"
                )
        return self

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> AlertSettings:
        """Read the settings; an empty setting counts as not set.

        Raises:
            AlertSettingsError: a setting is invalid. The message shows no value that could be a secret.
        """
        try:
            return cls.model_validate(settings.alert_settings(environment))
        except ValidationError as e:
            problems = [
                f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" if detail["loc"] else detail["msg"]
                for detail in e.errors(include_input=False, include_url=False)
            ]
            words = "; ".join(p.replace("Value error, ", "") for p in problems)
            raise AlertSettingsError(f"alerts are configured wrongly: {words}") from None

    @property
    def channels(self) -> list[Channel]:
        """Return the configured channels."""
        webhook: list[Channel] = ["webhook"] if self.webhook is not None else []
        return [*webhook, *(["email"] if self.smtp is not None else [])]  # type: ignore[list-item]


def _require_url(name: str, value: str, schemes: set[str]) -> Any:
    try:
        parts = urlsplit(value)
        is_url = parts.scheme in schemes and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_url = False
    if not is_url:
        raise ValueError(
            f"{name} is not a URL: it must begin with {' or '.join(f'{s}://' for s in sorted(schemes))}host"
        )
    return parts


@dataclass(frozen=True)
class Alert:
    """One problem, firing or resolved.

    Args:
        id: identifies the problem until it is resolved.
        kind: ``run_failed``, ``stale``, ``check_failed``, ``unmapped_name``, ``isolated_payload``,
            ``damaged_payload`` or ``no_answer``.
        title: the problem in one line.
        words: failed checks by name, otherwise the error message.
        since: start of the problem, timezone-aware.
        remedy: what to do.
        url: page of the run, asset or check in the UI.
        status: ``firing`` or ``resolved``.
        of: what must succeed to resolve the alert, such as the job.
    """

    id: str
    kind: str
    title: str
    words: str
    since: datetime
    remedy: str
    url: str
    status: Literal["firing", "resolved"] = "firing"
    of: dict[str, Any] = field(default_factory=dict, hash=False)


@dataclass
class _Message:
    alerts: list[Alert]
    channels: list[Channel]

    @property
    def id(self) -> str:
        words = "\n".join(f"{a.id} {a.status} {a.since.isoformat()}" for a in self.alerts)
        return sha256(words.encode()).hexdigest()[:24]


@dataclass
class AlertBook:
    """Firing alerts, monitored assets and the outbox.

    Args:
        firing: alerts that are not resolved, by id.
        watched_since: start of monitoring of each asset.
        outbox: messages to deliver, oldest first.
        incidents: servers that do not answer, the channels of alerts among them.
    """

    firing: dict[str, Alert] = field(default_factory=dict)
    watched_since: dict[str, datetime] = field(default_factory=dict)
    outbox: list[_Message] = field(default_factory=list)
    incidents: Incidents = field(default_factory=Incidents)

    def note(self, alerts: list[Alert], *, over: list[str], channels: list[Channel]) -> list[Alert]:
        """Record new and resolved alerts, and queue one message with them.

        Args:
            alerts: current problems; alerts that are firing already are ignored.
            over: ids of resolved alerts.
            channels: channels of the message.

        Returns:
            The alerts of the message: new ones and resolved ones.
        """
        new = [_clean(a) for a in alerts if a.id not in self.firing]
        resolved = [replace(self.firing.pop(i), status="resolved") for i in over if i in self.firing]
        self.firing |= {a.id: a for a in new}
        changed: list[Alert] = [*new, *resolved]
        if changed and channels:
            self.outbox.append(_Message(changed, list(channels)))
        return changed


@contextmanager
def alert_book(home: Home) -> Iterator[AlertBook]:
    """Lock and yield the alert book of an installation; store it when the block ends, even with an error.

    Raises:
        AccelmartError: the file is unreadable.
    """
    path = home.root / _FILE
    home.root.mkdir(parents=True, exist_ok=True)
    with FileLock(home.root / "alerts.lock"):
        book = read_alert_book(home)
        try:
            yield book
        finally:
            with written_whole(path) as temporary:
                temporary.write_text(
                    json.dumps(asdict(book), indent=1, default=_iso) + "\n", encoding="utf-8"
                )


def deliver(book: AlertBook, settings: AlertSettings) -> tuple[int, list[str]]:
    """Deliver the outbox, oldest message first; a channel that fails is an incident, and is left alone for a while.

    Returns:
        (number of deliveries, errors that open an incident or are nobody's but a message's).
    """
    done, problems = 0, list[str]()
    for channel in get_args(Channel):
        if channel not in settings.channels:  # it was switched off
            book.incidents.answered(channel)
    for channel in settings.channels:
        for message in [
            m for m in book.outbox if channel in m.channels and not book.incidents.waits(channel)
        ]:
            try:
                note = (_post if channel == "webhook" else _mail)(settings, message)
            except NotDeliveredError as e:
                words = redacted(str(e))
                if book.incidents.failed(channel, words):
                    problems.append(words)
                break
            book.incidents.answered(channel)
            message.channels.remove(channel)
            done += 1
            if note:
                problems.append(redacted(note))
    for message in list(book.outbox):
        if not set(message.channels) & set(settings.channels):
            book.outbox.remove(message)
    return done, problems


def redacted(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the text without secrets: credentials in URLs, and values of settings with a name such as `…_TOKEN`."""
    for secret in sorted(
        (s for s in settings.secrets(environment) if len(s) >= _MIN_SECRET_CHARS), key=len, reverse=True
    ):
        text = text.replace(secret, HIDDEN)
    return public_url(text)


def _clean(alert: Alert) -> Alert:
    words = redacted(alert.words)
    if len(words) > _WORDS_MAX:
        words = f"{words[:_WORDS_MAX]} … (cut; see the run)"
    return replace(alert, title=redacted(alert.title), words=words)


def read_alert_book(home: Home) -> AlertBook:
    """Return the alert book of an installation as it is.

    Raises:
        AccelmartError: the file is unreadable.
    """
    path = home.root / _FILE
    if not path.exists():
        return AlertBook()
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        return AlertBook(
            {i: _alert(a) for i, a in body["firing"].items()},
            {n: datetime.fromisoformat(t) for n, t in body["watched_since"].items()},
            [_Message([_alert(a) for a in m["alerts"]], list(m["channels"])) for m in body["outbox"]],
            from_json(body.get("incidents", {})),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise AccelmartError(
            f"{path} cannot be read ({e!r}). Remove it: alerts that are firing are then sent once more"
        ) from e


def _alert(body: dict[str, Any]) -> Alert:
    return Alert(**{**body, "since": datetime.fromisoformat(body["since"])})


def _iso(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{value!r} cannot be stored in the alert book")


def _post(settings: AlertSettings, message: _Message) -> str:
    assert settings.webhook is not None
    url = settings.webhook.get_secret_value()
    host = urlsplit(url).hostname
    body = _as_slack(message) if settings.webhook_format == "slack" else _as_json(message)
    # a Retry-After of minutes would block the sensors: the next tick tries again
    retry = Retry(
        total=_TRIES - 1,
        backoff_factor=0.2,
        status_forcelist=(429, 500, 502, 503, 504),
        allowed_methods={"POST"},
        raise_on_status=False,
        respect_retry_after_header=False,
    )
    try:
        with requests.Session() as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter(max_retries=retry))
            answer = session.post(
                url,
                json=body,
                timeout=TIMEOUT_S,
                # the path of a webhook is a secret: a redirect would send it to another host
                allow_redirects=False,
                headers={"Idempotency-Key": message.id},
            )
    except requests.RequestException as e:
        # requests repeats the URL in its messages
        raise NotDeliveredError(
            f"the webhook at {host} did not answer ({type(e).__name__}) in {_TRIES} tries. Check "
            "ACCELMART_ALERT_WEBHOOK and the network; the message is kept and tried again"
        ) from None
    if not 200 <= answer.status_code < 300:
        raise NotDeliveredError(
            f"the webhook at {host} answered {answer.status_code} {answer.text[:200]!r}. Check ACCELMART_ALERT_WEBHOOK "
            "and ACCELMART_ALERT_WEBHOOK_FORMAT; the message is kept and tried again"
        )
    return ""


def _as_json(message: _Message) -> dict[str, Any]:
    alerts = [{n: v for n, v in asdict(a).items() if n != "of"} for a in message.alerts]
    return {
        "product": "accelmart",
        "id": message.id,
        "status": _status(message),
        "summary": _summary(message),
        "alerts": [{**a, "since": a["since"].isoformat()} for a in alerts],
    }


def _as_slack(message: _Message) -> dict[str, Any]:
    blocks = [
        {"type": "section", "text": {"type": "mrkdwn", "text": _slack_text(a)}}
        for a in message.alerts[:_SLACK_BLOCKS_MAX]
    ]
    if more := len(message.alerts) - len(blocks):
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": f"and {more} more"}})
    return {"text": _slack_escaped(_summary(message)), "blocks": blocks}


def _slack_text(alert: Alert) -> str:
    mark = ":white_check_mark:" if alert.status == "resolved" else ":red_circle:"
    head = f"{mark} *<{alert.url}|{_slack_escaped(alert.title).replace('|', '/')}>*"
    if alert.status == "resolved":
        return f"{head}\nResolved. Failing since {_when(alert.since)}."
    words = _slack_escaped(alert.words)
    return f"{head}\nSince {_when(alert.since)}\n```{words[:2300]}```\nTo do: {_slack_escaped(alert.remedy)}"


def _slack_escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("```", "'''")


def _mail(settings: AlertSettings, message: _Message) -> str:
    """Send the message by e-mail; return the refused addresses in a sentence if others were accepted, else empty."""
    assert settings.smtp is not None
    server = urlsplit(settings.smtp.get_secret_value())
    port = server.port or _SMTP_PORTS[server.scheme]
    letter = EmailMessage()
    letter["Subject"] = f"[accelmart] {_summary(message)}"
    letter["From"] = settings.email_from or f"accelmart@{socket.getfqdn()}"
    letter["To"] = ", ".join(settings.email_to)
    letter["Date"] = format_datetime(datetime.now(UTC))
    # the same id at every attempt, so that a mailbox can discard duplicates
    letter["Message-ID"] = f"<{message.id}@{_PUBLIC_DOMAIN}>"
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content("\n\n".join(_mail_text(a) for a in message.alerts) + "\n")
    try:
        with _connected(server.scheme, str(server.hostname), port) as smtp:
            if server.username:
                smtp.login(unquote(server.username), unquote(server.password or ""))
            refused = smtp.send_message(letter)
    except (OSError, smtplib.SMTPException) as e:
        raise NotDeliveredError(
            f"the mail server {server.hostname}:{port} did not accept the message ({_smtp_words(e)}). Check "
            "ACCELMART_SMTP_URL and ACCELMART_ALERT_EMAIL_TO; the message is kept and tried again"
        ) from None
    if not refused:
        return ""
    addresses = ", ".join(f"{address} ({code} {text!r})" for address, (code, text) in refused.items())
    return f"the mail server refused {addresses}; the others were sent. Check ACCELMART_ALERT_EMAIL_TO"


def _connected(scheme: str, host: str, port: int) -> smtplib.SMTP:
    if scheme == "smtps":
        return smtplib.SMTP_SSL(host, port, timeout=TIMEOUT_S, context=ssl.create_default_context())
    smtp = smtplib.SMTP(host, port, timeout=TIMEOUT_S)
    if scheme == "smtp+starttls":
        try:
            smtp.starttls(context=ssl.create_default_context())
        except (OSError, smtplib.SMTPException):
            smtp.close()
            raise
    return smtp


def _smtp_words(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        text = error.smtp_error
        return f"{error.smtp_code} {text.decode(errors='replace') if isinstance(text, bytes) else text}"
    return f"{type(error).__name__}: {error}"


def _mail_text(alert: Alert) -> str:
    if alert.status == "resolved":
        return f"RESOLVED: {alert.title}\nFailing since {_when(alert.since)}.\n{alert.url}"
    return f"{alert.title}\nSince: {_when(alert.since)}\n\n{alert.words}\n\nTo do: {alert.remedy}\nLook at: {alert.url}"


def _status(message: _Message) -> str:
    return "firing" if any(a.status == "firing" for a in message.alerts) else "resolved"


def _summary(message: _Message) -> str:
    first = message.alerts[0]
    title = " ".join(f"{first.title}{' (resolved)' if first.status == 'resolved' else ''}".split())[:150]
    more = len(message.alerts) - 1
    return f"{title} (and {more} more)" if more else title


def _when(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
