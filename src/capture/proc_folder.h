// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"

namespace sparkprof {

// A mounted /proc. In a container, the host's may be mounted elsewhere.
class ProcFolder {
 public:
  explicit ProcFolder(std::string path = "/proc");

  const std::string& Path() const { return path_; }
  // PATH/PID/NAME
  std::string PathOf(int64_t pid, std::string_view name) const;

  // Replaces `ids` by the sorted IDs of all processes that this user can see. Returns false if the folder cannot be
  // listed.
  bool ListProcessIds(std::vector<int64_t>* ids) const;

  // Opens a file of a process; not open if it does not exist. Allocates no memory.
  FileDescriptor Open(int64_t pid, const char* name) const;
  // Opens a system-wide file: "stat".
  FileDescriptor Open(const char* name) const;

  Result<std::string> Read(int64_t pid, std::string_view name) const { return ReadFile(PathOf(pid, name)); }

 private:
  std::string path_;
  FileDescriptor folder_;
};

// Reads at most `size` bytes from the start of the file. Empty if the process has ended.
std::string_view ReadAgain(const FileDescriptor& file, char* buffer, size_t size);

// Newest process or thread ID of this namespace: last field of /proc/loadavg, proc(5). -1 = unknown.
int64_t NewestId(const FileDescriptor& loadavg);

// Value of the variable in /proc/PID/environ whose definition starts with `name_and_equals`; empty if not set.
std::string_view VariableOf(std::string_view environment, std::string_view name_and_equals);

// PySpark's variables in the environment of a JVM that a Python program starts, and of a Python program that
// spark-submit starts. Their descendants inherit them.
inline constexpr std::string_view kGatewayVariable = "_PYSPARK_DRIVER_CONN_INFO_PATH=";
inline constexpr std::string_view kProgramVariable = "PYSPARK_GATEWAY_PORT=";

int64_t NanosOfTicks(int64_t ticks);

}  // namespace sparkprof
