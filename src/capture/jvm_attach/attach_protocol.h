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

// HotSpot's attach protocol, version 1, which JDK 8 and all later ones speak. A request goes over a Unix socket
// /tmp/.java_pidPID of the JVM's own namespace; a JVM that does not listen yet is asked to by a file
// /tmp/.attach_pidPID and SIGQUIT. Source: OpenJDK, hotspot/os/posix/attachListener_posix.cpp (os/linux/
// attachListener_linux.cpp before JDK 21) and sun/tools/attach/VirtualMachineImpl.java.

struct AttachOptions {
  int64_t listen_timeout_ns = 10 * kNanosPerSecond;  // until a JVM that was asked to listen does
  int64_t answer_timeout_ns = 60 * kNanosPerSecond;  // of one command
};

// Asks the JVM for `command` ("load", "jcmd", "threaddump", "properties", …) with at most three arguments and returns
// the text of its answer. Errors name the process and what to do: the JVM refuses to be attached to, does not answer in
// time, or says itself what is wrong.
Result<std::string> AskJvm(const TargetProcess& target, std::string_view command,
                           const std::vector<std::string>& arguments, const AttachOptions& options = {});

// Loads the agent library at `path` (absolute, as the target names it) and calls its Agent_OnAttach with
// `agent_options` (together below 1000 bytes). Returns what Agent_OnAttach returned. Loading a library again only calls
// it again.
Result<int64_t> LoadAgent(const TargetProcess& target, const std::string& path, const std::string& agent_options,
                          const AttachOptions& options = {});

// What the JVM's answer to "load" says, see LoadAgent: JDK 8 writes the number alone, later ones "return code: N", and
// an error in words.
Result<int64_t> ParseLoadAnswer(std::string_view answer);

// Why the JVM will not listen, by what it says of itself (its performance data, else its command line); empty when
// nothing speaks against it.
std::string RefusalOf(const TargetProcess& target);

}  // namespace sparkprof
