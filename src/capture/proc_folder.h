// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace sparkprof {

// A mounted /proc: the host's may be mounted elsewhere in a container.
class ProcFolder {
 public:
  explicit ProcFolder(std::string path = "/proc");

  const std::string& Path() const { return path_; }
  // PATH/PID/NAME
  std::string PathOf(int64_t pid, std::string_view name) const;

  // Replaces `ids` by the IDs of all processes that this user may see, sorted. False if the folder cannot be listed.
  bool ListProcessIds(std::vector<int64_t>* ids) const;

  // A file of a process, or not open when there is none. Allocates no memory.
  FileDescriptor Open(int64_t pid, const char* name) const;
  // A file of the system: "stat".
  FileDescriptor Open(const char* name) const;

  Result<std::string> Read(int64_t pid, std::string_view name) const { return ReadFile(PathOf(pid, name)); }

 private:
  std::string path_;
  FileDescriptor folder_;
};

// The file again from its start, at most `size` bytes. Empty when the process is gone.
std::string_view ReadAgain(const FileDescriptor& file, char* buffer, size_t size);

// The newest process (or thread) ID of this namespace: the last field of /proc/loadavg, proc(5). -1 = unknown.
int64_t NewestId(const FileDescriptor& loadavg);

// The text of /proc/PID/environ has a variable whose definition starts with `name_and_equals`: its value, else empty.
std::string_view VariableOf(std::string_view environment, std::string_view name_and_equals);

// PySpark's own variables in the environment of the JVM that a Python program starts, and of the Python program that
// spark-submit starts. Their descendants inherit them.
inline constexpr std::string_view kGatewayVariable = "_PYSPARK_DRIVER_CONN_INFO_PATH=";
inline constexpr std::string_view kProgramVariable = "PYSPARK_GATEWAY_PORT=";

int64_t NanosOfTicks(int64_t ticks);

}  // namespace sparkprof
