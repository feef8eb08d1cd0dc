// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "model/segment/column_reader.h"
#include "model/segment/segment_parts.h"

namespace sparkprof {
namespace {

using protozero::pbf_writer;

template <typename Packed, typename Get>
void Pack(uint32_t field, size_t rows, pbf_writer* out, Get get) {
  Packed packed{*out, field};
  for (size_t row = 0; row < rows; ++row) packed.add_element(get(row));
}

// Differences wrap instead of overflowing, as everywhere in a segment.
void PackLogDeltas(uint32_t field, const std::vector<int64_t>& values, pbf_writer* out) {
  uint64_t before = 0;
  Pack<protozero::packed_field_sint64>(field, values.size(), out, [&](size_t row) {
    const auto value = static_cast<uint64_t>(values[row]);
    const auto delta = static_cast<int64_t>(value - before);
    before = value;
    return delta;
  });
}

template <typename Range>
std::vector<int64_t> AddUp(const Range& deltas) {
  std::vector<int64_t> values;
  uint64_t value = 0;
  for (const int64_t delta : deltas) {
    value += static_cast<uint64_t>(delta);
    values.push_back(static_cast<int64_t>(value));
  }
  return values;
}

LogTemplate DecodeTemplate(MessageReader message) {
  LogTemplate found;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        found.text = message.get_string();
        break;
      case 2:
        found.count = message.get_int64();
        break;
      case 3:
        found.first_ns = message.get_int64();
        break;
      case 4:
        found.last_ns = message.get_int64();
        break;
      case 5: {
        size_t level = 0;
        for (const int64_t count : message.get_packed_int64()) {
          if (level < kLogLevelCount) found.levels[level++] = count;
        }
        break;
      }
      default:
        message.skip();
    }
  }
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
    Pack<protozero::packed_field_int64>(5, kLogLevelCount, &message, [&](size_t level) { return found.levels[level]; });
  }
  using Unsigned = protozero::packed_field_uint64;
  const size_t rows = logs.Size();
  PackLogDeltas(3, logs.time_ns, out);
  Pack<Unsigned>(4, rows, out, [&](size_t row) { return static_cast<uint64_t>(logs.level[row]); });
  Pack<Unsigned>(5, rows, out, [&](size_t row) { return static_cast<uint64_t>(std::max(0, logs.executor[row])); });
  Pack<Unsigned>(6, rows, out, [&](size_t row) { return uint64_t{logs.source[row]}; });
  PackLogDeltas(7, logs.line, out);
  Pack<Unsigned>(8, rows, out, [&](size_t row) { return uint64_t{logs.template_row[row]}; });
  Pack<Unsigned>(9, rows, out, [&](size_t row) { return uint64_t{logs.Text(row).size()}; });
  out->add_bytes(10, logs.text);
  out->add_int64(11, logs.dropped);
}

Result<LogRecords> DecodeLogRecords(MessageReader message, size_t string_count) {
  LogRecords logs;
  std::vector<uint64_t> sizes;
  while (message.next()) {
    Result<void> ok;
    switch (message.tag()) {
      case 1:
        logs.sources.push_back(message.get_string());
        break;
      case 2:
        logs.templates.push_back(DecodeTemplate(message.get_message()));
        break;
      case 3:
        logs.time_ns = AddUp(message.get_packed_sint64());
        break;
      case 4:
        ok = Take("level", message.get_packed_uint64(), UpTo(LogLevel::kFatal), &logs.level);
        break;
      case 5:
        ok = Take("executor", message.get_packed_uint64(), RowsOf(string_count), &logs.executor);
        break;
      case 6:
        ok = Take("source", message.get_packed_uint64(), RowsOf(logs.sources.size()), &logs.source);
        break;
      case 7:
        logs.line = AddUp(message.get_packed_sint64());
        break;
      case 8:
        ok = Take("template", message.get_packed_uint64(), RowsOf(logs.templates.size()), &logs.template_row);
        break;
      case 9:
        ok = Take("text_size", message.get_packed_uint64(), k32Bits, &sizes);
        break;
      case 10:
        logs.text = message.get_bytes();
        break;
      case 11:
        logs.dropped = message.get_int64();
        break;
      default:
        message.skip();
    }
    if (!ok) return tl::unexpected(ok.error());
  }
  if (const Result<void> ok = CheckTemplates(logs); !ok) return tl::unexpected(ok.error());
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
