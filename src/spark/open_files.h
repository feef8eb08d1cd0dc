// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sparkprof {

// Names in a folder; empty if it cannot be listed.
std::vector<std::string> ListFolder(const std::string& path);

// "/usr/bin/java" → "java".
std::string FileNameOf(const std::string& path);

// Facts from a JVM's open files, and the inodes of its sockets.
struct OpenFiles {
  std::string spark_version;
  std::string application_id;
  std::set<int64_t> sockets;
};
// `process_folder` is "/proc/PID".
OpenFiles LookAtOpenFiles(const std::string& process_folder);

// Ports that a process listens on, from its sockets and its network namespace's table.
std::set<int64_t> ListeningPorts(const std::string& process_folder, const std::set<int64_t>& sockets);

// Inodes of all established TCP connections in a process's network namespace.
std::set<int64_t> EstablishedSockets(const std::string& process_folder);

}  // namespace sparkprof
