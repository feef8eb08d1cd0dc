// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sparkprof {

// Where the message of a line without a known sentence begins.
struct GuessedHeader {
  size_t message = 0;
  bool has_logger = false;
  bool is_first_of_two = false;  // java.util.logging's first line
};

// By a time and a level, in this order or the other one, with thread, logger and place between or behind them or not;
// by a time with a zone alone; by Python's "LEVEL:logger:message". `may_lack_time`: by a level alone. Nullopt for other
// lines.
std::optional<GuessedHeader> GuessHeader(std::string_view line, bool may_lack_time);

// By words in names of threads of Spark, the JVM and their libraries.
bool IsThreadLike(std::string_view text);

// True for names such as "o.a.s.TaskSetManager", "SparkContext" and "com.example.Job.run".
bool IsClassLike(std::string_view name);

}  // namespace sparkprof
