// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/submit_command.h"

namespace sparkprof {

// A folder of the cluster's own file system for the recordings of one run, where spark-submit stages files, too:
// "hdfs://cluster/user/ana/.sparkprof/RUN". Empty unless the driver runs on YARN and the default file system is a
// remote one.
std::string RunFolderOnCluster(const SubmitRequest& request, const std::string& run);

// Why the pod of a driver on Kubernetes would not get the plugin's jar, which spark-submit then refuses to submit;
// empty when it gets it, or for other jobs.
std::string MissingJarInPod(const SubmitRequest& request);

// Why the recording of a driver on a machine of a standalone cluster, or in a pod, would be lost without a folder or a
// collector; empty for other jobs. YARN has a folder of its own: RunFolderOnCluster.
std::string MissingPlaceInCluster(const SubmitRequest& request);

// Whether spark-submit returns while the application still runs in the cluster.
bool ReturnsEarly(const SubmitRequest& request);

// The command that copies recordings from a Hadoop file system to `target`, as CopyRecordings.java reads it: a
// spark-submit with the options of the job's that concern file systems and credentials. Empty without a known Spark.
std::vector<std::string> CopyCommand(const SubmitRequest& request, const std::string& remote, const std::string& target,
                                     int64_t since_ms, bool remove);

}  // namespace sparkprof
