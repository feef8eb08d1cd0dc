// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/python_waits.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {

Table WaitsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto of = CellsOf(WaitsOfStages(application, KindsOfStacks(application)));
  return {.name = "waits",
          .rows = of.Size(),
          .columns = {
              {"stageId", "stage", kInteger, kShown, of.Value(&StageWaits::stage), ColumnRole::kStage},
              {"waitingForPython", "time of task threads that waited for Python", kNanos, kShown,
               of.Value(&StageWaits::waiting_for_python)},
              {"jvmWaitingPythonBusy", "the JVM waited while Python was on a CPU", kNanos, kShown,
               of.Value(&StageWaits::jvm_waiting_python_busy)},
              {"jvmBusyPythonWaiting", "the JVM was on a CPU while Python waited", kNanos, kShown,
               of.Value(&StageWaits::jvm_busy_python_waiting)},
              {"jvmBusyPythonBusy", "both were on a CPU", kNanos, kShown, of.Value(&StageWaits::jvm_busy_python_busy)},
              {"bothWaiting", "both waited", kNanos, kShown, of.Value(&StageWaits::both_waiting)},
              {"summary", "what bounds the stage, in words", kLongText, kShown, of.MadeText(WaitsInWords)},
          }};
}

}  // namespace sparkprof
