"""The HTTP client of this installation. Apart from the settings, which every command reads: it is slow to import."""

from __future__ import annotations

from typing import Any

from accelmart.http import HttpClient
from orchestration import settings


def http_client(**options: Any) -> HttpClient:
    """Return a client with the contact, mirror and private hosts that are set; a mirror gets requests at any rate.

    Args:
        options: further parameters of `accelmart.http.HttpClient`.

    Raises:
        SettingError: one of the three is not allowed.
    """
    mirror = settings.MIRROR.read()
    return HttpClient(
        contact=settings.CONTACT.read(),
        mirror=mirror,
        private_hosts=settings.PRIVATE_HOSTS.read(),
        min_interval_seconds=0 if mirror else 1,
        **options,
    )
