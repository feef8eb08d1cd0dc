// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace sparkprof {

// Options of `sparkprof attach` for JVMs in pods and on other hosts.
struct RemoteTargets {
  std::vector<std::string> pods;
  std::string yarn_application;
  std::string application;             // on Kubernetes, or of this host's JVMs with --all-spark
  std::vector<std::string> executors;  // IDs
  bool all = false;
  bool dry_run = false;
  bool exec = false;
  std::string space, container, image, ui;
  std::string remote = "ssh {host} {command}";

  void AddTo(CLI::App& command);
  bool IsRemote(bool all_spark) const;
};

struct RemoteProfile {
  int64_t duration_ns = 0;
  std::vector<std::string> events;
  std::string interval, output_dir, plugin_jar;
};

// Profiles the JVMs of all targets concurrently, with one file each. Returns the exit code.
int AttachToRemote(const RemoteTargets& targets, const RemoteProfile& profile);

}  // namespace sparkprof
