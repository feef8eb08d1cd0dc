// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "model/block.h"

namespace sparkprof {

// The contents and completeness of a recording; stable for scripts:
//   {"applications":[{"id","attempt","name","sparkVersion","startTime","endTime","complete","cost"?:{"total","tasks","currency"}}],
//    "counts":{"jobs","stages","tasks","executors"},
//    "samples":{"cpu":{"count","weight","onTaskThreads","joined","lost"},…},   // events with samples or losses
//    "owners":[{"owner","kind":"task|driver|background","cpuMs"}],  // see analysis/owners/cpu_owners.h; largest first
//    "ownedShare":number|null,  // of the CPU time of the profiled processes; null = not recorded
//    "account":{"core":[{"part","payer","ms","share"}]|null,"wall":[{"part","payer","ms","share","reason"}]},
//    "verdict":string,  // see analysis/verdict.h; of several applications, a line "ID: VERDICT" for each
//    "complete":bool,
//    "losses":[{"what","reason","count"}], "settings":{NAME:VALUE}, "notices":[{"time","level","text"}],
//    "recording":{"blocks","damagedBlocks","skippedBytes","cutBytes","firstError"}}
// Times are ms since the Unix epoch, 0 = unknown. Counts and samples are those of all applications. `status` may be
// null: then "recording" is left out. `lines`, if not empty, becomes "lines". "cost" is there with prices, and if it is
// known what the executors held.
std::string RenderInfoJson(const std::vector<AnsweredRun>& runs, const RecordingStatus* status,
                           const std::vector<std::string>& lines = {});

// "information", "warning", "error"
std::string_view NoticeLevelName(NoticeLevel level);

}  // namespace sparkprof
