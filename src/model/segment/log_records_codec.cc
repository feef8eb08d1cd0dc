// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "model/segment/column_reader.h"
#include "model/segment/segment_parts.h"

namespace sparkprof {
namespace {

using protozero::pbf_writer;

LogTemplate DecodeTemplate(MessageReader message) {
  LogTemplate found;
  ReadFields(&message, found.text, found.count, found.first_ns, found.last_ns, [&] {
    size_t level = 0;
    for (const int64_t count : message.get_packed_int64()) {
      if (level < kLogLevelCount) found.levels[level++] = count;
    }
  });
  return found;
}

// Appends a column's values, each of which must be in `range`.
template <typename To, typename Values>
Result<void> Take(const char* column, const Values& from, const ColumnRange& range, std::vector<To>* values) {
  for (const uint64_t value : from) {
    if (!range.Contains(value)) return FailOutOfRange("logs", values->size(), column, std::to_string(value), range);
    values->push_back(static_cast<To>(value));
  }
  return {};
}

Result<void> CheckTemplates(const LogRecords& logs) {
  if (!logs.templates.empty() && !logs.templates.front().text.empty())
    return Fail("log templates row 0: text is not empty, expected the row of unknown templates");
  for (size_t row = 0; row < logs.templates.size(); ++row) {
    const LogTemplate& found = logs.templates[row];
    for (const int64_t count : {found.count, *std::min_element(found.levels.begin(), found.levels.end())}) {
      if (count < 0) return FailOutOfRange("log templates", row, "count", std::to_string(count), kNotNegative);
    }
  }
  if (logs.dropped < 0) return FailOutOfRange("logs", 0, "dropped", std::to_string(logs.dropped), kNotNegative);
  return {};
}

}  // namespace

void EncodeLogRecords(const LogRecords& logs, pbf_writer* out) {
  for (const std::string& source : logs.sources) out->add_string(1, source);
  for (const LogTemplate& found : logs.templates) {
    pbf_writer message{*out, 2};
    message.add_string(1, found.text);
    message.add_int64(2, found.count);
    message.add_int64(3, found.first_ns);
    message.add_int64(4, found.last_ns);
    Pack<PackedSigned>(&message, 5, found.levels, std::identity());
  }
  PackDeltas(out, 3, logs.time_ns, std::identity());
  Pack<PackedUnsigned>(out, 4, logs.level, std::identity());
  Pack<PackedUnsigned>(out, 5, logs.executor, [](int32_t executor) { return std::max(0, executor); });
  Pack<PackedUnsigned>(out, 6, logs.source, std::identity());
  PackDeltas(out, 7, logs.line, std::identity());
  Pack<PackedUnsigned>(out, 8, logs.template_row, std::identity());
  uint64_t end = 0;
  Pack<PackedUnsigned>(out, 9, logs.text_end, [&](uint64_t next) { return next - std::exchange(end, next); });
  out->add_bytes(10, logs.text);
  out->add_int64(11, logs.dropped);
}

Result<LogRecords> DecodeLogRecords(MessageReader message, size_t string_count) {
  LogRecords logs;
  std::vector<uint64_t> sizes;
  Result<void> ok;
  const auto take = [&](const char* column, const ColumnRange& range, auto* values) {
    ok = Take(column, message.get_packed_uint64(), range, values);
  };
  while (message.next()) {
    ReadField(
        &message, [&] { logs.sources.push_back(message.get_string()); },
        [&] { logs.templates.push_back(DecodeTemplate(message.get_message())); },
        [&] { logs.time_ns = AddUp(message.get_packed_sint64()); },
        [&] { take("level", UpTo(LogLevel::kFatal), &logs.level); },
        [&] { take("executor", RowsOf(string_count), &logs.executor); },
        [&] { take("source", RowsOf(logs.sources.size()), &logs.source); },
        [&] { logs.line = AddUp(message.get_packed_sint64()); },
        [&] { take("template", RowsOf(logs.templates.size()), &logs.template_row); },
        [&] { take("text_size", k32Bits, &sizes); }, logs.text, logs.dropped);
    if (!ok) return tl::unexpected(ok.error());
  }
  if (ok = CheckTemplates(logs); !ok) return tl::unexpected(ok.error());
  const size_t rows = logs.time_ns.size();
  for (const size_t length : {logs.level.size(), logs.executor.size(), logs.source.size(), logs.line.size(),
                              logs.template_row.size(), sizes.size()}) {
    if (length != rows) return Fail("logs: columns of different lengths");
  }
  uint64_t end = 0;
  for (const uint64_t size : sizes) logs.text_end.push_back(end += size);
  if (end != logs.text.size()) return Fail("logs: sizes do not match the text");
  for (int32_t& executor : logs.executor) {
    if (executor == 0) executor = -1;
  }
  return logs;
}

}  // namespace sparkprof
