// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "apps/sparkprof/submit_command.h"

namespace sparkprof {

// A Spark version, for instance 4.1.
struct SparkVersion {
  int major = 0;
  int minor = 0;
  std::string text;  // "4.1.1"
};

// Version of the Spark in a folder, by the name of its core jar. Nothing when it is not there.
std::optional<SparkVersion> FindSparkVersion(const std::string& spark_home);

// Why a job left no recording, as far as can be found out: one sentence, or several when there are several reasons.
std::string ExplainNoRecording(const SubmitRequest& request, Launcher launcher, int exit_code);

}  // namespace sparkprof
