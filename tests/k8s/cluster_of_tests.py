# SPDX-License-Identifier: Apache-2.0
"""The cluster that all tests share. It ends with the namespaces of tests/k8s/run."""

import functools
import tempfile

import images
from kubernetes_cluster import KubernetesCluster


@functools.cache
def get():
    cluster = KubernetesCluster(tempfile.mkdtemp(prefix="cluster-"))
    cluster.start()
    images.import_pause_image(cluster)
    images.import_spark_image(cluster)
    images.create_spark_account(cluster)
    return cluster
