// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/submit_command.h"

namespace sparkprof {

// Folder for the recordings of one run in the cluster's file system, where spark-submit also stages files:
// "hdfs://cluster/user/ana/.sparkprof/RUN". Empty unless the driver runs on YARN and the default file system is remote.
std::string RunFolderOnCluster(const SubmitRequest& request, const std::string& run);

// Why the pod of a driver on Kubernetes would not receive the plugin's jar, so that spark-submit would reject the job;
// empty if it does, and for other jobs.
std::string MissingJarInPod(const SubmitRequest& request);

// Why the recording of a driver in a standalone cluster or in a pod would be lost without a folder or a collector;
// empty for other jobs. For YARN, see RunFolderOnCluster.
std::string MissingPlaceInCluster(const SubmitRequest& request);

// Whether spark-submit returns while the application is still running in the cluster.
bool ReturnsEarly(const SubmitRequest& request);

// Command that copies recordings from a Hadoop file system to `target` (arguments of CopyRecordings.java): spark-submit
// with the job's options for file systems and credentials. Empty if Spark was not found.
std::vector<std::string> CopyCommand(const SubmitRequest& request, const std::string& remote, const std::string& target,
                                     int64_t since_ms, bool remove);

}  // namespace sparkprof
