// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

enum class ProfilerOrigin {
  kNone,
  kAttach,  // async-profiler, loaded by an earlier `sparkprof attach`: it stays loaded, stopped
  kPlugin,  // async-profiler, loaded by sparkprof's Spark plugin
  kOther,   // another profiler: async-profiler, Datadog's or Pyroscope's build of it, YourKit, JProfiler, …
};

struct LoadedProfiler {
  ProfilerOrigin origin = ProfilerOrigin::kNone;
  std::string path;  // path of its library as mapped in the process, even if the file is deleted
};

// Searches /proc/PID/maps. Two sampling profilers in one JVM disturb each other's signals and hooks, so another
// profiler takes precedence over ours in the result.
LoadedProfiler FindLoadedProfiler(std::string_view maps);

}  // namespace sparkprof
