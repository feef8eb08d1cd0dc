// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

enum class ProfilerOrigin {
  kNone,
  kAttach,  // async-profiler as an earlier `sparkprof attach` loaded it: it stays loaded, stopped
  kPlugin,  // as sparkprof's Spark plugin loaded it
  kOther,   // another profiler: async-profiler, Datadog's or Pyroscope's build of it, YourKit, JProfiler, …
};

// A sampling profiler that is loaded in a process.
struct LoadedProfiler {
  ProfilerOrigin origin = ProfilerOrigin::kNone;
  std::string path;  // of its library as mapped in the process, even if the file is deleted
};

// By /proc/PID/maps. Two sampling profilers in one JVM disturb each other's signals and hooks, so another's counts more
// than our own.
LoadedProfiler FindLoadedProfiler(std::string_view maps);

}  // namespace sparkprof
