// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "inputs/inputs.h"

namespace sparkprof {

// Sets the fields that the path of a log contains: application, container, executor, host, stream. Supports YARN (local
// folders, EMR, Dataproc), EMR Serverless, EMR on EKS, Databricks, Kubernetes and the standalone master. `path` may
// contain archives ("logs.zip!application_1_2/…").
void AddPathHints(std::string_view path, Input* input);

// Returns "stderr" for "stderr.gz" and "stderr.1", "stdout" for "stdout--2021-06-15--15-00.gz", "log4j" for
// "log4j-2021-06-15-15.log.gz".
std::string_view StreamName(std::string_view file_name);

}  // namespace sparkprof
