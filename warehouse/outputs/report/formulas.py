"""The scalar functions of a warehouse file as JavaScript, so that a slider and a table use one formula.

A function is translated where its body is arithmetic, or chooses words by it; a subquery without arguments is a
constant, read from the file. NULL of SQL is NaN inside of a formula; a result that is not finite is null.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import duckdb
import sqlglot
from sqlglot import exp

_FUNCTIONS = """
    select distinct function_name, parameters, macro_definition
    from duckdb_functions() where function_type = 'macro' and not internal order by function_name
"""
_PRELUDE = """\
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const finite = (value) => (isNumber(value) || typeof value === "string" ? value : null);
const nullif = (value, other) => (value === other ? NaN : value);
const coalesce = (...values) => values.find((value) => !Number.isNaN(value)) ?? NaN;
const extreme = (choose, ...values) => choose(...values.filter((value) => !Number.isNaN(value)));
const each = (value, change) => (value instanceof Object
  ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, change(field)])) : change(value));
const formula = (compute) => (...inputs) => {
  const result = compute(...inputs.map((input) => each(input, (value) => value ?? NaN)));
  return each(result, finite);
};
"""
_BINARY: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.EQ: "===", exp.And: "&&", exp.Or: "||",
}  # fmt: skip
_CALLS: dict[type[exp.Expr], str] = {
    exp.Ceil: "Math.ceil(", exp.Ln: "Math.log(", exp.Pow: "Math.pow(", exp.Nullif: "nullif(",
    exp.Coalesce: "coalesce(", exp.Exp: "Math.exp(", exp.Sqrt: "Math.sqrt(",
    exp.Greatest: "extreme(Math.max, ", exp.Least: "extreme(Math.min, ",
}  # fmt: skip


class _NoArithmeticError(ValueError):
    """A formula has a part that is not translated."""


def formulas(db: duckdb.DuckDBPyConnection) -> str:
    """Return a script with each scalar function of an open warehouse file that is arithmetic, under its SQL name."""
    lines = [_PRELUDE]
    for name, parameters, body in db.execute(_FUNCTIONS).fetchall():
        try:
            lines.append(f"const {name} = formula(({', '.join(parameters)}) => {_translated(db, body)});\n")
        except (_NoArithmeticError, sqlglot.ParseError):
            continue
    return "".join(lines)


def _translated(db: duckdb.DuckDBPyConnection, body: str) -> str:
    def constant(query: exp.Expr) -> str:
        try:
            row = db.execute(query.sql("duckdb")).fetchone()
        except duckdb.Error as e:  # it has an argument of the function
            raise _NoArithmeticError from e
        return repr(float(row[0])) if row and isinstance(row[0], float | int) else _refuse(query)

    return _javascript(sqlglot.parse_one(body, dialect="duckdb"), constant)


def _javascript(node: exp.Expr, constant: Callable[[exp.Expr], str]) -> str:
    def of(part: exp.Expr) -> str:
        return _javascript(part, constant)

    if operator := _BINARY.get(type(node)):
        return f"({of(node.this)} {operator} {of(node.expression)})"
    if call := _CALLS.get(type(node)):
        return f"{call}{', '.join(of(part) for part in node.iter_expressions())})"
    match node:
        case exp.Paren() | exp.Cast():
            return of(node.this)
        case exp.Neg():
            return f"(-{of(node.this)})"
        case exp.Literal():
            return json.dumps(node.this) if node.is_string else str(node.this)
        case exp.Column() if not node.table:
            return node.name
        case exp.Null():
            return "NaN"
        case exp.Dot():  # a field of a struct
            return f"{of(node.this)}.{node.name}"
        case exp.Struct():
            return f"({{ {', '.join(f'{pair.name}: {of(pair.expression)}' for pair in node.expressions)} }})"
        case exp.Case() if node.this is None:
            otherwise = of(node.args["default"]) if node.args.get("default") else "NaN"
            for branch in reversed(node.args["ifs"]):
                otherwise = f"({of(branch.this)} ? {of(branch.args['true'])} : {otherwise})"
            return otherwise
        case exp.Subquery():
            return constant(node)
    return _refuse(node)


def _refuse(node: exp.Expr) -> str:
    raise _NoArithmeticError(type(node).__name__)
