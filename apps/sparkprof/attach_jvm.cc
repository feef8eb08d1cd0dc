// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "apps/sparkprof/attach.h"
#include "apps/sparkprof/attach_output.h"
#include "apps/sparkprof/attach_wait.h"
#include "apps/sparkprof/doctor_jar.h"
#include "apps/sparkprof/run_plugin_jar.h"
#include "apps/sparkprof/verb.h"
#include "base/text.h"
#include "base/time.h"
#include "capture/jvm_attach/async_profiler.h"

namespace sparkprof {
namespace {

// async-profiler stops itself that much later than it should have been stopped.
constexpr int64_t kGraceSeconds = 30;

Result<AttachedProfiler> LoadInto(const AttachRequest& request) {
  Result<TargetProcess> target = InspectTarget(request.pid);
  if (!target) return tl::unexpected(target.error());
  const Result<std::string> jar = FindPluginJar(request.plugin_jar);
  if (!jar) return tl::unexpected(jar.error());
  const Result<std::string> library =
      ReadJarEntry(*jar, fmt::format("{}/libasyncProfiler.so", JarArchitecture()));
  if (!library) return tl::unexpected(library.error());
  return AttachedProfiler::Load(std::move(*target), *library);
}

}  // namespace

int AttachToOneJvm(const AttachRequest& request) {
  if (const Result<void> known = CheckOutputFormat(request); !known) return Complain(known.error().message);
  StopSignals signals;
  Result<AttachedProfiler> profiler = LoadInto(request);
  if (!profiler) return Complain(profiler.error().message);
  const Result<void> started =
      profiler->Start({.events = request.events,
                       .interval = request.interval,
                       .longest_s = request.duration_ns / kNanosPerSecond + kGraceSeconds});
  if (!started) return Complain(started.error().message);
  if (!profiler->warnings().empty()) Complain(std::string(Trim(profiler->warnings())));

  const std::string what = fmt::format("profiling {} ({})", request.pid, fmt::join(request.events, ", "));
  const StopSignals::End end =
      signals.WaitFor(request.duration_ns, what, [&] { return IsAlive(profiler->target()); });
  if (end == StopSignals::End::kGone) {
    Complain(fmt::format("JVM {} ended while it was profiled; what was sampled up to then is written", request.pid));
  } else if (const Result<void> stopped = profiler->Stop(); !stopped) {
    return Complain(stopped.error().message);
  }
  const Result<FileDescriptor> recording = profiler->OpenRecording();
  if (!recording) return Complain(recording.error().message);
  return WriteAttachOutput(request, *recording, end == StopSignals::End::kGone);
}

int ListEventsOfJvm(const AttachRequest& request) {
  const Result<AttachedProfiler> profiler = LoadInto(request);
  if (!profiler) return Complain(profiler.error().message);
  const Result<std::string> events = profiler->ListEvents();
  if (!events) return Complain(events.error().message);
  fmt::print("{}", *events);
  return kExitSuccess;
}

}  // namespace sparkprof
