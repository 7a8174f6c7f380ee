"""The questions of this package as the command line and the tools for agents need them: arguments and their meaning.

Names, types, defaults and descriptions are those of the function and its docstring, and stand nowhere else.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

Question = Callable[..., Any]


@cache
def parameters_of(question: Question) -> dict[str, inspect.Parameter]:
    """Return the arguments of a question with their types, without the warehouse."""
    arguments = inspect.signature(question, eval_str=True).parameters
    return {name: parameter for name, parameter in arguments.items() if name != "database"}


def help_of(question: Question) -> str:
    """Return what a question answers: its docstring up to the arguments, without marks of code."""
    return _plain(inspect.getdoc(question) or "").partition("\n\nArgs:")[0]


def returns_of(question: Question) -> str:
    """Return what the answer holds, in one paragraph."""
    return " ".join(_section(question, "Returns").split())


@cache
def argument_texts(question: Question) -> dict[str, str]:
    """Return what each argument means, from the section ``Args`` of the docstring."""
    entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", _section(question, "Args"), flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


def _section(question: Question, title: str) -> str:
    section = re.search(
        rf"^{title}:\n((?:    .*\n?|\n)+)", _plain(inspect.getdoc(question) or ""), flags=re.MULTILINE
    )
    return section[1] if section else ""


def _plain(text: str) -> str:
    return text.replace("``", "")
