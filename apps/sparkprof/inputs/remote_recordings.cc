// SPDX-License-Identifier: Apache-2.0
#include "inputs/remote_recordings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "base/system.h"
#include "base/text/text.h"
#include "base/time.h"
#include "launch/output_folder.h"
#include "launch/remote_folder.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr char kLogName[] = "copy.log";
constexpr char kOwnLine[] = "sparkprof: ";

// The command's own message among the output of Spark's launcher, else the last line.
std::string ReasonIn(const std::string& log) {
  const auto text = ReadFile(log);
  std::string last;
  for (const std::string_view line : Split(text ? *text : std::string(), '\n')) {
    if (line.starts_with(kOwnLine)) return std::string(line.substr(sizeof kOwnLine - 1));
    if (!Trim(line).empty()) last = line;
  }
  return last.empty() ? "no output" : last;
}

Result<void> RunQuietly(const std::vector<std::string>& command, const std::string& log) {
  const FileDescriptor output(open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
  const FileDescriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!output.IsOpen() || !nothing.IsOpen()) return Fail(log + ": cannot create");
  const StartedProcess started = StartProcess(command, [&] {
    dup2(nothing.Get(), STDIN_FILENO);
    dup2(output.Get(), STDOUT_FILENO);
    dup2(output.Get(), STDERR_FILENO);
  });
  if (started.pid < 0) return Fail(command[0] + ": cannot start");
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(started.pid, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended != started.pid || ShellExitCode(status) != 0) return Fail(ReasonIn(log));
  return {};
}

}  // namespace

bool IsOfRun(const std::string& path, const std::string& run) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) return false;
  const std::string property = fmt::format("\"spark.sparkprof.run\":\"{}\"", run);
  bool found = false;
  (void)ReadBlocks(file->Bytes(), path, [&](Segment&& segment) {
    found = found || std::any_of(segment.spark_events.begin(), segment.spark_events.end(),
                                 [&](const std::string& event) { return event.find(property) != std::string::npos; });
  });
  return found;
}

Result<void> FetchRecording(const SubmitRequest& request, const RemoteRecording& remote, const std::string& target) {
  const int64_t since_ms = (remote.since_ns - kClockDifferenceNs) / kNanosPerMilli;
  const std::vector<std::string> command = CopyCommand(request, remote.uri, target, since_ms, remote.remove);
  if (command.empty()) return Fail("cannot find spark-submit to copy it with");
  const std::string log = target + "/" + kLogName;
  Result<void> copied = RunQuietly(command, log);
  std::error_code error;
  fs::remove(log, error);
  if (!copied) return copied;
  std::vector<fs::path> others;
  for (const auto& application : fs::directory_iterator(target, error)) {
    const std::vector<std::string> pieces = FindRecordings(application.path());
    const bool is_own =
        std::any_of(pieces.begin(), pieces.end(), [&](const std::string& piece) { return IsOfRun(piece, remote.run); });
    if (!pieces.empty() && !is_own) others.push_back(application.path());
  }
  for (const fs::path& other : others) fs::remove_all(other, error);
  return {};
}

}  // namespace sparkprof
