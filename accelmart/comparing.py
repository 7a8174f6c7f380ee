"""Accelerators side by side: the functions ``compare`` and ``alternatives`` of the published file."""

from __future__ import annotations

from dataclasses import replace

from accelmart.calibration import level_errors
from accelmart.errors import QuestionError
from accelmart.names import Names
from accelmart.published import Database, Table, reading


def compare(a: str, b: str, *, database: Database = None) -> Table:
    """Return what is known of both accelerators: specification, throughput, cost, rent, ownership, energy.

    Args:
        a: key of dim_accelerator or a usual name, such as ``H100``; what it was taken for is a note.
        b: the other one.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row an item that both have, beginning with what the same sellers ask for both: ``accelerator_a``,
        ``accelerator_b``, ``topic``, ``item``, ``unit`` (of the values), ``release_a``, ``release_b``, ``value_a``,
        ``value_b`` and ``a_to_b`` (their ratio), each with low and high where known, ``detail_a`` and ``detail_b``
        (sellers and machines behind a price), ``evidence_a`` and ``evidence_b`` (ids of results and offers),
        ``size_note_a`` and ``size_note_b`` where a price is of fewer accelerators than were measured. Inference and
        costs of tokens rest on the best available result of each, of any round; ``a_to_b_of_medians`` is the ratio of
        medians in the newest round with both, and ``medians_note`` is set where it differs by more than 10 %.

    Raises:
        QuestionError: a name stands for no accelerator or several, or both for one; the message names candidates.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        for word in (a, b):
            names.key("accelerator", word)
        return replace(reader.ask("compare", a=a, b=b), notes=(*names.notes, *level_errors(reader)))


def alternatives(accelerator: str, *, database: Database = None) -> Table:
    """Return what the tasks that MLPerf measured on an accelerator cost on it and on every other one measured at them.

    Args:
        accelerator: key of dim_accelerator, a usual name, or the beginning of product names, such as ``TPU``.
        database: file, folder or URL of the warehouse, or one that is open; None is the published one.

    Returns:
        One row per task and accelerator, the rows of the function ``alternatives``: training first, each task by cost.
        ``usd_per_task`` with low and high on demand, ``usd_per_task_at_spot`` as spot, and at the list price of the
        seller (``usd_per_task_at_only_seller``) where the accelerators asked for have only one; ``rent_basis``,
        ``verdict`` and ``caveats`` in words.

    Raises:
        QuestionError: no name begins with the word, or nothing else was measured at a task; the message has candidates.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        tasks = reader.ask("alternatives", accelerator=accelerator)
        if not tasks.rows:
            raise QuestionError(f"no other accelerator was measured at a task of {accelerator}")
        keys = sorted({row["accelerator_id"] for row in tasks.records() if row["is_asked"]})
        return replace(tasks, notes=(f"{accelerator} is read as {', '.join(keys)}",))
