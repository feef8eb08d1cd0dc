// SPDX-License-Identifier: Apache-2.0
#include "capture/jvm_attach/async_profiler.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "capture/jvm_attach/loaded_profiler.h"
#include "capture/process_tree.h"

namespace sparkprof {
namespace {

constexpr char kLibrary[] = "libasyncProfiler.so";
constexpr char kRecording[] = "recording.jfr";
constexpr char kLog[] = "log";
constexpr char kOutput[] = "output";

// Same as async-profiler's defaults, but set explicitly: the interval is the weight of a sample and is missing in its
// files.
struct KnownEvent {
  std::string_view name;
  int64_t interval;
  bool combines;  // can be combined with other events, through an option of the same name
};
constexpr KnownEvent kKnownEvents[] = {
    {"cpu", 10'000'000, false}, {"itimer", 10'000'000, false}, {"ctimer", 10'000'000, false},
    {"wall", 50'000'000, true}, {"alloc", 524'287, true},      {"nativemem", 524'287, true},
    {"lock", 10'000, true},     {"nativelock", 10'000, true},
};

bool IsPlain(const std::string& event) { return !event.empty() && event.find_first_of(", \t\n=") == std::string::npos; }

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Converts a path in /proc/PID/maps to the process's own view: without the folder of its root.
std::string InRootOf(const TargetProcess& target, const std::string& path) {
  char root[4096];
  const ssize_t size = readlink(("/proc/" + std::to_string(target.pid) + "/root").c_str(), root, sizeof root);
  const std::string prefix = size <= 1 ? "" : std::string(root, static_cast<size_t>(size));
  return path.starts_with(prefix + "/") ? path.substr(prefix.size()) : path;
}

std::string Quoted(const std::string& event) { return "'" + event + "'"; }

}  // namespace

Result<std::string> StartOptions(const ProfilingRequest& request, const std::string& file) {
  std::string options = "start,quiet,jfr";
  std::string single;
  for (size_t i = 0; i < request.events.size(); ++i) {
    const std::string& event = request.events[i];
    if (!IsPlain(event)) return Fail("event " + Quoted(event) + ": expected a name without blanks, ',' and '='");
    const auto known = std::find_if(std::begin(kKnownEvents), std::end(kKnownEvents),
                                    [&](const KnownEvent& candidate) { return candidate.name == event; });
    const bool is_known = known != std::end(kKnownEvents);
    const int64_t interval = i == 0 && request.interval > 0 ? request.interval : is_known ? known->interval : 0;
    if (is_known && known->combines) {
      options += "," + event + "=" + std::to_string(interval);
      continue;
    }
    if (!single.empty()) {
      return Fail(
          "events " + Quoted(single) + " and " + Quoted(event) +
          " cannot be sampled together; only wall, alloc, lock, nativelock and nativemem can be combined with others");
    }
    single = event;
    options += ",event=" + event;
    if (interval > 0) options += ",interval=" + std::to_string(interval);
  }
  // The mask excludes the JVM's arguments and system properties, which may contain secrets.
  options += ",clock=monotonic,memlimit=128m,jfropts=3";
  // Complete chunks survive a killed JVM; each costs about 25 KB.
  options += ",chunktime=" + std::to_string(std::clamp<int64_t>(request.longest_s / 30, 5, 60));
  if (request.longest_s > 0) options += ",timeout=" + std::to_string(request.longest_s);
  return options + ",file=" + file;
}

Result<AttachedProfiler> AttachedProfiler::Load(TargetProcess target, std::string_view library) {
  const LoadedProfiler loaded = FindLoadedProfiler(target.maps);
  const std::string jvm = "JVM " + std::to_string(target.pid);
  if (loaded.origin == ProfilerOrigin::kPlugin) {
    return Fail(jvm +
                " is already profiled by sparkprof's plugin; read its recording in the folder of "
                "spark.sparkprof.dir: `sparkprof flame RECORDING`");
  }
  if (loaded.origin == ProfilerOrigin::kOther) {
    return Fail(jvm + " has another profiler loaded (" + loaded.path +
                "), and two profilers disturb each other; use that profiler, or restart the JVM without it");
  }
  // The C library identifies libraries by path and does not load the same path twice.
  Result<TargetFolder> folder = loaded.origin == ProfilerOrigin::kAttach
                                    ? TargetFolder::CreateAt(target, InRootOf(target, FolderOf(loaded.path)))
                                    : TargetFolder::Create(target);
  if (!folder) return tl::unexpected(folder.error());
  if (const Result<void> written = folder->Write(kLibrary, library); !written) return tl::unexpected(written.error());
  return AttachedProfiler(std::move(target), std::move(*folder));
}

AttachedProfiler::~AttachedProfiler() {
  // If this fails, async-profiler's own timeout stops it.
  if (running_ && IsAlive(target_)) (void)Stop();
}

Result<void> AttachedProfiler::Start(const ProfilingRequest& request) {
  const Result<std::string> options = StartOptions(request, folder_.PathOf(kRecording));
  if (!options) return tl::unexpected(options.error());
  const Result<void> started = Execute(*options);
  if (!started) return started;
  running_ = true;
  warnings_ = TextForPeople(Trim(folder_.Read(kLog)));
  return {};
}

Result<void> AttachedProfiler::Stop() {
  running_ = false;
  const Result<void> stopped = Execute("stop,quiet");
  // Output after the last command goes to the JVM's standard output and its log is closed, so no log is set.
  (void)LoadAgent(target_, folder_.PathOf(kLibrary), "status,loglevel=none,file=" + folder_.PathOf(kOutput));
  // Already stopped, by its timeout or by another program.
  if (!stopped && stopped.error().message.find("not active") != std::string::npos) return {};
  return stopped;
}

Result<std::string> AttachedProfiler::ListEvents() const {
  const Result<void> listed = Execute("list,file=" + folder_.PathOf(kOutput));
  if (!listed) return tl::unexpected(listed.error());
  std::string events = folder_.Read(kOutput);
  (void)LoadAgent(target_, folder_.PathOf(kLibrary), "status,loglevel=none,file=" + folder_.PathOf(kOutput));
  return events;
}

Result<FileDescriptor> AttachedProfiler::OpenRecording() const { return folder_.Open(kRecording); }

Result<void> AttachedProfiler::Execute(const std::string& options) const {
  const Result<int64_t> code =
      LoadAgent(target_, folder_.PathOf(kLibrary), options + ",loglevel=warn,log=" + folder_.PathOf(kLog));
  if (!code) return tl::unexpected(code.error());
  if (*code == 0) return {};
  std::string message = TextForPeople(Trim(folder_.Read(kLog)));
  if (message.empty()) message = "async-profiler failed with code " + std::to_string(*code) + " without a message";
  return Fail("JVM " + std::to_string(target_.pid) + ": " + message);
}

}  // namespace sparkprof
