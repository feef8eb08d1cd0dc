// SPDX-License-Identifier: Apache-2.0
// Any lines as the log of a job: an event log if they begin with an object, else a text log. No total of the
// application is impossible.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "analysis/testing/possible_totals.h"
#include "event_log/event_reader.h"
#include "model/application_times.h"
#include "text_log/text_log_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  sparkprof::Application application;
  if (text.starts_with('{')) {
    sparkprof::EventReader reader(&application);
    reader.AddLines(text);
    reader.Finish();
  } else {
    sparkprof::TextLogReader reader(&application);
    reader.BeginFile("fuzz");
    reader.AddLines(text);
    reader.EndFile();
    reader.Finish();
  }
  sparkprof::BoundTimes(&application);
  for (const std::string& what : sparkprof::ImpossibleTotals::Of(application)) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
  }
  return 0;
}
