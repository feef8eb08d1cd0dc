// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>

#include "inject/inject_options.h"

namespace sparkprof {

enum class InjectOutcome : uint8_t {
  kUnconcerned,  // not a driver, opted out, or already changed
  kInjected,
  kSkipped,    // a driver that keeps its environment; an annotation has the reason
  kMalformed,  // not a pod that this version can read
};

struct PodInjection {
  InjectOutcome outcome = InjectOutcome::kUnconcerned;
  std::string reason;  // for kSkipped and kMalformed
  std::string patch;   // JSON Patch (RFC 6902); empty = no change
};

// Adds the plugin to the pod of a Spark driver: an init container that copies the jar, and variables that make
// spark-submit load it. The patch is complete or empty, so a JVM never starts with a missing jar. Executors get plugin
// and settings from their driver.
PodInjection InjectPlugin(simdjson::dom::element pod, const InjectOptions& options);

// True if the application belongs to the profiled share. An ID always gets the same answer.
bool IsInShare(std::string_view application, double share);

}  // namespace sparkprof
