// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// Calls `visit` with the text of each record that is kept and whose template begins with `begin`. Returns the time from
// the first to the last of them.
int64_t ForEachRecord(const LogRecords& logs, std::string_view begin,
                      const std::function<void(std::string_view text)>& visit);

// Whether text logs are all that is known about the application's tasks.
bool HasOnlyLogs(const Application& application);

// The time of all tasks.
int64_t TaskTime(const Application& application);

}  // namespace sparkprof
