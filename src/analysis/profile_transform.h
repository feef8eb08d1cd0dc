// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile.h"

namespace sparkprof {

// What may be done to the stacks of a profile before it is shown. Expressions are RE2's and are looked for anywhere in
// a frame's label. In this order:
struct ProfileTransform {
  bool lines = true;             // false: a function's lines, and how it was compiled, become one frame
  bool python_lines = false;     // keeps those of Python's functions, though lines is false
  bool fold_pyspark = false;     // leaves out PySpark's own Python frames: "[pyspark runtime]" stands for them
  bool simple_names = false;     // names without packages
  bool merge_lambdas = false;    // generated names without their numbers: StableName, GeneratedIteratorForCodegenStage
  bool strip_hex = false;        // hexadecimal numbers in names (addresses) as 0x...
  bool annotate_kernel = false;  // frames of the kernel end in _[k]
  bool annotate_jit = false;     // compiled ones in _[j], those inlined into them in _[i]
  std::string include;           // only stacks with such a frame
  std::string exclude;           // only stacks without such a frame
  std::string focus;             // only stacks with such a frame, and of them only the first one and what it calls
  std::string trim;              // what such a frame calls becomes part of it
  size_t skip = 0;               // so many frames at the root are left out; stacks that have no more vanish
  bool collapse_recursion = false;  // a function that calls itself directly is one frame
  bool reverse = false;             // leaves become roots: who calls what
  bool threads = false;             // the thread as root
  // The root, a command, with the ids of its process, or of process and thread, as stackcollapse-perf.pl writes them:
  // "java-12", "java-12/13".
  bool process_ids = false;
  bool thread_ids = false;

  bool NeedsThreads() const { return threads || process_ids || thread_ids; }

  bool operator==(const ProfileTransform&) const = default;
};

// `profile` (moved from where that is possible) with `transform` applied; samples that agree in everything are added
// up. With `event`, only its samples. Fails when an expression is none.
Result<Profile> Transform(Profile profile, const ProfileTransform& transform,
                          std::optional<EventId> event = std::nullopt);

// "org.apache.spark.rdd.RDD.iterator" as "RDD.iterator"; names that are not dotted like this stay as they are.
std::string SimpleName(std::string_view name);

}  // namespace sparkprof
