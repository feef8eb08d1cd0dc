// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "base/text/characters.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

using Columns = std::vector<std::string_view>;

// The cells of a line of kubectl's tables, which two blanks or more separate.
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

// A pod that started has overcome what delayed its start, and a node's own trouble shows in the pods that it ends.
void AddEvent(const EventWarning& warning, bool has_started, FragmentAnswer* answer) {
  constexpr std::string_view kDelays[] = {"FailedMount", "FailedAttachVolume", "FailedScheduling",
                                          "FailedCreatePodSandBox", "NetworkNotReady"};
  const bool is_delay =
      has_started && std::find(std::begin(kDelays), std::end(kDelays), warning.reason) != std::end(kDelays);
  if (!is_delay && !warning.object.starts_with("node/"))
    return AddWarning(warning.reason, warning.object, warning.message, answer);
  constexpr size_t kMaxMessage = 200;
  answer->facts.push_back(fmt::format("{}{}: {}: {}", warning.object, is_delay ? ", which started" : "", warning.reason,
                                      Shorten(ToOneLine(warning.message), kMaxMessage)));
}

// A container's state that ended, or that waits for more than its start.
void AddContainer(std::string_view name, const IndentedText& fields, std::string_view state, FragmentAnswer* answer) {
  const auto at = [&](std::string_view key) { return fields.At(fmt::format("containers.{}.{}{}", name, state, key)); };
  const std::string_view reason = at(".reason"), code = at(".exitCode"), message = at(".message");
  if (at("").empty() || reason.empty()) return;
  answer->facts.push_back(fmt::format("{}: {} {}, {}{}{}", name, state == "state" ? "state" : "last state", at(""),
                                      reason, code.empty() ? "" : ", exit code ", code));
  const bool is_start = reason == "ContainerCreating" || reason == "PodInitializing" || reason == "Completed";
  if (is_start || code == "0") return;
  AddFailure(
      fmt::format("Container {}", name),
      fmt::format("{}{}{}{}{}", reason, code.empty() ? "" : ", exit code ", code, message.empty() ? "" : ": ", message),
      "`kubectl logs POD --previous`", answer);
}

// The members behind the message of the Spark Operator's log: {"name": "etl", "error": "…"}.
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
  std::string last;
  for (const auto& [path, value] : fields.Below("containers.")) {
    const std::string name = path.substr(0, path.find('.'));
    if (name == last) continue;
    last = name;
    AddContainer(name, fields, "state", answer);
    AddContainer(name, fields, "lastState", answer);
    const std::string_view limit = fields.At(fmt::format("containers.{}.limits.memory", name));
    if (!limit.empty()) answer->facts.push_back(fmt::format("{}: limit of memory {}", name, limit));
  }
  if (!reason.empty())
    AddFailure(fmt::format("Pod {}", fields.At("name")), fmt::format("{}: {}", reason, message), "`kubectl get events`",
               answer);
  bool in_events = false;
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    in_events |= line.starts_with("Events:");
    const Columns columns = in_events ? ColumnsOf(line) : Columns();
    if (columns.size() >= 5 && columns[0] == "Warning")
      AddWarning(columns[1], fmt::format("Pod {}", fields.At("name")), columns[4], answer);
  }
  const std::string_view phase = fields.At("status");
  return phase.empty() ? std::string(fields.At("name")) : fmt::format("{} is {}", fields.At("name"), phase);
}

std::string AnswerKubernetesTable(std::string_view text, FragmentAnswer* answer) {
  std::map<std::string, size_t, std::less<>> places;  // of columns, by their headings in capitals
  Counts states;
  std::vector<EventWarning> warnings;
  std::set<std::string_view> started;  // objects
  const auto cell = [&](const Columns& columns, std::string_view heading) {
    const auto place = places.find(heading);
    return place == places.end() || place->second >= columns.size() ? std::string_view() : columns[place->second];
  };
  while (!text.empty()) {
    const Columns columns = ColumnsOf(TakeLine(&text));
    // The events of `kubectl describe`, which may follow, have their headings in small letters, above a line of dashes.
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
    if (const std::string_view type = cell(columns, "TYPE"); !type.empty()) ++states[std::string(type)];
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
  return CountsText(states);
}

std::string AnswerOperatorLog(std::string_view text, FragmentAnswer* answer) {
  constexpr std::string_view kLog = "the log of the driver's pod";
  std::map<std::string, std::string> states;  // of applications, the last one
  std::set<std::string> explained;            // applications with the reason of a failure
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
    // The format before version 2: "E1128 07:00:01.123456      10 submission_runner.go:93] failed to run spark-submit
    // …".
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
