// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/python_waits.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {

Table WaitsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto waits =
      std::make_shared<const std::vector<StageWaits>>(WaitsOfStages(application, KindsOfStacks(application)));
  const auto words = std::make_shared<std::vector<std::string>>();
  for (const StageWaits& stage : *waits) words->push_back(WaitsInWords(stage));
  const auto time = [waits](int64_t StageWaits::*member) {
    return [waits, member](size_t row) { return Cell((*waits)[row].*member); };
  };
  return {.name = "waits",
          .rows = waits->size(),
          .columns = {
              {"stageId", kInteger, kShown, time(&StageWaits::stage), ColumnRole::kStage},
              {"waitingForPython", kNanos, kShown, time(&StageWaits::waiting_for_python)},
              {"jvmWaitingPythonBusy", kNanos, kShown, time(&StageWaits::jvm_waiting_python_busy)},
              {"jvmBusyPythonWaiting", kNanos, kShown, time(&StageWaits::jvm_busy_python_waiting)},
              {"jvmBusyPythonBusy", kNanos, kShown, time(&StageWaits::jvm_busy_python_busy)},
              {"bothWaiting", kNanos, kShown, time(&StageWaits::both_waiting)},
              {"summary", kLongText, kShown, TextCells(words)},
          }};
}

}  // namespace sparkprof
