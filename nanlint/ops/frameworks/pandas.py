"""How pandas reads tables, hands on their columns, and fills or drops what is missing in them."""

# ruff: noqa: E501 (one line a spelling)

from __future__ import annotations

SPELLINGS = {
    "pandas.{read_csv,read_table}(filepath_or_buffer, *, na_filter)": "table(source=filepath_or_buffer, whole=na_filter)",
    "pandas.read_fwf(filepath_or_buffer)": "table(source=filepath_or_buffer)",
    "pandas.read_excel(io, *, na_filter)": "table(source=io, whole=na_filter)",
    "pandas.{read_json,read_hdf}(path_or_buf)": "table(source=path_or_buf)",
    "pandas.{read_parquet,read_feather}(path)": "table(source=path)",
    "pandas.read_sql(sql, con)": "table(source=sql)",
    "pandas.{,DataFrame.}{isna,isnull,notna,notnull}(obj)": "isnan(x=obj)",
    "pandas.DataFrame.{dropna,ffill,bfill}(self)": "without_nan(x=self)",
    "pandas.DataFrame.fillna(self, value)": "without_nan(x=self)",
    "pandas.DataFrame.interpolate(self, method)": "without_nan(x=self)",
    "pandas.DataFrame.{to_numpy,astype}(self, dtype)": "cast(x=self, dtype=dtype)",
    "pandas.DataFrame.copy(self, deep)": "view(x=self)",
    "pandas.DataFrame.reset_index(self)": "view(x=self)",
    "pandas.DataFrame.set_index(self, keys)": "part(x=self)",
    "pandas.DataFrame.drop(self, labels)": "part(x=self)",
    "pandas.DataFrame.pop(self, item)": "part(x=self)",
    "pandas.DataFrame.{head,tail,sample}(self, n)": "part(x=self)",
    "pandas.DataFrame.sort_values(self, by)": "view(x=self)",
}
