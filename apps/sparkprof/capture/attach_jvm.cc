// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/io/private_file.h"
#include "base/text/characters.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/attach.h"
#include "capture/attach_output.h"
#include "capture/jvm_attach/async_profiler.h"
#include "capture/jvm_attach/loaded_profiler.h"
#include "capture/python/python_process.h"
#include "capture/python/tree_sampler.h"
#include "launch/plugin_jar.h"
#include "spark/spark_processes.h"
#include "verb.h"

namespace sparkprof {
namespace {

// async-profiler stops itself this much later than requested.
constexpr int64_t kGraceSeconds = 30;

struct Session {
  AttachRequest request;
  std::string title;
  AttachedProfiler profiler;
};

// Reads libasyncProfiler.so from the plugin's jar.
Result<std::string> ReadLibrary(const AttachRequest& request) {
  const Result<std::string> jar = FindPluginJar(request.plugin_jar);
  if (!jar) return tl::unexpected(jar.error());
  return ReadJarEntry(*jar, fmt::format("{}/libasyncProfiler.so", JarArchitecture()));
}

// For a Python process, or one with Python descendants, the error lists the options to use.
Result<TargetProcess> InspectJvm(int64_t pid) {
  Result<TargetProcess> target = InspectTarget(pid);
  if (target) return target;
  if (FindPython(pid)) return Fail(fmt::format("{}; it runs Python: add --python", target.error().message));
  const int64_t below = CountPythonDescendants(pid);
  if (below == 0) return target;
  return Fail(
      fmt::format("{}; {} of its subprocesses run Python: add --python --subprocesses", target.error().message, below));
}

Result<AttachedProfiler> LoadInto(const AttachRequest& request) {
  Result<TargetProcess> target = InspectJvm(request.pid);
  if (!target) return tl::unexpected(target.error());
  const Result<std::string> library = ReadLibrary(request);
  if (!library) return tl::unexpected(library.error());
  return AttachedProfiler::Load(std::move(*target), *library);
}

Result<Session> Begin(AttachRequest request, const std::string& whom) {
  Result<AttachedProfiler> profiler = LoadInto(request);
  if (!profiler) return tl::unexpected(profiler.error());
  const Result<void> started = profiler->Start({.events = request.events,
                                                .interval = request.interval,
                                                .longest_s = request.duration_ns / kNanosPerSecond + kGraceSeconds});
  if (!started) return tl::unexpected(started.error());
  if (!profiler->warnings().empty()) {
    Complain(fmt::format("JVM {}: {}", request.pid, profiler->warnings()));
  }
  std::string title = fmt::format("{}: {}", whom, fmt::join(request.events, ", "));
  return Session{std::move(request), std::move(title), std::move(*profiler)};
}

bool IsAlive(const Session& session) { return IsAlive(session.profiler.target()); }

int End(Session* session) {
  const bool gone = !IsAlive(*session);
  if (gone) {
    Complain(fmt::format("JVM {} exited during profiling; writing the samples so far", session->request.pid));
  } else if (const Result<void> stopped = session->profiler.Stop(); !stopped) {
    return Complain(stopped.error().message);
  }
  const Result<FileDescriptor> recording = session->profiler.OpenRecording();
  if (!recording) return Complain(recording.error().message);
  return WriteAttachRecording(session->request, session->title, *recording, gone);
}

// Returns "app-20261121160000-0001-executor-2-4711": unique per JVM on a host.
std::string FileStem(const SparkJvm& jvm) {
  std::string stem = jvm.application_id.empty() ? "" : jvm.application_id + "-";
  stem += JvmRoleName(jvm.role);
  if (jvm.role == JvmRole::kExecutor) stem += "-" + jvm.executor_id;
  stem += fmt::format("-{}", jvm.pid);
  // The text comes from another user's command line and becomes part of a path.
  for (char& c : stem) {
    const bool plain = IsAlnum(c) || c == '-';
    if (!plain) c = '_';
  }
  return stem;
}

std::string Describe(const SparkJvm& jvm) {
  std::string text = fmt::format("{} {}", JvmRoleName(jvm.role), jvm.pid);
  if (jvm.role == JvmRole::kExecutor) text = fmt::format("executor {} (JVM {})", jvm.executor_id, jvm.pid);
  const std::string& name = jvm.application_id.empty() ? jvm.application_name : jvm.application_id;
  return name.empty() ? text : fmt::format("{} of {}", text, name);
}

// Returns "executor 2 (JVM 4711) of app-…", or "JVM 4711".
std::string NameOf(int64_t pid) {
  for (const SparkJvm& jvm : FindSparkJvms(false)) {
    if (jvm.pid == pid) return Describe(jvm);
  }
  return fmt::format("JVM {}", pid);
}

bool IsWanted(const AttachRequest& request, const SparkJvm& jvm) {
  const bool is_executor = request.executors.empty() || std::find(request.executors.begin(), request.executors.end(),
                                                                  jvm.executor_id) != request.executors.end();
  return is_executor && (request.application.empty() || jvm.application_id == request.application);
}

}  // namespace

int AttachToOneJvm(const AttachRequest& request) {
  const Result<TargetProcess> target = InspectJvm(request.pid);
  if (!target) return Complain(target.error().message);
  if (FindLoadedProfiler(target->maps).origin == ProfilerOrigin::kPlugin) {
    const std::string recording = FindPluginRecording(request.pid);
    if (!recording.empty()) return AttachThroughPlugin(request, recording);
  }
  if (const Result<void> known = CheckOutput(request, kJfr); !known) return Complain(known.error().message);
  StopSignals signals;
  Result<Session> session = Begin(request, NameOf(request.pid));
  if (!session) return Complain(session.error().message);
  signals.WaitFor(request.duration_ns, "profiling " + session->title, [&] { return IsAlive(*session); });
  return End(&*session);
}

int AttachToAllSpark(AttachRequest request) {
  if (request.format.empty()) request.format = "html";
  if (const Result<void> known = CheckFormat(request, kJfr); !known) return Complain(known.error().message);
  const std::string folder = request.output.empty() ? "sparkprof-attach" : request.output;
  std::vector<SparkJvm> jvms = FindSparkJvms(false);
  std::erase_if(jvms, [&](const SparkJvm& jvm) { return !IsWanted(request, jvm); });
  if (jvms.empty()) return Complain("no such Spark JVM is running on this host", kExitNo);
  if (const Result<void> made = CreateFolders(folder); !made) return Complain(made.error().message);

  StopSignals signals;
  std::vector<Session> sessions;
  for (const SparkJvm& jvm : jvms) {
    AttachRequest one = request;
    one.pid = jvm.pid;
    one.output = fmt::format("{}/{}.{}", folder, FileStem(jvm), request.format);
    Result<Session> session = Begin(std::move(one), Describe(jvm));
    if (session) {
      sessions.push_back(std::move(*session));
    } else {
      Complain(session.error().message);
    }
  }
  if (sessions.empty()) return Complain("could not profile any Spark JVM");
  signals.WaitFor(request.duration_ns, fmt::format("profiling {} JVMs", sessions.size()), [&] {
    return std::any_of(sessions.begin(), sessions.end(), [](const Session& session) { return IsAlive(session); });
  });
  int written = 0;
  for (Session& session : sessions) {
    if (End(&session) != kExitSuccess) continue;
    fmt::print("{}\n", ToOneLine(session.request.output));
    ++written;
  }
  return written > 0 ? kExitSuccess : kExitNo;
}

int ListEventsOfJvm(const AttachRequest& request) {
  const Result<AttachedProfiler> profiler = LoadInto(request);
  if (!profiler) return Complain(profiler.error().message);
  const Result<std::string> events = profiler->ListEvents();
  if (!events) return Complain(events.error().message);
  fmt::print("{}", ForTerminal(*events));
  return kExitSuccess;
}

}  // namespace sparkprof
