// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/python/python_waits.h"
#include "analysis/python/udfs.h"
#include "base/json_writer.h"

namespace sparkprof {

// {"name","file","line","evalType","stages":[...],"cpuNs","wallNs","samples","rows"}: rows only where they are known
void WriteUdf(const UdfCost& udf, JsonWriter* json);

// "stageId","jvmBusyPythonBusy","jvmBusyPythonWaiting","jvmWaitingPythonBusy","bothWaiting": members of an object.
void WriteWaits(const StageWaits& waits, JsonWriter* json);

}  // namespace sparkprof
