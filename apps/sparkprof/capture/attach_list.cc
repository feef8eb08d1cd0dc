// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/system.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/attach.h"
#include "capture/process_tree.h"
#include "spark/spark_processes.h"
#include "verb.h"

namespace sparkprof {
namespace {

// CPU is measured over this time: the kernel counts in ticks of 10 ms.
constexpr int64_t kMeasureNanos = kNanosPerSecond / 2;

struct Row {
  ProcessReading reading;
  double cpu_percent = 0;  // 100 = one core
  size_t depth = 0;        // depth below the JVM
};

// A JVM and its descendants that are not Spark JVMs themselves; the JVM comes first.
struct Family {
  SparkJvm jvm;
  std::vector<Row> rows;
};

std::string_view RoleOf(const Row& row) {
  const std::string_view command = row.reading.command;
  const std::string_view program = command.substr(0, command.find(' '));
  const std::string_view name = program.substr(program.rfind('/') + 1);
  if (name.starts_with("sparkprof-agent")) return ProcessRoleName(ProcessRole::kAgent);
  // The driver's Python program and its children.
  if (row.reading.role == ProcessRole::kOther && name.starts_with("python")) return "python";
  return ProcessRoleName(row.reading.role);
}

// Sorts children below their parents, without families of other JVMs.
void AppendTree(const std::vector<Row>& all, int64_t parent, size_t depth, const std::set<int64_t>& others,
                std::vector<Row>* rows) {
  for (const Row& row : all) {
    if (row.reading.parent_pid != parent || others.contains(row.reading.pid)) continue;
    rows->push_back(row);
    rows->back().depth = depth;
    AppendTree(all, row.reading.pid, depth + 1, others, rows);
  }
}

std::vector<Family> MeasureFamilies(std::vector<SparkJvm> jvms) {
  std::set<int64_t> pids;
  std::vector<ProcessTree> trees;
  std::map<int64_t, int64_t> cpu_before;
  for (const SparkJvm& jvm : jvms) {
    pids.insert(jvm.pid);
    trees.emplace_back(jvm.pid, 0);
    for (const ProcessReading& reading : trees.back().Scan()) cpu_before[reading.pid] = reading.cpu_ns;
  }
  const int64_t start = MonotonicNanos();
  const timespec time{kMeasureNanos / kNanosPerSecond, kMeasureNanos % kNanosPerSecond};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  std::vector<Family> families;
  for (size_t i = 0; i < jvms.size(); ++i) {
    const std::vector<ProcessReading> readings = trees[i].Scan();
    const double passed = static_cast<double>(MonotonicNanos() - start);
    std::vector<Row> all;
    for (const ProcessReading& reading : readings) {
      const auto before = cpu_before.find(reading.pid);
      const int64_t used = before == cpu_before.end() ? 0 : reading.cpu_ns - before->second;
      all.push_back({reading, 100.0 * static_cast<double>(std::max<int64_t>(used, 0)) / passed, 0});
    }
    // Exited meanwhile.
    if (all.empty() || all.front().reading.pid != jvms[i].pid) continue;
    Family family{std::move(jvms[i]), {all.front()}};
    AppendTree(all, family.jvm.pid, 1, pids, &family.rows);
    families.push_back(std::move(family));
  }
  return families;
}

std::string_view ProfilerName(ProfilerOrigin profiler) {
  switch (profiler) {
    case ProfilerOrigin::kAttach:
      return "attach";
    case ProfilerOrigin::kPlugin:
      return "plugin";
    case ProfilerOrigin::kOther:
      return "other";
    case ProfilerOrigin::kNone:
      break;
  }
  return "none";
}

void AppendReading(const Row& row, JsonWriter* json) {
  json->Member("pid", row.reading.pid)
      .Member("ppid", row.reading.parent_pid)
      .Member("command", row.reading.command)
      .Member("cpuPercent", row.cpu_percent)
      .Member("cpuSeconds", static_cast<double>(row.reading.cpu_ns) / kNanosPerSecond)
      .Member("rssBytes", row.reading.rss_bytes)
      .Member("threads", row.reading.threads);
}

void PrintJson(const std::vector<Family>& families) {
  JsonWriter json;
  json.BeginObject().Member("host", HostName()).Key("processes").BeginArray();
  for (const Family& family : families) {
    const SparkJvm& jvm = family.jvm;
    json.BeginObject()
        .Member("role", JvmRoleName(jvm.role))
        .Member("application", jvm.application_id)
        .Member("name", jvm.application_name)
        .Member("executor", jvm.executor_id)
        .Member("host", jvm.host)
        .Member("user", jvm.user)
        .Member("sparkVersion", jvm.spark_version)
        .Member("profiler", ProfilerName(jvm.profiler));
    AppendReading(family.rows.front(), &json);
    json.Key("children").BeginArray();
    for (size_t i = 1; i < family.rows.size(); ++i) {
      json.BeginObject().Member("role", RoleOf(family.rows[i]));
      AppendReading(family.rows[i], &json);
      json.EndObject();
    }
    json.EndArray().EndObject();
  }
  fmt::print("{}\n", json.EndArray().EndObject().Text());
}

// Columns are as wide as their contents; numbers are right-aligned.
void PrintTable(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& is_number) {
  std::vector<size_t> widths(is_number.size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const auto& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      text += is_number[i] ? fmt::format("{:>{}}", line[i], widths[i]) : fmt::format("{:<{}}", line[i], widths[i]);
      text += "  ";
    }
    fmt::print("{}\n", ToOneLine(text.substr(0, text.find_last_not_of(' ') + 1)));
  }
}

void PrintText(const std::vector<Family>& families) {
  std::vector<std::vector<std::string>> lines{
      {"ROLE", "APPLICATION", "EXECUTOR", "HOST", "PID", "USER", "CPU", "RSS", "THREADS", "WHAT"}};
  const std::string host = HostName();
  const auto or_dash = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  const auto numbers = [](const Row& row) {
    return std::vector<std::string>{fmt::format("{:.0f}%", row.cpu_percent), FormatBytes(row.reading.rss_bytes),
                                    std::to_string(row.reading.threads)};
  };
  for (const Family& family : families) {
    const SparkJvm& jvm = family.jvm;
    std::string what = jvm.application_name.empty() ? jvm.command : jvm.application_name;
    if (!jvm.spark_version.empty()) what += fmt::format(" (Spark {})", jvm.spark_version);
    if (jvm.profiler != ProfilerOrigin::kNone) what += fmt::format(" [profiler: {}]", ProfilerName(jvm.profiler));
    for (const Row& row : family.rows) {
      const bool is_jvm = row.depth == 0;
      const std::vector<std::string> figures = numbers(row);
      lines.push_back(
          {is_jvm ? std::string(JvmRoleName(jvm.role)) : fmt::format("{:{}}{}", "", 2 * row.depth, RoleOf(row)),
           is_jvm ? or_dash(jvm.application_id) : "", is_jvm ? or_dash(jvm.executor_id) : "",
           is_jvm ? (jvm.host.empty() ? host : jvm.host) : "", std::to_string(row.reading.pid), is_jvm ? jvm.user : "",
           figures[0], figures[1], figures[2], is_jvm ? what : row.reading.command});
    }
  }
  PrintTable(lines, {false, false, false, false, true, false, true, true, true, false});
}

}  // namespace

int ListAttachable(bool all_jvms, bool as_json) {
  const std::vector<Family> families = MeasureFamilies(FindSparkJvms(all_jvms));
  if (as_json) {
    PrintJson(families);
  } else if (!families.empty()) {
    PrintText(families);
  }
  if (!families.empty()) return kExitSuccess;
  return Complain(all_jvms ? "no JVM is running on this host"
                           : "no Spark JVM is running on this host; use --all-jvms to list other JVMs",
                  kExitNo);
}

}  // namespace sparkprof
