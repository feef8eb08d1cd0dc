// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "base/text/text.h"
#include "capture/run.h"
#include "launch/job_process.h"
#include "recording/recordings.h"

namespace sparkprof {
namespace {

// Returns "OOMKilled, exit code 137"; empty if the driver had no pod, or it no longer exists.
std::string PodExitReason(const EndedJob& job, const std::string& application) {
  if (!HasDriverPod(job.request)) return {};
  const Result<std::string> printed = RunStep(PrintDriverPodExit(job.request, application), /*shows_errors=*/false);
  if (!printed) return {};
  std::string_view reason = Trim(*printed);
  if (reason.ends_with(',')) reason.remove_suffix(1);
  return std::string(reason);
}

std::string DriverExitReason(const EndedJob& job, const std::string& application) {
  if (std::string reason = PodExitReason(job, application); !reason.empty()) return reason;
  if (job.exit_code == 0) return {};
  const std::string program = std::filesystem::path(job.request.command[0]).filename();
  return fmt::format("exit code {} of {}", job.exit_code, program);
}

}  // namespace

std::string EndsOfKilledDrivers(const EndedJob& job, const std::vector<std::string>& pieces) {
  // A driver in a cluster may have been killed although its command succeeded: spark-submit on Kubernetes does not fail
  // with its driver, and on YARN another attempt may follow.
  if (job.exit_code == 0 && !IsClusterMode(job.request)) return {};
  return EndsOfDrivers(pieces, [&](const std::string& application) { return DriverExitReason(job, application); });
}

}  // namespace sparkprof
