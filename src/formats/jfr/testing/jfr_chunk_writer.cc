// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/testing/jfr_chunk_writer.h"

#include <algorithm>
#include <bit>

#include "formats/jfr/jfr_chunk_header.h"

namespace sparkprof::testing {
namespace {

std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) text.push_back(static_cast<char>(value >> shift));
  return text;
}

std::string WithSize(const std::string& type_and_fields) {
  // Like in the JDK, the size always has four bytes, so it can be filled in afterwards.
  const uint64_t size = type_and_fields.size() + 4;
  std::string text;
  for (int i = 0; i < 3; ++i) text.push_back(static_cast<char>((size >> (7 * i) & 0x7F) | 0x80));
  text.push_back(static_cast<char>(size >> 21 & 0x7F));
  return text + type_and_fields;
}

// The strings of a metadata event.
class Strings {
 public:
  std::string Index(const std::string& text) {
    const auto [found, is_new] = index_.emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return Varint(found->second);
  }

  std::string Table() const {
    std::string table = Varint(texts_.size());
    for (const std::string& text : texts_) table += Utf8(text);
    return table;
  }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, size_t> index_;
};

std::string Element(Strings* strings, const std::string& name,
                    const std::vector<std::pair<std::string, std::string>>& attributes,
                    const std::vector<std::string>& children) {
  std::string text = strings->Index(name) + Varint(attributes.size());
  for (const auto& [key, value] : attributes) {
    text += strings->Index(key);
    text += strings->Index(value);
  }
  text += Varint(children.size());
  for (const std::string& child : children) text += child;
  return text;
}

}  // namespace

std::string Varint(uint64_t value) {
  std::string text;
  for (int i = 0; i < 8 && value >= 0x80; ++i) {
    text.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  text.push_back(static_cast<char>(value));
  return text;
}

std::string FloatBits(float value) { return BigEndian(std::bit_cast<uint32_t>(value), 4); }
std::string Utf8(std::string_view text) { return "\3" + Varint(text.size()) + std::string(text); }
std::string Latin1(std::string_view bytes) { return "\5" + Varint(bytes.size()) + std::string(bytes); }
std::string ConstantString(uint64_t key) { return "\2" + Varint(key); }

std::string CharArray(std::u16string_view text) {
  std::string written = "\4" + Varint(text.size());
  for (const char16_t unit : text) written += Varint(unit);
  return written;
}

JfrChunkWriter::JfrChunkWriter(Options options) : options_(options) {
  for (const char* name :
       {"boolean", "byte", "char", "short", "int", "long", "float", "double", "java.lang.String", "jdk.jfr.Timespan"}) {
    Type(name, {});
  }
  Type("jdk.types.Symbol", {{"string", "java.lang.String"}});
  Type("java.lang.Class", {{"name", "jdk.types.Symbol", true}, {"modifiers", "int"}});
  Type("jdk.types.Method",
       {{"type", "java.lang.Class", true}, {"name", "jdk.types.Symbol", true}, {"hidden", "boolean"}});
  Type("jdk.types.FrameType", {{"description", "java.lang.String"}});
  Type("jdk.types.StackFrame", {{"method", "jdk.types.Method", true},
                                {"lineNumber", "int"},
                                {"bytecodeIndex", "int"},
                                {"type", "jdk.types.FrameType", true}});
  Type("jdk.types.StackTrace", {{"truncated", "boolean"}, {"frames", "jdk.types.StackFrame", false, true}});
  Type("jdk.types.ThreadState", {{"name", "java.lang.String"}});
  Type("java.lang.Thread", {{"osName", "java.lang.String"},
                            {"osThreadId", "long"},
                            {"javaName", "java.lang.String"},
                            {"javaThreadId", "long"}});
}

void JfrChunkWriter::Type(const std::string& name, std::vector<WrittenField> fields) {
  if (options_.reverse_fields) std::reverse(fields.begin(), fields.end());
  type_ids_[name] = options_.first_type_id + types_.size();
  types_.push_back({name, std::move(fields)});
}

std::string JfrChunkWriter::Encode(const std::string& type, const Record& record) const {
  std::string text;
  for (const WrittenField& field : types_[TypeId(type) - options_.first_type_id].fields) {
    const auto value = record.find(field.name);
    text += value == record.end() ? std::string(1, '\0') : value->second;
  }
  return text;
}

void JfrChunkWriter::Constant(const std::string& type, uint64_t key, const Record& record) {
  constants_[type].emplace_back(key, Encode(type, record));
}

void JfrChunkWriter::ConstantText(uint64_t key, const std::string& value) {
  constants_["java.lang.String"].emplace_back(key, value);
}

void JfrChunkWriter::Method(uint64_t key, uint64_t class_key, uint64_t name_symbol) {
  Constant("jdk.types.Method", key, {{"type", Varint(class_key)}, {"name", Varint(name_symbol)}});
}

void JfrChunkWriter::Thread(uint64_t key, int64_t os_thread_id, const std::string& os_name,
                            const std::string& java_name) {
  Constant("java.lang.Thread", key,
           {{"osName", Utf8(os_name)},
            {"osThreadId", Varint(static_cast<uint64_t>(os_thread_id))},
            {"javaName", java_name.empty() ? NullString() : Utf8(java_name)}});
}

void JfrChunkWriter::StackTrace(uint64_t key, const std::vector<Frame>& leaf_first, bool truncated) {
  std::string frames = Varint(leaf_first.size());
  for (const Frame& frame : leaf_first) {
    frames +=
        Encode("jdk.types.StackFrame",
               {{"method", Varint(frame.method)}, {"lineNumber", Varint(frame.line)}, {"type", Varint(frame.type)}});
  }
  Constant("jdk.types.StackTrace", key, {{"truncated", Varint(truncated)}, {"frames", frames}});
}

void JfrChunkWriter::Event(const std::string& type, const Record& record) {
  RawEvent(TypeId(type), Encode(type, record));
}

void JfrChunkWriter::RawEvent(uint64_t type_id, const std::string& fields) {
  body_ += WithSize(Varint(type_id) + fields);
}

void JfrChunkWriter::Checkpoint() {
  const size_t position = kJfrHeaderSize + body_.size();
  const uint64_t back = last_checkpoint_ == 0 ? 0 : last_checkpoint_ - position;  // negative: nine bytes
  std::string event =
      Varint(1) + Varint(0) + Varint(0) + Varint(back) + std::string(1, '\0') + Varint(constants_.size());
  for (const auto& [type, constants] : constants_) {
    event += Varint(TypeId(type)) + Varint(constants.size());
    for (const auto& [key, record] : constants) event += Varint(key) + record;
  }
  body_ += WithSize(event);
  constants_.clear();
  last_checkpoint_ = position;
}

std::string JfrChunkWriter::MetadataEvent() const {
  Strings strings;
  std::vector<std::string> classes;
  for (const WrittenType& type : types_) {
    std::vector<std::string> fields;
    for (const WrittenField& field : type.fields) {
      std::vector<std::pair<std::string, std::string>> attributes = {{"name", field.name},
                                                                     {"class", std::to_string(TypeId(field.type))}};
      if (field.constant_pool) attributes.emplace_back("constantPool", "true");
      if (field.array) attributes.emplace_back("dimension", "1");
      std::vector<std::string> annotations;
      if (!field.time_unit.empty()) {
        annotations.push_back(
            Element(&strings, "annotation",
                    {{"class", std::to_string(TypeId("jdk.jfr.Timespan"))}, {"value", field.time_unit}}, {}));
      }
      fields.push_back(Element(&strings, "field", attributes, annotations));
    }
    classes.push_back(
        Element(&strings, "class", {{"name", type.name}, {"id", std::to_string(TypeId(type.name))}}, fields));
  }
  const std::string tree =
      Element(&strings, "root", {}, {Element(&strings, "metadata", {}, classes), Element(&strings, "region", {}, {})});
  return WithSize(Varint(0) + Varint(0) + Varint(0) + Varint(1) + strings.Table() + tree);
}

std::string JfrChunkWriter::Finish() {
  Checkpoint();
  const uint64_t metadata_offset = kJfrHeaderSize + body_.size();
  body_ += MetadataEvent();
  std::string chunk("FLR\0", 4);
  chunk += BigEndian(2, 2) + BigEndian(1, 2);
  chunk += BigEndian(kJfrHeaderSize + body_.size(), 8) + BigEndian(last_checkpoint_, 8) + BigEndian(metadata_offset, 8);
  chunk += BigEndian(static_cast<uint64_t>(options_.start_epoch_ns), 8) + BigEndian(1'000'000'000, 8);
  chunk += BigEndian(static_cast<uint64_t>(options_.start_ticks), 8);
  chunk += BigEndian(static_cast<uint64_t>(options_.ticks_per_second), 8) + BigEndian(1, 4);
  return chunk + body_;
}

}  // namespace sparkprof::testing
