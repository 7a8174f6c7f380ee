"""`python -m accelmart`: the command line."""

from accelmart.cli import main

main()
