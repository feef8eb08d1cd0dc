// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "launch/job_process.h"

namespace sparkprof {
namespace {

// The pod's reason, the reason of its disruption, and those of its containers.
constexpr char kExits[] =
    "{{range .items}}{{with .status.reason}}{{.}}, {{end}}"
    "{{range .status.conditions}}{{if eq .type \"DisruptionTarget\"}}{{.reason}}, {{end}}{{end}}"
    "{{range .status.containerStatuses}}{{with .state.terminated}}{{.reason}}, exit code {{.exitCode}}, {{end}}{{end}}"
    "{{end}}";

}  // namespace

bool HasDriverPod(const SubmitRequest& request) {
  return IsClusterMode(request) && FindSetting(request, "spark.master").starts_with("k8s:");
}

RemoteStep PrintDriverPodExit(const SubmitRequest& request, const std::string& application) {
  std::vector<std::string> command{"kubectl", "--request-timeout=10s"};
  const auto add = [&](const char* option, const char* setting) {
    if (const std::string value = FindSetting(request, setting); !value.empty())
      command.insert(command.end(), {option, value});
  };
  add("--context", "spark.kubernetes.context");
  add("--namespace", "spark.kubernetes.namespace");
  command.insert(command.end(),
                 {"get", "pods", "-l", fmt::format("spark-app-selector={},spark-role=driver", application), "-o",
                  fmt::format("go-template={}", kExits)});
  return {.command = std::move(command)};
}

}  // namespace sparkprof
