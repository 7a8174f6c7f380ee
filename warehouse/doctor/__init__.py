"""What can be wrong with an installation, checked without changing it; each finding says what to do."""
