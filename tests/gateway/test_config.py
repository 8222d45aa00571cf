"""Configuration from the environment, and secrets that are generated once."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from gateway.config import ConfigError, from_environment


def test_secrets_are_generated_once_and_kept_private(tmp_path: Path) -> None:
    env = {"ROUNDHOUSE_DATA": str(tmp_path)}
    first, second = from_environment(env), from_environment(env)
    assert first == second
    assert first.operator_token != first.token_secret
    path = tmp_path / "gateway" / "operator-token"
    assert path.read_text().strip() == first.operator_token
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(each.name for each in path.parent.iterdir()) == ["operator-token", "token-secret"]


def test_given_secrets_are_not_written_down(tmp_path: Path) -> None:
    env = {
        "ROUNDHOUSE_DATA": str(tmp_path),
        "ROUNDHOUSE_OPERATOR_TOKEN": "o" * 16,
        "ROUNDHOUSE_TOKEN_SECRET": "s" * 16,
        "ROUNDHOUSE_CORS_ORIGINS": "https://a.example, https://b.example",
        "ROUNDHOUSE_RATE_LIMIT": "0",
        "ROUNDHOUSE_SPECTATORS": "0",
    }
    config = from_environment(env)
    assert list(tmp_path.iterdir()) == []
    assert config.cors_origins == ("https://a.example", "https://b.example")
    assert (config.rate_limit, config.spectators) == (0, False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ROUNDHOUSE_RATE_LIMIT", "many"),
        ("ROUNDHOUSE_RATE_LIMIT", "-1"),
        ("ROUNDHOUSE_RULES_CHANNELS", "0"),
        ("ROUNDHOUSE_HEARTBEAT", "nan"),
        ("ROUNDHOUSE_OPERATOR_TOKEN", "short"),
    ],
)
def test_a_wrong_variable_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        from_environment({"ROUNDHOUSE_DATA": str(tmp_path), name: value})
