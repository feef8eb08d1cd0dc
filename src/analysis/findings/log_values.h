// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Visits the text and the time of each kept record whose template starts with `begin`. Returns the time from the first
// to the last of these records.
int64_t ForEachRecord(const LogRecords& logs, std::string_view begin,
                      const std::function<void(std::string_view text, int64_t time_ns)>& visit);

// IDs of the stages that run at these times: those with the most of them first, without those that have few.
std::vector<int64_t> StagesAt(const Application& application, std::vector<int64_t> times_ns);

// IDs of the stages that run when the log has records whose template starts with `begin`.
std::vector<int64_t> StagesThatLog(const Application& application, std::string_view begin);

// Whether text logs are all that is known about the application's tasks.
bool HasOnlyLogs(const Application& application);

// The time of all tasks.
int64_t TaskTime(const Application& application);

}  // namespace sparkprof
