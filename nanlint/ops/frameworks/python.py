"""What Python's own library, and packages that work on trees, do with functions and values."""

from __future__ import annotations

SPELLINGS = {
    "functools.cache(user_function)": "returns(x=user_function)",
    "functools.lru_cache(maxsize, typed)": "returns(x=maxsize)",
    "functools.wraps(wrapped)": "returns(x=wrapped)",
    "copy.{copy,deepcopy}(x)": "returns(x=x)",
    "types.MappingProxyType(mapping)": "returns(x=mapping)",
    "functools.partial(func, *args)": "partial(f=func, rest=*args)",
    "functools.reduce(function, iterable, initial)": "fold(f=function, init=initial, xs=iterable)",
    "builtins.map(function, *iterables)": "map(f=function, rest=*iterables)",
    "builtins.filter(function, iterable)": "filter(f=function, x=iterable)",
    "optree.tree_map(func, tree, *rests)": "tree_map(f=func, x=tree, rest=*rests)",
    "tree.map_structure(func, *structures)": "tree_map(f=func, rest=*structures)",
    "collections.namedtuple(typename, field_names)": "record_class(name=typename, fields=field_names)",
    "typing.NamedTuple(typename, fields)": "record_class(name=typename, fields=fields)",
    "collections.OrderedDict(items)": "pairs(x=items)",
    "{argparse.Namespace,types.SimpleNamespace}()": "namespace()",
    "{argparse.ArgumentParser,configargparse.ArgumentParser,configargparse.ArgParser}()": "parser()",
    "warnings.{simplefilter,filterwarnings}()": "warnings()",
    "warnings.catch_warnings()": "region(kind='errstate')",
    "operator.add(a, b)": "add(a=a, b=b)",
    "operator.sub(a, b)": "sub(a=a, b=b)",
    "operator.mul(a, b)": "mul(a=a, b=b)",
    "operator.truediv(a, b)": "div(a=a, b=b)",
    "operator.pow(a, b)": "pow(x=a, y=b)",
}
