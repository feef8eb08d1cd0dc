// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/io/file.h"
#include "base/system.h"
#include "base/text/text.h"
#include "base/time.h"
#include "catalogue/duckdb/duckdb_scratch.h"
#include "fleet/engine_process.h"
#include "fleet/fleet_analysis.h"
#include "fleet/fleet_result.h"
#include "fleet/fleet_rows.h"

namespace sparkprof {
namespace {

// spark-submit with its input and output.
class SubmittedJob {
 public:
  ~SubmittedJob() {
    if (pid_ > 0) static_cast<void>(End());
  }

  Result<void> Start(const std::vector<std::string>& command) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0) return tl::unexpected(SystemError(command.front(), "cannot make a pipe"));
    FileDescriptor job_input(to[0]);
    input_ = FileDescriptor(to[1]);
    if (pipe2(from, O_CLOEXEC) != 0) return tl::unexpected(SystemError(command.front(), "cannot make a pipe"));
    output_ = FileDescriptor(from[0]);
    FileDescriptor job_output(from[1]);
    const StartedProcess started = StartProcess(command, [&] {
      dup2(job_input.Get(), STDIN_FILENO);
      dup2(job_output.Get(), STDOUT_FILENO);
    });
    if (started.pid < 0)
      return Fail(fmt::format("{}: cannot start: {}", command.front(), std::strerror(started.error)));
    pid_ = started.pid;
    return {};
  }

  // The next line of its output; nullopt at the end.
  std::optional<std::string> Line() {
    while (true) {
      const size_t end = text_.find('\n', begin_);
      if (end != std::string::npos) {
        std::string line = text_.substr(begin_, end - begin_);
        begin_ = end + 1;
        return line;
      }
      text_.erase(0, begin_);
      begin_ = 0;
      const size_t size = text_.size();
      text_.resize(size + kPiece);
      ssize_t got = 0;
      do {
        got = read(output_.Get(), text_.data() + size, kPiece);
      } while (got < 0 && errno == EINTR);
      text_.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
      if (got <= 0) return std::nullopt;
    }
  }

  Result<void> Ask(const std::string& lines) {
    Result<void> written = WriteAll(input_.Get(), lines, "spark-submit's input");
    input_.Close();
    return written;
  }

  // Waits for the end. Returns the exit code.
  int End() {
    input_.Close();
    output_.Close();
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return ShellExitCode(status);
  }

 private:
  static constexpr size_t kPiece = size_t{256} << 10;

  pid_t pid_ = -1;
  FileDescriptor input_, output_;
  std::string text_;
  size_t begin_ = 0;  // start of the next line
};

constexpr std::string_view kFileWord = "file\t", kListed = "listed", kLogWord = "log\t", kBroken = "broken\t";

// Parses "file SIZE MODIFIED_MS NAME".
std::optional<StoredFile> FileOf(std::string_view line) {
  const std::vector<std::string_view> fields = Split(line, '\t');
  if (fields.size() != 4) return std::nullopt;
  const std::optional<int64_t> size = ParseInteger(fields[1]), modified_ms = ParseInteger(fields[2]);
  if (!size || !modified_ms) return std::nullopt;
  return StoredFile{std::string(fields[3]), *size, *modified_ms * kNanosPerMilli};
}

Result<StorageListing> ReadListing(SubmittedJob* job) {
  StorageListing listing;
  while (const std::optional<std::string> line = job->Line()) {
    if (*line == kListed) {
      std::sort(listing.files.begin(), listing.files.end(),
                [](const StoredFile& a, const StoredFile& b) { return a.name < b.name; });
      return listing;
    }
    if (!line->starts_with(kFileWord)) continue;
    if (std::optional<StoredFile> file = FileOf(*line)) listing.files.push_back(std::move(*file));
  }
  return Fail(fmt::format("spark-submit ended with exit code {} before it had listed the logs; see its messages above",
                          job->End()));
}

// The engine itself opens local files, which executors must see as well; Hadoop opens others.
std::string RequestOf(FleetLog log) {
  const bool is_local = std::all_of(log.files.begin(), log.files.end(),
                                    [](const StoredFile& file) { return file.name.starts_with('/'); });
  if (is_local) log.root = "/";
  std::string line = FormatFleetLog(log);
  if (!is_local) {
    for (const StoredFile& file : log.files) line += "\t" + file.name;
  }
  return line + "\n";
}

// Reads the answer about the log, up to its last line, after its number was read.
Result<EngineAnswer> ReadJobAnswer(const FleetLog& log, SubmittedJob* job) {
  EngineAnswer answer;
  while (const std::optional<std::string> line = job->Line()) {
    if (line->starts_with(kBroken)) {
      answer = {};
      answer.done.failed = true;
      AppendFleetFailure({log.source, log.id, log.attempt, log.Bytes(), log.ModifiedNs(),
                          fmt::format("{}: the engine broke down: {}", log.source, line->substr(kBroken.size()))},
                         &answer.lines);
      return answer;
    }
    if (line->starts_with(kDoneTable) && (*line)[kDoneTable.size()] == '\t') {
      const Result<FleetLogDone> done = ParseDone(line->substr(kDoneTable.size() + 1));
      if (!done) return tl::unexpected(done.error());
      answer.done = *done;
      return answer;
    }
    answer.lines += *line + "\n";
  }
  return Fail("spark-submit ended within the answer about a log");
}

}  // namespace

Result<FleetCounts> AnalyzeFleetOnSpark(const FleetRequest& request, const std::vector<std::string>& submit,
                                        FleetProgress* progress) {
  // Checks for libduckdb before the job waits for a cluster.
  if (const Result<const DuckdbLibrary*> library = LoadDuckdb(); !library) return tl::unexpected(library.error());
  std::vector<std::string> command = submit;
  command.insert(command.end(), request.locations.begin(), request.locations.end());
  command.emplace_back("--");
  command.insert(command.end(), request.engine.begin(), request.engine.end());
  SubmittedJob job;
  if (Result<void> started = job.Start(command); !started) return tl::unexpected(started.error());
  const Result<StorageListing> listing = ReadListing(&job);
  if (!listing) return tl::unexpected(listing.error());
  FleetCounts counts;
  std::vector<FleetLog> logs = GroupFleetLogs("", *listing, [](std::string_view) { return ApplicationStart(); });
  if (logs.empty()) return counts;
  Result<FleetStore> store = FleetStore::Open(request.output, request.layout);
  if (!store) return tl::unexpected(store.error());
  if (Result<void> kept = AddFleetLocations(request.output, request.locations); !kept)
    return tl::unexpected(kept.error());
  logs = DropUnchanged(std::move(logs), *store, request.filter, &counts);
  SortForReading(&logs);
  std::string requests;
  for (const FleetLog& log : logs) {
    requests += RequestOf(log);
    progress->all_bytes += static_cast<uint64_t>(log.Bytes());
  }
  if (Result<void> asked = job.Ask(requests); !asked) return tl::unexpected(asked.error());
  size_t answered = 0;
  while (const std::optional<std::string> line = job.Line()) {
    if (!line->starts_with(kLogWord)) continue;
    const std::optional<int64_t> number = ParseInteger(std::string_view(*line).substr(kLogWord.size()));
    if (!number || *number < 0 || static_cast<size_t>(*number) >= logs.size()) continue;
    const FleetLog& log = logs[static_cast<size_t>(*number)];
    const Result<EngineAnswer> answer = ReadJobAnswer(log, &job);
    if (!answer) return tl::unexpected(answer.error());
    progress->done_bytes += static_cast<uint64_t>(log.Bytes());
    if (Result<void> kept = KeepAnswer(log, *answer, request.filter, &*store, &counts); !kept)
      return tl::unexpected(kept.error());
    ++answered;
  }
  if (Result<void> finished = store->Finish(); !finished) return tl::unexpected(finished.error());
  const int exit_code = job.End();
  if (exit_code != 0 || answered < logs.size()) {
    return Fail(fmt::format("spark-submit ended with exit code {} after {} of {} logs; run the command again to go on",
                            exit_code, answered, logs.size()));
  }
  return counts;
}

}  // namespace sparkprof
