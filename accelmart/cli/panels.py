"""Sections of `accelmart --help`, in this order."""

ASK, SHOW, FILL, TEND = "Ask", "Look and export", "Build and refresh", "Operate"
PANELS = (ASK, SHOW, FILL, TEND)
