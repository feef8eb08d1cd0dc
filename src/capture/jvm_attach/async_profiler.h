// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/jvm_attach/attach_protocol.h"
#include "capture/jvm_attach/target_folder.h"
#include "capture/jvm_attach/target_process.h"

namespace sparkprof {

struct ProfilingRequest {
  // Events of async-profiler: cpu, wall, alloc, lock, itimer, ctimer, nativemem, a perf event (cache-misses) or
  // Class.method. At most one may be other than wall, alloc, lock, nativelock and nativemem.
  std::vector<std::string> events;
  int64_t interval = 0;  // ns, bytes or counts of the first event; 0 = the event's default
  // Timeout after which async-profiler stops itself, so that killing sparkprof leaves no profiler running.
  int64_t longest_s = 0;
};

// Agent options that start `request` with JFR output to `file`. The error names the event that cannot be used.
Result<std::string> StartOptions(const ProfilingRequest& request, const std::string& file);

// async-profiler in a running JVM, loaded with the attach protocol. The destructor stops it. The library stays loaded,
// because a JVM cannot unload an agent; the next attach reuses it.
class AttachedProfiler {
 public:
  // `library` is the content of libasyncProfiler.so. Fails if the JVM has another profiler; the error includes the fix.
  static Result<AttachedProfiler> Load(TargetProcess target, std::string_view library);

  AttachedProfiler(AttachedProfiler&&) noexcept = default;
  AttachedProfiler& operator=(AttachedProfiler&&) = delete;
  ~AttachedProfiler();

  Result<void> Start(const ProfilingRequest& request);
  Result<void> Stop();

  // async-profiler's own list of events for this JVM and machine.
  Result<std::string> ListEvents() const;

  // Output at the start: "cpu" falls back to timers if perf_events are not permitted.
  const std::string& warnings() const { return warnings_; }

  const TargetProcess& target() const { return target_; }
  // The recording: one JFR file, complete after Stop().
  Result<FileDescriptor> OpenRecording() const;

 private:
  AttachedProfiler(TargetProcess target, TargetFolder folder)
      : target_(std::move(target)), folder_(std::move(folder)) {}

  // Runs one command of async-profiler. The error is its own message.
  Result<void> Execute(const std::string& options) const;

  TargetProcess target_;
  TargetFolder folder_;
  bool running_ = false;
  std::string warnings_;
};

}  // namespace sparkprof
