// SPDX-License-Identifier: Apache-2.0
#include "auto/auto_policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "analysis/owners/resources.h"
#include "base/io/byte_source.h"
#include "base/text/quantity.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxRules = 100;
constexpr int64_t kLeastGoodRuns = 5, kMaxGoodRuns = 100, kMaxHistory = 200;
constexpr double kLeastChange = 0.05;                // relative; smaller changes are not worth a run
constexpr int64_t kMemoryStep = int64_t{256} << 20;  // for memory; other sizes are multiples of 1 MiB
constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr int64_t kMost = int64_t{1} << 60;  // limit of values and steps, so that sums cannot overflow

// Prefixes of settings that may change automatically: sizes and counts that leave query results as they are. They name
// no program, class or path, and do not decide where the job runs.
constexpr auto kMayBeAutomatic = std::to_array<std::string_view>({
    "spark.cores.max",
    "spark.default.parallelism",
    "spark.driver.cores",
    "spark.driver.maxResultSize",
    "spark.driver.memory",
    "spark.dynamicAllocation.",
    "spark.executor.cores",
    "spark.executor.instances",
    "spark.executor.memory",
    "spark.executor.pyspark.memory",
    "spark.memory.",
    "spark.python.worker.memory",
    "spark.python.worker.reuse",
    "spark.reducer.",
    "spark.sql.adaptive.",
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.broadcastTimeout",
    "spark.sql.execution.arrow.",
    "spark.sql.files.maxPartitionBytes",
    "spark.sql.shuffle.partitions",
    "spark.task.cpus",
});

bool IsMemory(std::string_view key) { return key.ends_with("emory") || key.ends_with("emoryOverhead"); }

// The unit that Spark assumes for a size without one: MiB for memory, otherwise bytes.
int64_t UnitOfSize(std::string_view key) {
  return IsMemory(key) || key == "spark.reducer.maxSizeInFlight" ? kMebibyte : 1;
}

// Ends the parsing of a file.
struct RuleProblem {
  int line;  // 0-based; -1 = unknown
  std::string text;
};

[[noreturn]] void RefuseRule(const YAML::Node& node, std::string text) {
  throw RuleProblem{node.Mark().line, std::move(text)};
}

std::string RuleText(const YAML::Node& node, std::string_view key) {
  if (!node.IsScalar() || !IsUtf8(node.Scalar())) RefuseRule(node, fmt::format("{}: expected a text", key));
  return node.Scalar();
}

void CheckRuleKeys(const YAML::Node& map, std::initializer_list<std::string_view> known, std::string_view of) {
  if (!map.IsMap()) RefuseRule(map, fmt::format("{}: expected a map with {}", of, fmt::join(known, ", ")));
  for (const auto& entry : map) {
    const std::string key = RuleText(entry.first, "key");
    if (std::find(known.begin(), known.end(), key) == known.end())
      RefuseRule(entry.first, fmt::format("{}: unknown key \"{}\"; use {}", of, key, fmt::join(known, ", ")));
  }
}

size_t RunsOf(const YAML::Node& node, std::string_view key, int64_t least, int64_t most, size_t otherwise) {
  if (!node) return otherwise;
  const std::optional<int64_t> runs = ParseInteger(RuleText(node, key));
  if (!runs || *runs < least || *runs > most)
    RefuseRule(node, fmt::format("{}: expected a number from {} to {}", key, least, most));
  return static_cast<size_t>(*runs);
}

// Returns the limit and its unit.
std::pair<int64_t, AutoRule::Unit> LimitOf(const YAML::Node& rule, const std::string& key, const char* name) {
  const YAML::Node node = rule[name];
  if (!node) RefuseRule(rule, fmt::format("{}: \"{}\" is missing; expected min, max and step, or values", key, name));
  const std::string text = RuleText(node, key);
  if (const std::optional<int64_t> count = ParseInteger(text)) {
    if (*count < 1) RefuseRule(node, fmt::format("{}: {}: expected at least 1", key, name));
    if (key.find("emory") != std::string::npos)
      RefuseRule(node, fmt::format("{}: {}: \"{}\" has no unit; use 2g or 512m", key, name, text));
    return {*count, AutoRule::Unit::kCount};
  }
  const Result<int64_t> bytes = ParseBytes(text);
  if (!bytes) RefuseRule(node, fmt::format("{}: {}", key, Refusal(name, text, bytes.error())));
  if (*bytes < kMebibyte) RefuseRule(node, fmt::format("{}: {}: expected at least 1m", key, name));
  return {*bytes, AutoRule::Unit::kBytes};
}

void ReadStep(const YAML::Node& rule, AutoRule* into) {
  const YAML::Node node = rule["step"];
  const std::string text = node ? RuleText(node, into->key) : "";
  if (text.ends_with('%')) {
    const std::optional<int64_t> percent = ParseInteger(std::string_view(text).substr(0, text.size() - 1));
    if (!percent || *percent < 1 || *percent > 100)
      RefuseRule(node, fmt::format("{}: step: expected 1% to 100%", into->key));
    into->step_share = static_cast<double>(*percent) / 100;
    return;
  }
  const auto [step, unit] = LimitOf(rule, into->key, "step");
  if (unit != into->unit)
    RefuseRule(node, fmt::format("{}: step: expected the unit of min, or a share: 25%", into->key));
  into->step = step;
}

AutoRule RuleOf(const std::string& key, const YAML::Node& node) {
  AutoRule rule{.key = key};
  CheckRuleKeys(node, {"min", "max", "step", "values"}, key);
  if (!MayBeAutomatic(key, "1"))
    RefuseRule(node, fmt::format("{}: not a setting that may change automatically; docs/auto.md lists them", key));
  if (const YAML::Node values = node["values"]) {
    if (node.size() != 1) RefuseRule(node, fmt::format("{}: values and min, max, step exclude each other", key));
    if (!values.IsSequence() || values.size() == 0)
      RefuseRule(values, fmt::format("{}: values: expected a list such as [true]", key));
    for (const YAML::Node& value : values) {
      rule.values.push_back(RuleText(value, key));
      if (!MayBeAutomatic(key, rule.values.back()))
        RefuseRule(value, fmt::format("{}: values: expected letters, digits, '.' and '-'", key));
    }
    return rule;
  }
  const auto [least, unit] = LimitOf(node, key, "min");
  const auto [most, unit_of_most] = LimitOf(node, key, "max");
  if (unit != unit_of_most || most < least)
    RefuseRule(node["max"], fmt::format("{}: max: expected at least min, with its unit", key));
  rule.unit = unit;
  rule.least = least;
  rule.most = most;
  ReadStep(node, &rule);
  return rule;
}

AutoPolicy PolicyOf(const YAML::Node& root) {
  CheckRuleKeys(root, {"runs", "history", "settings"}, "policy");
  AutoPolicy policy;
  policy.runs = RunsOf(root["runs"], "runs", kLeastGoodRuns, kMaxGoodRuns, policy.runs);
  policy.history = std::max(policy.history, policy.runs);
  policy.history = RunsOf(root["history"], "history", static_cast<int64_t>(policy.runs), kMaxHistory, policy.history);
  const YAML::Node settings = root["settings"];
  if (!settings || !settings.IsMap() || settings.size() == 0 || settings.size() > kMaxRules)
    RefuseRule(root, fmt::format("settings: expected a map of 1 to {} settings", kMaxRules));
  for (const auto& entry : settings) {
    const std::string key = RuleText(entry.first, "settings");
    if (policy.Find(key) != nullptr) RefuseRule(entry.first, fmt::format("{}: occurs twice", key));
    policy.rules.push_back(RuleOf(key, entry.second));
  }
  return policy;
}

}  // namespace

bool MayBeAutomatic(std::string_view key, std::string_view value) {
  constexpr size_t kLongest = 100;
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-'; };
  return !value.empty() && value.size() <= kLongest && std::all_of(value.begin(), value.end(), is_plain) &&
         std::any_of(kMayBeAutomatic.begin(), kMayBeAutomatic.end(),
                     [&](std::string_view prefix) { return key.starts_with(prefix); });
}

std::optional<int64_t> AutoRule::Number(std::string_view value) const {
  if (const std::optional<int64_t> count = ParseInteger(Trim(value))) {
    const int64_t one = unit == Unit::kCount ? 1 : UnitOfSize(key);
    return *count >= 0 && *count <= kMost / one ? std::optional(*count * one) : std::nullopt;
  }
  if (unit == Unit::kCount) return std::nullopt;
  const Result<int64_t> bytes = ParseBytes(value);
  return bytes && *bytes <= kMost ? std::optional(*bytes) : std::nullopt;
}

std::string AutoRule::Text(int64_t number) const {
  return unit == Unit::kBytes ? MemoryText(number) : std::to_string(number);
}

bool AutoRule::Allows(std::string_view value) const {
  if (unit == Unit::kText) return std::find(values.begin(), values.end(), value) != values.end();
  const std::optional<int64_t> number = Number(value);
  return number && *number >= least && *number <= most;
}

bool AutoRule::AreEqual(std::string_view a, std::string_view b) const {
  if (unit == Unit::kText) return a == b;
  const std::optional<int64_t> first = Number(a), second = Number(b);
  return first && second ? *first == *second : a == b;
}

int64_t AutoRule::Next(int64_t present, int64_t wanted) const {
  const auto now = static_cast<double>(present);
  const int64_t change =
      step_share > 0 ? std::max<int64_t>(1, std::llround(std::floor(step_share * now))) : std::min(step, kMost);
  int64_t next = std::clamp(std::clamp(wanted, least, most), present - change, present + change);
  if (unit == Unit::kBytes) {
    // Rounds toward the present value to keep the step within its limit.
    const int64_t unit_step = IsMemory(key) ? kMemoryStep : kMebibyte;
    next = next < present ? std::min(present, (next + unit_step - 1) / unit_step * unit_step)
                          : std::max(present, next / unit_step * unit_step);
    if (std::abs(static_cast<double>(next - present)) < kLeastChange * now) return present;
  }
  return next >= least && next <= most ? next : present;
}

const AutoRule* AutoPolicy::Find(std::string_view key) const {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const AutoRule& rule) { return rule.key == key; });
  return found == rules.end() ? nullptr : &*found;
}

Result<AutoPolicy> ParseAutoPolicy(const std::string& text, const std::string& name) {
  try {
    return PolicyOf(YAML::Load(text));
  } catch (const RuleProblem& problem) {
    if (problem.line < 0) return Fail(fmt::format("{}: {}", name, problem.text));
    return Fail(fmt::format("{}:{}: {}", name, problem.line + 1, problem.text));
  } catch (const YAML::Exception& error) {
    return Fail(fmt::format("{}:{}: {}", name, error.mark.line + 1, error.msg));
  }
}

Result<AutoPolicy> ReadAutoPolicy(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  const Result<std::string> text = ReadAll(path, kMaxBytes);
  if (!text) return tl::unexpected(text.error());
  return ParseAutoPolicy(*text, path);
}

}  // namespace sparkprof
