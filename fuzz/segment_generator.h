// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/samples/sample.h"

namespace sparkprof {

// Messages of segment.proto chosen by bytes: small tables with first, last, equal and descending references, and in
// some messages references and columns that a segment must not have.
class SegmentGenerator {
 public:
  SegmentGenerator(const uint8_t* data, size_t size) : data_(data), size_(size), is_hostile_(Pick(4) == 0) {}

  std::string Message() {
    std::string message;
    AddMessage(&message, 1, Source());
    for (size_t i = Pick(3); i > 0; --i) AddMessage(&message, 2, Numbers({{1, Time()}, {2, Time()}}));
    AddMessage(&message, 3, Strings());
    AddMessage(&message, 4, Frames());
    AddMessage(&message, 5, Stacks());
    AddMessage(&message, 6, Threads());
    AddMessage(&message, 7, Samples());
    AddMessage(&message, 8, TaskIntervals());
    for (size_t i = Pick(2); i > 0; --i) AddMessage(&message, 10, Series());
    for (size_t i = Pick(3); i > 0; --i) AddMessage(&message, 11, Process());
    for (size_t i = Pick(2); i > 0; --i) AddMessage(&message, 12, Numbers({{3, Count()}}));
    for (size_t i = Pick(2); i > 0; --i) AddMessage(&message, 13, Numbers({{1, Time()}, {2, Pick(4)}}));
    if (Pick(2) == 1) protozero::pbf_writer(message).add_bool(15, true);
    if (Pick(2) == 1) AddMessage(&message, 16, Logs());
    if (Pick(2) == 1) AddTaskColumns(&message);
    for (size_t i = Pick(2); i > 0; --i) AddMessage(&message, 18, Numbers({{1, Task()}, {5, Pick(9)}}));
    for (size_t i = Pick(2); i > 0; --i) {
      AddMessage(&message, 19, Numbers({{1, Task()}, {2, Pick(3)}, {4, Time()}, {5, Time()}, {6, Count()}}));
    }
    for (size_t i = Pick(2); i > 0; --i) AddMessage(&message, 20, HeapSummary());
    for (size_t i = Pick(2); i > 0; --i) AddMessage(&message, 21, Neighbor());
    return message;
  }

  // False after a message with something that a segment must not have.
  bool IsPossible() const { return is_possible_; }

  size_t Pick(size_t count) {
    if (at_ >= size_) return 0;
    return data_[at_++] % count;
  }

 private:
  using Values = std::vector<uint64_t>;
  struct Column {
    uint32_t field;
    Values values;
    bool is_optional = false;
  };

  static void AddMessage(std::string* message, uint32_t field, const std::string& part) {
    protozero::pbf_writer(*message).add_message(field, part);
  }

  static std::string Numbers(const std::vector<std::pair<uint32_t, uint64_t>>& fields) {
    std::string message;
    for (const auto& [field, value] : fields) protozero::pbf_writer(message).add_uint64(field, value);
    return message;
  }

  bool IsOdd() { return is_hostile_ && Pick(24) == 1; }

  static uint64_t ZigZag(int64_t value) { return protozero::encode_zigzag64(value); }

  // A number from `least` to `most`, or in a hostile message another one.
  uint64_t Within(uint64_t least, uint64_t most) {
    if (least > most || IsOdd()) {
      const uint64_t odd[] = {0,         most + 1,   most + 2,    UINT32_MAX, uint64_t{1} << 32,
                              INT64_MAX, UINT64_MAX, most / 2 + 1};
      const uint64_t value = odd[Pick(std::size(odd))];
      if (value < least || value > most) is_possible_ = false;
      return value;
    }
    const uint64_t choices[] = {least, most, least + Pick(256) % (most - least + 1)};
    return choices[Pick(std::size(choices))];
  }

  Values ColumnOf(size_t rows, uint64_t least, uint64_t most) {
    Values values;
    for (size_t row = 0; row < rows; ++row) values.push_back(Within(least, most));
    return values;
  }

  // With a reserved row 0.
  Values Reserved(size_t rows, uint64_t least, uint64_t most) {
    Values values;
    for (size_t row = 0; row < rows; ++row) values.push_back(row == 0 ? Within(0, 0) : Within(least, most));
    return values;
  }

  uint64_t Count() { return Pick(2) == 0 ? Pick(100) : Within(0, INT64_MAX); }
  uint64_t Task() { return Pick(8) == 7 ? static_cast<uint64_t>(AnyTime()) : Pick(4); }

  int64_t AnyTime() {
    constexpr int64_t kTimes[] = {0, -1, 1, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MAX / 2, 1'000'000'000};
    return kTimes[Pick(std::size(kTimes))];
  }
  uint64_t Time() { return Pick(8) == 7 ? static_cast<uint64_t>(AnyTime()) : kNow + Pick(256) * 1'000'000'000; }

  // The columns in this order. Those of a hostile table may be missing, repeated or too long or short.
  std::string Table(size_t rows, std::vector<Column> columns) {
    if (IsOdd()) {
      Column& column = columns[Pick(columns.size())];
      switch (column.is_optional ? 1 + Pick(2) : Pick(4)) {
        case 0:  // missing
          if (rows > 0) is_possible_ = false;
          column.field = 99;
          break;
        case 1: {
          if (rows > 0) is_possible_ = false;
          const Column repeated = column;
          columns.push_back(repeated);
          break;
        }
        case 2:
          is_possible_ = false;
          column.values.push_back(0);
          break;
        default:
          if (rows == 0) break;
          column.values.pop_back();
          is_possible_ = false;
      }
    }
    std::string table;
    for (const Column& column : columns) {
      protozero::pbf_writer(table).add_packed_uint64(column.field, column.values.begin(), column.values.end());
    }
    return table;
  }

  std::string Source() {
    static constexpr std::string_view kRoles[] = {"driver", "executor", "local", "node", "profile", "profile:count:x"};
    std::string source;
    protozero::pbf_writer writer(source);
    writer.add_string(1, Pick(8) == 7 ? "" : "app-1");
    writer.add_string(4, Pick(2) == 0 ? "driver" : "1");
    writer.add_string(6, "boot");
    writer.add_uint64(7, Pick(3));
    constexpr uint64_t kWidths[] = {1'000'000'000, 0, 1};
    const size_t width = Pick(4);
    bucket_ns_ = width < std::size(kWidths) ? kWidths[width] : Within(0, kDay);
    writer.add_uint64(12, bucket_ns_);
    writer.add_uint64(13, Pick(3));
    writer.add_string(14, std::string(kRoles[Pick(std::size(kRoles))]));
    return source;
  }

  std::string Strings() {
    static constexpr std::string_view kTexts[] = {"", "a", "a", "java.lang.Thread.run", "1", "driver", "\xff", "x y"};
    std::string table;
    strings_ = Pick(6);
    for (size_t row = 0; row < strings_; ++row) {
      protozero::pbf_writer(table).add_string(1, row == 0 ? "" : std::string(kTexts[Pick(std::size(kTexts))]));
    }
    strings_ = std::max<size_t>(strings_, 1);
    return table;
  }

  std::string Frames() {
    const size_t rows = Pick(6);
    frames_ = std::max<size_t>(rows, 1);
    const uint64_t last = strings_ - 1;
    return Table(rows, {{1, Reserved(rows, 0, 7)},
                        {2, Reserved(rows, 0, last)},
                        {3, Reserved(rows, 0, last)},
                        {4, Reserved(rows, 0, UINT32_MAX)}});
  }

  std::string Stacks() {
    // Without frames there is only the empty stack.
    const size_t rows = frames_ < 2 && !is_hostile_ ? Pick(2) : Pick(8);
    stacks_ = std::max<size_t>(rows, 1);
    Values parents;
    for (size_t row = 0; row < rows; ++row) parents.push_back(Within(0, row == 0 ? 0 : row - 1));
    return Table(rows, {{1, parents}, {2, Reserved(rows, 1, frames_ - 1)}});
  }

  std::string Threads() {
    threads_ = Pick(4);
    Values tids;
    for (size_t row = 0; row < threads_; ++row) tids.push_back(Task());
    return Table(threads_,
                 {{1, tids}, {2, ColumnOf(threads_, 0, strings_ - 1)}, {3, ColumnOf(threads_, 0, INT64_MAX), true}});
  }

  std::string Samples() {
    const size_t rows = threads_ == 0 && !is_hostile_ ? 0 : Pick(6);
    const auto width = static_cast<int64_t>(bucket_ns_ == 0 || bucket_ns_ > kDay ? 1'000'000'000 : bucket_ns_);
    const int64_t most = (INT64_MAX - static_cast<int64_t>(kDay)) / width;
    Values buckets, tasks;
    uint64_t before = 0;
    for (size_t row = 0; row < rows; ++row) {
      const int64_t times[] = {static_cast<int64_t>(kNow) / width, most, -most, 0, 1};
      int64_t bucket = times[Pick(8) == 7 ? Pick(std::size(times)) : 0];
      if (IsOdd()) {
        bucket = AnyTime();
        if (bucket > most || bucket < -most - 1) is_possible_ = false;
      }
      buckets.push_back(ZigZag(static_cast<int64_t>(static_cast<uint64_t>(bucket) - before)));
      before = static_cast<uint64_t>(bucket);
      int64_t task = static_cast<int64_t>(Pick(4)) - 1;
      if (IsOdd()) {
        task = AnyTime();
        if (task < -1) is_possible_ = false;
      }
      tasks.push_back(ZigZag(task));
    }
    return Table(rows, {{1, buckets},
                        {2, ColumnOf(rows, 1, std::size(kAllEvents))},
                        {3, threads_ == 0 ? Missing(rows) : ColumnOf(rows, 0, threads_ - 1)},
                        {4, tasks},
                        {5, ColumnOf(rows, 0, 3)},
                        {6, ColumnOf(rows, 0, 2)},
                        {7, ColumnOf(rows, 0, stacks_ - 1)},
                        {8, ColumnOf(rows, 0, INT64_MAX)},
                        {9, ColumnOf(rows, 0, INT64_MAX)},
                        {10, ColumnOf(rows, 0, 2), true}});
  }

  // References to a table without rows.
  Values Missing(size_t rows) {
    if (rows > 0) is_possible_ = false;
    return Values(rows, 0);
  }

  std::string TaskIntervals() {
    const size_t rows = Pick(4);
    std::vector<Column> columns;
    for (uint32_t field = 1; field < 10; ++field) {
      Values values;
      for (size_t row = 0; row < rows; ++row) values.push_back(field > 7 ? Time() : Task());
      columns.push_back({field, values});
    }
    columns.push_back({10, ColumnOf(rows, 0, 3)});
    return Table(rows, columns);
  }

  std::string Series() {
    static constexpr std::string_view kNames[] = {"jvm.heap_used_bytes", "process.cpu_ns", "x", ""};
    const size_t rows = Pick(5);
    Values times;
    uint64_t before = 0;
    for (size_t row = 0; row < rows; ++row) {
      const uint64_t time = Time();
      times.push_back(ZigZag(static_cast<int64_t>(time - before)));
      before = time;
    }
    std::string series = Table(rows, {{5, times}});
    protozero::pbf_writer writer(series);
    std::vector<double> values;
    for (size_t row = 0; row < rows; ++row) {
      constexpr double kValues[] = {0, 1, -1, 1e300, -1e300, 4e9};
      values.push_back(kValues[Pick(std::size(kValues))]);
    }
    writer.add_packed_double(6, values.begin(), values.end());
    writer.add_string(1, std::string(kNames[Pick(std::size(kNames))]));
    writer.add_uint64(2, Pick(3));
    writer.add_uint64(4, Pick(3));
    return series;
  }

  std::string Process() {
    std::string process = Numbers({{1, Pick(3)}, {2, Pick(2)}, {3, Pick(3)}, {6, Time()}, {7, Time()}});
    if (Pick(2) == 1) protozero::pbf_writer(process).add_uint64(8, Time());
    protozero::pbf_writer(process).add_string(4, Pick(2) == 0 ? "jvm" : "python_worker");
    return process;
  }

  std::string Logs() {
    std::string logs;
    protozero::pbf_writer writer(logs);
    const size_t sources = Pick(3), templates = Pick(3);
    for (size_t row = 0; row < sources; ++row) writer.add_string(1, "log");
    for (size_t row = 0; row < templates; ++row) {
      std::string text = row == 0 ? "" : "Lost <*>";
      if (row == 0 && IsOdd()) {
        text = "x";
        is_possible_ = false;
      }
      std::string found = Numbers({{2, Count()}, {3, Time()}, {4, Time()}});
      protozero::pbf_writer(found).add_string(1, text);
      const Values levels = ColumnOf(Pick(8), 0, INT64_MAX);
      protozero::pbf_writer(found).add_packed_uint64(5, levels.begin(), levels.end());
      writer.add_message(2, found);
    }
    const size_t rows = (sources == 0 || templates == 0) && !is_hostile_ ? 0 : Pick(4);
    Values times, lines;
    for (size_t row = 0; row < rows; ++row) {
      times.push_back(ZigZag(static_cast<int64_t>(Time())));
      lines.push_back(ZigZag(static_cast<int64_t>(Pick(9))));
    }
    logs += LogTable(rows, {{3, times},
                            {4, ColumnOf(rows, 0, 6)},
                            {5, ColumnOf(rows, 0, strings_ - 1)},
                            {6, sources == 0 ? Missing(rows) : ColumnOf(rows, 0, sources - 1)},
                            {7, lines},
                            {8, templates == 0 ? Missing(rows) : ColumnOf(rows, 0, templates - 1)},
                            {9, Values(rows, 2)}});
    std::string text(rows * 2, 'x');
    if (IsOdd()) {
      text += 'x';
      is_possible_ = false;
    }
    protozero::pbf_writer(logs).add_bytes(10, text);
    protozero::pbf_writer(logs).add_uint64(11, Count());
    return logs;
  }

  // A column that is too short.
  std::string LogTable(size_t rows, std::vector<Column> columns) {
    if (rows > 0 && IsOdd()) {
      is_possible_ = false;
      columns[Pick(columns.size())].values.pop_back();
    }
    const bool was_hostile = std::exchange(is_hostile_, false);
    std::string table = Table(rows, std::move(columns));
    is_hostile_ = was_hostile;
    return table;
  }

  void AddTaskColumns(std::string* message) {
    static constexpr std::string_view kNames[] = {"id",      "executor", "reason",   "stage",    "index",
                                                  "outcome", "launchNs", "finishNs", "locality", "gcTimeNs"};
    const size_t rows = Pick(4);
    for (const std::string_view name : kNames) {
      if (name != "id" && Pick(3) == 0) continue;
      const bool is_string = name == "executor" || name == "reason";
      Values deltas;
      uint64_t before = 0;
      for (size_t row = 0; row < rows; ++row) {
        const uint64_t value = is_string ? Within(0, strings_ - 1) : name.ends_with("Ns") ? Time() : Task();
        deltas.push_back(ZigZag(static_cast<int64_t>(value - before)));
        before = value;
      }
      if (rows > 0 && name != "id" && IsOdd()) {
        is_possible_ = false;
        deltas.pop_back();
      }
      std::string column;
      protozero::pbf_writer(column).add_string(1, std::string(name));
      protozero::pbf_writer(column).add_packed_uint64(2, deltas.begin(), deltas.end());
      AddMessage(message, 17, column);
      if (IsOdd()) {
        is_possible_ = false;
        AddMessage(message, 17, column);
      }
    }
  }

  std::string HeapSummary() {
    const size_t rows = Pick(4);
    return Table(rows, {{3, ColumnOf(rows, 0, strings_ - 1)},
                        {4, ColumnOf(rows, 0, INT64_MAX)},
                        {5, ColumnOf(rows, 0, INT64_MAX)}}) +
           Numbers({{1, Time()}, {2, Count()}, {6, Count()}, {7, Count()}, {8, Count()}});
  }

  std::string Neighbor() {
    std::string neighbor = Numbers({{6, Count()}, {8, kNow}, {9, 1 + Pick(9) * 1'000'000'000}});
    protozero::pbf_writer writer(neighbor);
    writer.add_string(1, "h");
    writer.add_double(7, 4);
    const std::vector<double> steps(Pick(4), 1e9);
    writer.add_packed_double(10, steps.begin(), steps.end());
    return neighbor;
  }

  static constexpr uint64_t kNow = 1'790'000'000'000'000'000;
  static constexpr uint64_t kDay = 86'400'000'000'000;

  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
  bool is_hostile_;
  bool is_possible_ = true;
  size_t strings_ = 1, frames_ = 1, stacks_ = 1, threads_ = 0;
  uint64_t bucket_ns_ = 0;
};

}  // namespace sparkprof
