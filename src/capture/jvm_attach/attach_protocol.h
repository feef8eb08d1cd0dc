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

// HotSpot's attach protocol, version 1, supported by JDK 8 and later. Requests use the Unix socket /tmp/.java_pidPID in
// the JVM's namespace. The file /tmp/.attach_pidPID together with SIGQUIT makes a JVM open the socket. Source: OpenJDK,
// hotspot/os/posix/attachListener_posix.cpp (os/linux/attachListener_linux.cpp before JDK 21) and
// sun/tools/attach/VirtualMachineImpl.java.

struct AttachOptions {
  int64_t listen_timeout_ns = 10 * kNanosPerSecond;  // time for the JVM to open its socket
  int64_t answer_timeout_ns = 60 * kNanosPerSecond;  // time for the response to one command
};

// Sends `command` ("load", "jcmd", "threaddump", "properties", …) with at most three arguments to the JVM and returns
// the response. Errors name the process and the fix: attach is disabled, no response in time, or an error of the JVM.
Result<std::string> AskJvm(const TargetProcess& target, std::string_view command,
                           const std::vector<std::string>& arguments, const AttachOptions& options = {});

// Loads the agent library at `path` (absolute, in the target's file system) and calls its Agent_OnAttach with
// `agent_options` (together below 1000 bytes). Returns the result of Agent_OnAttach. For a loaded library, only calls
// it again.
Result<int64_t> LoadAgent(const TargetProcess& target, const std::string& path, const std::string& agent_options,
                          const AttachOptions& options = {});

// Parses the response to "load" (LoadAgent): JDK 8 writes only the number, later versions "return code: N" and an error
// text.
Result<int64_t> ParseLoadAnswer(std::string_view answer);

// Why the JVM rejects an attach, from its performance data or its command line; empty if nothing prevents it.
std::string RefusalOf(const TargetProcess& target);

}  // namespace sparkprof
