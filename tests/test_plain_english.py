"""Plain English in product code and documentation: the wording rules that a pattern can check."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = (
    "accelmart",
    "bench",
    "dbt_project",
    "deploy",
    "docs",
    "examples",
    "ingest",
    "orchestration",
    "warehouse",
)
SUFFIXES = {".py", ".sql", ".yml", ".yaml", ".md", ".js", ".j2", ".example", ".ipynb"}

# A pattern, an example that it must find, and what to write instead.
PATTERNS = [
    (r"\btold\b", "told = json.loads(body)", "a noun for the value; 'reported', 'sent', 'stated'"),
    (r"^\s*found\b[^=\n]*=[^=]", "    found = rows(query)", "a noun for the value"),
    (r"\bfor found in\b|\bas found:|\(found :=", "for found in matches:", "a noun for the value"),
    (r"\b[Ss]peaks?\b", "the freshest speaks", "'wins', 'is used', 'applies'"),
    (r"\bwho(ever)? asks?\b", "of who asks", "a noun: 'the caller', 'a request'"),
    (r"\b(of|to|by|for) who\b", "in the words of who knows", "a noun"),
    (r"\b[Ww]hat came\b", "what came is kept", "'payload', 'response', 'record'"),
    (r"\bas (it|they) came\b", "stored as it came", "'unchanged'"),
    (
        r"\b(never came|has never come|have never come)\b",
        "a list that never came",
        "'without data', 'not landed'",
    ),
    (r"\b(is|are)(_| )here\b", "every round that is here", "'landed', 'bundled', 'published'"),
    (r"\b(none|nothing|nobody) but\b", "none but the last is removed", "a positive statement: 'only'"),
    (r"\bbut for\b", "all of them, but for v1.0", "'except'"),
    (r"\bin force by\b", "in force by 2025", "'valid', 'published', 'current'"),
    (r"\bsays? (of|so|itself)\b", "what the file says of itself", "'states', 'records', 'has'"),
    (r"\b([Rr]ight|[Gg]ood) again\b|\bcame good\b", "it is right again", "'resolved', 'recovered'"),
    (r"\banew\b", "made anew", "'again', 'rewrite'"),
    (r"\bdear(er|est)?\b", "the dearest seller", "'more expensive', 'most expensive'"),
    (r"\b(held|hold|holds) against\b", "held against the price list", "'compared with'"),
    (r"\bnone of (our|its) business\b", "none of our business", "'out of scope'"),
    (r"\bits say\b|\bthe latest word\b", "the latest word on an asset", "'the latest result'"),
    (
        r"\b([Ff]ile|[Ss]ource|[Pp]age|[Tt]able|[Hh]ost|[Uu]pstream|[Cc]ommand|[Ss]eed|[Ll]og|[Pp]arser|[Pp]ayload|"
        r"[Rr]ecord|[Rr]ow|[Ll]ist|[Nn]ame|[Mm]anifest)s? (itself )?(says?|tells?)\b",
        "what the source says",
        "'states', 'has', 'publishes'; a file does not speak",
    ),
    (r"left_out|\b[Rr]emark(s|ed)?\b", "self.left_out = {}", "'excluded', 'out of scope'; 'warning', 'note'"),
    (r"[Ww]itness", "a second witness", "'evidence', 'source'"),
    (
        r"description: *['\"]?(Its|Same of|Same as)\b",
        "description: Its unit.",
        "a full noun phrase, or a doc() block",
    ),
]


def _product_files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in sorted(set(listed)):
        path = Path(name)
        is_product = path.parts[0] in PRODUCT or len(path.parts) == 1
        if is_product and path.suffix in SUFFIXES and (ROOT / path).is_file():
            yield name


@pytest.mark.parametrize("name", sorted(_product_files()))
def test_a_product_file_has_no_discouraged_wording(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    if name == "CHANGELOG.md":  # what had another name before is quoted
        text = re.sub(r"`[^`\n]*`", "``", text)
    hits = []
    for pattern, _, instead in PATTERNS:
        for match in re.finditer(pattern, text, re.MULTILINE):
            line = text.count("\n", 0, match.start() + len(match[0]) - len(match[0].lstrip())) + 1
            hits.append(f"{name}:{line}: {match[0].strip()!r}; write {instead}")
    assert not hits, "\n".join(hits)


@pytest.mark.parametrize(("pattern", "example", "instead"), PATTERNS)
def test_a_pattern_finds_its_example_and_not_its_replacement(pattern, example, instead):
    assert re.search(pattern, example, re.MULTILINE)
    assert not re.search(pattern, instead, re.MULTILINE)
