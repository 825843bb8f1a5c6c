"""Compiled templates: what is kept gives the same text, and is never trusted when anything changed."""

import os
import sys

import pytest
from jinja2 import DictLoader, Environment

from reporting.document.compiled import CompiledTemplates


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module whose bytecode lies beside it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "__pycache__").mkdir()
    module = tmp_path / "maker.py"
    module.write_text("")
    return module


def filled(module, text="{{ n }} trials", n=3):
    kept = CompiledTemplates(str(module))
    environment = Environment(loader=DictLoader({"page": text}), bytecode_cache=kept, autoescape=True)
    return environment.get_template("page").render(n=n)


def files(module):
    return sorted(module.parent.glob("__pycache__/*.template"))


@pytest.fixture
def compiled(monkeypatch):
    """The texts that were compiled."""
    texts, compile_ = [], Environment.compile
    monkeypatch.setattr(
        Environment, "compile", lambda self, text, *rest: texts.append(text) or compile_(self, text, *rest)
    )
    return texts


def test_a_template_is_compiled_once(module, compiled):
    assert [filled(module, n=n) for n in (3, 4)] == ["3 trials", "4 trials"]
    assert len(compiled) == len(files(module)) == 1


def test_a_change_of_text_or_module_compiles_again(module, compiled):
    filled(module)
    assert filled(module, "{{ n }} pairs") == "3 pairs"
    os.utime(module, (1, 1))
    assert filled(module, "{{ n }} pairs") == "3 pairs"
    assert len(compiled) == 3
    assert len(files(module)) == 1


@pytest.mark.parametrize("kept", [0, 5, 20, 60, -1])
def test_what_is_damaged_is_compiled_again(module, compiled, kept):
    filled(module)
    (path,) = files(module)
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    assert filled(module) == "3 trials"
    assert len(compiled) == 2
    assert path.read_bytes() == whole


def test_other_bytes_in_its_place_are_compiled_again(module):
    filled(module)
    (path,) = files(module)
    path.write_bytes(path.read_bytes()[:12] + b"\xff" * 40)
    assert filled(module) == "3 trials"


@pytest.mark.parametrize("why", ["no bytecode", "no folder"])
def test_where_python_keeps_nothing_a_template_is_compiled_each_time(module, monkeypatch, why):
    if why == "no bytecode":
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
    else:
        (module.parent / "__pycache__").rmdir()
    assert filled(module) == filled(module) == "3 trials"
    assert not files(module)
