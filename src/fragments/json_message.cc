// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/findings/failures/failure_report.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "failures/failures.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

constexpr int kMaxLevels = 20;
constexpr size_t kMaxTexts = 10'000;
constexpr size_t kMaxWord = 60;
constexpr size_t kMaxQuoted = 400;

struct Leaf {
  std::string key;
  std::string_view value;
};

void AddLeaves(const simdjson::dom::element& element, std::string_view key, int depth, std::vector<Leaf>* leaves) {
  if (depth == kMaxLevels || leaves->size() == kMaxTexts) return;
  simdjson::dom::object object;
  simdjson::dom::array array;
  std::string_view text;
  if (element.get_object().get(object) == simdjson::SUCCESS) {
    for (const auto [name, value] : object) AddLeaves(value, name, depth + 1, leaves);
  } else if (element.get_array().get(array) == simdjson::SUCCESS) {
    for (const simdjson::dom::element value : array) AddLeaves(value, key, depth + 1, leaves);
  } else if (element.get_string().get(text) == simdjson::SUCCESS && !text.empty()) {
    leaves->push_back({std::string(key), text});
  }
}

bool EndsWithAny(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

}  // namespace

std::string AnswerJsonMessage(std::string_view text, FragmentAnswer* answer) {
  Counts states;
  bool is_failed = false, is_message = false;
  std::string log = "the log of the driver";
  std::string known, stated;
  FailureRank rank = FailureRank::kHarmless;
  ForEachJsonObject(text, [&](const simdjson::dom::object& object) {
    std::vector<Leaf> leaves;
    for (const auto [name, value] : object) AddLeaves(value, name, 0, &leaves);
    for (const Leaf& leaf : leaves) {
      const std::string key = ToLowerAscii(leaf.key);
      if (EndsWithAny(key, {"state", "status", "code"}) && leaf.value.size() <= kMaxWord &&
          leaf.value.find(' ') == std::string_view::npos) {
        ++states[std::string(leaf.value)];
        is_failed |= EndsWithAny(ToLowerAscii(leaf.value), {"failed", "error", "failure", "dead", "timedout"});
      }
      if (EndsWithAny(key, {"logfile", "log_uri", "run_page_url", "driveroutputresourceuri"})) log = leaf.value;
      const bool is_condition = key == "errorclass";
      const bool is_stated = EndsWithAny(key, {"message", "msg", "reason", "error", "details", "diagnostics"});
      std::string line = is_condition ? fmt::format("[{}]", leaf.value) : fmt::format("{}: {}", leaf.key, leaf.value);
      const std::optional<FailureMatch> match = FindFailure(line);
      if (match && match->failure->rank > rank) {
        rank = match->failure->rank;
        is_message = is_stated;
        known = ExcerptAt(line, match->offset, kMaxQuoted);
      } else if (stated.empty() && is_stated) {
        stated = leaf.value;
      }
    }
  });
  const std::string& reason = known.empty() ? stated : known;
  if (!known.empty() || (is_failed && !stated.empty())) AddFailure("A job or its cluster", reason, log, answer);
  if (!states.empty()) answer->facts.push_back(fmt::format("States: {}", CountsText(states)));
  std::string fact = Shorten(ToOneLine(stated.empty() || is_message ? known : stated), 200);
  if (fact.ends_with('.')) fact.pop_back();
  return fact;
}

}  // namespace sparkprof
