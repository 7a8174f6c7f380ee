"""What is made of the published file: exports, report, documentation, website."""
