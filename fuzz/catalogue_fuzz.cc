// SPDX-License-Identifier: Apache-2.0
// What a catalogue reads from others: cursors of requests and answers of ClickHouse.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "catalogue/application_cursor.h"
#include "catalogue/clickhouse/row_binary.h"

using sparkprof::ApplicationOrder;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  sparkprof::ApplicationQuery query{.order = static_cast<ApplicationOrder>(data[0] % 10), .descending = data[0] < 128};
  query.cursor = bytes;
  if (const auto cursor = ParseCursor(query)) {
    // The text of what was read is read as the same.
    query.cursor = CursorText(*cursor, query);
    const auto again = ParseCursor(query);
    if (!again || *again != *cursor) std::abort();
  }
  sparkprof::RowBinaryReader rows(bytes);
  while (!rows.AtEnd()) {
    rows.Text();
    rows.Words();
    rows.Number();
    rows.Integer();
  }
  return 0;
}
