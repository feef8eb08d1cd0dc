// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <set>

#include "base/text/quantity.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;
constexpr size_t kMaxEntries = 1'000;
constexpr int64_t kMaxRuns = 1'000;
constexpr int64_t kMinIntervalNs = 50 * kNanosPerMilli;

// Aborts the parsing of one file; ParseSuite converts it to an error.
struct Problem {
  int line;  // 0-based; -1 = unknown
  std::string text;
};

[[noreturn]] void Refuse(const YAML::Node& node, std::string text) { throw Problem{node.Mark().line, std::move(text)}; }

std::string ScalarOf(const YAML::Node& node, std::string_view what) {
  if (!node.IsScalar()) Refuse(node, fmt::format("{}: expected a text", what));
  const std::string& text = node.Scalar();
  if (!IsUtf8(text) || text.find('\0') != std::string::npos) Refuse(node, fmt::format("{}: not a valid text", what));
  return text;
}

const YAML::Node& CheckEntries(const YAML::Node& node) {
  if (node.size() > kMaxEntries) Refuse(node, fmt::format("more than {} entries", kMaxEntries));
  return node;
}

std::vector<std::string> TextsOf(const YAML::Node& node, std::string_view what) {
  if (!node.IsSequence() || node.size() == 0)
    Refuse(node, fmt::format("{}: expected a list such as [python, job.py]", what));
  std::vector<std::string> texts;
  for (const YAML::Node& entry : CheckEntries(node)) texts.push_back(ScalarOf(entry, what));
  return texts;
}

std::map<std::string, std::string> MapOf(const YAML::Node& node, std::string_view what) {
  std::map<std::string, std::string> map;
  if (!node) return map;
  if (!node.IsMap()) Refuse(node, fmt::format("{}: expected NAME: VALUE", what));
  for (const auto& entry : CheckEntries(node)) map[ScalarOf(entry.first, what)] = ScalarOf(entry.second, what);
  return map;
}

int64_t CountOf(const YAML::Node& node, std::string_view what, int64_t least, int64_t fallback) {
  if (!node) return fallback;
  const std::optional<int64_t> count = ParseInteger(ScalarOf(node, what));
  if (!count || *count < least || *count > kMaxRuns)
    Refuse(node, fmt::format("{}: expected {} to {}", what, least, kMaxRuns));
  return *count;
}

int64_t DurationOf(const YAML::Node& node, std::string_view what, int64_t fallback) {
  if (!node) return fallback;
  const std::string text = ScalarOf(node, what);
  const Result<int64_t> duration = ParseDuration(text);
  if (!duration) Refuse(node, Refusal(what, text, duration.error()));
  if (*duration < kMinIntervalNs)
    Refuse(node, fmt::format("{}: expected at least {}", what, DurationText(kMinIntervalNs)));
  return *duration;
}

bool FlagOf(const YAML::Node& node, std::string_view what) {
  if (!node) return false;
  const std::string text = ScalarOf(node, what);
  if (text != "true" && text != "false") Refuse(node, fmt::format("{}: expected true or false", what));
  return text == "true";
}

std::vector<double> SizesOf(const YAML::Node& node) {
  std::vector<double> sizes;
  if (!node) return sizes;
  for (const std::string& text : TextsOf(node, "sizes")) {
    double size = 0;
    if (!YAML::convert<double>::decode(YAML::Node(text), size) || !std::isfinite(size) || size <= 0) {
      Refuse(node, fmt::format("sizes: \"{}\" is not a number greater than 0", text));
    }
    if (std::find(sizes.begin(), sizes.end(), size) != sizes.end())
      Refuse(node, fmt::format("sizes: {} occurs twice", text));
    sizes.push_back(size);
  }
  return sizes;
}

void CheckKeys(const YAML::Node& map, std::initializer_list<std::string_view> known) {
  if (!map.IsMap()) Refuse(map, fmt::format("expected a map with {}", fmt::join(known, ", ")));
  for (const auto& entry : map) {
    const std::string key = ScalarOf(entry.first, "key");
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      Refuse(entry.first, fmt::format("unknown key \"{}\"; use {}", key, fmt::join(known, ", ")));
    }
  }
}

// Names are used as folders and labels.
std::string NameOf(const YAML::Node& map, std::string_view key) {
  const YAML::Node node = map[std::string(key)];
  if (!node) Refuse(map, fmt::format("\"{}\" is missing", key));
  std::string name = ScalarOf(node, key);
  const bool is_good =
      !name.empty() && name.size() <= 100 && name[0] != '.' &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return isalnum(c) || strchr("._-", c); });
  if (!is_good) Refuse(node, fmt::format("{}: use up to 100 letters, digits, '.', '_' and '-'", key));
  return name;
}

SuiteJob JobOf(const YAML::Node& node, const std::map<std::string, std::string>& environment) {
  CheckKeys(node,
            {"name", "command", "parameters", "sizes", "environment", "warm_up", "repeats", "profile", "timeout"});
  SuiteJob job;
  job.name = NameOf(node, "name");
  if (!node["command"]) Refuse(node, "\"command\" is missing");
  job.command = TextsOf(node["command"], "command");
  job.parameters = MapOf(node["parameters"], "parameters");
  job.sizes = SizesOf(node["sizes"]);
  job.environment = MapOf(node["environment"], "environment");
  job.environment.insert(environment.begin(), environment.end());
  job.warm_up = CountOf(node["warm_up"], "warm_up", 0, job.warm_up);
  job.repeats = CountOf(node["repeats"], "repeats", 1, job.repeats);
  job.profile = FlagOf(node["profile"], "profile");
  job.timeout_ns = DurationOf(node["timeout"], "timeout", job.timeout_ns);
  const std::optional<double> size = job.sizes.empty() ? std::nullopt : std::optional(job.sizes[0]);
  if (const auto command = CommandOf(job, size, "."); !command) Refuse(node["command"], command.error().message);
  return job;
}

// Replaces {NAME} by its value. Stores the first name without a value in `unknown`.
std::vector<std::string> Filled(const std::vector<std::string>& command,
                                const std::map<std::string, std::string>& values, std::string* unknown) {
  std::vector<std::string> filled;
  for (const std::string& argument : command) {
    std::string& text = filled.emplace_back();
    for (size_t i = 0; i < argument.size();) {
      const size_t end = argument[i] == '{' ? argument.find('}', i) : std::string::npos;
      const std::string name = end == std::string::npos ? "" : argument.substr(i + 1, end - i - 1);
      const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(),
                                                        [](unsigned char c) { return isalnum(c) || c == '_'; });
      if (!is_name) {
        text += argument[i++];
        continue;
      }
      const auto value = values.find(name);
      if (value != values.end()) text += value->second;
      if (value == values.end() && unknown->empty()) *unknown = name;
      i = end + 1;
    }
  }
  return filled;
}

Suite SuiteOf(const YAML::Node& root) {
  CheckKeys(root, {"suite", "version", "interval", "environment", "nodes", "monitors", "jobs"});
  Suite suite;
  suite.name = NameOf(root, "suite");
  if (root["version"]) suite.version = ScalarOf(root["version"], "version");
  suite.interval_ns = DurationOf(root["interval"], "interval", suite.interval_ns);
  if (root["nodes"]) suite.nodes = TextsOf(root["nodes"], "nodes");
  if (const YAML::Node monitors = root["monitors"]) {
    if (!monitors.IsSequence()) Refuse(monitors, "monitors: expected a list of commands");
    for (const YAML::Node& command : CheckEntries(monitors)) suite.monitors.push_back(TextsOf(command, "monitors"));
    const auto commands = MonitorCommands(suite, {{"server", ""}, {"run", ""}, {"output", ""}, {"suite", ""}});
    if (!commands) Refuse(monitors, commands.error().message);
  }
  const YAML::Node jobs = root["jobs"];
  if (!jobs || !jobs.IsSequence() || jobs.size() == 0) Refuse(root, "\"jobs\" is missing");
  const std::map<std::string, std::string> environment = MapOf(root["environment"], "environment");
  std::set<std::string> names;
  int64_t runs = 0;
  for (const YAML::Node& node : CheckEntries(jobs)) {
    suite.jobs.push_back(JobOf(node, environment));
    const SuiteJob& job = suite.jobs.back();
    if (!names.insert(job.name).second) Refuse(node, fmt::format("two jobs have the name {}", job.name));
    runs += (job.warm_up + job.repeats) * static_cast<int64_t>(std::max<size_t>(1, job.sizes.size()));
  }
  if (runs > kMaxRuns) throw Problem{-1, fmt::format("{} runs; at most {} are allowed", runs, kMaxRuns)};
  return suite;
}

std::string PlaceOf(const std::string& path, int line) {
  return line < 0 ? path : fmt::format("{}:{}", path, line + 1);
}

}  // namespace

Result<Suite> ParseSuite(const std::string& text, const std::string& path) {
  if (text.size() > kMaxFileBytes) return Fail(fmt::format("{}: larger than {}", path, FormatBytes(kMaxFileBytes)));
  try {
    return SuiteOf(YAML::Load(text));
  } catch (const Problem& problem) {
    return Fail(fmt::format("{}: {}", PlaceOf(path, problem.line), problem.text));
  } catch (const YAML::Exception& error) {
    return Fail(fmt::format("{}: not YAML: {}", PlaceOf(path, error.mark.line), error.msg));
  }
}

std::string SizeText(double size) {
  return size == std::floor(size) && size < 1e15 ? fmt::format("{:.0f}", size) : fmt::format("{}", size);
}

Result<std::vector<std::string>> CommandOf(const SuiteJob& job, std::optional<double> size, std::string_view folder) {
  std::map<std::string, std::string> values = job.parameters;
  values["suite"] = folder;
  if (size) values["size"] = SizeText(*size);
  std::string unknown;
  std::vector<std::string> command = Filled(job.command, values, &unknown);
  if (unknown.empty()) return command;
  return Fail(fmt::format("command: {{{}}} is neither size, suite nor a parameter", unknown));
}

Result<std::vector<std::vector<std::string>>> MonitorCommands(const Suite& suite,
                                                              const std::map<std::string, std::string>& values) {
  std::vector<std::vector<std::string>> commands;
  for (const std::vector<std::string>& monitor : suite.monitors) {
    const bool is_of_node = std::any_of(monitor.begin(), monitor.end(), [](const std::string& argument) {
      return argument.find("{node}") != std::string::npos;
    });
    if (is_of_node && suite.nodes.empty()) return Fail("monitors: {node} requires a list of hosts in \"nodes\"");
    for (const std::string& node : is_of_node ? suite.nodes : std::vector<std::string>{""}) {
      std::map<std::string, std::string> all = values;
      if (is_of_node) all["node"] = node;
      std::string unknown;
      commands.push_back(Filled(monitor, all, &unknown));
      if (!unknown.empty()) {
        return Fail(fmt::format("monitors: {{{}}} is unknown; use node, server, run, output or suite", unknown));
      }
    }
  }
  return commands;
}

}  // namespace sparkprof
