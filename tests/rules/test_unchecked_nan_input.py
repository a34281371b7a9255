"""What is done to a table of pandas between the file and the tensor. (pandas itself is not needed to say so.)"""

from __future__ import annotations

import pytest

import nanlint

HEADER = "import pandas as pd\nimport torch\n\n\ndef f(path):\n    df = pd.read_csv(path)\n"

UNCHECKED = [
    "return torch.tensor(df.values)",
    "return torch.from_numpy(df['price'].to_numpy())",
    "return torch.tensor(df.price.astype('float32').values)",
    "x = df[['a', 'b']].iloc[:, 0].values\nreturn torch.tensor((x - x.mean()) / 2.0)",
    "y = df.pop('y')\nreturn torch.tensor(df.drop('id', axis=1).values), y",
]
CHECKED = [
    "df = df.dropna()\nreturn torch.tensor(df.values)",
    "df.dropna(inplace=True)\nreturn torch.tensor(df.values)",
    "return torch.tensor(df.fillna(0).values)",
    "df['a'] = df['a'].interpolate()\nreturn torch.tensor(df['a'].values)",
    "assert not df.isna().any().any()\nreturn torch.tensor(df.values)",
    "if pd.isnull(df).values.any():\n    raise ValueError\nreturn torch.tensor(df.values)",
    "x = torch.tensor(df.values)\nreturn torch.nan_to_num(x)",
    "return torch.tensor(prepare(df))",
    "return df.values",
    "return torch.zeros(df.shape[0])",
]


def found(body: str) -> list[str]:
    text = HEADER + "".join(f"    {line}\n" for line in body.split("\n"))
    return [one.code for one in nanlint.check_source(text, select=["NL801"], confidence="possible")]


@pytest.mark.parametrize("body", UNCHECKED)
def test_a_table_that_becomes_a_tensor_as_it_was_read_is_possible(body: str) -> None:
    assert found(body) == ["NL801"]


@pytest.mark.parametrize("body", CHECKED)
def test_a_table_that_is_filled_or_looked_at_or_no_tensor_is_not(body: str) -> None:
    assert found(body) == []
