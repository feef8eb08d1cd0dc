// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_engine.h"

#include <fmt/format.h>
#include <malloc.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "base/background_task.h"
#include "base/io/compression.h"
#include "base/io/file.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "event_log/event_log_reader.h"
#include "fleet/fleet_rows.h"
#include "inputs/content_kind.h"
#include "inputs/inputs.h"
#include "model/application_times.h"

namespace sparkprof {
namespace {

class PipeReader {
 public:
  explicit PipeReader(int fd) : fd_(fd) {}

  // A line without its end; nullopt at the end of the input.
  std::optional<std::string> Line() {
    std::string line;
    while (true) {
      if (begin_ == end_ && !Fill()) return line.empty() ? std::nullopt : std::optional(line);
      const char* const first = buffer_.data() + begin_;
      const auto* const found = static_cast<const char*>(std::memchr(first, '\n', end_ - begin_));
      const size_t size = found == nullptr ? end_ - begin_ : static_cast<size_t>(found - first);
      line.append(first, size);
      begin_ += size;
      if (found == nullptr) continue;
      ++begin_;
      return line;
    }
  }

  // Reads up to `size` bytes; 0 = end of input.
  size_t Some(char* bytes, size_t size) {
    if (begin_ == end_ && !Fill()) return 0;
    const size_t count = std::min(size, end_ - begin_);
    std::memcpy(bytes, buffer_.data() + begin_, count);
    begin_ += count;
    return count;
  }

  bool All(char* bytes, size_t size) {
    for (size_t done = 0; done < size;) {
      const size_t got = Some(bytes + done, size - done);
      if (got == 0) return false;
      done += got;
    }
    return true;
  }

 private:
  bool Fill() {
    ssize_t got = 0;
    do {
      got = read(fd_, buffer_.data(), buffer_.size());
    } while (got < 0 && errno == EINTR);
    begin_ = 0;
    end_ = got > 0 ? static_cast<size_t>(got) : 0;
    return got > 0;
  }

  int fd_;
  std::string buffer_ = std::string(size_t{256} << 10, '\0');
  size_t begin_ = 0, end_ = 0;
};

class PiecesSource : public ByteSource {
 public:
  explicit PiecesSource(PipeReader* input) : input_(input) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    if (left_ == 0 && !ended_) {
      if (Result<void> begun = BeginPiece(); !begun) return tl::unexpected(begun.error());
    }
    if (ended_) return 0;
    const size_t got = input_->Some(bytes, std::min<size_t>(size, left_));
    if (got == 0) return Broken();
    left_ -= static_cast<uint32_t>(got);
    return got;
  }

  void Skip() {
    std::string rest(size_t{64} << 10, '\0');
    while (!ended_) static_cast<void>(Read(rest.data(), rest.size()));
  }
  bool IsBroken() const { return is_broken_; }

 private:
  static constexpr uint32_t kFailed = UINT32_MAX;

  Result<uint32_t> Length() {
    unsigned char length[4];
    if (!input_->All(reinterpret_cast<char*>(length), sizeof length)) return Broken();
    return uint32_t{length[0]} << 24 | uint32_t{length[1]} << 16 | uint32_t{length[2]} << 8 | uint32_t{length[3]};
  }

  Result<void> BeginPiece() {
    const Result<uint32_t> length = Length();
    if (!length) return tl::unexpected(length.error());
    left_ = *length;
    ended_ = left_ == 0;
    if (left_ != kFailed) return {};
    ended_ = true;
    const Result<uint32_t> size = Length();
    if (!size) return tl::unexpected(size.error());
    constexpr uint32_t kLongestReason = 1 << 16;
    std::string reason(std::min(*size, kLongestReason), '\0');
    if (*size > kLongestReason || !input_->All(reason.data(), reason.size())) return Broken();
    return Fail(ToOneLine(reason));
  }

  tl::unexpected<Error> Broken() {
    ended_ = is_broken_ = true;
    return Fail("the input ended within a log");
  }

  PipeReader* input_;
  uint32_t left_ = 0;
  bool ended_ = false;
  bool is_broken_ = false;
};

// Forwards to a source that outlives this object.
class Borrowed : public ByteSource {
 public:
  explicit Borrowed(ByteSource* source) : source_(source) {}
  Result<size_t> Read(char* bytes, size_t size) override { return source_->Read(bytes, size); }

 private:
  ByteSource* source_;
};

// Records whether opening or reading the stored bytes failed, as opposed to invalid content.
struct StoredState {
  std::string head;  // decompressed
  std::string problem;
  int64_t bytes = 0;
};

class WatchedSource : public ByteSource {
 public:
  WatchedSource(std::unique_ptr<ByteSource> source, StoredState* state) : source_(std::move(source)), state_(state) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    Result<size_t> got = source_->Read(bytes, size);
    if (!got && state_->problem.empty()) state_->problem = got.error().message;
    if (!got) return got;
    state_->bytes += static_cast<int64_t>(*got);
    if (state_->head.size() < kContentHeadBytes) {
      state_->head.append(bytes, std::min(*got, kContentHeadBytes - state_->head.size()));
    }
    return got;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  StoredState* state_;
};

bool HasEvents(const Application& application) {
  return application.start_ns > 0 || application.tasks.Size() > 0 || !application.jobs.empty() ||
         !application.stages.empty() || !application.executors.empty();
}

// Whether it is an unrelated file beside event logs, instead of a damaged log.
bool IsOtherFile(const std::string& source, const std::string& stored_head) {
  if (!NameOfOtherFormat(stored_head).empty()) return true;
  std::optional<Error> error;
  const std::string head = ReadUpTo(Decompress(StringSource(stored_head), source).get(), kContentHeadBytes, &error);
  const InputKind kind = DetectContent(head, /*log_name=*/false).kind;
  return kind != InputKind::kEventLog && kind != InputKind::kUnknown;
}

struct ReadContent {
  EventLogs logs;
  StoredState stored;
};

ReadContent ReadContentOf(const FleetLog& log, const OpenLogFile& open) {
  ReadContent content;
  Input input;
  input.path = log.source;
  input.kind = InputKind::kEventLog;
  input.application_id = log.id;
  input.attempt = log.attempt;
  input.in_progress = log.in_progress;
  for (size_t row = 0; row < log.files.size(); ++row) {
    input.parts.push_back({log.files[row].name, [&open, &content, row]() -> Result<std::unique_ptr<ByteSource>> {
                             Result<std::unique_ptr<ByteSource>> source = open(row);
                             if (!source) {
                               content.stored.problem = source.error().message;
                               return source;
                             }
                             return std::make_unique<WatchedSource>(std::move(*source), &content.stored);
                           }});
  }
  // Other cores read other logs.
  content.logs = ReadEventLogs({&input}, {.threads = 1});
  for (Application& application : content.logs.applications) BoundTimes(&application);
  return content;
}

// Why the log contains no application; empty if it does.
std::string ReasonOf(const FleetLog& log, const ReadContent& content) {
  if (!content.stored.problem.empty()) return content.stored.problem;
  if (content.stored.bytes == 0) return fmt::format("{}: empty", log.source);
  const EventLogStatus& status = content.logs.logs.front();
  const auto& applications = content.logs.applications;
  const bool has_events = std::any_of(applications.begin(), applications.end(), HasEvents);
  // While Spark writes a compressed log, its end is always missing.
  if (!status.problem.empty() && !(log.in_progress && has_events)) return status.problem;
  return has_events ? std::string() : fmt::format("{}: no events of Spark", log.source);
}

class LogAnswer {
 public:
  LogAnswer(const FleetLog& log, const FleetEngineOptions& options) : log_(log), options_(options) {}

  void Read(const OpenLogFile& open) {
    ReadContent content = ReadContentOf(log_, open);
    const std::string reason = ReasonOf(log_, content);
    if (!reason.empty()) {
      done_.is_other =
          content.stored.problem.empty() && content.stored.bytes > 0 && IsOtherFile(log_.source, content.stored.head);
      if (!done_.is_other) AddFailure(reason, content.logs.applications);
      done_.try_again = !content.stored.problem.empty();
      return;
    }
    content.stored = {};
    for (Application& application : content.logs.applications) {
      if (!HasEvents(application)) continue;
      if (!options_.filter.Accepts(application)) {
        done_.is_filtered = true;
        continue;
      }
      AppendFleetRows(application, Answer(application), options_.prices, log_.source, &lines_);
      ++done_.applications;
      application = Application();
    }
  }

  // Replaces all rows so far.
  void AddFailure(const std::string& reason, const std::vector<Application>& applications = {}) {
    lines_.clear();
    done_ = {.failed = true};
    FailedLog failed{log_.source, log_.id, log_.attempt, log_.Bytes(), log_.ModifiedNs(), reason};
    if (!applications.empty() && HasEvents(applications.front())) {
      failed.id = applications.front().id;
      failed.attempt = applications.front().attempt;
    }
    AppendFleetFailure(failed, &lines_);
  }

  std::string Take() { return lines_ + fmt::format("{}\t{}\n", kDoneTable, FormatDone(done_)); }

 private:
  const FleetLog& log_;
  const FleetEngineOptions& options_;
  std::string lines_;
  FleetLogDone done_;
};

// Storages by root, opened on demand.
class Storages {
 public:
  Result<std::unique_ptr<ByteSource>> Open(const std::string& root, const StoredFile& file) {
    std::unique_ptr<Storage>& storage = storages_[root];
    if (storage == nullptr) {
      Result<std::unique_ptr<Storage>> opened = OpenStorage(root);
      if (!opened) return tl::unexpected(opened.error());
      storage = std::move(*opened);
    }
    return storage->IsRemote() ? OpenStored(storage.get(), file) : OpenFileSource(file.name, 0, file.size);
  }

 private:
  std::map<std::string, std::unique_ptr<Storage>> storages_;
};

std::string AnswerOfPieces(const FleetLog& log, PipeReader* input, const FleetEngineOptions& options, bool* broken) {
  std::unique_ptr<PiecesSource> file;
  size_t opened = 0;
  const OpenLogFile open = [&](size_t) -> Result<std::unique_ptr<ByteSource>> {
    if (file != nullptr) file->Skip();
    file = std::make_unique<PiecesSource>(input);
    ++opened;
    return std::make_unique<Borrowed>(file.get());
  };
  std::string answer = ReadFleetLog(log, open, options);
  if (file != nullptr) file->Skip();
  *broken = file != nullptr && file->IsBroken();
  for (; opened < log.files.size() && !*broken; ++opened) {
    PiecesSource rest(input);
    rest.Skip();
    *broken = rest.IsBroken();
  }
  return answer;
}

}  // namespace

std::string FormatDone(const FleetLogDone& done) {
  JsonWriter json;
  json.BeginObject().Member("applications", done.applications).Member("failed", done.failed);
  json.Member("tryAgain", done.try_again).Member("other", done.is_other).Member("filtered", done.is_filtered);
  return json.EndObject().Take();
}

Result<FleetLogDone> ParseDone(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  FleetLogDone done;
  const bool is_valid = parser.parse(json.data(), json.size()).get(root) == simdjson::SUCCESS &&
                        root["applications"].get_int64().get(done.applications) == simdjson::SUCCESS &&
                        root["failed"].get_bool().get(done.failed) == simdjson::SUCCESS &&
                        root["tryAgain"].get_bool().get(done.try_again) == simdjson::SUCCESS &&
                        root["other"].get_bool().get(done.is_other) == simdjson::SUCCESS &&
                        root["filtered"].get_bool().get(done.is_filtered) == simdjson::SUCCESS;
  if (!is_valid) return Fail(fmt::format("unexpected answer of the engine: {}", Shorten(json, 100)));
  return done;
}

std::string ReadFleetLog(const FleetLog& log, const OpenLogFile& open, const FleetEngineOptions& options) {
  LogAnswer answer(log, options);
  try {
    answer.Read(open);
  } catch (const std::bad_alloc&) {
    answer.AddFailure(options.max_memory_bytes > 0 ? fmt::format("{}: needs more than {} of memory (raise --memory)",
                                                                 log.source, FormatBytes(options.max_memory_bytes))
                                                   : fmt::format("{}: out of memory", log.source));
  } catch (...) {
    answer.AddFailure(fmt::format("{}: {}", log.source, CurrentException().message));
  }
  return answer.Take();
}

Result<void> ServeFleetLogs(int input, int output, const FleetEngineOptions& options) {
  constexpr int64_t kLargeLog = int64_t{16} << 20;
  if (options.max_memory_bytes > 0) {
    const auto most = static_cast<rlim_t>(options.max_memory_bytes);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_DATA, &limit);
  }
  Storages storages;
  PipeReader reader(input);
  while (const std::optional<std::string> line = reader.Line()) {
    const Result<FleetLog> log = ParseFleetLog(*line);
    if (!log) return tl::unexpected(log.error());
    bool broken = false;
    const OpenLogFile open = [&](size_t row) { return storages.Open(log->root, log->files[row]); };
    const std::string answer =
        log->root.empty() ? AnswerOfPieces(*log, &reader, options, &broken) : ReadFleetLog(*log, open, options);
    if (broken) return Fail(fmt::format("{}: the input ended within the log", log->source));
    if (Result<void> written = WriteAll(output, answer, "standard output"); !written) return written;
    if (log->Bytes() > kLargeLog) malloc_trim(0);
  }
  return {};
}

}  // namespace sparkprof
