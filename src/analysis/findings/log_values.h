// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Visits the text and time of each kept record whose template starts with `begin`. Returns the time from the first to
// the last one.
int64_t ForEachRecord(const LogRecords& logs, std::string_view begin,
                      const std::function<void(std::string_view text, int64_t time_ns)>& visit);

// By template: true if its records may report trouble. Most records of a large log, about tasks and blocks in order, do
// not.
std::vector<bool> TemplatesOfTrouble(const LogRecords& logs);

// IDs of the stages that run at these times, most frequent first, without rare ones.
std::vector<int64_t> StagesAt(const Application& application, std::vector<int64_t> times_ns);

// IDs of the stages that run when records whose template starts with `begin` are logged.
std::vector<int64_t> StagesThatLog(const Application& application, std::string_view begin);

// True if all knowledge about the application's tasks comes from text logs.
bool HasOnlyLogs(const Application& application);

int64_t TaskTime(const Application& application);

}  // namespace sparkprof
