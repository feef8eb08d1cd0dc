// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/advice.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "analysis/findings/plans/plan_operator.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/contains.h"
#include "base/text/text.h"
#include "engines/engines.h"
#include "failures/failures.h"

namespace sparkprof {
namespace {

constexpr size_t kValueLength = 60;  // maximum bytes of a setting to show

// "… --class org.apache.spark.repl.Main --name Spark shell spark-shell -i job.scala"
bool RunsScriptInShell(const Application& application) {
  static const re2::RE2 script(R"(\bspark-shell .*-[iI] )");
  for (const auto& [group, entries] : application.environment) {
    for (const auto& [name, value] : entries) {
      if (name == "sun.java.command") return re2::RE2::PartialMatch(value, script);
    }
  }
  return false;
}

// Adds a new value of a setting, unless it has that value.
void AddChange(const Application& application, const std::string& name, std::string_view then,
               std::vector<AdvisedSetting>* changes) {
  const auto in_code = SettingInCode(application, name);
  const auto now = in_code ? in_code : SettingOf(application, name);
  const bool is_known = std::ranges::any_of(*changes, [&](const auto& one) { return one.name == name; });
  if (is_known || now == then) return;
  changes->push_back({name, Shorten(now.value_or(""), kValueLength), in_code.has_value(), std::string(then)});
}

}  // namespace

std::string MoreMemoryAdvice(const Application& application) {
  return IsLocal(application) ? "increase spark.driver.memory or use fewer cores (local[N])"
                              : "increase spark.executor.memory or use fewer cores per executor";
}

std::string_view FewerRowsAdvice(std::string_view call) {
  if (call.starts_with("toLocalIterator"))
    return "Run the loop in the executors: repartition() by the key of the groups, sort within the partitions, and use "
           "mapInPandas() or applyInPandas(), or mapPartitions() in Scala. If the driver needs the rows, fetch columns "
           "with Arrow (toPandas with spark.sql.execution.arrow.pyspark.enabled=true)";
  return "Leave the rows in the executors: aggregate, filter or write them there. If the driver needs them, fetch them "
         "in parts (toLocalIterator) or with Arrow (toPandas with spark.sql.execution.arrow.pyspark.enabled=true)";
}

bool IsOnDatabricks(const Application& application) {
  return std::ranges::any_of(application.environment, [](const auto& group) {
    return std::ranges::any_of(group.second,
                               [](const auto& setting) { return setting.first.starts_with("spark.databricks."); });
  });
}

bool HasSamples(const Application& application) {
  return !application.profile.samples.empty() || !application.python_samples.empty();
}

bool RunsOnOtherEngine(const Application& application, const Stage& stage) {
  for (const std::string_view setting : {"spark.plugins", "spark.sql.extensions"}) {
    const std::string_view value = SettingOf(application, setting).value_or("");
    if (EngineLoadedBy(value) != nullptr) return true;
  }
  return std::ranges::any_of(OperatorsOfStage(application, stage),
                             [](const PlanOperator& one) { return EngineOfOperator(one.plan->name) != nullptr; });
}

bool IsInteractive(const Application& application) {
  static const re2::RE2 prompt("<(?:console|stdin|ipython-input|command-|cell)|ipykernel|\\bcommand-\\d+|cell line:");
  static const re2::RE2 server(
      "^(?:Spark shell|PySparkShell|SparkR|Databricks Shell|SparkSQL::.*|Thrift JDBC/ODBC Server|Spark Connect "
      "server)$");
  if (RunsScriptInShell(application)) return false;
  if (re2::RE2::FullMatch(application.name, server)) return true;
  if (SettingOf(application, "spark.repl.class.uri") || SettingOf(application, "spark.repl.class.outputDir"))
    return true;
  return std::ranges::any_of(application.jobs, [](const Job& job) { return re2::RE2::PartialMatch(job.name, prompt); });
}

bool IsSparkAtLeast(const Application& application, int major, int minor) {
  int of_major = 0, of_minor = 0;
  const bool is_known = re2::RE2::PartialMatch(application.spark_version, "^(\\d+)\\.(\\d+)", &of_major, &of_minor);
  return !is_known || of_major > major || (of_major == major && of_minor >= minor);
}

bool UsesAdaptiveExecution(const Application& application) {
  const auto setting = SettingOf(application, "spark.sql.adaptive.enabled");
  return setting ? *setting == "true" : IsSparkAtLeast(application, 3, 2);
}

std::string SettingsInForce(const Application& application, std::string_view advice) {
  static const re2::RE2 setting("(spark\\.[A-Za-z0-9_.]*[A-Za-z0-9])");
  re2::StringPiece rest(advice);
  std::vector<std::string> names;
  std::string name, text;
  while (re2::RE2::FindAndConsume(&rest, setting, &name)) {
    if (Contains(names, name)) continue;
    names.push_back(name);
    if (advice.find(name + " (now") != std::string_view::npos) continue;
    const auto in_code = SettingInCode(application, name);
    const auto value = in_code ? in_code : SettingOf(application, name);
    if (!value || value->empty() || Contains(advice, fmt::format("{}={}", name, *value))) continue;
    text += fmt::format("{}{}={}{}", text.empty() ? "Now: " : ", ", name, Shorten(*value, kValueLength),
                        in_code ? " in the program's code" : "");
  }
  return text;
}

std::vector<AdvisedSetting> AdvisedSettings(const Application& application, std::string_view advice) {
  static const re2::RE2 change(
      R"([Ss]et (spark\.[A-Za-z0-9.]+)=([A-Za-z0-9.:_-]*[A-Za-z0-9])|[Ee]nable (spark\.[A-Za-z0-9.]*[A-Za-z0-9])(?: and (spark\.[A-Za-z0-9.]*[A-Za-z0-9]))?)");
  std::vector<AdvisedSetting> changes;
  re2::StringPiece rest(advice);
  std::string name, value, enabled, also;
  while (re2::RE2::FindAndConsume(&rest, change, &name, &value, &enabled, &also)) {
    if (!name.empty()) AddChange(application, name, value, &changes);
    for (const std::string& one : {enabled, also}) {
      if (!one.empty()) AddChange(application, one, "true", &changes);
    }
  }
  return changes;
}

std::vector<AdvisedSetting> AdvisedSettings(const Application& application, const std::vector<RemedyStep>& remedy) {
  std::vector<AdvisedSetting> changes;
  for (const RemedyStep& step : remedy) {
    if (!step.setting.empty()) AddChange(application, step.setting, step.value, &changes);
  }
  return changes;
}

bool IsPythonProgram(const Application& application) {
  return std::ranges::any_of(application.stages, [](const Stage& stage) {
    // Call stacks under adaptive execution lack the program's lines.
    return Contains(stage.details, "api.python.") || Contains(stage.details, "py4j.") || Contains(stage.name, ".py:");
  });
}

std::string ShortenToClause(std::string_view text, size_t most) {
  most += most / 2;
  if (text.size() <= most) return std::string(text);
  const std::string_view start = CutUtf8(text, most);
  for (const std::string_view end : {". ", "; ", ") ", ": ", ", "}) {
    const size_t at = start.rfind(end);
    if (at == std::string_view::npos || at < most / 3) continue;
    return std::string(start.substr(0, end == ") " ? at + 1 : at));
  }
  return Shorten(text, most);
}

std::string Counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", CountText(count), noun, count == 1 ? "" : "s");
}

std::string CountText(int64_t count) {
  std::string text = std::to_string(count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first + 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

}  // namespace sparkprof
