// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "model/segment/column_reader.h"
#include "model/segment/segment_parts.h"

namespace sparkprof {

Result<Source> DecodeSource(MessageReader message) {
  Source source = DecodeRow<Source>(message);
  if (const ColumnRange widths{.least = 0, .most = kWidestBucketNanos}; !widths.Contains(source.bucket_ns))
    return FailOutOfRange("source", 0, "bucket_ns", std::to_string(source.bucket_ns), widths);
  return source;
}

Notice DecodeNotice(MessageReader message) {
  Notice notice;
  const auto read_level = [&] { notice.level = static_cast<NoticeLevel>(std::min(message.get_uint32(), 2u)); };
  ReadFields(&message, notice.time_ns, read_level, notice.text);
  return notice;
}

Column DecodeColumn(MessageReader message) {
  Column column;
  ReadFields(&message, column.name, [&] { column.value = AddUp(message.get_packed_sint64()); });
  return column;
}

}  // namespace sparkprof
