// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "capture/jvm_attach/target_process.h"

namespace sparkprof {

// HotSpot's attach protocol, version 1, supported by JDK 8 and later. A request goes over a Unix socket
// /tmp/.java_pidPID of the JVM's namespace. A file /tmp/.attach_pidPID and SIGQUIT make a JVM open the socket. Source:
// OpenJDK, hotspot/os/posix/attachListener_posix.cpp (os/linux/attachListener_linux.cpp before JDK 21) and
// sun/tools/attach/VirtualMachineImpl.java.

struct AttachOptions {
  int64_t listen_timeout_ns = 10 * kNanosPerSecond;  // until a JVM that was asked to listen does
  int64_t answer_timeout_ns = 60 * kNanosPerSecond;  // of one command
};

// Sends `command` ("load", "jcmd", "threaddump", "properties", …) with at most three arguments to the JVM and returns
// the response. Errors name the process and the fix: attach disabled, no response in time, or an error of the JVM.
Result<std::string> AskJvm(const TargetProcess& target, std::string_view command,
                           const std::vector<std::string>& arguments, const AttachOptions& options = {});

// Loads the agent library at `path` (absolute, as the target names it) and calls its Agent_OnAttach with
// `agent_options` (together below 1000 bytes). Returns what Agent_OnAttach returned. Loading a library again only calls
// it again.
Result<int64_t> LoadAgent(const TargetProcess& target, const std::string& path, const std::string& agent_options,
                          const AttachOptions& options = {});

// Parses the response to "load", see LoadAgent: JDK 8 writes only the number, later versions "return code: N" and an
// error text.
Result<int64_t> ParseLoadAnswer(std::string_view answer);

// Why the JVM will not accept an attach, from its performance data or its command line; empty if nothing prevents it.
std::string RefusalOf(const TargetProcess& target);

}  // namespace sparkprof
