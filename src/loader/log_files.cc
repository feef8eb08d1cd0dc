// SPDX-License-Identifier: Apache-2.0
#include "loader/log_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/io/compression.h"
#include "base/io/line_reader.h"
#include "inputs/content_kind.h"
#include "text_log/missing_dates.h"

namespace sparkprof {
namespace {

bool IsAtOrBelow(std::string_view path, std::string_view place) {
  if (!path.starts_with(place)) return false;
  return path.size() == place.size() || place.ends_with('/') || path[place.size()] == '/' || path[place.size()] == '!';
}

bool HasOthers(const ApplicationInputs& inputs) {
  return inputs.text_logs.size() > 1 || !inputs.event_logs.empty() || !inputs.records.empty() || inputs.recorded;
}

// Zones by path, for logs whose application has other inputs for comparison.
std::map<std::string, LogZone> ZonesByPath(ApplicationLoader* loader) {
  std::map<std::string, LogZone> zones;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    const std::vector<const Input*>& logs = loader->applications()[row].text_logs;
    if (logs.empty() || !HasOthers(loader->applications()[row])) continue;
    const std::vector<LogZone> of_logs = loader->ReadZones(row);
    for (size_t i = 0; i < logs.size(); ++i) zones.emplace(logs[i]->path, of_logs[i]);
  }
  return zones;
}

// Adds the logs in recordings, file by file. Skips applications whose logs are among the inputs.
void AddRecordedLogs(ApplicationLoader* loader, std::vector<LogFile>* logs) {
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    const ApplicationInputs& inputs = loader->applications()[row];
    if (!inputs.recorded || !inputs.text_logs.empty()) continue;
    std::vector<InputOutcome> outcomes;
    for (Application& application : loader->Read(row, &outcomes)) {
      const auto records = std::make_shared<const LogRecords>(std::move(application.logs));
      const size_t first = logs->size();
      for (const std::string& source : records->sources) {
        logs->push_back({.path = source, .open = {}, .options = {}, .recorded = {records, {}}});
      }
      for (uint32_t record = 0; record < records->Size(); ++record) {
        (*logs)[first + records->source[record]].recorded.rows.push_back(record);
      }
    }
  }
}

// Restores the original line and time of records that are parsed again from a recording's text.
class RecordedHandler : public LogRecordHandler {
 public:
  RecordedHandler(const RecordedLog* log, LogRecordHandler* handler) : log_(log), handler_(handler) {}

  void OnRecord(const LogRecord& record) override {
    while (next_ < log_->rows.size() && line_ < record.line) {
      row_ = log_->rows[next_++];
      line_ += LinesOf(row_);
    }
    LogRecord recorded = record;
    recorded.time_ns = log_->records->time_ns[row_];
    recorded.level = log_->records->level[row_];
    recorded.line = log_->records->line[row_];
    handler_->OnRecord(recorded);
  }

  int64_t LinesOf(uint32_t row) const {
    const std::string_view text = log_->records->Text(row);
    return 1 + std::count(text.begin(), text.end(), '\n');
  }

 private:
  const RecordedLog* log_;
  LogRecordHandler* handler_;
  size_t next_ = 0;   // index in the log's rows
  uint32_t row_ = 0;  // row of the current record
  int64_t line_ = 0;  // last line of that record in the parsed text
};

ReadLog ReadRecordedLog(const LogFile& log, LogRecordHandler* handler) {
  RecordedHandler recorded(&log.recorded, handler);
  LogReader reader(&recorded, log.options);
  const LogRecords& records = *log.recorded.records;
  int64_t lines = 0;
  for (const uint32_t row : log.recorded.rows) {
    reader.AddLines(fmt::format("{}\n", records.Text(row)));
    lines = records.line[row] + recorded.LinesOf(row) - 1;
  }
  reader.Finish();
  return {lines, {}};
}

// Whether an unrecognized file is not text.
bool HoldsBytes(const std::function<Result<std::unique_ptr<ByteSource>>()>& open) {
  constexpr size_t kHead = 4096;
  const Result<std::unique_ptr<ByteSource>> source = open();
  std::optional<Error> damage;
  return source && IsBinary(ReadUpTo(source->get(), kHead, &damage));
}

}  // namespace

Result<std::vector<LogFile>> FindLogs(const std::vector<std::string>& paths, const LoaderOptions& options,
                                      InputProblems* problems) {
  Result<ApplicationLoader> loader = ApplicationLoader::Find(paths, options);
  if (!loader) return tl::unexpected(loader.error());
  const std::map<std::string, LogZone> zones = options.zone ? std::map<std::string, LogZone>() : ZonesByPath(&*loader);
  const LogZone zone = options.zone.value_or(LogZone());
  std::vector<LogFile> logs;
  std::set<std::string> taken;
  for (const Input& input : loader->inputs().inputs) {
    const bool is_named = std::find(paths.begin(), paths.end(), input.path) != paths.end();
    if (!IsLog(input.kind) && (input.fragment == nullptr || !is_named)) continue;
    taken.insert(input.path);
    const auto its_own = zones.find(input.path);
    logs.push_back({input.path,
                    [input] { return input.Open(/*as_written=*/true); },
                    {its_own == zones.end() ? zone : its_own->second, input.changed_ns}});
  }
  problems->notes = loader->inputs().notes;
  std::string binary;
  for (const Unrecognized& other : loader->inputs().unrecognized) {
    const bool is_named = std::find(paths.begin(), paths.end(), other.path) != paths.end();
    if (!is_named || taken.contains(other.path) || !std::filesystem::is_regular_file(other.path)) {
      problems->unrecognized.push_back(fmt::format("{}: {}", other.path, other.reason));
      continue;
    }
    const auto open = [path = other.path,
                       expansion = options.limits.expansion]() -> Result<std::unique_ptr<ByteSource>> {
      Result<std::unique_ptr<ByteSource>> file = OpenFileSource(path);
      if (!file) return file;
      return Decompress(std::move(*file), path, expansion);
    };
    if (HoldsBytes(open)) {
      problems->unrecognized.push_back(fmt::format("{}: {}", other.path, other.reason));
      if (binary.empty()) binary = fmt::format("{}: {}", other.path, other.reason);
      continue;
    }
    logs.push_back({other.path, open, {zone}});
  }
  // Paths stay in the user's order; files below each path are sorted by name.
  const auto rank = [&](const LogFile& log) {
    for (size_t i = 0; i < paths.size(); ++i) {
      if (IsAtOrBelow(log.path, paths[i])) return i;
    }
    return paths.size();
  };
  std::stable_sort(logs.begin(), logs.end(), [&](const LogFile& a, const LogFile& b) { return rank(a) < rank(b); });
  AddRecordedLogs(&*loader, &logs);
  if (logs.empty()) {
    return Fail(
        fmt::format("{}; expected lines such as '26/11/21 13:03:51 INFO SparkContext: …'",
                    binary.empty() ? fmt::format("{}: no text log found", paths.empty() ? "" : paths[0]) : binary));
  }
  return logs;
}

Result<ReadLog> ReadLogRecords(const LogFile& log, const LineLimits& limits, LogRecordHandler* handler) {
  if (log.recorded.records) return ReadRecordedLog(log, handler);
  Result<std::unique_ptr<ByteSource>> source = log.open();
  if (!source) return tl::unexpected(source.error());
  LogReaderOptions options = log.options;
  options.name_ns = DayOfName(log.path);
  LogReader reader(handler, options);
  LineReader lines(std::move(*source), limits);
  for (std::string_view block = lines.Next(); !block.empty(); block = lines.Next()) reader.AddLines(block);
  reader.Finish();
  if (lines.SourceError() && reader.Lines() == 0) return tl::unexpected(*lines.SourceError());
  ReadLog read{reader.Lines(), {}};
  if (lines.SourceError()) {
    read.problem = lines.SourceError()->message;
  } else if (lines.DroppedLines() > 0) {
    read.problem = fmt::format("{}: truncated {} lines longer than {} bytes (--max-line)", log.path,
                               lines.DroppedLines(), limits.max_line_bytes);
  } else if (const std::vector<std::string> doubts = reader.Doubts(); !doubts.empty()) {
    read.problem = fmt::format("{}: {}", log.path, fmt::join(doubts, "; "));
  }
  return read;
}

}  // namespace sparkprof
