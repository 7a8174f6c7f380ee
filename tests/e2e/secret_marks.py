"""A marker as the value of every key, token and password that the settings know, and where it is found again."""

import gzip
import io
import tarfile
from urllib.parse import quote

from orchestration import settings

MARKS = {
    **{s.name: f"marker/{s.name.lower()}+7f3a" for s in settings.SETTINGS.values() if s.is_secret},
    "PGPASSWORD": "marker/pgpassword+7f3a",
    "ACCELMART_ALERT_URLS": "json://127.0.0.1:9/hooks/marker-webhook-7f3a",
}
ENVIRONMENT = {**MARKS, "NO_PROXY": "127.0.0.1"}
FORMS = sorted(
    form.encode()
    for value in MARKS.values()
    for part in [value.rpartition("/hooks/")[2] if "://" in value else value]
    for form in (part, quote(part, safe=""), part.replace("/", "\\/"), part.rpartition("/")[2])
)


def contents(name, data):
    """Yield a file and, if it is compressed or an archive, what is in it."""
    yield name, data
    if data.startswith(b"\x1f\x8b"):
        yield from contents(f"{name} (unpacked)", gzip.decompress(data))
    elif data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                if member.isfile() and not member.name.endswith((".duckdb", ".parquet")):
                    yield from contents(f"{name}:{member.name}", archive.extractfile(member).read())


def leaks_in(folder):
    """Return the files below a folder, also within archives, whose name or content has a marker: (file, marker)."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(files) > 50
    return [
        (name, form)
        for path in files
        for name, data in contents(str(path.relative_to(folder)), path.read_bytes())
        for form in FORMS
        if form in data or form in name.encode()
    ]


def printed_marks(text):
    """Return the markers in what was printed."""
    return [form for form in FORMS if form in text]
