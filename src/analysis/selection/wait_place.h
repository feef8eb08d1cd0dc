// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// "java.lang.Object.wait below org.apache.spark.util.KeyLock.acquireLock": the Java function in which stacks wait, and
// the nearest one outside of the JDK.
struct WaitPlace {
  std::string text;
  int64_t weight_ns = 0;
};

// Places of stacks in the JVM, longest waits first.
std::vector<WaitPlace> PlacesOf(const Application& application, const std::map<StackId, int64_t>& weight_of_stacks);

}  // namespace sparkprof
