// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/application_status.h"
#include "analysis/selection/time_range.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {
namespace {

// Neither a host, nor a profile of another program, nor a fragment of a log that shows nothing of Spark.
bool IsOfSpark(const Application& application) {
  const bool has_spark = !application.spark_version.empty() || !application.jobs.empty() ||
                         !application.stages.empty() || application.tasks.Size() > 0 ||
                         !application.executors.empty() || !application.sql_executions.empty();
  return has_spark && !application.is_node && !application.is_foreign;
}

// Each is computed when it is first read: it takes longer than the other columns.
class Verdicts {
 public:
  Verdicts(std::vector<const Application*> applications, VerdictOfApplication verdict)
      : applications_(std::move(applications)), verdict_(std::move(verdict)), texts_(applications_.size()) {}

  Cell Of(size_t row) {
    if (texts_[row].empty() && verdict_) texts_[row] = verdict_(*applications_[row]);
    return TextCell(texts_[row]);
  }

 private:
  std::vector<const Application*> applications_;
  VerdictOfApplication verdict_;
  std::vector<std::string> texts_;
};

}  // namespace

Table ApplicationsTable(const std::vector<const Application*>& applications, const VerdictOfApplication& verdict) {
  using enum ColumnType;
  using enum Visibility;
  std::vector<const Application*> of_spark;
  for (const Application* application : applications) {
    if (IsOfSpark(*application)) of_spark.push_back(application);
  }
  const auto rows = std::make_shared<const std::vector<const Application*>>(of_spark);
  const auto verdicts = std::make_shared<Verdicts>(of_spark, verdict);
  const auto text = [rows](std::string Application::*member) {
    return [rows, member](size_t row) { return TextCell((*rows)[row]->*member); };
  };
  return {.name = "applications",
          .rows = rows->size(),
          .columns = {
              {"id", "Spark's application ID", kText, kShown, text(&Application::id)},
              {"attemptId", "attempt ID; null if Spark gave none", kText, kShown, text(&Application::attempt)},
              {"name", "name of the application", kText, kShown, text(&Application::name)},
              {"sparkUser", "user who ran it", kText, kShown, text(&Application::user)},
              {"startTime", "start", kTime, kShown,
               [rows](size_t row) { return TimeCell(RangeOf(*(*rows)[row]).start_ns); }, ColumnRole::kBegin},
              {"endTime", "end; of an application that still runs or was killed, its last event", kTime, kHidden,
               [rows](size_t row) { return TimeCell(RangeOf(*(*rows)[row]).end_ns); }, ColumnRole::kEnd},
              {"duration", "wall-clock time from start to end", kMillis, kShown,
               [rows](size_t row) {
                 const TimeRange range = RangeOf(*(*rows)[row]);
                 return DurationCell(range.start_ns, range.end_ns);
               }},
              {"status", "finished, failed or incomplete", kText, kShown,
               [rows](size_t row) { return Cell(StatusName(StatusOf(*(*rows)[row], false))); }},
              {"verdict", "answer in one line: the duration, its largest part, and the first finding", kLongText,
               kShown, [verdicts](size_t row) { return verdicts->Of(row); }},
          }};
}

}  // namespace sparkprof
