// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "base/text/contains.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

// Values that Spark and PySpark set where nobody does, in lower case.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kDefaults{{
    {"spark.dynamicAllocation.enabled", "false"},
    {"spark.eventLog.enabled", "false"},
    {"spark.hadoop.fs.s3a.vectored.read.max.merged.size", "2m"},
    {"spark.hadoop.fs.s3a.vectored.read.min.seek.size", "128k"},
    {"spark.memory.fraction", "0.6"},
    {"spark.rdd.compress", "true"},
    {"spark.scheduler.mode", "fifo"},
    {"spark.serializer.objectStreamReset", "100"},
    {"spark.shuffle.service.enabled", "false"},
    {"spark.speculation", "false"},
    {"spark.sql.adaptive.enabled", "true"},
    {"spark.sql.artifact.isolation.enabled", "false"},
    {"spark.sql.autoBroadcastJoinThreshold", "10485760"},
    {"spark.sql.catalogImplementation", "in-memory"},
    {"spark.sql.shuffle.partitions", "200"},
    {"spark.submit.deployMode", "client"},
}};

// IDs, places and times of one run: whole names, or prefixes that end with a dot.
constexpr std::string_view kOfOneRun[] = {"spark.app.id",
                                          "spark.app.name",
                                          "spark.app.submitTime",
                                          "spark.app.startTime",
                                          "spark.executor.id",
                                          "spark.app.attempt.id",
                                          "spark.app.initial.",
                                          "spark.driver.host",
                                          "spark.driver.port",
                                          "spark.driver.bindAddress",
                                          "spark.driver.appUIAddress",
                                          "spark.repl.",
                                          "spark.ui.filters",
                                          "spark.ui.port",
                                          "spark.submit.pyFiles",
                                          "spark.org.apache.",
                                          "spark.yarn.app."};

constexpr std::string_view kProfilerSection = "Profiler";
// Sections in their order; the groups that are not named here follow, and the profiler's section is the last.
constexpr std::string_view kSections[] = {"Spark, changed from the default",
                                          "Spark, set to the default",
                                          "Spark, of this run",
                                          "JVM",
                                          "Metrics",
                                          "System properties",
                                          "Hadoop",
                                          "Classpath"};

bool IsOfOneRun(std::string_view name) {
  return std::ranges::any_of(
      kOfOneRun, [&](std::string_view one) { return one.ends_with('.') ? name.starts_with(one) : name == one; });
}

// By the name, or a value that is nothing but a file or a class of the profiler.
bool IsOfProfiler(std::string_view name, std::string_view value) {
  if (name.starts_with("spark.sparkprof.") || name.starts_with("spark.plugins.internal.")) return true;
  return value.find_first_of(" \t\n\r,:") == std::string_view::npos && Contains(ToLowerAscii(value), "sparkprof");
}

std::string_view SectionOf(std::string_view group, std::string_view name, std::string_view value) {
  if (group == "sparkprof") return kProfilerSection;
  if (group == "System") return "System properties";
  if (group != "Spark") return group;
  if (IsOfProfiler(name, value)) return kProfilerSection;
  if (IsOfOneRun(name)) return kSections[2];
  const auto* found = std::ranges::find(kDefaults, name, [](const auto& setting) { return setting.first; });
  return value.empty() || (found != kDefaults.end() && ToLowerAscii(value) == found->second) ? kSections[1]
                                                                                             : kSections[0];
}

size_t Order(std::string_view section) {
  const auto* found = std::ranges::find(kSections, section);
  return static_cast<size_t>(found - std::begin(kSections)) + (section == kProfilerSection ? 1 : 0);
}

}  // namespace

Table EnvironmentTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  struct Row {
    std::string_view group, name, value, section;
  };
  std::vector<Row> rows;
  const auto add = [&](std::string_view group, std::string_view name, std::string_view value) {
    rows.push_back({group, name, value, SectionOf(group, name, value)});
  };
  for (const auto& [group, settings] : application.environment) {
    for (const auto& [name, value] : settings) add(group, name, value);
  }
  for (const ResourceProfile& profile : application.resource_profiles) {
    for (const auto& [name, amount] : profile.requests) add(profile.name, name, amount);
  }
  for (const ProfilerSetting& setting : application.settings) add("sparkprof", setting.name, setting.value);
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return Order(row.section); });
  const auto of = CellsOf(std::move(rows));
  return {.name = "environment",
          .rows = of.Size(),
          .columns = {
              {"group", "Spark, JVM, Hadoop, System, Metrics, Classpath, a resource profile, or sparkprof", kText,
               kShown, of.Of(&Row::group, std::identity())},
              {"name", "name of the setting", kText, kShown, of.Of(&Row::name, std::identity())},
              {"value", "value, with secrets redacted", kLongText, kShown, of.Of(&Row::value, std::identity())},
              {"section",
               "what the job changed, what it set to Spark's own default, what belongs to this run only, then the "
               "other groups; rows stand in this order",
               kText, kHidden, of.Of(&Row::section, std::identity())},
          }};
}

}  // namespace sparkprof
