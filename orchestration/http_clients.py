"""The HTTP client of this installation. Apart from the settings, which every command reads: it is slow to import."""

from __future__ import annotations

from typing import Any

from ingest.core.http import HttpClient
from orchestration import settings


def http_client(**options: Any) -> HttpClient:
    """Return a client with the contact, mirror, private hosts and request interval that are set.

    Args:
        options: further parameters of `ingest.core.http.HttpClient`.

    Raises:
        SettingError: one of the four is not allowed.
    """
    return HttpClient(
        contact=settings.CONTACT.read(),
        mirror=settings.MIRROR.read(),
        private_hosts=settings.PRIVATE_HOSTS.read(),
        min_interval_seconds=settings.REQUEST_INTERVAL.read(),
        **options,
    )
