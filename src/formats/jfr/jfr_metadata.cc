// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_metadata.h"

#include <fmt/format.h>

#include <charconv>

#include "formats/jfr/jfr_cursor.h"

namespace sparkprof {
namespace {

// The JDK's and async-profiler's trees are root/metadata/class/field/annotation: 5.
constexpr int kMaxMetadataDepth = 16;

struct Element {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  std::vector<Element> children;

  std::string_view Attribute(std::string_view key) const {
    for (const auto& [name_of, value] : attributes) {
      if (name_of == key) return value;
    }
    return {};
  }

  uint64_t Number(std::string_view key) const {
    const std::string_view text = Attribute(key);
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
};

class TreeReader {
 public:
  explicit TreeReader(JfrCursor* cursor) : cursor_(cursor) {}

  bool ReadStrings() {
    const uint64_t count = cursor_->Varint();
    if (count > cursor_->Remaining()) return false;
    strings_.reserve(count);
    std::string scratch;
    for (uint64_t i = 0; i < count && !cursor_->Failed(); ++i) {
      strings_.emplace_back(ReadJfrString(cursor_, &scratch).text);
    }
    return !cursor_->Failed();
  }

  bool ReadElement(int depth, Element* element) {
    if (depth > kMaxMetadataDepth || !ReadName(&element->name)) return false;
    const uint64_t attribute_count = cursor_->Varint();
    if (attribute_count > cursor_->Remaining()) return false;
    for (uint64_t i = 0; i < attribute_count; ++i) {
      auto& [key, value] = element->attributes.emplace_back();
      if (!ReadName(&key) || !ReadName(&value)) return false;
    }
    const uint64_t child_count = cursor_->Varint();
    if (child_count > cursor_->Remaining()) return false;
    for (uint64_t i = 0; i < child_count; ++i) {
      if (!ReadElement(depth + 1, &element->children.emplace_back())) return false;
    }
    return !cursor_->Failed();
  }

 private:
  bool ReadName(std::string_view* name) {
    const uint64_t index = cursor_->Varint();
    if (cursor_->Failed() || index >= strings_.size()) return false;
    *name = strings_[index];
    return true;
  }

  JfrCursor* cursor_;
  std::vector<std::string> strings_;
};

JfrTimeUnit ParseUnit(std::string_view text) {
  if (text == "TICKS") return JfrTimeUnit::kTicks;
  if (text == "NANOSECONDS") return JfrTimeUnit::kNanos;
  if (text == "MICROSECONDS") return JfrTimeUnit::kMicros;
  if (text == "MILLISECONDS") return JfrTimeUnit::kMillis;
  if (text == "SECONDS") return JfrTimeUnit::kSeconds;
  return JfrTimeUnit::kNone;
}

// Classes anywhere under `element`, in the order of the tree.
void CollectClasses(const Element& element, std::vector<const Element*>* classes) {
  if (element.name == "class") classes->push_back(&element);
  for (const Element& child : element.children) CollectClasses(child, classes);
}

}  // namespace

const JfrType* JfrMetadata::Find(uint64_t id) const {
  const auto found = type_by_id.find(id);
  return found == type_by_id.end() ? nullptr : &types[found->second];
}

Result<std::string_view> FindJfrMetadata(std::string_view chunk, size_t position) {
  JfrCursor frame(chunk, position, chunk.size());
  const uint64_t size = frame.Varint();
  if (frame.Failed() || size > chunk.size() - position) {
    return Fail(fmt::format("the metadata event of {} bytes exceeds the chunk", size));
  }
  JfrCursor cursor(chunk, frame.Position(), std::max<size_t>(frame.Position(), position + size));
  const uint64_t type = cursor.Varint();
  if (type != 0) return Fail(fmt::format("expected the metadata event (type 0), found type {}", type));
  for (int i = 0; i < 3; ++i) cursor.Varint();  // start, duration, id
  if (cursor.Failed()) return Fail("truncated metadata event");
  return chunk.substr(cursor.Position(), cursor.Remaining());
}

Result<JfrMetadata> ReadJfrMetadata(std::string_view content) {
  JfrCursor cursor(content, 0, content.size());
  TreeReader reader(&cursor);
  if (!reader.ReadStrings()) return Fail("damaged string table of the metadata");
  Element root;
  if (!reader.ReadElement(0, &root)) return Fail("damaged type tree of the metadata");

  std::vector<const Element*> classes;
  CollectClasses(root, &classes);
  std::unordered_map<uint64_t, std::string_view> class_names;
  for (const Element* element : classes) class_names[element->Number("id")] = element->Attribute("name");

  JfrMetadata metadata;
  metadata.types.reserve(classes.size());
  for (const Element* element : classes) {
    JfrType described;
    described.name = element->Attribute("name");
    described.id = element->Number("id");
    for (const Element& child : element->children) {
      if (child.name != "field") continue;
      JfrField& field = described.fields.emplace_back();
      field.name = child.Attribute("name");
      field.type = child.Number("class");
      field.constant_pool = child.Attribute("constantPool") == "true";
      field.array = child.Number("dimension") > 0;
      for (const Element& annotation : child.children) {
        if (annotation.name != "annotation") continue;
        const auto name = class_names.find(annotation.Number("class"));
        if (name != class_names.end() && name->second == "jdk.jfr.Timespan") {
          field.unit = ParseUnit(annotation.Attribute("value"));
        }
      }
    }
    if (metadata.type_by_id.emplace(described.id, metadata.types.size()).second) {
      metadata.types.push_back(std::move(described));
    }
  }
  return metadata;
}

}  // namespace sparkprof
