"""The report: one self-contained HTML page with the figures of one published generation and their evidence.

It is made from the DuckDB file only; neither writing nor reading it needs a network.
"""

from warehouse.outputs.report.page import NoReportError, Report, place_report, report_of, write_report

__all__ = ["NoReportError", "Report", "place_report", "report_of", "write_report"]
