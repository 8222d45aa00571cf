"""The part of kustomize that the deployment uses, in a few functions: resources, namespace, labels, images, patches.

A patch is merged as Kubernetes does: tables by key, lists of named things by ``name``, other lists replaced.
"""

from __future__ import annotations

import copy
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

Manifest = dict[str, Any]
SUPPORTED = {"apiVersion", "kind", "namespace", "labels", "resources", "images", "patches"}
CLUSTER_WIDE = {"Namespace"}


class PatchError(Exception):
    """A patch whose target does not exist."""


def documents(path: Path) -> list[Manifest]:
    """All manifests of a file."""
    return copy.deepcopy(_parsed(path, path.stat().st_mtime_ns))


@lru_cache(maxsize=256)
def _parsed(path: Path, changed: int) -> list[Manifest]:
    return [d for d in yaml.safe_load_all(path.read_text(encoding="utf-8")) if d is not None]


def kustomization(folder: Path) -> Manifest:
    """The kustomization of a folder; fields that these functions do not know are an error."""
    (data,) = documents(folder / "kustomization.yaml")
    unknown = set(data) - SUPPORTED
    if unknown:
        raise ValueError(f"{folder.name}: the tests do not know {sorted(unknown)}")
    return data


def build(folder: Path) -> list[Manifest]:
    """What ``kubectl kustomize`` would print for a folder."""
    spec = kustomization(folder)
    manifests: list[Manifest] = []
    for name in spec.get("resources", []):
        path = (folder / name).resolve()
        manifests.extend(build(path) if path.is_dir() else documents(path))
    for patch in spec.get("patches", []):
        for document in documents(folder / patch["path"]):
            _apply(manifests, document, patch["path"])
    for manifest in manifests:
        _name_and_label(manifest, spec)
        for container in containers(manifest):
            container["image"] = _image(container["image"], spec.get("images", []))
    return manifests


def identity(manifest: Manifest) -> tuple[str, str]:
    return (manifest["kind"], manifest["metadata"]["name"])


def containers(manifest: Manifest) -> list[Manifest]:
    """Containers of a workload, or none."""
    template = manifest.get("spec", {}).get("template", {}) if manifest["kind"] in WORKLOADS else {}
    found: list[Manifest] = template.get("spec", {}).get("containers", [])
    return found


WORKLOADS = ("Deployment", "StatefulSet")


def _apply(manifests: list[Manifest], patch: Manifest, where: str) -> None:
    for index, manifest in enumerate(manifests):
        if identity(manifest) == identity(patch) and manifest["apiVersion"] == patch["apiVersion"]:
            if patch["metadata"].get("namespace") != manifest["metadata"].get("namespace"):
                continue
            manifests[index] = merge(manifest, patch)
            return
    raise PatchError(f"{where}: there is no {patch['kind']} {patch['metadata']['name']} to patch")


def merge(base: Any, patch: Any) -> Any:
    """``base`` changed by a strategic-merge ``patch``."""
    if isinstance(base, dict) and isinstance(patch, dict):
        result = dict(base)
        for key, value in patch.items():
            if value is None:
                result.pop(key, None)
            else:
                result[key] = merge(base[key], value) if key in base else value
        return result
    if _named(base) and _named(patch):
        by_name = {item["name"]: item for item in base}
        for item in patch:
            by_name[item["name"]] = merge(by_name.get(item["name"], {}), item)
        return list(by_name.values())
    return patch


def _named(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) and "name" in item for item in value)


def _name_and_label(manifest: Manifest, spec: Manifest) -> None:
    metadata = manifest["metadata"]
    if "namespace" in spec and manifest["kind"] not in CLUSTER_WIDE:
        metadata["namespace"] = spec["namespace"]
    for label in spec.get("labels", []):
        metadata["labels"] = {**metadata.get("labels", {}), **label["pairs"]}


def _image(image: str, changes: list[Manifest]) -> str:
    name, _, tag = image.partition(":")
    for change in changes:
        if change["name"] == name:
            name = change.get("newName", name)
            if "digest" in change:
                return f"{name}@{change['digest']}"
            tag = change.get("newTag", tag)
    return f"{name}:{tag}" if tag else name
