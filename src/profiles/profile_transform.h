// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile.h"

namespace sparkprof {

// Transforms of the stacks of a profile, applied in this order. Expressions are RE2, matched anywhere in a frame's
// label.
struct ProfileTransform {
  bool lines = true;             // false: a function's lines, and how it was compiled, become one frame
  bool python_lines = false;     // keeps those of Python's functions, though lines is false
  bool fold_pyspark = false;     // replaces PySpark's own Python frames by "[pyspark runtime]"
  bool lasting_files = false;    // files as every run calls them, see LastingFile
  bool simple_names = false;     // names without packages
  bool merge_lambdas = false;    // generated names without their numbers: StableName, GeneratedIteratorForCodegenStage
  bool strip_hex = false;        // hexadecimal numbers in names (addresses) as 0x...
  bool annotate_kernel = false;  // frames of the kernel end in _[k]
  bool annotate_jit = false;     // compiled ones in _[j], those inlined into them in _[i]
  std::string include;           // keeps stacks with a matching frame
  std::string exclude;           // drops stacks with a matching frame
  std::string focus;             // makes the first matching frame the root; drops other stacks
  std::string trim;              // merges everything below the matching frame into it
  int64_t skip = 0;              // drops this many frames at the root, and stacks without further frames
  bool collapse_recursion = false;  // a function that calls itself directly is one frame
  bool reverse = false;             // leaves become roots: who calls what
  bool threads = false;             // the thread as root
  // The root, a command, with the ids of its process, or of process and thread, as stackcollapse-perf.pl writes them:
  // "java-12", "java-12/13".
  bool process_ids = false;
  bool thread_ids = false;

  bool keep_strings = false;  // strings keep their IDs: an application has more that refers to them

  bool NeedsThreads() const { return threads || process_ids || thread_ids; }

  bool operator==(const ProfileTransform&) const = default;
};

// Applies `transform` to `profile` (moved from where possible) and merges equal samples. With `event`, keeps only its
// samples. Fails for an invalid expression.
Result<Profile> Transform(Profile profile, const ProfileTransform& transform,
                          std::optional<EventId> event = std::nullopt);
// The same for samples without tables, whose stacks are those of `tables`; the result has copies of those in use.
Result<Profile> Transform(const Profile& tables, const Profile& samples, const ProfileTransform& transform,
                          std::optional<EventId> event = std::nullopt);

// Fails for text that is not an expression of RE2.
Result<void> CheckExpression(const std::string& text);

// "org.apache.spark.rdd.RDD.iterator" as "RDD.iterator"; names that are not dotted like this stay as they are.
std::string SimpleName(std::string_view name);

}  // namespace sparkprof
