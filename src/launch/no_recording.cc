// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "launch/job_checks.h"
#include "launch/job_process.h"

namespace sparkprof {
namespace {

std::vector<std::string> Reasons(const SubmitRequest& request, Launcher launcher) {
  std::vector<std::string> reasons;
  if (IsClusterMode(request)) {
    reasons.push_back(
        "the driver ran on the cluster (deploy mode cluster) and wrote its recording there; use --dir with a folder "
        "that all machines share, for example on HDFS");
  }
  const auto remote = request.environment.find("SPARK_REMOTE");
  if (!FindSetting(request, "spark.remote").empty() || remote != request.environment.end()) {
    reasons.push_back("this is a Spark Connect client; profile the server, which runs the driver");
  }
  for (const Check& check : CheckJob(request)) {
    if (check.status == CheckStatus::kMissing) reasons.push_back(check.finding);
  }
  if (launcher == Launcher::kSession && reasons.empty()) {
    reasons.push_back(
        fmt::format("{} is not a Spark command, and the plugin detected no SparkSession; if it starts "
                    "spark-submit or "
                    "another Spark command, put `sparkprof run --` in front of that",
                    request.command[0]));
  }
  return reasons;
}

}  // namespace

std::string ExplainNoRecording(const SubmitRequest& request, Launcher launcher, int exit_code) {
  const std::string reasons = fmt::format("{}", fmt::join(Reasons(request, launcher), "; "));
  if (exit_code != 0) {
    const std::string text =
        fmt::format("the job exited with code {}, possibly before Spark started; run `sparkprof doctor`", exit_code);
    return reasons.empty() ? text : text + "; " + reasons;
  }
  if (!reasons.empty()) return reasons;
  return "the plugin wrote nothing: search the job's log for \"sparkprof\", and run `sparkprof doctor`";
}

}  // namespace sparkprof
