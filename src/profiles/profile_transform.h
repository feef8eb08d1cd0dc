// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/samples/profile.h"

namespace sparkprof {

// Transforms of a profile's stacks, applied in this order. Expressions are RE2, matched anywhere in a frame's label.
struct ProfileTransform {
  bool lines = true;             // false = merges a function's lines and compilation kinds into one frame
  bool python_lines = false;     // keeps lines of Python functions even if `lines` is false
  bool fold_pyspark = false;     // replaces PySpark's own Python frames by "[pyspark runtime]"
  bool lasting_files = false;    // applies LastingFile to file names
  bool simple_names = false;     // removes packages from names
  bool merge_lambdas = false;    // removes numbers from generated names: StableName, GeneratedIteratorForCodegenStage
  bool strip_hex = false;        // replaces hexadecimal numbers in names (addresses) by 0x...
  bool annotate_kernel = false;  // appends _[k] to kernel frames
  bool annotate_jit = false;     // appends _[j] to compiled frames and _[i] to frames inlined into them
  std::string include;           // keeps stacks with a matching frame
  std::string exclude;           // drops stacks with a matching frame
  std::string focus;             // makes the first matching frame the root; drops other stacks
  std::string trim;              // merges everything below the matching frame into it
  int64_t skip = 0;              // drops this many frames at the root, and stacks without further frames
  bool collapse_recursion = false;  // merges a function that directly calls itself into one frame
  bool reverse = false;             // makes leaves the roots, to show callers
  bool threads = false;             // adds the thread as root
  // Appends IDs of the process, or of process and thread, to the root (a command) like stackcollapse-perf.pl:
  // "java-12", "java-12/13".
  bool process_ids = false;
  bool thread_ids = false;

  bool keep_strings = false;  // keeps string IDs, because other data of an application refers to them

  bool NeedsThreads() const { return threads || process_ids || thread_ids; }

  bool operator==(const ProfileTransform&) const = default;
};

// Applies `transform` to `profile` (moved from where possible) and merges equal samples. With `event`, keeps only its
// samples. Fails for an invalid expression.
Result<Profile> Transform(Profile profile, const ProfileTransform& transform,
                          std::optional<EventId> event = std::nullopt);
// Transforms samples whose stacks are in `tables`; the result contains copies of the used ones.
Result<Profile> Transform(const Profile& tables, const Profile& samples, const ProfileTransform& transform,
                          std::optional<EventId> event = std::nullopt);

// Fails if the text is not a valid RE2 expression.
Result<void> CheckExpression(const std::string& text);

// Shortens "org.apache.spark.rdd.RDD.iterator" to "RDD.iterator"; other names are unchanged.
std::string SimpleName(std::string_view name);

}  // namespace sparkprof
