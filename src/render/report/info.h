// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/answers.h"
#include "model/application.h"
#include "model/samples/profile.h"
#include "model/segment/block.h"

namespace sparkprof {

// The output of `sparkprof info`.

// The contents and completeness of a recording; stable for scripts:
//   {"applications":[{"id","attempt","name","sparkVersion","startTime","endTime","complete","cost"?:{"total","tasks","currency"}}],
//    "counts":{"jobs","stages","tasks","executors"},
//    "samples":{"cpu":{"count","weight","onTaskThreads","joined","lost"},…},   // events with samples or losses
//    "owners":[{"owner","kind":"task|driver|background","cpuMs"}],  // see analysis/owners/cpu_owners.h; largest first
//    "ownedShare":number|null,  // share of the profiled processes' CPU time; null = not recorded
//    "account":{"core":[{"part","payer","ms","share"}]|null,"wall":[{"part","payer","ms","share","reason"}]},
//    "verdict":string,  // see analysis/answers.h; of several applications, a line "ID: VERDICT" for each
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

// The text output of `sparkprof info`: summary lines, samples by event, and losses of each application.
std::string RenderInfoText(const std::vector<const Application*>& applications,
                           const std::vector<std::vector<std::string>>& lines, const RecordingStatus& status);

// Rows as a table: columns as wide as their widest cell, the first to the left, the others to the right.
std::string RenderTable(const std::vector<std::vector<std::string>>& rows);

// The contents of a profile of another format, as `sparkprof info` prints them: its events with their sums, its threads
// and its times. `profile` needs its threads, and times if they are to be shown.
std::string RenderProfileInfoText(std::string_view format, const Profile& profile);
// One object: {"name", "format", "events": [{"name", "unit", "count", "weight", "default"}], "threads",
// "startTime", "endTime" (ms, absent without times), "skipped"}.
std::string RenderProfileInfoJson(std::string_view format, const Profile& profile);

}  // namespace sparkprof
