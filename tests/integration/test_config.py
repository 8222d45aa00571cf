"""Configuration from the environment, and the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from services.cli import main
from services.devstack.config import StackConfig, StackError
from services.devstack.stack import Stack
from services.rules.config import VARIABLES, ConfigError, RulesConfig


def test_defaults_hold_without_any_variable() -> None:
    assert RulesConfig.from_env({}) == RulesConfig()
    assert StackConfig.from_env({}).data == Path("data")


def test_variables_are_read_as_their_types() -> None:
    config = RulesConfig.from_env({"ROUNDHOUSE_RULES_PROCESSES": "3", "ROUNDHOUSE_REDIS_TIMEOUT": "1.5"})
    assert (config.processes, config.redis_timeout) == (3, 1.5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ROUNDHOUSE_RULES_PROCESSES", "many"),
        ("ROUNDHOUSE_RULES_PROCESSES", "0"),
        ("ROUNDHOUSE_REDIS_MIN_REPLICAS", "-1"),
        ("ROUNDHOUSE_REDIS_TIMEOUT", "soon"),
        ("ROUNDHOUSE_IMPORT_SECONDS", "0"),
        ("ROUNDHOUSE_RULES_LISTEN", "localhost"),
        ("ROUNDHOUSE_RULES_LISTEN", "localhost:port"),
    ],
)
def test_a_wrong_value_is_named(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} must") as caught:
        RulesConfig.from_env({name: value})
    assert "$" not in str(caught.value)


@pytest.mark.parametrize(("name", "value"), [("ROUNDHOUSE_REDIS_PORT", "x"), ("ROUNDHOUSE_REDIS_FSYNC", "never")])
def test_a_wrong_value_of_the_stack_is_named(name: str, value: str) -> None:
    with pytest.raises(StackError, match=name):
        StackConfig.from_env({name: value})


def test_an_address_without_a_port_is_refused() -> None:
    with pytest.raises(StackError, match="localhost"):
        Stack(StackConfig.from_env({"ROUNDHOUSE_GATEWAY_LISTEN": "localhost"}))


def test_every_variable_of_the_service_is_in_the_readme() -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    assert [name for name in VARIABLES.values() if f"`{name}`" not in readme] == []


def test_help_lists_every_command_without_loading_it() -> None:
    text = CliRunner().invoke(main, ["--help"]).output
    assert all(name in text for name in ("demo", "replay", "run", "serve", "solve"))
    assert "..." not in text.partition("Commands:")[2], "help is not cut off"


def test_a_wrong_variable_ends_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDHOUSE_RULES_PROCESSES", "0")
    result = CliRunner().invoke(main, ["serve", "rules"])
    assert result.exit_code == 1
    assert result.output == "Error: ROUNDHOUSE_RULES_PROCESSES must be at least 1\n"
