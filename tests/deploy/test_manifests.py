"""The Kubernetes manifests are valid, hardened, and fit together."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml

from .kustomize import (
    WORKLOADS,
    Manifest,
    PatchError,
    build,
    containers,
    documents,
    identity,
    kustomization,
    merge,
)

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
BASE, PRODUCTION = DEPLOY / "base", DEPLOY / "overlays" / "production"
FOLDERS = {"base": BASE, "production": PRODUCTION}
OLDEST, NEWEST = "1.27", kubernetes_validate.latest_version()
CUSTOM = "keda.sh/v1alpha1"
SECRET = "roundhouse-secrets"
SECRET_KEYS = {"redis-password", "operator-token", "token-secret"}

both = pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS.keys())


def of_kind(manifests: list[Manifest], *kinds: str) -> list[Manifest]:
    return [m for m in manifests if m["kind"] in kinds]


def named(manifests: list[Manifest], kind: str, name: str) -> Manifest:
    (found,) = [m for m in manifests if identity(m) == (kind, name)]
    return found


def pod_labels(workload: Manifest) -> dict[str, str]:
    labels: dict[str, str] = workload["spec"]["template"]["metadata"]["labels"]
    return labels


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a label selector (``matchLabels`` and ``In`` expressions) selects a pod."""
    wanted = selector.get("matchLabels", {})
    listed = selector.get("matchExpressions", [])
    return all(labels.get(k) == v for k, v in wanted.items()) and all(
        e["operator"] == "In" and labels.get(e["key"]) in e["values"] for e in listed
    )


def container_ports(workload: Manifest) -> dict[str, int]:
    return {p["name"]: p["containerPort"] for c in containers(workload) for p in c.get("ports", [])}


@both
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_every_manifest_fits_its_kubernetes_schema(folder: Path, version: str) -> None:
    for manifest in build(folder):
        if manifest["apiVersion"] != CUSTOM:
            kubernetes_validate.validate(manifest, version, strict=True)


def test_a_wrong_manifest_is_found() -> None:
    rules = named(build(BASE), "Deployment", "roundhouse-rules")
    wrong = merge(rules, {"spec": {"replica": 3}})
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, NEWEST, strict=True)


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS.keys())
def test_every_file_is_listed_and_every_listed_file_exists(folder: Path) -> None:
    spec = kustomization(folder)
    listed = {*spec.get("resources", []), *(p["path"] for p in spec.get("patches", []))}
    present = {p.name for p in folder.glob("*.yaml")} - {"kustomization.yaml"}
    assert {name for name in listed if not (folder / name).is_dir()} == present
    assert all((folder / name).exists() for name in listed)


@both
def test_no_two_manifests_have_the_same_name(folder: Path) -> None:
    names = [identity(m) for m in build(folder)]
    assert len(names) == len(set(names))


def test_a_patch_without_target_is_found(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\npatches: [{path: b.yaml}]\n")
    (tmp_path / "a.yaml").write_text("{apiVersion: v1, kind: Service, metadata: {name: a}}")
    (tmp_path / "b.yaml").write_text("{apiVersion: v1, kind: Service, metadata: {name: b}}")
    with pytest.raises(PatchError, match="no Service b"):
        build(tmp_path)


@both
def test_kubectl_builds_the_same(folder: Path) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed; the functions of this folder stand in for it")
    command = ["kubectl", "kustomize", str(folder)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    theirs = {identity(m): m for m in yaml.safe_load_all(printed)}
    ours = {identity(m): m for m in build(folder)}
    assert theirs == ours


@both
def test_every_container_has_probes_and_limits(folder: Path) -> None:
    for workload in of_kind(build(folder), *WORKLOADS):
        for container in containers(workload):
            assert {"startupProbe", "readinessProbe", "livenessProbe"} <= set(container), identity(workload)
            for bound in ("requests", "limits"):
                assert {"cpu", "memory"} <= set(container["resources"][bound]), identity(workload)


def test_probes_ask_what_the_programs_answer() -> None:
    manifests = build(BASE)
    (rules,) = containers(named(manifests, "Deployment", "roundhouse-rules"))
    assert rules["readinessProbe"]["grpc"] == {"port": 50051, "service": "roundhouse.v1.RulesService"}
    (gateway,) = containers(named(manifests, "Deployment", "roundhouse-gateway"))
    assert gateway["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert gateway["livenessProbe"]["httpGet"]["path"] == "/healthz"
    (worker,) = containers(named(manifests, "Deployment", "roundhouse-routing-interactive"))
    assert "celery -A services.routing.app inspect ping" in worker["livenessProbe"]["exec"]["command"][-1]


@both
def test_probes_and_services_name_ports_that_containers_open(folder: Path) -> None:
    manifests = build(folder)
    for workload in of_kind(manifests, *WORKLOADS):
        ports = container_ports(workload)
        for container in containers(workload):
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                for way in ("httpGet", "tcpSocket", "grpc"):
                    port = container[probe].get(way, {}).get("port")
                    assert port is None or port in ports or port in ports.values()
    for service in of_kind(manifests, "Service"):
        targets = [
            w
            for w in of_kind(manifests, *WORKLOADS)
            if selects({"matchLabels": service["spec"]["selector"]}, pod_labels(w))
        ]
        assert targets, identity(service)
        for port in service["spec"]["ports"]:
            assert all(port["targetPort"] in container_ports(w) for w in targets), identity(service)


@both
def test_pods_run_without_privileges(folder: Path) -> None:
    for workload in of_kind(build(folder), *WORKLOADS):
        pod = workload["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in containers(workload):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


@both
def test_service_accounts_exist_and_mount_no_token(folder: Path) -> None:
    manifests = build(folder)
    accounts = {m["metadata"]["name"]: m for m in of_kind(manifests, "ServiceAccount")}
    used = {w["spec"]["template"]["spec"]["serviceAccountName"] for w in of_kind(manifests, *WORKLOADS)}
    assert used == set(accounts)
    assert all(account["automountServiceAccountToken"] is False for account in accounts.values())


@both
def test_secrets_are_only_referred_to(folder: Path) -> None:
    manifests = build(folder)
    assert of_kind(manifests, "Secret") == []
    used = set()
    for workload in of_kind(manifests, *WORKLOADS):
        for container in containers(workload):
            for variable in container.get("env", []):
                reference = variable.get("valueFrom", {}).get("secretKeyRef")
                if reference:
                    assert reference["name"] == SECRET
                    used.add(reference["key"])
                elif re.search("PASSWORD|TOKEN|SECRET|AUTH", variable["name"]):
                    raise AssertionError(f"{variable['name']} is written in a manifest")
                else:
                    assert "@" not in re.sub(r"\$\([A-Z_]+\)@", "", variable["value"])
    assert used == SECRET_KEYS
    readme = (DEPLOY / "README.md").read_text(encoding="utf-8")
    assert all(f"--from-literal={key}=" in readme for key in SECRET_KEYS)


@both
def test_variables_refer_to_maps_and_variables_that_exist(folder: Path) -> None:
    manifests = build(folder)
    maps = {m["metadata"]["name"] for m in of_kind(manifests, "ConfigMap")}
    for workload in of_kind(manifests, *WORKLOADS):
        for container in containers(workload):
            for source in container.get("envFrom", []):
                assert source["configMapRef"]["name"] in maps
            known: set[str] = set()
            for variable in container.get("env", []):
                assert set(re.findall(r"\$\(([A-Z_]+)\)", variable.get("value", ""))) <= known
                known.add(variable["name"])
        for volume in workload["spec"]["template"]["spec"].get("volumes", []):
            if "configMap" in volume:
                assert volume["configMap"]["name"] in maps


@both
def test_volume_mounts_have_volumes(folder: Path) -> None:
    for workload in of_kind(build(folder), *WORKLOADS):
        spec = workload["spec"]
        names = {v["name"] for v in spec["template"]["spec"].get("volumes", [])}
        names |= {claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", [])}
        mounted = {m["name"] for c in containers(workload) for m in c.get("volumeMounts", [])}
        assert mounted == names, identity(workload)


@both
def test_workloads_budgets_and_autoscalers_select_each_other(folder: Path) -> None:
    manifests = build(folder)
    workloads = of_kind(manifests, *WORKLOADS)
    for workload in workloads:
        assert selects(workload["spec"]["selector"], pod_labels(workload))
        spread = workload["spec"]["template"]["spec"].get("topologySpreadConstraints", [])
        assert all(selects(c["labelSelector"], pod_labels(workload)) for c in spread)
    for a in workloads:
        for b in workloads:
            assert a is b or not selects(a["spec"]["selector"], pod_labels(b))
    for budget in of_kind(manifests, "PodDisruptionBudget"):
        chosen = [w for w in workloads if selects(budget["spec"]["selector"], pod_labels(w))]
        assert [w["metadata"]["name"] for w in chosen] == [budget["metadata"]["name"]]
    assert len(of_kind(manifests, "PodDisruptionBudget")) == len(workloads)
    for scaler in of_kind(manifests, "HorizontalPodAutoscaler"):
        target = scaler["spec"]["scaleTargetRef"]
        deployment = named(manifests, target["kind"], target["name"])
        assert "replicas" not in deployment["spec"]
        assert 2 <= scaler["spec"]["minReplicas"] <= scaler["spec"]["maxReplicas"]


@both
def test_a_process_stops_within_the_grace_of_its_pod(folder: Path) -> None:
    manifests = build(folder)
    grace = int(named(manifests, "ConfigMap", "roundhouse-config")["data"]["ROUNDHOUSE_GRACE"])
    for name in ("roundhouse-rules", "roundhouse-gateway"):
        deployment = named(manifests, "Deployment", name)
        (container,) = containers(deployment)
        sleep = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
        assert sleep + grace + 10 <= deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]


def test_the_ingress_reaches_the_gateway_and_has_tls_in_production() -> None:
    for folder in FOLDERS.values():
        manifests = build(folder)
        (ingress,) = of_kind(manifests, "Ingress")
        (rule,) = ingress["spec"]["rules"]
        backend = rule["http"]["paths"][0]["backend"]["service"]
        service = named(manifests, "Service", backend["name"])
        assert backend["port"]["name"] in {p["name"] for p in service["spec"]["ports"]}
    (tls,) = ingress["spec"]["tls"]
    assert tls["hosts"] == [rule["host"]] and tls["secretName"]


def test_production_names_every_image_by_digest() -> None:
    for workload in of_kind(build(PRODUCTION), *WORKLOADS):
        for container in containers(workload):
            assert re.fullmatch(r"[a-z0-9./-]+@sha256:[0-9a-f]{64}", container["image"]), container["image"]


def test_production_has_more_of_everything_than_the_base() -> None:
    base, production = build(BASE), build(PRODUCTION)
    for scaler in of_kind(base, "HorizontalPodAutoscaler"):
        more = named(production, scaler["kind"], scaler["metadata"]["name"])["spec"]
        assert more["minReplicas"] > scaler["spec"]["minReplicas"]
        assert more["metrics"] == scaler["spec"]["metrics"]
    redis = named(production, "StatefulSet", "roundhouse-redis")
    (claim,) = redis["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["resources"]["requests"]["storage"] == "100Gi"
    assert containers(redis)[0]["command"], "the patch keeps what it does not name"


# Network policies ----------------------------------------------------------------------------------------------


def allows(
    manifests: list[Manifest], direction: str, pod: Mapping[str, str], peer: Mapping[str, Any], port: int
) -> bool:
    """Whether the policies let a pod's traffic pass: ``peer`` has ``pod`` labels or a ``namespace`` name."""
    side = "to" if direction == "Egress" else "from"
    for policy in of_kind(manifests, "NetworkPolicy"):
        spec = policy["spec"]
        if direction not in spec["policyTypes"] or not selects(spec["podSelector"], pod):
            continue
        for rule in spec.get(direction.lower(), []):
            if port in [p["port"] for p in rule["ports"]] and any(_is(peer, p) for p in rule[side]):
                return True
    return False


def _is(peer: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    if "namespaceSelector" in entry:
        labels = {"kubernetes.io/metadata.name": peer.get("namespace", "roundhouse")}
        return selects(entry["namespaceSelector"], labels) and selects(
            entry.get("podSelector", {}), peer.get("pod", {})
        )
    return "namespace" not in peer and selects(entry["podSelector"], peer["pod"])


FLOWS = {
    ("roundhouse-gateway", "roundhouse-rules", 50051),
    ("roundhouse-gateway", "roundhouse-redis", 6379),
    ("roundhouse-rules", "roundhouse-redis", 6379),
    ("roundhouse-routing-interactive", "roundhouse-redis", 6379),
    ("roundhouse-routing-background", "roundhouse-redis", 6379),
}


@both
def test_the_network_lets_exactly_the_needed_flows_pass(folder: Path) -> None:
    manifests = build(folder)
    pods = {w["metadata"]["name"]: pod_labels(w) for w in of_kind(manifests, *WORKLOADS)}
    passing = set()
    for client, client_labels in pods.items():
        for server, server_labels in pods.items():
            for port in (50051, 6379, 8000):
                out = allows(manifests, "Egress", client_labels, {"pod": server_labels}, port)
                into = allows(manifests, "Ingress", server_labels, {"pod": client_labels}, port)
                assert out == into or not out, f"{client} may send to {server}:{port}, which does not let it in"
                if out and into:
                    passing.add((client, server, port))
    assert passing == FLOWS


@both
def test_everything_is_denied_by_default_but_names_can_be_resolved(folder: Path) -> None:
    manifests = build(folder)
    deny = named(manifests, "NetworkPolicy", "default-deny")["spec"]
    assert deny == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    dns = {"namespace": "kube-system", "pod": {"k8s-app": "kube-dns"}}
    for workload in of_kind(manifests, *WORKLOADS):
        assert allows(manifests, "Egress", pod_labels(workload), dns, 53)


@both
def test_only_the_ingress_controller_and_the_autoscaler_come_from_outside(folder: Path) -> None:
    manifests = build(folder)
    pods = {w["metadata"]["name"]: pod_labels(w) for w in of_kind(manifests, *WORKLOADS)}
    entering = {
        (namespace, name, port)
        for namespace in ("ingress-nginx", "keda", "default", "kube-system")
        for name, labels in pods.items()
        for port in (50051, 6379, 8000)
        if allows(manifests, "Ingress", labels, {"namespace": namespace, "pod": {}}, port)
    }
    assert entering == {("ingress-nginx", "roundhouse-gateway", 8000), ("keda", "roundhouse-redis", 6379)}


# Custom resources ----------------------------------------------------------------------------------------------


@both
def test_routing_workers_scale_on_the_length_of_their_own_queue(folder: Path) -> None:
    manifests = build(folder)
    scalers = of_kind(manifests, "ScaledObject")
    assert len(scalers) == 2
    for scaler in scalers:
        spec = scaler["spec"]
        assert set(spec) <= {
            *("scaleTargetRef", "minReplicaCount", "maxReplicaCount", "pollingInterval"),
            *("cooldownPeriod", "advanced", "triggers"),
        }
        deployment = named(manifests, "Deployment", spec["scaleTargetRef"]["name"])
        assert "replicas" not in deployment["spec"]
        assert 1 <= spec["minReplicaCount"] < spec["maxReplicaCount"]
        (container,) = containers(deployment)
        queue = container["args"][container["args"].index("--queues") + 1]
        (trigger,) = spec["triggers"]
        assert trigger["type"] == "redis"
        assert trigger["metadata"]["listName"] == f"routing:{queue}"
        assert int(trigger["metadata"]["listLength"]) > 0
        host, _, port = trigger["metadata"]["address"].partition(":")
        service = named(manifests, "Service", host.split(".")[0])
        assert int(port) in [p["port"] for p in service["spec"]["ports"]]
        assert host.split(".")[1] == service["metadata"]["namespace"]
        access = named(manifests, "TriggerAuthentication", trigger["authenticationRef"]["name"])
        (reference,) = access["spec"]["secretTargetRef"]
        assert reference == {"parameter": "password", "name": SECRET, "key": "redis-password"}


def test_custom_resources_are_only_those_of_the_queue_autoscaler() -> None:
    custom = [m for m in build(BASE) if m["apiVersion"] == CUSTOM]
    assert {m["kind"] for m in custom} == {"ScaledObject", "TriggerAuthentication"}


def test_manifests_are_readable_one_by_one() -> None:
    for path in BASE.glob("*.yaml"):
        assert all({"apiVersion", "kind"} <= set(d) for d in documents(path)), path.name
