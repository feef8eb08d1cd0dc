// SPDX-License-Identifier: Apache-2.0
#include "capture/jvm_attach/loaded_profiler.h"

#include <algorithm>
#include <cctype>

#include "base/text/text.h"
#include "capture/jvm_attach/target_folder.h"

namespace sparkprof {
namespace {

// Engine.java uses this name for the plugin's copy.
constexpr std::string_view kPluginLibrary = "libsparkprof-engine-";
constexpr std::string_view kDeleted = " (deleted)";

ProfilerOrigin OriginOf(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.find(".so") == std::string_view::npos) return ProfilerOrigin::kNone;
  if (name.starts_with(kPluginLibrary)) return ProfilerOrigin::kPlugin;
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string_view folder = path.substr(0, path.size() - name.size());
  const bool ours = folder.find("/" + std::string(TargetFolder::kPrefix)) != std::string_view::npos;
  if (lower == "libasyncprofiler.so" && ours) return ProfilerOrigin::kAttach;
  for (const std::string_view known :
       {"asyncprofiler", "javaprofiler", "yjpagent", "jprofilerti", "liblagent", "pyroscope"}) {
    if (lower.find(known) != std::string::npos) return ProfilerOrigin::kOther;
  }
  return ProfilerOrigin::kNone;
}

}  // namespace

LoadedProfiler FindLoadedProfiler(std::string_view maps) {
  LoadedProfiler found;
  for (std::string_view line : Split(maps, '\n')) {
    const size_t slash = line.find('/');
    if (slash == std::string_view::npos) continue;
    std::string_view path = line.substr(slash);
    if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
    const ProfilerOrigin origin = OriginOf(path);
    if (origin > found.origin) found = {origin, std::string(path)};
  }
  return found;
}

}  // namespace sparkprof
