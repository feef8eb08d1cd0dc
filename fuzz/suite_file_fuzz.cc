// SPDX-License-Identifier: Apache-2.0
// Files of suites: what is accepted has commands for all its sizes.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "suite/suite_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto suite = sparkprof::ParseSuite(std::string(reinterpret_cast<const char*>(data), size), "suite");
  if (!suite) return 0;
  for (const sparkprof::SuiteJob& job : suite->jobs) {
    for (const double value : job.sizes) {
      if (!sparkprof::CommandOf(job, value, "folder")) std::abort();
    }
  }
  return 0;
}
