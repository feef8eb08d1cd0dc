// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text/characters.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/time.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

using Columns = std::vector<std::string_view>;

// The cells of a kubectl table, separated by at least two blanks.
Columns ColumnsOf(std::string_view line) {
  Columns columns;
  line = Trim(line);
  while (!line.empty()) {
    const size_t end = std::min({line.find("  "), line.find('\t'), line.size()});
    columns.push_back(line.substr(0, end));
    line = Trim(line.substr(end));
  }
  return columns;
}

std::string InCapitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return capitals;
}

void AddWarning(std::string_view reason, std::string_view object, std::string_view message, FragmentAnswer* answer) {
  AddFailure(object.empty() ? "A pod" : object, fmt::format("{}: {}", reason, message), "`kubectl describe pod POD`",
             answer);
}

struct EventWarning {
  std::string_view reason, object, message;
};

// Skips startup problems of pods that started. Problems of nodes show in the pods that they end.
void AddEvent(const EventWarning& warning, bool has_started, FragmentAnswer* answer) {
  constexpr std::string_view kDelays[] = {"FailedMount", "FailedAttachVolume", "FailedScheduling",
                                          "FailedCreatePodSandBox", "NetworkNotReady"};
  const bool is_delay =
      has_started && std::find(std::begin(kDelays), std::end(kDelays), warning.reason) != std::end(kDelays);
  if (!is_delay && !warning.object.starts_with("node/"))
    return AddWarning(warning.reason, warning.object, warning.message, answer);
  constexpr size_t kMaxMessage = 200;
  answer->facts.push_back(fmt::format("{}{}: {}: {}", warning.object, is_delay ? kWhichStarted : "", warning.reason,
                                      Shorten(ToOneLine(warning.message), kMaxMessage)));
}

// Parses "Sat, 28 Nov 2026 07:00:01 +0000"; 0 for other texts.
int64_t FinishTimeOf(std::string_view text) {
  std::tm parts{};
  if (strptime(std::string(text).c_str(), "%a, %d %b %Y %H:%M:%S %z", &parts) == nullptr) return 0;
  const int64_t offset_s = parts.tm_gmtoff;  // timegm resets it
  return (timegm(&parts) - offset_s) * kNanosPerSecond;
}

// The name in "ip-10-0-0-1.ec2.internal/10.0.0.1"; empty if the pod has no node yet.
std::string NodeOf(const IndentedText& fields) {
  const std::string_view node = fields.At("node");
  return node.starts_with('<') ? std::string() : std::string(node.substr(0, node.find('/')));
}

// The heap from the variables that Spark sets; the rest of the limit is overhead.
ProcessMemory MemoryOf(const IndentedText& fields, const std::string& container) {
  ProcessMemory memory;
  for (const std::string_view variable : {"sPARK_EXECUTOR_MEMORY", "sPARK_DRIVER_MEMORY"}) {
    if (!memory.heap) memory.heap = MemoryIn(fields.At(fmt::format("{}.environment.{}", container, variable)));
  }
  const std::optional<int64_t> limit = MemoryIn(fields.At(container + ".limits.memory"));
  if (memory.heap && limit && *limit > *memory.heap) memory.overhead = *limit - *memory.heap;
  return memory;
}

// Reports a limit of direct buffers that does not fit beside the heap.
void AddDirectMemory(std::string_view text, const ProcessMemory& memory, FragmentAnswer* answer) {
  constexpr std::string_view kOption = "-XX:MaxDirectMemorySize=";
  const size_t at = text.find(kOption);
  if (at == std::string_view::npos || !memory.overhead) return;
  const std::string_view value = text.substr(at + kOption.size());
  const std::optional<int64_t> direct = MemoryIn(value.substr(0, value.find_first_not_of("0123456789kmgKMG")));
  if (direct && *direct > *memory.overhead)
    answer->facts.push_back(
        fmt::format("{}{} allows more than the {} that the limit of memory leaves beside the heap: lower it, or raise "
                    "the overhead above it",
                    kOption, FormatBytes(*direct), FormatBytes(*memory.overhead)));
}

// Reads a container's state if it terminated, or waits for more than its start.
void AddContainer(std::string_view name, const IndentedText& fields, std::string_view state, FragmentAnswer* answer) {
  const auto at = [&](std::string_view key) { return fields.At(fmt::format("containers.{}.{}{}", name, state, key)); };
  const std::string_view reason = at(".reason"), code = at(".exitCode"), message = at(".message");
  if (at("").empty() || reason.empty()) return;
  answer->facts.push_back(fmt::format("{}: {} {}, {}{}{}", name, state == "state" ? "state" : "last state", at(""),
                                      reason, code.empty() ? "" : ", exit code ", code));
  const ProcessMemory memory = MemoryOf(fields, fmt::format("containers.{}", name));
  const bool is_start = reason == "ContainerCreating" || reason == "PodInitializing" || reason == "Completed";
  // The pod's own reason is why its containers were not seen to end.
  const bool is_of_pod = reason == "ContainerStatusUnknown" && !fields.At("reason").empty();
  if (is_start || is_of_pod || code == "0") return;
  AddFailure(
      fmt::format("Container {}", name),
      fmt::format("{}{}{}{}{}", reason, code.empty() ? "" : ", exit code ", code, message.empty() ? "" : ": ", message),
      "`kubectl logs POD --previous`", answer,
      {.at_ns = FinishTimeOf(at(".finished")), .host = NodeOf(fields), .driver = memory, .executor = memory});
}

// A member after the message in the Spark Operator's log: {"name": "etl", "error": "…"}.
std::string MemberOf(std::string_view line, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\": \"", key);
  const size_t at = line.find(quoted);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + quoted.size());
  size_t end = 0;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  return std::string(line.substr(0, end));
}

}  // namespace

std::string AnswerPodDescription(std::string_view text, FragmentAnswer* answer) {
  const IndentedText fields(text);
  const std::string_view reason = fields.At("reason"), message = fields.At("message");
  const std::string name(fields.At("name"));
  const std::string pod = name.empty() ? std::string("The pod") : fmt::format("Pod {}", name);
  if (!reason.empty())
    AddFailure(pod, fmt::format("{}: {}", reason, message), "`kubectl get events`", answer, {.host = NodeOf(fields)});
  std::string last;
  bool has_started = false;
  for (const auto& [path, value] : fields.Below("containers.")) {
    const std::string container = path.substr(0, path.find('.'));
    if (container == last) continue;
    last = container;
    AddContainer(container, fields, "state", answer);
    AddContainer(container, fields, "lastState", answer);
    const std::string_view limit = fields.At(fmt::format("containers.{}.limits.memory", container));
    if (!limit.empty()) answer->facts.push_back(fmt::format("{}: limit of memory {}", container, limit));
    AddDirectMemory(text, MemoryOf(fields, fmt::format("containers.{}", container)), answer);
    const std::string_view state = fields.At(fmt::format("containers.{}.state", container));
    has_started |= state == "Running" || state == "Terminated";
  }
  bool in_events = false;
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    in_events |= line.starts_with("Events:");
    const Columns columns = in_events ? ColumnsOf(line) : Columns();
    if (columns.size() >= 5 && columns[0] == "Warning") AddEvent({columns[1], pod, columns[4]}, has_started, answer);
  }
  const std::string_view phase = fields.At("status");
  return phase.empty() ? name : fmt::format("{} is {}", name.empty() ? "it" : name, phase);
}

std::string AnswerKubernetesTable(std::string_view text, FragmentAnswer* answer) {
  std::map<std::string, size_t, std::less<>> places;  // position of columns by heading, in capitals
  Counts states, events;
  std::vector<EventWarning> warnings;
  std::set<std::string_view> started;  // names of objects
  const auto cell = [&](const Columns& columns, std::string_view heading) {
    const auto place = places.find(heading);
    return place == places.end() || place->second >= columns.size() ? std::string_view() : columns[place->second];
  };
  while (!text.empty()) {
    const Columns columns = ColumnsOf(TakeLine(&text));
    // The events that `kubectl describe` appends have lower-case headings above a line of dashes.
    const bool is_heading = std::any_of(columns.begin(), columns.end(), [](std::string_view one) {
      return one == "READY" || one == "REASON" || one == "Reason";
    });
    if (is_heading) {
      places.clear();
      for (size_t at = 0; at < columns.size(); ++at) places[InCapitals(columns[at])] = at;
      continue;
    }
    if (!columns.empty() && columns[0].find_first_not_of('-') == std::string_view::npos) continue;
    if (cell(columns, "REASON") == "Started") started.insert(cell(columns, "OBJECT"));
    if (cell(columns, "TYPE") == "Warning")
      warnings.push_back({cell(columns, "REASON"), cell(columns, "OBJECT"), cell(columns, "MESSAGE")});
    if (const std::string_view type = cell(columns, "TYPE"); !type.empty()) ++events[std::string(type)];
    const std::string_view status = cell(columns, "STATUS");
    if (status.empty()) continue;
    ++states[std::string(status)];
    const bool is_good = status == "Running" || status == "Completed" || status == "Succeeded" || status == "Pending" ||
                         status == "ContainerCreating" || status == "Terminating" || status == "PodInitializing" ||
                         status.starts_with("Init:");
    if (!is_good)
      AddFailure(fmt::format("Pod {}", cell(columns, "NAME")),
                 fmt::format("{}, restarts: {}", status, cell(columns, "RESTARTS")), "`kubectl describe pod POD`",
                 answer);
  }
  for (const EventWarning& warning : warnings) AddEvent(warning, started.contains(warning.object), answer);
  if (states.empty()) return CountsText(events);
  return events.empty() ? CountsText(states) : fmt::format("{}; events: {}", CountsText(states), CountsText(events));
}

std::string AnswerOperatorLog(std::string_view text, FragmentAnswer* answer) {
  constexpr std::string_view kLog = "the log of the driver's pod";
  std::map<std::string, std::string> states;  // last state by application
  std::set<std::string> explained;            // applications with a failure reason
  while (!text.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&text));
    const std::string name = MemberOf(line, "name"), state = MemberOf(line, "newState");
    if (!name.empty() && !state.empty()) states[name] = state;
    const std::string subject = name.empty() ? std::string("An application") : fmt::format("Application {}", name);
    for (const std::string_view key : {"error", "errorMessage"}) {
      const std::string reason = MemberOf(line, key);
      if (reason.empty()) continue;
      explained.insert(name);
      AddFailure(subject, reason, kLog, answer);
    }
    // Before version 2: "E1128 07:00:01.123456      10 submission_runner.go:93] failed to run spark-submit …".
    if (const size_t place = line.find(".go:"); line.starts_with('E') && place != std::string_view::npos) {
      const size_t end = line.find("] ", place);
      if (end != std::string_view::npos) AddFailure(subject, line.substr(end + 2), kLog, answer);
    }
  }
  Counts counts;
  for (const auto& [name, state] : states) {
    ++counts[state];
    const bool is_failed = state == "FAILED" || state == "SUBMISSION_FAILED" || state == "FAILING";
    if (is_failed && !explained.contains(name)) AddFailure(fmt::format("Application {}", name), state, kLog, answer);
  }
  return CountsText(counts);
}

}  // namespace sparkprof
