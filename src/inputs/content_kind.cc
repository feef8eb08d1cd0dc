// SPDX-License-Identifier: Apache-2.0
#include "inputs/content_kind.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "formats/profile_formats.h"
#include "inputs/archive.h"
#include "inputs/line_wrapping.h"

namespace sparkprof {
namespace {

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool HasKey(std::string_view json, std::string_view key) {
  for (size_t found = json.find(key); found != std::string_view::npos; found = json.find(key, found + 1)) {
    if (found > 0 && json[found - 1] == '"' && json.substr(found + key.size()).starts_with('"')) return true;
  }
  return false;
}

constexpr size_t kMaxSentence = 1024;  // bytes of a line, up to the end of Spark's sentence

enum class LineKind : uint8_t { kOther, kEvent, kLineage, kStructured, kUber, kPySpark, kBabar, kConsoleRecord, kLog };

bool IsEvent(std::string_view line) {
  if (line.starts_with("{\"Event\":\"")) return true;
  const size_t key = line.find("\"Event\"");
  if (key == std::string_view::npos) return false;
  std::string_view value = Trim(line.substr(key + 7));
  if (!value.starts_with(':')) return false;
  value = Trim(value.substr(1));
  return value.starts_with("\"SparkListener") || value.starts_with("\"org.apache.spark.");
}

// Whether the start of `line` matches: 'd' is a digit, any other character itself.
bool HasShape(std::string_view line, std::string_view shape) {
  if (line.size() < shape.size()) return false;
  for (size_t position = 0; position < shape.size(); ++position) {
    const char c = line[position];
    if (shape[position] == 'd' ? c < '0' || c > '9' : c != shape[position]) return false;
  }
  return true;
}

bool HasTimestamp(std::string_view line) {
  if (line.starts_with('[')) line.remove_prefix(1);
  if (HasShape(line, "<dd>d ") || HasShape(line, "<ddd>d ")) line.remove_prefix(line.find(' ') + 1);  // syslog
  constexpr std::array<std::string_view, 8> kShapes = {
      "dddd-dd-dd, dd:dd:dd", "dd/dd/dd dd:dd:dd",   "dddd-dd-dd dd:dd:dd", "dddd-dd-ddTdd:dd:dd",
      "dddd/dd/dd dd:dd:dd",  "dd-dd-dddd dd:dd:dd", "dd:dd:dd.ddd",        "ddddddddddddd "};
  return std::any_of(kShapes.begin(), kShapes.end(), [&](std::string_view shape) { return HasShape(line, shape); });
}

bool HoldsAny(std::string_view line, std::initializer_list<std::string_view> sentences) {
  return std::any_of(sentences.begin(), sentences.end(), [&](std::string_view words) { return Contains(line, words); });
}

// Whether Spark's words about the progress of its work are in the line, in whatever layout. No exception quotes them.
bool HoldsProgress(std::string_view line) {
  return HoldsAny(line, {"Running task ", "Starting task ", "Finished task ", "Adding task set ", "Removed TaskSet ",
                         " missing tasks from ", "Got job ", "Registered executor ", "Starting executor ID ",
                         "Running Spark version ", "Submitted application"});
}

bool HoldsSentence(std::string_view line) {
  return HoldsProgress(line) || HoldsAny(line, {"Lost task ", "Exception in task ", "Lost executor "});
}

bool HasLevel(std::string_view line) {
  constexpr std::array<std::string_view, 7> kLevels = {"INFO ",  "WARN ",  "ERROR ", "DEBUG ",
                                                       "FATAL ", "TRACE ", "WARNING"};
  const std::string_view begin = line.substr(0, 100);
  for (const std::string_view level : {"INFO: ", "WARN: ", "WARNING: ", "ERROR: ", "Error: ", "FATAL: "}) {
    if (begin.starts_with(level)) return true;
  }
  for (const std::string_view level : kLevels) {
    if (begin.starts_with(level) || Contains(begin, std::string(" ") + std::string(level)) ||
        Contains(begin, std::string("[") + std::string(Trim(level)) + "]")) {
      return true;
    }
  }
  return false;
}

bool IsLogLine(std::string_view line) {
  return HasTimestamp(line) || HasLevel(line) || line.starts_with("Traceback (most recent call last)") ||
         line.starts_with("Exception in thread") || line.starts_with("Java Agent ") || line.starts_with("\tat ") ||
         HoldsSentence(line.substr(0, kMaxSentence));
}

// Whether an object member is a complete log line, without a separate level.
bool WrapsLogLine(std::string_view json) {
  for (const std::string_view key : {"\"message\":", "\"log\":", "\"line\":", "\"msg\":", "\"_raw\":"}) {
    const size_t found = json.find(key);
    if (found == std::string_view::npos) continue;
    const std::string_view value = Trim(json.substr(found + key.size()));
    if (value.starts_with('"') && IsLogLine(value.substr(1))) return true;
  }
  return false;
}

LineKind JsonLineKind(std::string_view line) {
  constexpr std::array<std::string_view, 8> kUberKeys = {
      "heapMemoryTotalUsed", "jvmInputArguments", "liveThreadCount",       "metricName", "endEpoch",
      "processUuid",         "jvmClassPath",      "nonHeapMemoryTotalUsed"};
  if (IsEvent(line)) return LineKind::kEvent;
  if (HasKey(line, "eventTime") && HasKey(line, "producer") && HasKey(line, "runId")) return LineKind::kLineage;
  if (HasKey(line, "ts") && HasKey(line, "level") && (HasKey(line, "msg") || HasKey(line, "logger"))) {
    return LineKind::kStructured;
  }
  const auto has_any = [&](std::initializer_list<std::string_view> keys) {
    return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) { return HasKey(line, key); });
  };
  // Elastic Common Schema, Google Cloud Logging and similar formats.
  if (has_any({"@timestamp", "timestamp", "time", "timestampSeconds", "asctime"}) &&
      has_any({"level", "log.level", "log", "severity", "levelname"}) &&
      has_any({"message", "msg", "textPayload", "jsonPayload"})) {
    return LineKind::kStructured;
  }
  if (WrapsLogLine(line)) return LineKind::kStructured;
  if (HasKey(line, "pmem_rss") || (HasKey(line, "stacktrace") && HasKey(line, "i_d"))) return LineKind::kPySpark;
  const auto has_key = [&](std::string_view key) { return HasKey(line, key); };
  if (std::any_of(kUberKeys.begin(), kUberKeys.end(), has_key) || HasKey(line, "stacktrace")) return LineKind::kUber;
  return HoldsSentence(line) && (line.ends_with('}') || line.ends_with("},")) ? LineKind::kStructured
                                                                              : LineKind::kOther;
}

LineKind KindOfLine(std::string_view line) {
  if (line.starts_with('{')) return JsonLineKind(line);
  if (line.starts_with("BABAR\t") || Contains(line, ": BABAR\t")) return LineKind::kBabar;
  if (Contains(line, "ConsoleOutputReporter - ")) return LineKind::kConsoleRecord;
  const size_t brace = line.find(" {\"");
  if (brace != std::string_view::npos) {
    const LineKind inner = JsonLineKind(line.substr(brace + 1));
    if (inner == LineKind::kUber || inner == LineKind::kPySpark) return LineKind::kConsoleRecord;
  }
  return IsLogLine(line) ? LineKind::kLog : LineKind::kOther;
}

struct Counts {
  std::array<size_t, 9> of{};
  size_t headers = 0;   // lines of a log with a time and a level
  size_t progress = 0;  // lines with Spark's words about the progress of its work
  size_t operator[](LineKind kind) const { return of[static_cast<size_t>(kind)]; }
};

Counts CountLines(std::string_view head) {
  Counts counts;
  while (!head.empty()) {
    const std::string_view line = TakeLine(&head);
    const LineKind kind = KindOfLine(line);
    ++counts.of[static_cast<size_t>(kind)];
    if (kind != LineKind::kLog) continue;
    counts.headers += HasTimestamp(line) && HasLevel(line) ? 1 : 0;
    counts.progress += HoldsProgress(line.substr(0, kMaxSentence)) ? 1 : 0;
  }
  return counts;
}

InputKind KindOfCounts(const Counts& counts) {
  const size_t records = counts[LineKind::kUber] + counts[LineKind::kPySpark];
  const size_t others = counts[LineKind::kLog] + counts[LineKind::kOther];
  if (counts[LineKind::kEvent] > 0 && counts[LineKind::kEvent] >= counts[LineKind::kLog]) return InputKind::kEventLog;
  if (counts[LineKind::kLineage] > 0 && counts[LineKind::kLineage] >= counts[LineKind::kLog]) {
    return InputKind::kLineage;
  }
  if (counts[LineKind::kBabar] > 0 && counts[LineKind::kBabar] >= counts[LineKind::kLog]) return InputKind::kBabar;
  if (counts[LineKind::kStructured] > 0 && counts[LineKind::kStructured] >= counts[LineKind::kLog]) {
    return InputKind::kStructuredLog;
  }
  if (counts[LineKind::kConsoleRecord] > 0 || (records > 0 && records < others)) return InputKind::kConsole;
  if (records > 0) {
    return counts[LineKind::kUber] >= counts[LineKind::kPySpark] ? InputKind::kUberRecords : InputKind::kPySparkRecords;
  }
  return counts[LineKind::kLog] > 0 ? InputKind::kTextLog : InputKind::kUnknown;
}

bool IsYarnText(std::string_view head) {
  const size_t container = head.starts_with("Container: container_") ? 0 : head.find("\nContainer: container_");
  return container != std::string_view::npos && Contains(head.substr(container), "\nLogType:");
}

// Fragments within a log are part of it.
const FragmentType* FragmentOf(std::string_view head, InputKind kind, const Counts& counts, bool log_name) {
  constexpr size_t kProgressOfLog = 2;  // lines: a question may quote one
  // A whole thread dump with a few lines of its log, as in a question. Beside a single thread of one, a warning or an
  // error says more.
  constexpr size_t kQuotedLines = 5, kLeastBytes = 500;
  const bool is_quiet = !Contains(head, " ERROR ") && !Contains(head, " WARN ");
  const size_t thread = is_quiet ? head.find("\n   java.lang.Thread.State: ") : std::string_view::npos;
  const size_t dump = std::min({head.find("Full thread dump "), thread, head.size()});
  const bool is_dump = counts.headers <= kQuotedLines && head.size() - dump >= kLeastBytes;
  const bool is_log = !is_dump && (counts.headers > 0 || counts.progress >= kProgressOfLog);
  const bool may_be = (kind == InputKind::kTextLog || kind == InputKind::kUnknown) && !is_log;
  const FragmentType* const type = may_be ? RecognizeFragment(head) : nullptr;
  return type != nullptr && IsOfSources(type->kind) && !log_name ? nullptr : type;
}

InputKind KindOfFragment(const FragmentType& type) {
  if (type.kind == FragmentKind::kStackTrace) return InputKind::kTextLog;
  return type.kind == FragmentKind::kThreadDump ? InputKind::kProfile : InputKind::kFragment;
}

}  // namespace

ContentKind DetectContent(std::string_view head, bool log_name) {
  ContentKind content;
  if (head.empty()) {
    content.problem = "empty";
    return content;
  }
  if (head.starts_with("SPRF")) {
    content.kind = InputKind::kRecording;
    return content;
  }
  if (const std::string_view known = NameOfOtherFormat(head); !known.empty()) {
    const std::string_view unread = NameOfUnreadFormat(head);
    content.problem = unread.empty() ? known : unread;
    return content;
  }
  std::string unwrapped;
  if (content.wrapping = DetectWrapping(head); content.wrapping != LineWrapping::kNone) {
    unwrapped = Unwrap(content.wrapping, head);
    head = unwrapped;
    log_name = true;
  }
  // A machine crash may leave zeros at the end of a file.
  if (IsEvent(head.substr(0, head.find('\n')))) head = head.substr(0, head.find('\0'));
  if (!IsBinary(head)) {
    content.is_yarn_text = IsYarnText(head);
    if (content.is_yarn_text) {
      content.fragment = &TypeOf(FragmentKind::kYarnLogs);
      return content;
    }
    content.is_notebook = IsNotebook(head);
    if (content.is_notebook) return content;
    const Counts counts = CountLines(head);
    content.kind = KindOfCounts(counts);
    content.fragment = FragmentOf(head, content.kind, counts, log_name);
    if (content.fragment != nullptr) {
      content.kind = KindOfFragment(*content.fragment);
      return content;
    }
    if (content.kind != InputKind::kUnknown && content.kind != InputKind::kTextLog) return content;
    if (head.starts_with('{')) content.kind = InputKind::kUnknown;  // a JSON document that quotes log lines
  }
  // A single message that ends in a number, "x.AnalysisException: …; line 1 pos 14", looks like a collapsed stack.
  const std::string_view first = head.substr(0, head.find('\n'));
  const bool is_message = HoldsAny(first, {"Exception: ", "Error: ", "Error Code: ", "SystemExit: "});
  if (content.kind == InputKind::kUnknown && !is_message && RecognizeProfileFormat(head) != nullptr) {
    content.kind = InputKind::kProfile;
  } else if (const std::string_view unread = NameOfUnreadFormat(head);
             content.kind == InputKind::kUnknown && !unread.empty()) {
    if (log_name && !IsBinary(head)) content.kind = InputKind::kTextLog;
    content.problem = unread;
  } else if (content.kind == InputKind::kUnknown && IsBinary(head)) {
    content.problem = "unknown binary format";
  } else if (content.kind == InputKind::kUnknown && !NameOfDocument(head).empty()) {
    content.problem = NameOfDocument(head);
  } else if (content.kind == InputKind::kUnknown) {
    if (log_name) content.kind = InputKind::kTextLog;
    content.seems = DescribeText(head);
    content.problem = "text without log lines, Spark events or profiler records in its first 64 KiB";
  }
  if (content.kind != InputKind::kUnknown) content.problem.clear();
  return content;
}

bool IsLogName(std::string_view file_name) {
  constexpr std::array<std::string_view, 6> kBegins = {"stdout", "stderr",     "syslog",
                                                       "log4j",  "controller", "prelaunch"};
  for (const std::string_view begin : kBegins) {
    if (file_name.starts_with(begin)) return true;
  }
  // Rotation and compression suffixes follow the name: spark.log.1.gz, driver.log.2024-01-01
  for (const std::string_view ending : {".log", ".out", ".err"}) {
    const size_t found = file_name.find(ending);
    if (found == std::string_view::npos) continue;
    const std::string_view rest = file_name.substr(found + ending.size());
    if (rest.empty() || rest[0] == '.' || rest[0] == '-' || rest[0] == '_') return true;
  }
  return false;
}

}  // namespace sparkprof
