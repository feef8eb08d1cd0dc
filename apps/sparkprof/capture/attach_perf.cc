// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "base/io/byte_source.h"
#include "base/time.h"
#include "capture/attach.h"
#include "capture/attach_output.h"
#include "capture/jvm_attach/attach_protocol.h"
#include "capture/perf/perf_tool.h"
#include "capture/proc.h"
#include "formats/readers.h"
#include "verb.h"

namespace sparkprof {
namespace {

// Names of a JVM's compiled methods, in /tmp/perf-PID.map of its file system, where perf expects them. The destructor
// removes the file.
class PerfMap {
 public:
  explicit PerfMap(const TargetProcess& target) : name_(fmt::format("perf-{}.map", target.namespace_pid)) {
    Result<FileDescriptor> folder = OpenFolderOf(target, "/tmp");
    if (folder) folder_ = std::move(*folder);
    struct stat status;
    const bool was_there = fstatat(folder_.Get(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    const Result<std::string> written = AskJvm(target, "jcmd", {"Compiler.perfmap"});
    if (!written) problem_ = written.error().message;
    is_ours_ = written && !was_there;
  }
  ~PerfMap() {
    if (is_ours_) unlinkat(folder_.Get(), name_.c_str(), 0);
  }
  PerfMap(const PerfMap&) = delete;
  PerfMap& operator=(const PerfMap&) = delete;

  // Why compiled Java methods have no names; empty if they have.
  const std::string& problem() const { return problem_; }

 private:
  const std::string name_;
  FileDescriptor folder_;
  std::string problem_;
  bool is_ours_ = false;
};

std::string JavaNote(const TargetProcess& target, const PerfMap& map) {
  if (!map.problem().empty()) {
    return fmt::format("compiled Java methods have no names ({}); use JDK 17 or later", map.problem());
  }
  const Result<std::string> flag = AskJvm(target, "printflag", {"PreserveFramePointer"});
  if (flag && flag->find("-XX:-PreserveFramePointer") != std::string::npos) {
    return "stacks of compiled Java methods may be incomplete: start the JVM with -XX:+PreserveFramePointer";
  }
  return "interpreted Java methods appear as Interpreter";
}

PerfRequest ToPerf(const AttachRequest& request) {
  PerfRequest perf{.pid = request.pid};
  if (request.events.front() != "cpu") perf.event = request.events.front();
  if (request.interval > 0 && perf.event.empty()) {
    perf.frequency_hz = std::max<int64_t>(1, kNanosPerSecond / request.interval);
  } else if (request.interval > 0) {
    perf.period = request.interval;
  }
  return perf;
}

Result<Profile> ReadScript(const AttachRequest& request, const std::string& title, PerfRecording* recording) {
  FileDescriptor text;
  Result<ChildCommand> script = recording->Script(&text);
  if (!script) return tl::unexpected(script.error());
  Result<std::unique_ptr<ByteSource>> source = OpenFileSource(fmt::format("/proc/self/fd/{}", text.Get()));
  if (!source) return tl::unexpected(source.error());
  text.Close();
  ProfileBuilder builder(AttachReadOptions(request, title, false));
  if (const Result<void> read = ReadPerfScript(std::move(*source), &builder); !read) {
    return tl::unexpected(read.error());
  }
  if (const int code = script->Wait(); code != 0) {
    return Fail(fmt::format("perf script failed with exit code {}: {}", code, recording->Complaints()));
  }
  return builder.Take();
}

}  // namespace

int AttachByPerf(const AttachRequest& request) {
  if (request.events.size() != 1) return Complain("--event: --perf accepts a single event");
  if (const Result<void> known = CheckOutput(request, ""); !known) return Complain(known.error().message);
  const Result<ProcessStat> before = ReadProcessStat(request.pid);
  if (!before) return Complain(fmt::format("process {} does not exist", request.pid));
  StopSignals signals;
  Result<PerfRecording> recording = PerfRecording::Start(ToPerf(request));
  if (!recording) return Complain(recording.error().message);
  const StopSignals::End end =
      signals.WaitFor(request.duration_ns, fmt::format("perf records {} ({})", request.pid, request.events.front()),
                      [&] { return recording->IsRunning(); });
  // Contains methods compiled meanwhile, but not discarded ones.
  const Result<TargetProcess> jvm = InspectTarget(request.pid);
  std::unique_ptr<PerfMap> map;
  if (jvm && jvm->start_ticks == before->start_ticks) map = std::make_unique<PerfMap>(*jvm);
  if (const Result<void> stopped = recording->Stop(); !stopped) return Complain(stopped.error().message);
  if (end == StopSignals::End::kGone) {
    Complain(fmt::format("process {} exited during profiling; writing the samples so far", request.pid));
  }
  const std::string title = fmt::format("process {} by perf: {}", request.pid, request.events.front());
  const Result<Profile> profile = ReadScript(request, title, &*recording);
  if (!profile) return Complain(profile.error().message);
  return WriteAttachProfile(request, *profile, "", map ? JavaNote(*jvm, *map) : "stacks by frame pointers");
}

}  // namespace sparkprof
