"""A command for each question of the package: its options are the arguments of the function, with their docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from dataclasses import asdict
from types import NoneType
from typing import Annotated, Any, get_args

import typer

from accelmart.cli import completion
from accelmart.cli.output import Format, FormatOption, JsonOption, note, print_json, print_rows
from accelmart.errors import EXIT_FAILED, EXIT_USAGE, CommandFailedError, QuestionError
from accelmart.published import Table
from accelmart.questions import Question, argument_texts, help_of, parameters_of

# prints an answer, of at most so many rows (0 is all); returns whether there was anything to answer with
Show = Callable[[Any, dict[str, Any], int], bool]


def count(text: str | float) -> float:
    """Parse a number with or without a magnitude, such as 405B; for `typer.Option(parser=...)`."""
    from accelmart.estimate.request import parse_count

    try:
        return parse_count(text)
    except ValueError as e:
        raise typer.BadParameter(str(e)) from None


def command_of(
    question: Question,
    show: Show,
    *,
    positional: Collection[str] = (),
    limit: int | None = None,
    cuts_files: bool = True,
) -> Callable[..., None]:
    """Return the command of a question.

    Args:
        question: function of the package.
        show: prints its answer as a table for people.
        positional: arguments that are no options.
        limit: rows that are printed unless ``--limit`` says otherwise; None: there is no such option.
        cuts_files: whether csv and json have at most as many rows, too.
    """

    def run(form: Format, as_json: bool, limit: int = 0, **given: Any) -> None:
        try:
            answer = question(**given)
        except QuestionError as e:
            flags = {n: f"--{n.replace('_', '-')}" for n in given if n not in positional}
            # an argument that the message is about, by the name that it has here
            text = re.sub(r"^\w+(?= is )|\b[a-z]+(?:_[a-z]+)+\b", lambda m: flags.get(m[0], m[0]), str(e))
            raise CommandFailedError(text, EXIT_FAILED if text == str(e) else EXIT_USAGE) from e
        form = Format.json if as_json else form
        if form is Format.table:
            if not show(answer, given, limit):
                raise typer.Exit(EXIT_FAILED)
            return
        for sentence in getattr(answer, "notes", ()):
            note(sentence)
        if isinstance(answer, Table):
            rows = answer.rows[: limit or None] if cuts_files else answer.rows
            print_rows(Table(answer.columns, rows), form)
        elif form is Format.json:
            print_json(asdict(answer))
        else:
            raise QuestionError(f"{form} needs rows: print this answer as a table or as json")

    texts = argument_texts(question)
    parameters = [
        _parameter(p, texts[name], is_option=name not in positional)
        for name, p in parameters_of(question).items()
    ]
    if limit is not None:
        parameters.append(_added("limit", Annotated[int, typer.Option(help="Rows; 0 is all.")], limit))
    parameters += [_added("form", FormatOption, Format.table), _added("as_json", JsonOption, False)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__doc__ = help_of(question)
    return run


def _parameter(parameter: inspect.Parameter, text: str, *, is_option: bool) -> inspect.Parameter:
    kinds = [
        kind for kind in get_args(parameter.annotation) or (parameter.annotation,) if kind is not NoneType
    ]
    kind = str if str in kinds else kinds[0]
    settings: dict[str, Any] = {
        "help": text[:1].upper() + text[1:],
        "autocompletion": completion.WORDS.get(parameter.name),
    }
    if kind is float:
        settings |= {"parser": count, "metavar": "NUMBER"}
    typed = kind if parameter.default is not None else kind | None
    flags = [f"--{parameter.name.replace('_', '-')}"] if kind is bool else []
    described = typer.Option(*flags, **settings) if is_option else typer.Argument(**settings)
    return _added(parameter.name, Annotated[typed, described], parameter.default)


def _added(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
