// SPDX-License-Identifier: Apache-2.0
#include "server/runs/run_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunFile = "run.json";

std::string_view TableFile(RunTable table) { return table == RunTable::kLog ? "log.jsonl" : "processes.jsonl"; }

void SetText(const simdjson::dom::object& row, std::string_view key, std::string* text) {
  if (simdjson::dom::element value; Find(row, key, &value)) *text = TextOf(value);
}

// Terminates a line that a crash cut off, so that it does not damage the next one.
Result<void> AppendLines(int file, const std::string& path, uint64_t size, const std::string& text) {
  char last = '\n';
  if (size > 0 && pread(file, &last, 1, static_cast<off_t>(size) - 1) != 1) {
    return tl::unexpected(SystemError(path, "cannot read"));
  }
  Result<void> written = WriteAll(file, last == '\n' ? text : "\n" + text, path);
  if (written && fdatasync(file) != 0) written = tl::unexpected(SystemError(path, "cannot sync"));
  if (!written && ftruncate(file, static_cast<off_t>(size)) != 0) return written;
  return written;
}

}  // namespace

void WriteRun(const SuiteRun& run, JsonWriter* json) {
  json->Member("id", run.id).Member("startTime", run.start_ms).Member("endTime", run.end_ms);
  json->Member("suiteName", run.suite_name).Member("version", run.version).Member("user", run.user);
  json->Member("overallStatus", run.overall_status);
}

std::string RunStore::PathOf(int64_t id, std::string_view name) const {
  return fmt::format("{}/{}/{}", folder_, id, name);
}

std::string RunStore::PathOf(int64_t id, RunTable table) const { return PathOf(id, TableFile(table)); }

void RunStore::Apply(const std::string& row, SuiteRun* run) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(row).get_object().get(object) != simdjson::SUCCESS) return;
  run->start_ms = IntegerAt(object, "startTime", run->start_ms);
  if (simdjson::dom::element end; Find(object, "endTime", &end) && !end.is_null()) run->end_ms = IntegerOf(end, 0);
  SetText(object, "suiteName", &run->suite_name);
  SetText(object, "version", &run->version);
  SetText(object, "user", &run->user);
  SetText(object, "overallStatus", &run->overall_status);
}

Result<std::unique_ptr<RunStore>> RunStore::Open(const std::string& folder) {
  std::unique_ptr<RunStore> store(new RunStore(folder));
  if (Result<void> created = CreateFolders(store->folder_); !created) return tl::unexpected(created.error());
  if (Result<void> read = store->ReadRuns(); !read) return tl::unexpected(read.error());
  return store;
}

Result<void> RunStore::ReadRuns() {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::optional<int64_t> id = ParseInteger(entry.path().filename().native());
    if (!id) continue;
    // A crash between creating the folder and the file leaves an empty folder.
    if (!fs::exists(PathOf(*id, kRunFile))) continue;
    const Result<std::string> text = ReadRun(*id);
    SuiteRun run;
    run.id = *id;
    if (text) {
      Apply(*text, &run);
    } else {
      run.suite_name = run.overall_status = "damaged";
      problems_.push_back(text.error().message);
    }
    runs_[*id] = std::move(run);
  }
  return error ? Fail(fmt::format("{}: cannot list: {}", folder_, error.message())) : Result<void>();
}

Result<void> RunStore::Write(const SuiteRun& run, const std::string& results) const {
  JsonWriter json;
  json.BeginObject();
  WriteRun(run, &json);
  if (!results.empty()) json.Key("results").Raw(results);
  return WriteFile(PathOf(run.id, kRunFile), WithChecksum(json.EndObject().Take()) + "\n");
}

Result<std::string> RunStore::ReadRun(int64_t id) const {
  const std::string path = PathOf(id, kRunFile);
  const Result<std::string> text = ReadFile(path);
  if (!text) return text;
  CheckedLines checked = ReadCheckedLines(*text);
  if (checked.lines.size() == 1) return std::move(checked.lines.front());
  return Fail(fmt::format("{}: damaged; restore it from a backup, or remove the folder of the run", path));
}

std::vector<std::string> RunStore::Problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

Result<SuiteRun> RunStore::Create(SuiteRun run, const RecordRun& record) {
  const std::lock_guard lock(mutex_);
  if (runs_.size() >= kMaxRuns)
    return Fail(fmt::format("{} runs are stored, which is the limit; remove old folders", kMaxRuns));
  run.id = runs_.empty() ? 1 : runs_.rbegin()->first + 1;
  const Result<void> created = record(run, [&]() -> Result<void> {
    if (Result<void> made = CreateFolders(PathOf(run.id, "")); !made) return made;
    return Write(run, "");
  });
  if (!created) return tl::unexpected(created.error());
  return runs_[run.id] = run;
}

Result<std::optional<SuiteRun>> RunStore::Update(int64_t id, const std::string& row, const std::string& results,
                                                 const RecordRun& record) {
  const Result<std::string> kept = results.empty() ? ResultsOf(id) : Result<std::string>(results);
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(id);
  if (found == runs_.end()) return std::nullopt;
  if (!kept) return tl::unexpected(kept.error());
  SuiteRun changed = found->second;
  Apply(row, &changed);
  if (Result<void> written = record(changed, [&] { return Write(changed, *kept); }); !written) {
    return tl::unexpected(written.error());
  }
  return found->second = std::move(changed);
}

std::optional<SuiteRun> RunStore::Get(int64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(id);
  return found == runs_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<SuiteRun> RunStore::List() const {
  std::vector<SuiteRun> runs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, run] : runs_) runs.push_back(run);
  }
  std::sort(runs.begin(), runs.end(), [](const SuiteRun& a, const SuiteRun& b) {
    return a.start_ms != b.start_ms ? a.start_ms > b.start_ms : a.id > b.id;
  });
  return runs;
}

Result<std::string> RunStore::ResultsOf(int64_t id) const {
  const std::lock_guard lock(mutex_);
  if (!runs_.contains(id)) return std::string();
  const Result<std::string> text = ReadRun(id);
  if (!text) return text;
  simdjson::dom::parser parser;
  simdjson::dom::element results;
  return parser.parse(*text)["results"].get(results) == simdjson::SUCCESS ? std::string(simdjson::minify(results)) : "";
}

Result<void> RunStore::Append(int64_t id, RunTable table, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += WithChecksum(line) + "\n";
  const std::string path = PathOf(id, table);
  const std::lock_guard lock(mutex_);
  const FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
  struct stat status;
  if (!file.IsOpen() || fstat(file.Get(), &status) != 0) return tl::unexpected(SystemError(path, "cannot open"));
  const uint64_t size = static_cast<uint64_t>(status.st_size);
  if (size + text.size() > kMaxTableBytes) {
    return Fail(fmt::format("the table of run {} has reached its limit of {}; use longer intervals", id,
                            FormatBytes(static_cast<int64_t>(kMaxTableBytes))));
  }
  return AppendLines(file.Get(), path, size, text);
}

Result<std::vector<std::string>> RunStore::Read(int64_t id, RunTable table) const {
  const std::string path = PathOf(id, table);
  if (!fs::exists(path)) return std::vector<std::string>();
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  return ReadCheckedLines(*text).lines;
}

}  // namespace sparkprof
