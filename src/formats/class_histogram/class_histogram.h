// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/samples/heap_summary.h"

namespace sparkprof {

// The objects of each class in a heap, as HotSpot's command GC.class_histogram prints them (JDK 8 and later):
//      num     #instances         #bytes  class name (module)
//     -------------------------------------------------------
//        1:          4139       13557584  [Ljava.lang.Object; (java.base@17.0.15)
//     Total        998065      130346456
struct ClassHistogram {
  struct Class {
    std::string name;  // as in Java source: "java.lang.Object[]"; equal for a lambda's class in all JVMs
    HeapObjects objects;
  };
  std::vector<Class> classes;  // by bytes, the largest first; each name once
};

// Fails without the line "Total", and for a line that is not a class.
Result<ClassHistogram> ReadClassHistogram(std::string_view text);

}  // namespace sparkprof
