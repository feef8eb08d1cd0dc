// SPDX-License-Identifier: Apache-2.0
#include "model/log_records_codec.h"

#include <algorithm>

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

// Narrow values below `limit`; false if one is not.
template <typename To, typename Range>
bool Take(const Range& range, uint64_t limit, std::vector<To>* values) {
  for (const uint64_t value : range) {
    if (value >= limit) return false;
    values->push_back(static_cast<To>(value));
  }
  return true;
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
  bool in_range = true;
  while (message.next()) {
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
        in_range = Take(message.get_packed_uint64(), kLogLevelCount, &logs.level) && in_range;
        break;
      case 5:
        in_range = Take(message.get_packed_uint64(), string_count, &logs.executor) && in_range;
        break;
      case 6:
        in_range = Take(message.get_packed_uint64(), logs.sources.size(), &logs.source) && in_range;
        break;
      case 7:
        logs.line = AddUp(message.get_packed_sint64());
        break;
      case 8:
        in_range = Take(message.get_packed_uint64(), logs.templates.size(), &logs.template_row) && in_range;
        break;
      case 9:
        in_range = Take(message.get_packed_uint64(), UINT32_MAX, &sizes) && in_range;
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
  }
  if (!in_range) return Fail("log records: value out of range");
  const size_t rows = logs.time_ns.size();
  for (const size_t length : {logs.level.size(), logs.executor.size(), logs.source.size(), logs.line.size(),
                              logs.template_row.size(), sizes.size()}) {
    if (length != rows) return Fail("log records: columns of different lengths");
  }
  uint64_t end = 0;
  for (const uint64_t size : sizes) logs.text_end.push_back(end += size);
  if (end != logs.text.size()) return Fail("log records: sizes do not match the text");
  for (int32_t& executor : logs.executor) {
    if (executor == 0) executor = -1;
  }
  return logs;
}

}  // namespace sparkprof
