"""What every specification parser yields: one row per figure of a product, in the source's words beside the number.

A parser converts units and says what the figure is *of*: with or without sparsity, one direction of a link or both,
one accelerator or a board of eight. It does not make figures comparable: halving, doubling and dividing are formulas
of the warehouse (macros/specs/specs.sql), where they are tested and seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ingest.core.records import Parsed

NO_FIGURE = "no figure is published"
Per = Literal["chip", "card", "superchip", "board", "rack", "instance", "pod"]

UNITS = {
    "bf16_dense_tflops": "TFLOP/s",
    "fp16_dense_tflops": "TFLOP/s",
    "fp8_dense_tflops": "TFLOP/s",
    "fp4_dense_tflops": "TFLOP/s",
    "tf32_dense_tflops": "TFLOP/s",
    "fp32_tflops": "TFLOP/s",
    "fp64_tflops": "TFLOP/s",
    "int8_dense_tops": "TOP/s",
    "memory_gb": "GB",
    "memory_bandwidth_gb_s": "GB/s",
    "scale_up_bandwidth_gb_s": "GB/s",
    "tdp_w": "W",
}
"""Our attributes and the unit of each; GB is 10⁹ bytes."""

PLAUSIBLE = {
    **dict.fromkeys(("bf16_dense_tflops", "fp16_dense_tflops", "tf32_dense_tflops"), (0.1, 1e5)),
    **dict.fromkeys(("fp8_dense_tflops", "int8_dense_tops"), (0.1, 2e5)),
    "fp4_dense_tflops": (1.0, 4e5),
    "fp32_tflops": (0.1, 1e4),
    "fp64_tflops": (0.01, 1e4),
    "memory_gb": (0.1, 2_000.0),
    "memory_bandwidth_gb_s": (10.0, 1e5),
    "scale_up_bandwidth_gb_s": (1.0, 2e4),
    "tdp_w": (1.0, 5_000.0),
}
"""What one accelerator can have (2010 to 2027). A figure outside was read with a wrong unit or a wrong count."""


@dataclass(frozen=True, kw_only=True)
class SpecValue:
    """One figure of one product, as its source states it.

    Attributes:
        source: registered specification source.
        product_published: the product in the source's words (a column head, a page's title).
        attribute: what the figure is compared as, of `UNITS`. A figure with sparsity stands under the dense
            attribute with `is_sparse`: the warehouse makes it dense.
        value: the published figure in `unit`: of all `per_count` accelerators, with sparsity if `is_sparse`.
        unit: unit of the attribute.
        value_published: the figure in the source's own digits.
        unit_published: the unit in the source's own words; with a binary prefix (GiB) the value is 2³⁰-based.
        is_sparse: holds only with 2:4 structured sparsity.
        is_bidirectional: of a link: both directions added up; None where the source does not say or it is no link.
        per: what the figure is of.
        per_count: how many accelerators that has.
        member: file inside the payload; "" when the payload is one file.
        record: position in that file.
        source_url: where a person sees the figure.
        note: the cell or sentence it was read from.
    """

    source: str
    product_published: str
    attribute: str
    value: float
    value_published: str
    unit_published: str
    source_url: str
    member: str
    record: str
    note: str
    is_sparse: bool = False
    is_bidirectional: bool | None = None
    per: str = "chip"
    per_count: int = 1
    unit: str = ""

    def __post_init__(self) -> None:
        """Fill in the attribute's unit and refuse what can be no specification of one accelerator.

        Raises:
            ValueError: an unknown attribute, no product, or a figure no accelerator can have.
        """
        if self.attribute not in UNITS:
            raise ValueError(f"{self.attribute!r} is no attribute")
        if not self.product_published.strip():
            raise ValueError("names no product")
        if self.per_count < 1:
            raise ValueError(f"is of {self.per_count} accelerators")
        low, high = PLAUSIBLE[self.attribute]
        each = self.value / self.per_count
        if not low <= each <= high:
            raise ValueError(
                f"{self.attribute} of {self.value_published!r} {self.unit_published} is {each:.6g} "
                f"{UNITS[self.attribute]} an accelerator: no accelerator has that ({low:g} to {high:g})"
            )
        object.__setattr__(self, "unit", UNITS[self.attribute])


@dataclass(init=False)
class SpecAccount(Parsed[SpecValue]):
    """The account of one payload of specifications: every figure that is recognised counts as one record.

    Args:
        where: the payload, for messages.
    """

    def __init__(self, where: str) -> None:
        super().__init__(
            payload=where, remedy="look at the saved payload; if it is right, mend the parser in ingest/specs"
        )

    def add_figure(self, **fields: object) -> None:
        """Count a figure: as a row, or as rejected when no accelerator can have it."""
        with self.catch(str(fields["record"]), payload=str(fields["member"])):
            self.add(SpecValue(**fields))  # type: ignore[arg-type]

    def settle(self) -> Parsed[SpecValue]:
        """Return the account with every repeated figure once."""
        self.records_in = self.accounted
        self.fold(
            lambda row: (
                *(row.product_published, row.attribute, row.value),
                *(row.is_sparse, row.is_bidirectional, row.per_count),
            ),
            lambda same: "",
        )
        return self.checked(self.payload)
