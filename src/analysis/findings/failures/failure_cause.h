// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

struct FailureCause {
  std::string text;  // one line: "ValueError: bad row", "FetchFailed: executor 2 was lost"
  std::string
      line;  // failed line of the user's code: "parse (job.py:12)", "com.example.Job.run (Job.scala:7)"; may be empty
};

// The innermost cause in Spark's text about a failed task, stage or executor, and the line that raised it.
FailureCause CauseOfFailure(std::string_view reason);

}  // namespace sparkprof
