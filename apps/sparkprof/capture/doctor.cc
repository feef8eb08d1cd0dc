// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/redaction/redaction.h"
#include "base/text/escaped_text.h"
#include "base/text/json_writer.h"
#include "inputs/server_options.h"
#include "inputs/shared_options.h"
#include "launch/check.h"
#include "launch/submit_command.h"
#include "output/terminal_style.h"
#include "verb.h"

namespace sparkprof {
namespace {

const char* StatusName(CheckStatus status) {
  switch (status) {
    case CheckStatus::kOk:
      return "ok";
    case CheckStatus::kLimited:
      return "limited";
    case CheckStatus::kMissing:
      return "missing";
  }
  return "";
}

void PrintText(const std::vector<Check>& checks, bool ready) {
  constexpr size_t kColumn = 27, kFix = 5;
  const TerminalStyle style;
  for (const Check& check : checks) {
    fmt::print("{:8} {:17} {}", StatusName(check.status), check.name,
               ForTerminal(style.Wrap(RedactText(check.finding), kColumn, kColumn)));
    if (check.advice.empty()) continue;
    fmt::print("{:26} fix: {}", "", ForTerminal(style.Wrap(RedactText(check.advice), kColumn + kFix, kColumn + kFix)));
  }
  fmt::print("\n{}\n", ready ? "Ready to profile." : "Not ready to profile: fix the missing items above.");
}

void PrintJson(const std::vector<Check>& checks, bool ready) {
  JsonWriter json;
  json.BeginObject().Member("ready", ready).Key("checks").BeginArray();
  for (const Check& check : checks) {
    json.BeginObject()
        .Member("name", check.name)
        .Member("status", StatusName(check.status))
        .Member("finding", RedactText(check.finding))
        .Member("advice", RedactText(check.advice))
        .EndObject();
  }
  json.EndArray().EndObject();
  fmt::print("{}\n", json.Text());
}

}  // namespace

std::function<int()> DefineDoctor(CLI::App& command) {
  const auto request = std::make_shared<DoctorRequest>();
  const auto as_json = std::make_shared<bool>(false);
  AddOption(command, "--spark-home DIR", &request->spark_home, "Spark's folder (default: SPARK_HOME, else from PATH)");
  AddOption(command, "--plugin-jar FILE", &request->plugin_jar, kPluginJarPurpose);
  AddOption(command, "--output-dir DIR", &request->output,
            "Output folder; checked for `run` (default: the working directory)");
  command.add_flag("--cluster", request->cluster,
                   "Also check whether all jobs are profiled: what spark-defaults.conf and the collector set for each");
  command.add_flag("--json", *as_json, "Print JSON");
  command.footer(
      "Exits with code 0 if this machine is ready to profile, otherwise 1.\n"
      "Examples:\n"
      "  sparkprof doctor\n"
      "  sparkprof doctor --spark-home /opt/spark --json");
  return [request, as_json] {
    request->environment = ProcessEnvironment();
    std::vector<Check> checks = CheckSoftware(*request);
    for (Check& check : CheckMachine(*request)) checks.push_back(std::move(check));
    for (Check& check : CheckServer(*request)) checks.push_back(std::move(check));
    const bool ready = std::none_of(checks.begin(), checks.end(),
                                    [](const Check& check) { return check.status == CheckStatus::kMissing; });
    if (*as_json) {
      PrintJson(checks, ready);
    } else {
      PrintText(checks, ready);
    }
    return ready ? kExitSuccess : kExitNo;
  };
}

}  // namespace sparkprof
