"""URLs as they may be shown: what goes into a message or a manifest carries no credentials.

Works on any text with URLs in it, because other people's error messages repeat the URL they were given.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

CHECK_URL = "open the URL in a browser; if it has moved, correct the address"

HIDDEN = "***"

# the user of an ssh URL is part of the address (git@…), only a password is secret
_USERINFO = re.compile(r"(?i)(\b[a-z][a-z0-9+.-]*(?<!ssh)://)[^/?#\s]*@")
_SSH_PASSWORD = re.compile(r"(?i)\b(ssh://[^/:@\s]*):[^/@\s]*@")
# header, payload and signature, each base64url; a header begins with {"
_JSON_WEB_TOKEN = re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*")
_PARAMETER = re.compile(r"([?&#;])([^=&#;?\s]+)=([^&#;\s]*)")
_SECRET_NAME = re.compile(
    r"(?i)key|token|secret|signature|^sig$|passw|^pass$|pwd|auth(?!or(?!iz))|credential|session|jwt|cookie"
)


def is_secret_name(name: str) -> bool:
    """Whether a query parameter or header of this name is a key, a token, a password or the like."""
    return _SECRET_NAME.search(name) is not None


def public_url(text: str) -> str:
    """The text with user names, passwords and key-like query values of URLs, and JSON Web Tokens, taken out.

    Args:
        text: a URL, or a message that may contain URLs.

    Returns:
        The same text, otherwise untouched, so that it still serves as evidence.
    """

    def hide(match: re.Match[str]) -> str:
        mark, name, value = match.groups()
        return f"{mark}{name}={HIDDEN if is_secret_name(name) else value}"

    without_users = _SSH_PASSWORD.sub(r"\1@", _USERINFO.sub(r"\1", text))
    return _JSON_WEB_TOKEN.sub(HIDDEN, _PARAMETER.sub(hide, without_users))


_REMOTE = re.compile(r"(?i)(https?|ssh|git)://|[\w.-]+@[\w.-]+:")
LOCAL_FORM = "file:"


def published_origin(address: str) -> str:
    """Where a payload came from, as a published row may say it.

    Args:
        address: of the landing manifest: a URL, an address of git, or a path or ``file://`` URL of this machine.

    Returns:
        A remote address as it is; of a file or folder only its name, as ``file:summary.json``: the folders of a
        machine are nobody else's business.
    """
    plain = address.removeprefix("git+")
    if _REMOTE.match(plain):
        return plain
    is_url = plain.lower().startswith("file:")
    path = unquote(re.sub(r"(?i)^file:(//[^/]*)?", "", plain)) if is_url else plain
    return LOCAL_FORM + quote(path.rstrip("/\\").replace("\\", "/").rpartition("/")[2])
