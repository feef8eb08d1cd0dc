// SPDX-License-Identifier: Apache-2.0
// Bodies with rows of runs: a row that is accepted is accepted again as it was stored. The first byte selects the
// table.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/runs/run_rows.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto columns = data[0] == 'r'   ? sparkprof::RunColumns()
                       : data[0] == 'l' ? sparkprof::LogColumns()
                                        : sparkprof::ProcessColumns();
  const auto lines = sparkprof::ParseRunRows(columns, std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  if (!lines) return 0;
  for (const std::string& line : *lines) {
    const auto again = sparkprof::ParseRunRows(columns, line);
    if (!again || again->size() != 1) std::abort();
  }
  (void)sparkprof::RunRowsCsv(columns, *lines);
  return 0;
}
