// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Role of a process in a Spark job. Names as in segment.proto.
enum class ProcessRole { kJvm, kPythonDaemon, kPythonWorker, kPythonDriver, kAgent, kOther };
std::string_view ProcessRoleName(ProcessRole role);

// Role of a descendant of the JVM by its /proc/PID/cmdline (arguments end with NUL). A worker is a fork of the daemon
// with the same command line, so the parent's role counts too.
ProcessRole RoleOfCommand(std::string_view cmdline, ProcessRole parent_role);

// Makes text of another process safe for a terminal: UTF-8 with spaces for control characters.
std::string TextForPeople(std::string_view text);

// Formats /proc/PID/cmdline for display: at most 200 bytes of UTF-8, without class paths and secrets
// (base/redaction/redaction.h). A secret argument is redacted to its end, including spaces.
std::string CommandForPeople(std::string_view cmdline);

}  // namespace sparkprof
