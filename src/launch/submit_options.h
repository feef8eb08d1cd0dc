// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

struct SubmitOption {
  std::string name;  // Spark's canonical spelling: "--conf" also for "-c"
  std::string value;
  size_t index = 0;    // index of the argument with the value
  std::string before;  // "--conf=" if that argument contains the option, else empty
};

// The options in spark-submit's arguments, as parsed by Spark's launcher (SparkSubmitOptionParser).
struct SubmitArguments {
  std::vector<SubmitOption> options;
  bool runs_job = true;              // false for --help, --version, --kill, --status
  bool load_spark_defaults = false;  // --load-spark-defaults (Spark 4)

  // The last use of an option, which counts; null if there is none.
  const SubmitOption* Find(std::string_view name) const;
  // The last --conf that sets `key`, or null.
  const SubmitOption* FindConf(std::string_view key) const;
};

// Parses `arguments[first…]` of spark-submit. The first argument that is not Spark's ends the options (the
// application's jar or script, followed by its arguments), unless `mixed` is set: shells accept options and arguments
// in any order. A --class with the name of a shell has the same effect.
SubmitArguments ParseSubmitArguments(const std::vector<std::string>& arguments, size_t first, bool mixed);

// "k=v" split at the first "="; nullopt without "=".
std::optional<std::pair<std::string_view, std::string_view>> SplitConf(std::string_view conf);

}  // namespace sparkprof
