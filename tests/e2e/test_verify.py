"""`accelmart verify fold`: the months that builds use, folded again and compared."""

import json

from warehouse.price_fold import PRICE_RUNS


def test_the_bundled_prices_fold_to_the_same_rows_again(copied_home, accelmart):
    done = accelmart(copied_home, "verify", "fold", "--json")
    sources = {c["source"]: c for c in json.loads(done.stdout)}
    assert done.returncode == 0 and sum(c["rows"] for c in sources.values()) > 1000
    assert all((c["differing"], c["examples"]) == (0, []) for c in sources.values())
    assert not list((copied_home / "raw/price_fold.tmp").iterdir())


def test_a_row_that_is_not_there_again_ends_with_1(copied_home, accelmart):
    files = sorted((copied_home / f"raw/price_months/{PRICE_RUNS}").glob("*.parquet"))
    runs = next(f for f in files if f.name.startswith("skypilot-catalog__"))
    other = next(f for f in files if not f.name.startswith("skypilot-catalog__"))
    runs.chmod(0o644)
    runs.write_bytes(other.read_bytes())
    done = accelmart(copied_home, "verify", "fold", "--source", "skypilot-catalog")
    assert done.returncode == 1 and f"{PRICE_RUNS} {runs.stem.split('__')[1]}: " in done.stdout
    unknown = accelmart(copied_home, "verify", "fold", "--source", "nobody")
    assert unknown.returncode == 1 and "nobody is no price source" in unknown.stderr
