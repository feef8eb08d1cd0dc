// SPDX-License-Identifier: Apache-2.0
#include "output/logs_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/redaction/redaction.h"
#include "base/text/escaped_text.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "render/report/answers_json.h"
#include "text_log/chunk_finder.h"
#include "text_log/error_collector.h"
#include "text_log/template_miner.h"

namespace sparkprof {
namespace {

void Write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void WriteText(std::string_view text) { Write(ForTerminal(text)); }

// Epoch milliseconds, or null if the time is unknown.
void AddTime(std::string_view key, int64_t time_ns, JsonWriter* json) {
  json->MemberOrNull(key, time_ns != 0, time_ns / kNanosPerMilli);
}

std::string TimeText(int64_t time_ns) { return time_ns == 0 ? "time unknown" : FormatTimestamp(time_ns); }

std::string_view LevelText(LogLevel level) { return level == LogLevel::kNone ? "NONE" : LogLevelName(level); }

void PrintJson(JsonWriter* json) { Write(json->Take() + "\n"); }

class AnswerBase : public LogAnswer {
 public:
  explicit AnswerBase(bool json) : is_json_(json) {}

  void BeginFile(const std::string& path, LogFilter* filter) override {
    path_ = path;
    filter_ = filter;
    ++file_;
  }
  void EndFile(int64_t /*lines*/) override {}
  void OnRecord(const LogRecord& record) override {
    if (filter_->Takes(record)) Take(record);
  }

 protected:
  virtual void Take(const LogRecord& record) = 0;

  bool is_json_;
  std::string path_;
  LogFilter* filter_ = nullptr;
  uint32_t file_ = UINT32_MAX;  // index of the file, from 0
};

// Prints the records: for a single file as they are read, for several files sorted by time.
class RecordsAnswer : public AnswerBase {
 public:
  RecordsAnswer(bool json, bool sorts) : AnswerBase(json), sorts_(sorts) {}

  bool Print() override {
    if (sorts_) {
      std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.time_ns < b.time_ns; });
      for (const Row& row : rows_) PrintRow(std::string_view(text_).substr(row.begin, row.size));
    }
    if (is_json_) Write(count_ == 0 ? "[]\n" : "\n]\n");
    return count_ > 0;
  }

 private:
  struct Row {
    int64_t time_ns;
    size_t begin;
    size_t size;
  };

  void Take(const LogRecord& record) override {
    const std::string row = is_json_
                                ? JsonRow(record)
                                : ForTerminal(fmt::format("{}:{}:{}\n", path_, record.line, RedactText(record.text)));
    if (!sorts_) {
      PrintRow(row);
      return;
    }
    rows_.push_back({record.time_ns, text_.size(), row.size()});
    text_ += row;
  }

  std::string JsonRow(const LogRecord& record) const {
    JsonWriter json;
    json.BeginObject();
    AddTime("time", record.time_ns, &json);
    json.Member("level", LevelText(record.level)).Member("logger", record.logger);
    json.Member("thread", RedactText(record.thread));
    const auto [message, further] = RedactLines(record.message, record.continuation);
    json.Member("message", message).Member("further", further);
    json.Member("file", path_).Member("line", record.line).EndObject();
    return json.Take();
  }

  void PrintRow(std::string_view row) {
    if (is_json_) Write(count_ == 0 ? "[\n" : ",\n");
    Write(row);
    ++count_;
  }

  bool sorts_;
  std::vector<Row> rows_;
  std::string text_;
  int64_t count_ = 0;
};

class ErrorsAnswer : public AnswerBase {
 public:
  using AnswerBase::AnswerBase;

  void BeginFile(const std::string& path, LogFilter* filter) override {
    AnswerBase::BeginFile(path, filter);
    errors_.BeginFile(path);
  }

  bool Print() override {
    const std::vector<LogError> errors = errors_.Errors();
    if (is_json_) {
      JsonWriter json;
      WriteLogErrors(errors, ErrorMembers::kContract, &json);
      PrintJson(&json);
    } else {
      for (const LogError& error : errors) PrintText(error);
    }
    if (errors_.Dropped() > 0)
      fmt::print(stderr, "sparkprof: {} more warnings and errors not kept\n", errors_.Dropped());
    return !errors.empty();
  }

 private:
  void Take(const LogRecord& record) override { errors_.Add(record); }

  static void PrintText(const LogError& error) {
    std::string text = fmt::format("{} {}x {}\n", LevelText(error.level), error.count, error.message);
    if (!error.root_cause.empty()) text += fmt::format("  root cause: {}\n", error.root_cause);
    text += fmt::format("  {} to {}\n  {}", TimeText(error.first_ns), TimeText(error.last_ns), error.where.front());
    if (error.where.size() > 1) text += fmt::format(" and {} more", error.count - 1);
    WriteText(text + "\n\n");
  }

  ErrorCollector errors_;
};

class TemplatesAnswer : public AnswerBase {
 public:
  using AnswerBase::AnswerBase;

  bool Print() override {
    std::vector<TemplateMiner::Template> templates = miner_.Templates();
    std::stable_sort(templates.begin(), templates.end(),
                     [](const auto& a, const auto& b) { return a.values.count > b.values.count; });
    JsonWriter json;
    json.BeginArray();
    for (TemplateMiner::Template& found : templates) {
      LogTemplate& values = found.values;
      RedactInPlace(&values.text);
      if (!is_json_) {
        WriteText(fmt::format("{:>10} {}\n", values.count, values.text));
        continue;
      }
      json.BeginObject().Member("template", values.text).Member("count", values.count);
      AddTime("first", values.first_ns, &json);
      AddTime("last", values.last_ns, &json);
      json.Key("levels").BeginObject();
      for (size_t level = 0; level < kLogLevelCount; ++level) {
        if (values.levels[level] > 0) json.Member(LevelText(static_cast<LogLevel>(level)), values.levels[level]);
      }
      json.EndObject().EndObject();
    }
    if (is_json_) PrintJson(&json.EndArray());
    if (miner_.DroppedTemplates() > 0) {
      fmt::print(stderr, "sparkprof: dropped the {} least recently used templates of {} records\n",
                 miner_.DroppedTemplates(), miner_.DroppedRecords());
    }
    return !templates.empty();
  }

 private:
  void Take(const LogRecord& record) override { miner_.Add(record.message, record.level, record.time_ns); }

  TemplateMiner miner_;
};

// Prints one template ID per input line; the lines of a stack trace have their record's ID.
class AssignAnswer : public AnswerBase {
 public:
  using AnswerBase::AnswerBase;

  void EndFile(int64_t lines) override {
    PrintUpTo(lines + 1);
    line_ = 1;
    id_ = 0;
  }

  bool Print() override {
    if (is_json_) Write(count_ == 0 ? "[]\n" : "]\n");
    return count_ > 0;
  }

 private:
  void Take(const LogRecord& record) override {
    const uint32_t id = miner_.Add(record.message, record.level, record.time_ns);
    if (record.line > line_) PrintUpTo(record.line);
    id_ = id;
  }

  // Prints the last record's ID for each line before `line`.
  void PrintUpTo(int64_t line) {
    for (; line_ < line; ++line_) {
      if (is_json_) Write(count_ == 0 ? "[" : ",");
      Write(fmt::format("{}\n", id_));
      ++count_;
    }
  }

  TemplateMiner miner_;
  int64_t line_ = 1;
  uint32_t id_ = 0;
  int64_t count_ = 0;
};

class ChunksAnswer : public AnswerBase {
 public:
  using AnswerBase::AnswerBase;

  void BeginFile(const std::string& path, LogFilter* filter) override {
    AnswerBase::BeginFile(path, filter);
    paths_.push_back(path);
  }

  bool Print() override {
    std::vector<std::string> texts;
    for (const TemplateMiner::Template& found : miner_.Templates()) {
      if (texts.size() <= found.id) texts.resize(found.id + 1);
      texts[found.id] = RedactText(found.values.text);
    }
    const std::vector<LogChunk> chunks = finder_.Chunks();
    JsonWriter json;
    json.BeginArray();
    for (const LogChunk& chunk : chunks) {
      json.BeginObject().Member("repeats", chunk.repeats).Key("lines").BeginArray();
      std::string lines;
      for (const uint32_t id : chunk.templates) {
        const std::string_view text = id < texts.size() ? std::string_view(texts[id]) : std::string_view();
        json.Value(text);
        lines += fmt::format("    {}\n", text);
      }
      json.EndArray().Key("where").BeginArray();
      for (const LogChunk::Place& place : chunk.where) json.Value(PlaceText(place));
      json.EndArray();
      AddTime("first", chunk.first_ns, &json);
      AddTime("last", chunk.last_ns, &json);
      json.EndObject();
      if (is_json_) continue;
      WriteText(fmt::format("{}x, {} to {}, first at {}\n{}\n", chunk.repeats, TimeText(chunk.first_ns),
                            TimeText(chunk.last_ns), PlaceText(chunk.where.front()), lines));
    }
    if (is_json_) PrintJson(&json.EndArray());
    return !chunks.empty();
  }

 private:
  void Take(const LogRecord& record) override {
    if (record.message.empty()) return;
    const uint32_t id = miner_.Add(record.message, record.level, record.time_ns);
    finder_.Add(id, file_, record.thread, record.line, record.time_ns);
  }

  std::string PlaceText(const LogChunk::Place& place) const {
    return fmt::format("{}:{}", paths_[place.file], place.line);
  }

  // In a sequence, lines that differ in one word are different lines.
  TemplateMiner miner_{{.max_templates = 100'000, .min_similarity = 1}};
  ChunkFinder finder_;
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<LogAnswer> MakeRecordsAnswer(bool json, bool several_files) {
  return std::make_unique<RecordsAnswer>(json, several_files);
}
std::unique_ptr<LogAnswer> MakeErrorsAnswer(bool json) { return std::make_unique<ErrorsAnswer>(json); }
std::unique_ptr<LogAnswer> MakeTemplatesAnswer(bool json) { return std::make_unique<TemplatesAnswer>(json); }
std::unique_ptr<LogAnswer> MakeAssignAnswer(bool json) { return std::make_unique<AssignAnswer>(json); }
std::unique_ptr<LogAnswer> MakeChunksAnswer(bool json) { return std::make_unique<ChunksAnswer>(json); }

}  // namespace sparkprof
