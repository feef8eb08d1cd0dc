// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// An event of the JDK's Flight Recorder that sparkprof itself does not record.
struct JfrEventName {
  std::string_view type;  // "jdk.ThreadSleep"
  std::string_view name;  // "sleep", as on the command line
  bool lasts;             // weighted by duration in ns instead of counted
};

inline constexpr JfrEventName kJfrEventNames[] = {
    {"jdk.JavaExceptionThrow", "exception", false},
    {"jdk.JavaErrorThrow", "error", false},
    {"jdk.ThreadSleep", "sleep", true},
    {"jdk.JavaMonitorWait", "wait", true},
    {"jdk.ThreadPark", "park", true},
    {"jdk.FileRead", "file-read", true},
    {"jdk.FileWrite", "file-write", true},
    {"jdk.FileForce", "file-force", true},
    {"jdk.SocketRead", "socket-read", true},
    {"jdk.SocketWrite", "socket-write", true},
};

// Null for other types.
constexpr const JfrEventName* FindJfrEventName(std::string_view type) {
  for (const JfrEventName& known : kJfrEventNames) {
    if (known.type == type) return &known;
  }
  return nullptr;
}

}  // namespace sparkprof
