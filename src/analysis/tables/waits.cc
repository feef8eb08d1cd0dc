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
  const auto words = [waits](size_t row) { return WaitsInWords((*waits)[row]); };
  const auto time = [waits](int64_t StageWaits::*member) {
    return [waits, member](size_t row) { return Cell((*waits)[row].*member); };
  };
  return {.name = "waits",
          .rows = waits->size(),
          .columns = {
              {"stageId", "stage", kInteger, kShown, time(&StageWaits::stage), ColumnRole::kStage},
              {"waitingForPython", "time of task threads that waited for Python", kNanos, kShown,
               time(&StageWaits::waiting_for_python)},
              {"jvmWaitingPythonBusy", "the JVM waited while Python was on a CPU", kNanos, kShown,
               time(&StageWaits::jvm_waiting_python_busy)},
              {"jvmBusyPythonWaiting", "the JVM was on a CPU while Python waited", kNanos, kShown,
               time(&StageWaits::jvm_busy_python_waiting)},
              {"jvmBusyPythonBusy", "both were on a CPU", kNanos, kShown, time(&StageWaits::jvm_busy_python_busy)},
              {"bothWaiting", "both waited", kNanos, kShown, time(&StageWaits::both_waiting)},
              {"summary", "what bounds the stage, in words", kLongText, kShown, TextCells(waits->size(), words)},
          }};
}

}  // namespace sparkprof
