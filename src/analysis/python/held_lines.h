// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/application.h"
#include "model/samples/profile.h"

namespace sparkprof {

// Memory that a line of the user's code holds in Python processes, by samples of pyalloc.
struct HeldLine {
  std::string line;  // "remember (job.py:5)"
  int64_t bytes = 0;
  // Parts of the bytes, by the process and the row of the task that allocated them; without what no task allocated.
  std::map<std::pair<int64_t, uint32_t>, int64_t> by_task;
};

// Which Python processes of an executor or the driver.
enum class PythonPart : uint8_t { kWorkers, kProgram };

// A moment of these processes.
struct HeldLines {
  int32_t executor = -1;        // row
  int64_t time_ns = 0;          // end of the bucket
  int64_t bytes = 0;            // with what no line of the user allocated
  std::vector<HeldLine> lines;  // largest first
};

// The moment between the two times in which these processes of an executor held most; nullopt without samples. Call
// before the languages are merged.
std::optional<HeldLines> MostHeld(const Application& application, int32_t executor, PythonPart part, int64_t from_ns,
                                  int64_t to_ns);

// The innermost frame of the user; empty if there is none.
std::string UserLine(const Profile& profile, StackId stack);

// A range of epoch times; nullopt = unlimited.
struct HeldRange {
  std::optional<int64_t> from_ns, to_ns;
};

// Sets the samples of Event::kPythonLive: the memory that the Python processes of these rows of `profile->samples` held
// at the end of the bucket, within the range, in which they together held most. No effect without samples of
// allocations.
void SetPythonHeld(const std::vector<uint32_t>& rows, const HeldRange& range, Profile* profile);
// For all rows and all times.
void SetPythonHeld(Profile* profile);

}  // namespace sparkprof
