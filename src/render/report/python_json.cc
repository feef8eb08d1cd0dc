// SPDX-License-Identifier: Apache-2.0
#include "render/report/python_json.h"

namespace sparkprof {

void WriteUdf(const UdfCost& udf, JsonWriter* json) {
  json->BeginObject()
      .Member("name", udf.name)
      .Member("file", udf.file)
      .Member("line", udf.line)
      .Member("evalType", EvalTypeName(udf.eval_type))
      .Key("stages")
      .BeginArray();
  for (const int64_t stage : udf.stages) json->Value(stage);
  json->EndArray().Member("cpuNs", udf.cpu_ns).Member("wallNs", udf.wall_ns).Member("samples", udf.samples);
  if (udf.rows) json->Member("rows", *udf.rows);
  json->EndObject();
}

void WriteWaits(const StageWaits& waits, JsonWriter* json) {
  json->Member("stageId", waits.stage)
      .Member("jvmBusyPythonBusy", waits.jvm_busy_python_busy)
      .Member("jvmBusyPythonWaiting", waits.jvm_busy_python_waiting)
      .Member("jvmWaitingPythonBusy", waits.jvm_waiting_python_busy)
      .Member("bothWaiting", waits.both_waiting);
}

}  // namespace sparkprof
