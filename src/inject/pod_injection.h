// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>

#include "inject/inject_options.h"

namespace sparkprof {

enum class InjectOutcome : uint8_t {
  kUnconcerned,  // not a driver, opted out, or changed by an earlier call
  kInjected,
  kSkipped,    // a driver that keeps its own environment, with the reason in an annotation
  kMalformed,  // not a pod that this version can read
};

struct PodInjection {
  InjectOutcome outcome = InjectOutcome::kUnconcerned;
  std::string reason;  // of kSkipped and kMalformed
  std::string patch;   // JSON Patch (RFC 6902); empty = no change
};

// Adds the plugin to a pod with a Spark driver: an init container that copies the jar, and the variables that make
// spark-submit load it. The patch has all of it or nothing, so a JVM never starts with a jar that is missing. Executors
// get plugin and settings from their driver.
PodInjection InjectPlugin(simdjson::dom::element pod, const InjectOptions& options);

// Whether an application belongs to the profiled share. The same ID always gets the same answer.
bool IsInShare(std::string_view application, double share);

}  // namespace sparkprof
