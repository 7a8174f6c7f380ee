"""URLs as they may be shown: what goes into a message or a manifest carries no credentials.

Works on any text with URLs in it, because other people's error messages repeat the URL they were given.
"""

from __future__ import annotations

import re

HIDDEN = "***"

# the user of an ssh URL is part of the address (git@…), only a password is secret
_USERINFO = re.compile(r"(?i)(\b[a-z][a-z0-9+.-]*(?<!ssh)://)[^/?#\s]*@")
_SSH_PASSWORD = re.compile(r"(?i)\b(ssh://[^/:@\s]*):[^/@\s]*@")
_PARAMETER = re.compile(r"([?&#;])([^=&#;?\s]+)=([^&#;\s]*)")
_SECRET_NAME = re.compile(
    r"(?i)key|token|secret|signature|^sig$|passw|^pass$|pwd|auth(?!or)|credential|session|jwt"
)


def public_url(text: str) -> str:
    """The text with user names, passwords and key-like query values of URLs taken out.

    Args:
        text: a URL, or a message that may contain URLs.

    Returns:
        The same text, otherwise untouched, so that it still serves as evidence.
    """

    def hide(match: re.Match[str]) -> str:
        mark, name, value = match.groups()
        return f"{mark}{name}={HIDDEN if _SECRET_NAME.search(name) else value}"

    return _PARAMETER.sub(hide, _SSH_PASSWORD.sub(r"\1@", _USERINFO.sub(r"\1", text)))
