// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/answers.h"
#include "analysis/costs/costs.h"
#include "analysis/findings/finding.h"
#include "analysis/owners/cpu_owners.h"
#include "analysis/python/python_waits.h"
#include "analysis/python/udfs.h"
#include "analysis/selection/selection.h"
#include "base/text/json_writer.h"
#include "text_log/error_collector.h"

namespace sparkprof {

// Answers as parts of JSON documents.

// "account":{"core":[{"part":"stage 3.0: GC","payer":null,"ms":1200,"share":17.6},…],"wall":[{…,"reason":null},…]}, a
// member of an open object: see analysis/account/account.h. Equal parts of all applications are one, the largest first;
// the shares of each list add up to 100. "core" is null where the cores of all applications are unknown. An application
// that still runs adds "running":true.
void WriteAccount(const std::vector<AnsweredRun>& runs, JsonWriter* json);

// "owners":[{"owner":"stage 0.0","kind":"task","cpuMs":7120},…],"ownedShare":0.99, members of an open object; the share
// is null where the CPU time of the processes is unknown.
void WriteOwners(const CpuOwners& owners, JsonWriter* json);

// {"name","file","line","evalType","stages":[...],"cpuNs","wallNs","samples","rows"}: rows only where they are known
void WriteUdf(const UdfCost& udf, JsonWriter* json);

// "stageId","jvmBusyPythonBusy","jvmBusyPythonWaiting","jvmWaitingPythonBusy","bothWaiting": members of an object.
void WriteWaits(const StageWaits& waits, JsonWriter* json);

// A selection in the page's format (docs/report-data.md).
void WriteSelection(const Selection& selection, JsonWriter* json);

// The format of `sparkprof findings --json`, see docs/findings.md. Has the cost of the saving if costs are given.
void WriteFinding(const Application& application, const Finding& finding, const std::optional<Costs>& costs,
                  JsonWriter* json);

// The member of an error besides those of the contract for scripts.
enum class ErrorMembers { kContract, kLevel, kLevelAndStack };

// An array of {"fingerprint","message","exception","rootCause","count","first","last","where"} of the first
// `max_errors`; first and last are ms since the epoch. Unknown values are null.
void WriteLogErrors(const std::vector<LogError>& errors, ErrorMembers members, JsonWriter* json,
                    size_t max_errors = SIZE_MAX);

// Writes {"total","tasks","currency"}: the cost of an application's executors, and the part of its tasks.
void WriteCosts(const Costs& costs, JsonWriter* json);

// Writes {"low","high","currency"}: the value of a finding's saving.
void WriteSavedCost(const Costs& costs, const Finding& finding, JsonWriter* json);

}  // namespace sparkprof
