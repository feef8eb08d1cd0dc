// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/selection/time_range.h"
#include "base/io/file.h"
#include "base/time.h"
#include "capture/attach.h"
#include "capture/proc.h"
#include "capture/process_tree.h"
#include "capture/recording_options.h"
#include "model/samples/sample.h"
#include "model/segment/block.h"
#include "verb.h"

namespace sparkprof {
namespace {

// The agent reads samples from the JVM every 10 s and takes some time to write them.
constexpr int64_t kLongestFlush = 15 * kNanosPerSecond;

// Data that the agent appends to a recording from now on.
class Appended {
 public:
  explicit Appended(std::string path) : path_(std::move(path)), read_(Size()) {}

  // Whether there are JVM samples after the time bucket of `time_ns`, so all samples up to it are present. Python
  // samples arrive earlier and do not count.
  bool ReachesBeyond(int64_t time_ns) {
    if (Size() == read_) return newest_ns_ > time_ns;
    const Result<MappedFile> file = MappedFile::Open(path_);
    if (!file || file->Bytes().size() <= read_) return newest_ns_ > time_ns;
    std::string_view fresh = file->Bytes().substr(read_);
    // The data starts within a block that was being written.
    fresh.remove_prefix(std::min(fresh.find(kBlockMagic), fresh.size()));
    const Result<RecordingStatus> status = ReadBlocks(fresh, path_, [&](Segment&& segment) { See(segment); });
    if (status) read_ = file->Bytes().size() - status->cut_bytes;
    return newest_ns_ > time_ns;
  }

 private:
  size_t Size() const {
    struct stat status;
    return stat(path_.c_str(), &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
  }

  void See(const Segment& segment) {
    for (const SegmentSample& sample : segment.samples) {
      const bool is_of_jvm = segment.threads[sample.thread].pid == 0;
      if (is_of_jvm) newest_ns_ = std::max(newest_ns_, sample.bucket * segment.source.bucket_ns);
    }
  }

  std::string path_;
  size_t read_;
  int64_t newest_ns_ = 0;  // latest start of a bucket with JVM samples
};

// Runs `sparkprof flame` on a time range of the recording.
int Flame(const std::vector<std::string>& arguments) {
  CLI::App command;
  const std::function<int()> run = DefineFlame(command);
  // CLI11 expects arguments in reverse order.
  command.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  return run();
}

}  // namespace

std::string FindPluginRecording(int64_t pid) {
  namespace fs = std::filesystem;
  for (const ProcessReading& reading : ProcessTree(pid, 0).Scan()) {
    if (reading.command.find("sparkprof-agent") == std::string::npos) continue;
    const std::string folder = fmt::format("/proc/{}", reading.pid);
    std::error_code error;
    for (const auto& file : fs::directory_iterator(folder + "/fd", error)) {
      const std::string path = fs::read_symlink(file.path(), error);
      // The process may have a different root file system.
      if (path.ends_with(".sprof")) return folder + "/root" + path;
    }
  }
  return {};
}

int AttachThroughPlugin(const AttachRequest& request, const std::string& recording) {
  const std::string& event = request.events.front();
  if (request.events.size() != 1 || !ParseEvent(event) || request.interval != 0) {
    return Complain(
        fmt::format("JVM {} is already profiled by sparkprof's plugin: omit --interval and use one --event that the "
                    "plugin samples (cpu, wall, alloc, lock)",
                    request.pid));
  }
  Complain(fmt::format("JVM {} is profiled by sparkprof's plugin: using its samples, which have tasks and stages",
                       request.pid));
  const int64_t start = EpochNanos();
  Appended appended(recording);
  StopSignals signals;
  const auto is_alive = [&] { return ReadProcessStat(request.pid).has_value(); };
  signals.WaitFor(request.duration_ns, fmt::format("waiting for the plugin's samples of JVM {}", request.pid),
                  is_alive);
  const int64_t end = EpochNanos();
  signals.WaitFor(kLongestFlush, "waiting for the plugin's agent to write them",
                  [&] { return !appended.ReachesBeyond(end); });

  const Result<LoadedRecording> loaded = Load({{recording}, {}});
  if (!loaded) return Complain(loaded.error().message);
  const int64_t origin = RangeOf(loaded->Longest()).start_ns;
  const auto since_origin = [&](int64_t time_ns) {
    return fmt::format("{}ms", std::max<int64_t>(0, (time_ns - origin) / kNanosPerMilli));
  };
  std::vector<std::string> arguments{recording, "--event",        event, "--from", since_origin(start),
                                     "--to",    since_origin(end)};
  if (!request.output.empty()) arguments.insert(arguments.end(), {"--output", request.output});
  if (!request.format.empty()) arguments.insert(arguments.end(), {"--format", request.format});
  return Flame(arguments);
}

}  // namespace sparkprof
