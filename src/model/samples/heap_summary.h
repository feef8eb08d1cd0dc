// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/samples/string_table.h"

namespace sparkprof {

struct HeapObjects {
  int64_t instances = 0;
  int64_t bytes = 0;
};

struct HeapClass {
  StringId name = 0;  // as in Java source: "java.lang.String", "byte[]"
  HeapObjects objects;
};

// A class histogram of one JVM: its largest classes, and the sum of the others. Includes objects that the next garbage
// collection will remove.
struct HeapSummary {
  int64_t time_ns = 0;             // since the Unix epoch
  int64_t pause_ns = 0;            // maximum pause of the JVM
  std::vector<HeapClass> classes;  // largest first
  int64_t other_classes = 0;
  HeapObjects others;

  // Totals of all classes; saturating.
  HeapObjects Total() const;
};

}  // namespace sparkprof
