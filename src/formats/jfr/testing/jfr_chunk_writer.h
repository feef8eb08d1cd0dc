// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparkprof::testing {

// Values in the encoding of a JFR chunk.
std::string Varint(uint64_t value);
std::string FloatBits(float value);                  // 4 bytes, big-endian
std::string Utf8(std::string_view text);             // encoding 3
std::string Latin1(std::string_view bytes);          // encoding 5
std::string CharArray(std::u16string_view text);     // encoding 4
std::string ConstantString(uint64_t key);            // encoding 2
inline std::string NullString() { return {'\0'}; }   // encoding 0
inline std::string EmptyString() { return {'\1'}; }  // encoding 1

struct WrittenField {
  std::string name;
  std::string type;
  bool constant_pool = false;
  bool array = false;
  std::string time_unit = {};  // value of the annotation jdk.jfr.Timespan
};

// Writes JFR chunks for tests and fuzz seeds: types, constants and events by name, with fields in any order.
class JfrChunkWriter {
 public:
  struct Options {
    bool reverse_fields = false;  // write each type's fields last first, as another writer might
    uint64_t first_type_id = 20;
    int64_t start_epoch_ns = 1'700'000'000'000'000'000;
    int64_t start_ticks = 1000;
    int64_t ticks_per_second = 1'000'000'000;
  };
  using Record = std::map<std::string, std::string>;  // field → encoded value

  // With the types that all writers have: numbers, strings, threads, stack traces and what they refer to.
  explicit JfrChunkWriter(Options options);
  JfrChunkWriter() : JfrChunkWriter(Options{}) {}

  void Type(const std::string& name, std::vector<WrittenField> fields);
  // A field that the record does not have is written as one zero byte.
  void Constant(const std::string& type, uint64_t key, const Record& record);
  void ConstantText(uint64_t key, const std::string& value);  // a java.lang.String
  void Event(const std::string& type, const Record& record);
  void RawEvent(uint64_t type_id, const std::string& fields);
  // Writes the constants so far as an event of their own; Finish() chains it to the last one.
  void Checkpoint();

  // Usual constants, in few words.
  void Symbol(uint64_t key, const std::string& text) { Constant("jdk.types.Symbol", key, {{"string", Utf8(text)}}); }
  void Class(uint64_t key, uint64_t name_symbol) { Constant("java.lang.Class", key, {{"name", Varint(name_symbol)}}); }
  void Method(uint64_t key, uint64_t class_key, uint64_t name_symbol);
  void Thread(uint64_t key, int64_t os_thread_id, const std::string& os_name, const std::string& java_name);
  struct Frame {
    uint64_t method = 0, line = 0, type = 0;
  };
  void StackTrace(uint64_t key, const std::vector<Frame>& leaf_first, bool truncated = false);

  uint64_t TypeId(const std::string& name) const { return type_ids_.at(name); }
  std::string Finish();

 private:
  struct WrittenType {
    std::string name;
    std::vector<WrittenField> fields;
  };

  std::string Encode(const std::string& type, const Record& record) const;
  std::string MetadataEvent() const;

  Options options_;
  std::vector<WrittenType> types_;
  std::map<std::string, uint64_t> type_ids_;
  std::map<std::string, std::vector<std::pair<uint64_t, std::string>>> constants_;
  std::string body_;  // follows the header
  size_t last_checkpoint_ = 0;
};

}  // namespace sparkprof::testing
