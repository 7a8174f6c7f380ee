// DuckDB imports the names of this module; the script of Apache Arrow sets them in a global variable.
export const { RecordBatchReader, Table, tableToIPC } = globalThis.Arrow;
