"""The report: one self-contained HTML page with the figures of one published generation and the evidence of each.

It is made from the DuckDB file alone and asks nothing of a network when it is made or read.
"""

from warehouse.report.page import NoReportError, Report, attempt, place_report, report_of, write_report

__all__ = ["NoReportError", "Report", "attempt", "place_report", "report_of", "write_report"]
