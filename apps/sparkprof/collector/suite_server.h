// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inputs/server_options.h"
#include "suite/suite_results.h"

namespace sparkprof {

// A suite's run on a collector (docs/server-api.md, "Runs"). After an error the suite continues; the first error is
// kept.
class SuiteRunOnServer {
 public:
  static Result<SuiteRunOnServer> Create(ServerClient client, const SuiteResults& results);
  // Refers to an existing run of the collector.
  SuiteRunOnServer(ServerClient client, int64_t id) : client_(std::move(client)), id_(id) {}

  int64_t Id() const { return id_; }
  void Log(std::string_view type, std::string_view message);
  // `rows`: JSON lines.
  void AddProcesses(std::string_view rows);
  void Finish(const SuiteResults& results);
  // Empty if the server has everything.
  const std::string& Problem() const { return problem_; }

 private:
  void Send(std::string_view method, const std::string& below, std::string_view body);

  ServerClient client_;
  int64_t id_;
  std::string problem_;
};

Result<SuiteResults> FetchResults(const ServerClient& client, int64_t run);

// Sends the tables Runs, Log and ProcessMonitor of an older harness, CSV files with a header, to a server. Detects
// tables by their columns; Runs is required. Returns a line per run with its old and new ID.
Result<std::string> ImportTables(const ServerClient& client, const std::vector<std::string>& paths);

}  // namespace sparkprof
