// SPDX-License-Identifier: Apache-2.0
// Any lines as events of OpenLineage. Tags belong to jobs that there are.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text/text.h"
#include "loader/lineage.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  sparkprof::Lineage lineage;
  while (!text.empty()) lineage.Add(sparkprof::TakeLine(&text));
  sparkprof::Application application;
  application.id = "app-1";
  sparkprof::Job job;
  job.id = 3;
  application.jobs.push_back(job);
  lineage.AddTags(true, &application);
  if (lineage.IsEmpty() && !application.jobs[0].tags.empty()) std::abort();
  return 0;
}
