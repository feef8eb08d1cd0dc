# SPDX-License-Identifier: Apache-2.0
"""A real Kubernetes cluster of one node: etcd, API server, controller manager, scheduler, kubelet, containerd.

It runs in the namespaces that tests/k8s/run makes and ends with them. Pods get addresses of a bridge; there is no kube-proxy.
"""

import contextlib
import json
import os
import pathlib
import signal
import ssl
import subprocess
import urllib.error
import urllib.request

import name_server
from proc import program_of
from support import CACHE, execute, free_port, wait_until

PROGRAMS = pathlib.Path(os.environ.get("SPARKPROF_KUBERNETES", str(CACHE / "kubernetes-1.36.3")))
BRIDGE = "sparkprof0"
ADDRESS = "10.244.0.1"
NETWORK = "10.244.0.0/16"
NODE = "node1"
TOKEN = "secret-of-the-tests"
NAMESPACE = "jobs"
PAUSE_IMAGE = "localhost/pause:1"
START_SECONDS = 180
GRACE_SECONDS = 30  # until a silent node is unreachable; the kubelet reports every 10 s
LOG_BYTES = 4000

# A container's OOM score may be too low for this machine's capabilities.
CONTAINERD = """\
version = 2
root = "{root}"
state = "/run/containerd"
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{cni}"
"""
SOCKET = pathlib.Path("/run/containerd.sock")
CNI = {
    "cniVersion": "0.4.0",
    "name": "pods",
    "plugins": [
        {
            "type": "bridge",
            "bridge": BRIDGE,
            "isGateway": False,
            "ipam": {
                "type": "host-local",
                "ranges": [[{"subnet": NETWORK, "rangeStart": "10.244.1.1", "gateway": ADDRESS}]],
                "routes": [{"dst": "0.0.0.0/0"}],
            },
        }
    ],
}
KUBELET = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "kind": "KubeletConfiguration",
    "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
    "authorization": {"mode": "AlwaysAllow"},
    "cgroupDriver": "cgroupfs",
    "failCgroupV1": False,
    "failSwapOn": False,
    "clusterDNS": [ADDRESS],
    "clusterDomain": "cluster.local",
    "localStorageCapacityIsolation": False,
    "enforceNodeAllocatable": [],
    "resolvConf": "",
    "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
    "imageGCHighThresholdPercent": 100,
    "containerRuntimeEndpoint": f"unix://{SOCKET}",
}


def shims():
    """containerd's, one for each pod. They outlive it."""
    return {int(pid) for pid in os.listdir("/proc") if pid.isdigit() and program_of(pid).startswith("containerd-shim")}


def processes_of_pods():
    groups = pathlib.Path("/sys/fs/cgroup")
    lists = [*groups.glob("kubepods/**/cgroup.procs"), *groups.glob("*/kubepods/**/cgroup.procs")]
    # 0 is a process of other namespaces.
    return {int(pid) for path in lists for pid in path.read_text().split()} - {0}


class KubernetesCluster:
    """`api` is the API server's address, `kubeconfig` a file for kubectl, helm and Spark."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.logs = self.folder / "logs"
        self.logs.mkdir(parents=True)
        self.programs = []
        self.api = f"https://{ADDRESS}"
        self.kubeconfig = self.folder / "kubeconfig"
        self.authority = self.folder / "certificates" / "apiserver.crt"

    def start(self):
        for command in (
            ("link", "set", "lo", "up"),
            ("link", "add", BRIDGE, "type", "bridge"),
            ("addr", "add", f"{ADDRESS}/16", "dev", BRIDGE),
            ("link", "set", BRIDGE, "up"),
        ):
            execute("ip", *command)
        self.start_control_plane()
        name_server.serve(ADDRESS, self.addresses_of)
        self.start_containerd()
        self.start_kubelet()
        self.kubectl("create", "namespace", NAMESPACE)

    def start_program(self, name, *arguments):
        program = PROGRAMS / name
        with (self.logs / f"{name}.log").open("w") as log:
            outputs = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            command = [str(program) if program.exists() else name, *map(str, arguments)]
            process = subprocess.Popen(command, start_new_session=True, **outputs)
        self.programs.append((name, process))

    def await_start(self, condition, what):
        """Like wait_until(); a program that ended, or too long a wait, fails with the end of the programs' logs."""

        def checked():
            for name, process in self.programs:
                if process.poll() is not None:
                    raise AssertionError(f"{name} ended with {process.returncode}\n{self.log_of(name)}")
            return condition()

        try:
            return wait_until(checked, what, START_SECONDS)
        except AssertionError as error:
            logs = "\n".join(self.log_of(name) for name, _ in self.programs[-2:])
            raise AssertionError(f"{error}\n{logs}") from error

    def log_of(self, name):
        return f"{name}.log: …{(self.logs / f'{name}.log').read_text(errors='replace')[-LOG_BYTES:]}"

    def start_control_plane(self):
        client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        self.start_program(
            "etcd",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
        )
        key = self.folder / "service-accounts.key"
        execute("openssl", "genrsa", "-out", key, "2048")
        tokens = self.folder / "tokens.csv"
        tokens.write_text(f'{TOKEN},admin,1,"system:masters"\n')
        self.start_program(
            "kube-apiserver",
            f"--etcd-servers={client}",
            # The service `kubernetes` has this port, and there is no kube-proxy.
            "--secure-port=443",
            f"--bind-address={ADDRESS}",
            f"--advertise-address={ADDRESS}",
            f"--cert-dir={self.authority.parent}",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--token-auth-file={tokens}",
            "--authorization-mode=Node,RBAC",
            # Webhooks are called at their pods' addresses: there is no kube-proxy.
            "--enable-aggregator-routing=true",
            "--service-cluster-ip-range=10.96.0.0/16",
            "--kubelet-preferred-address-types=InternalIP",
            "--allow-privileged=true",
        )
        self.await_start(self.authority.exists, "the API server's certificate")
        self.write_kubeconfig(self.kubeconfig, TOKEN)
        self.await_start(self.is_ready, "the API server")
        common = (f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", "--bind-address=127.0.0.1")
        self.start_program(
            "kube-controller-manager",
            *common,
            f"--secure-port={free_port()}",
            f"--service-account-private-key-file={key}",
            f"--root-ca-file={self.authority}",
            f"--cert-dir={self.folder / 'controller-certificates'}",
            f"--node-monitor-grace-period={GRACE_SECONDS}s",
        )
        self.start_program(
            "kube-scheduler", *common, f"--secure-port={free_port()}", f"--cert-dir={self.folder / 'scheduler-certificates'}"
        )

    def write_kubeconfig(self, path, token, namespace=NAMESPACE):
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": self.api, "certificate-authority": str(self.authority)}}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": namespace}}],
            "current-context": "x",
        }
        path.write_text(json.dumps(document))

    def get(self, path):
        """The API server's answer, None without one."""
        context = ssl.create_default_context(cafile=str(self.authority))
        context.check_hostname = False
        request = urllib.request.Request(f"{self.api}{path}", headers={"Authorization": f"Bearer {TOKEN}"})
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(request, timeout=5, context=context) as answer:
            return answer.read()
        return None

    def is_ready(self):
        return self.get("/readyz") is not None

    def addresses_of(self, service, namespace):
        """The addresses of a service's pods, None if there is no such service."""
        found = self.get(f"/api/v1/namespaces/{namespace}/endpoints/{service}")
        if found is None:
            return None
        subsets = json.loads(found).get("subsets") or []
        return [address["ip"] for subset in subsets for address in subset.get("addresses") or []]

    def start_containerd(self):
        cni = self.folder / "cni"
        cni.mkdir(exist_ok=True)
        (cni / "10-bridge.conflist").write_text(json.dumps(CNI))
        config = self.folder / "containerd.toml"
        config.write_text(CONTAINERD.format(root=self.folder / "containerd", socket=SOCKET, pause=PAUSE_IMAGE, cni=cni))
        self.start_program("containerd", "--config", config)
        self.await_start(SOCKET.exists, "containerd")

    def start_kubelet(self):
        config = self.folder / "kubelet.json"
        config.write_text(json.dumps(KUBELET))
        self.start_program(
            "kubelet",
            f"--config={config}",
            f"--kubeconfig={self.kubeconfig}",
            f"--hostname-override={NODE}",
            f"--node-ip={ADDRESS}",
            f"--root-dir={self.folder / 'kubelet'}",
            f"--cert-dir={self.folder / 'kubelet-certificates'}",
        )
        self.await_start(self.node_is_ready, "the node")

    def node_is_ready(self):
        path = '{.items[*].status.conditions[?(@.type=="Ready")].status}'
        return self.kubectl("get", "nodes", "-o", f"jsonpath={path}", code=None).stdout.strip() == "True"

    def kill_node(self):
        """Kills all of the node at once, as when its machine stops: kubelet, containerd, its shims, and the pods' processes."""
        of_node = [(name, process) for name, process in self.programs if name in ("kubelet", "containerd")]
        self.programs = [entry for entry in self.programs if entry not in of_node]
        for _, process in of_node:
            process.kill()
            process.wait()
        for pid in shims() | processes_of_pods():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        SOCKET.unlink()

    def restart_node(self):
        self.start_containerd()
        self.start_kubelet()

    def import_image(self, archive):
        # The socket accepts connections before the service that imports is there.
        execute("ctr", "--address", SOCKET, "-n", "k8s.io", "images", "import", archive)

    def kubectl(self, *arguments, **options):
        return execute(PROGRAMS / "kubectl", "--kubeconfig", self.kubeconfig, *arguments, **{"timeout": 120} | options)

    def apply(self, *documents):
        self.kubectl("apply", "-f", "-", input="\n---\n".join(map(json.dumps, documents)))

    def pods(self, labels="", phase=None):
        """Pods with these labels, and in this phase."""
        selection = ["-l", labels] if labels else []
        items = json.loads(self.kubectl("get", "pods", *selection, "-o", "json").stdout)["items"]
        return [pod for pod in items if phase in (None, pod["status"].get("phase"))]
