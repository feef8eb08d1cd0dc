// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"
#include "fleet/fleet_engine.h"
#include "fleet/fleet_log.h"

namespace sparkprof {

struct EngineAnswer {
  std::string lines;  // rows, without the line "done"
  FleetLogDone done;
};

// A process that serves logs (ServeFleetLogs), so that a log that crashes it, or needs too much memory, is only one
// failed row. Started on demand, and restarted after a crash. For one thread at a time.
class EngineProcess {
 public:
  // `command` with its arguments; the first one is a path.
  explicit EngineProcess(std::vector<std::string> command) : command_(std::move(command)) {}
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  // Fails only if the process cannot be started.
  Result<EngineAnswer> Read(const FleetLog& log);

 private:
  Result<void> Start();
  // Waits for the end of the process. Returns how it ended.
  std::string End();
  // Reads up to the line "done". Returns false if the process ended before.
  bool ReadAnswer(EngineAnswer* answer);

  const std::vector<std::string> command_;
  pid_t pid_ = -1;
  FileDescriptor input_, output_;
};

}  // namespace sparkprof
