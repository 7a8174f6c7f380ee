"""Product files and functions stay small enough to be read in one go."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("accelmart", "orchestration", "warehouse", "ingest", "dbt_project/models", "dbt_project/macros")
FILES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".js", ".css", ".sql"} and ".min." not in path.name
)
FILE_LINES, FUNCTION_LINES = 500, 80


def test_files_stay_under_500_lines():
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path.suffix for path in FILES} == {".py", ".js", ".css", ".sql"}
    assert {str(p.relative_to(ROOT)): n for p, n in lines.items() if n > FILE_LINES} == {}


def test_functions_stay_under_80_lines():
    found = [
        (path.relative_to(ROOT), node)
        for path in FILES
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert found
    sizes = {f"{path}:{node.name}": (node.end_lineno or 0) - node.lineno + 1 for path, node in found}
    assert {name: lines for name, lines in sizes.items() if lines > FUNCTION_LINES} == {}
