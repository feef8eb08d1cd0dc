// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/answers.h"
#include "analysis/selection/application_status.h"
#include "analysis/selection/time_range.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {
namespace {

// The verdicts, computed when the first one is asked for: they take longer than the other columns.
class Verdicts {
 public:
  explicit Verdicts(const std::vector<const Application*>& applications) : applications_(applications) {}

  std::string_view Of(size_t row) {
    if (!verdicts_) {
      verdicts_.emplace();
      for (const Application* application : applications_) verdicts_->push_back(Answer(*application).verdict);
    }
    return (*verdicts_)[row];
  }

 private:
  std::vector<const Application*> applications_;
  std::optional<std::vector<std::string>> verdicts_;
};

}  // namespace

Table ApplicationsTable(const std::vector<const Application*>& applications) {
  using enum ColumnType;
  using enum Visibility;
  std::vector<const Application*> of_spark;
  for (const Application* application : applications) {
    if (!application->is_node && !application->is_foreign) of_spark.push_back(application);
  }
  const auto rows = std::make_shared<const std::vector<const Application*>>(of_spark);
  const auto verdicts = std::make_shared<Verdicts>(of_spark);
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
               kShown, [verdicts](size_t row) { return Cell(verdicts->Of(row)); }},
          }};
}

}  // namespace sparkprof
