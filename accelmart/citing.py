"""What a figure rests on: the row of a result, an offer or a claim, its standing, and how to cite it.

How MLPerf results are cited: MLCommons' rules on the use of results, https://github.com/mlcommons/policies
(MLPerf_Results_Messaging_Guidelines.adoc, read on 2026-11-22).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelmart.errors import QuestionError
from accelmart.published import Database, Reader, Row, Table, reading

OFFICIAL = "official MLPerf result, published by MLCommons"
OBSERVED = "price observed on the stated days, not a quote of today"
CLAIM = "claim of a third party, checked here against MLPerf results; not verified by MLCommons"
DERIVED = (
    "Figures per accelerator, per token, per dollar and per joule are derived by Accelmart from MLPerf results and "
    "prices. Not verified by MLCommons."
)
TRADEMARK = (
    "The MLPerf name and logo are registered and unregistered trademarks of MLCommons Association in the United States "
    "and other countries. All rights reserved. Unauthorized use strictly prohibited. See www.mlcommons.org for more "
    "information."
)
CITATION_RULE = (
    "Name submitter, benchmark, system, division, scenario, round and entry id with any MLPerf figure; do not present "
    "a derived figure as an MLPerf result; do not rank MLPerf results together with others."
)


@dataclass(frozen=True)
class Evidence:
    """What a figure rests on.

    Args:
        id: of the result, offer or claim.
        kind: inference_result, training_result, price or claim.
        standing: whether it is official, observed or derived, in a sentence.
        citation: how to cite it.
        licence: of the source; None if it states none.
        record: every column of its row, with source URL, payload hash and record; units end the names.
    """

    id: str
    kind: str
    standing: str
    citation: str
    licence: str | None
    record: Row


_CLAIMS = """
from mart_claim_check
where $by is null
    or list_contains([trim(word) for word in string_split(lower(cast($by as varchar)), ',')], lower(claimed_by))
order by claim_date desc, claim_id
"""
# relation, its key, which row stands for a key that several have
_RELATIONS = {
    "inference_result": ("fct_inference_result", "result_id", "result_id"),
    "training_result": ("fct_training_result", "result_id", "result_id"),
    "price": ("fct_price_interval", "offer_id", "valid_from desc"),
    "claim": ("mart_claim_check", "claim_id", "claim_id"),
}


def evidence(id: str, *, database: Database = None) -> Evidence:  # noqa: A002  the word that readers know it by
    """Return what a figure rests on.

    Args:
        id: ``result_id`` of an MLPerf result, ``offer_id`` of a price (its newest interval) or ``claim_id``; columns
            such as ``evidence_a``, ``cheapest_offer_id`` and ``rests_on`` hold them.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Raises:
        QuestionError: nothing has that id.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        for kind, (relation, key, order) in _RELATIONS.items():
            rows = reader.rows(
                f"from {relation} where {key} = $id order by {order} limit 1",
                {"id": id},
            )
            if rows:
                return _evidence(reader, kind, id, rows[0])
    raise QuestionError(
        f"nothing has the id {id!r}. Ids are in result_id of fct_inference_result and fct_training_result, offer_id of "
        "fct_price_interval and claim_id of mart_claim_check"
    )


def _evidence(reader: Reader, kind: str, id_: str, record: Row) -> Evidence:
    if kind == "price":
        seen = f"valid from {_day(record['valid_from'])}, last seen {_day(record['last_seen_at'])}"
        citation = (
            f"{record['provider']} {record['instance_type']} {record['region']} {record['pricing_model']}: US$ "
            f"{record['usd_per_accelerator_hour']} per accelerator-hour, {seen}. {record['source']}, "
            f"{record['source_url'] or record['payload_url']}."
        )
        return Evidence(id_, kind, OBSERVED, citation, record["licence"], record)
    if kind == "claim":
        said = f"{record['claimed_by']}, {record['claim_date']}: {record['statement_short']}"
        citation = f"{said}. {record['source_url']}."
        return Evidence(id_, kind, CLAIM, citation, None, record)
    licences = reader.words(
        "select licence from ops_reconciliation where payload_sha256 = $sha256 and licence is not null limit 1",
        {"sha256": record["payload_sha256"]},
    )
    standing = OFFICIAL
    if kind == "training_result" and record["is_round_incomplete"]:
        standing = f"MLPerf result of a round that is held in part; {record['notes']}"
    if kind == "inference_result" and record["is_derived"]:
        standing += "; inferred by MLCommons' rules from a run of the same system"
    form, _, main_form = (record["publication_basis"] or "").partition("_beside_")
    if form == "read_singly" and kind == "inference_result":
        standing += "; read by itself from a log of a round that is held in part"
    if main_form:
        standing += (
            f"; the round's {main_form.replace('_', ' ')} lacks it, its {form.replace('_', ' ')} holds it"
        )
    return Evidence(
        id_, kind, f"{standing}. {DERIVED}", _cited(kind, record), next(iter(licences), None), record
    )


def _cited(kind: str, record: Row) -> str:
    suite = "Inference" if kind == "inference_result" else "Training"
    entry = record.get("submission_id") or record["result_id"]
    task = " ".join(filter(None, (record["benchmark_id"], record.get("scenario"))))
    return (
        f"MLPerf {record['release']} {suite} {str(record['division']).capitalize()} {task}, "
        f"{record['submitter']}, {record['system_name']}. Retrieved from {record['source_url']}, "
        f"{_day(record['fetched_at'])}, entry {entry}. {TRADEMARK}"
    )


def _day(moment: Any) -> str:
    return f"{moment:%Y-%m-%d}" if moment else "unknown"


def claims(by: str | None = None, *, database: Database = None) -> Table:
    """Return published claims about accelerators, each checked against MLPerf results, newest first.

    Args:
        by: who made them, such as ``NVIDIA``; several are separated by commas; None is all.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        The rows of mart_claim_check: ``verdict`` (holds, overstated, understated, refuted, not comparable, no data),
        ``ratio`` (measured ÷ claimed) and ``reason``.

    Raises:
        QuestionError: nobody of that name made one; the message says who did.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        checked = reader.table(_CLAIMS, {"by": by})
        if not checked.rows:
            makers = reader.words("select distinct claimed_by from mart_claim_check order by all")
            raise QuestionError(
                f"by is {by!r}: no claim of theirs was checked. Claims are by {', '.join(makers)}"
            )
        return checked


def accuracy(*, database: Database = None) -> Table:
    """Return how far estimates of each kind were from what was later measured or sold.

    Args:
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        The rows of mart_calibration, first those with enough cases: ``median_error_pct``, ``p90_error_pct``, and
        ``inside_pct``, the share of values that their ranges held.

    Raises:
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        return reader.table(
            "from mart_calibration order by not is_sufficient, n_cases desc, estimator, case_kind"
        )
