// SPDX-License-Identifier: Apache-2.0
#include "inputs/java_object.h"

#include <deque>

#include "base/io/byte_cursor.h"

namespace sparkprof {
namespace {

// Type codes of the protocol.
enum Code : uint8_t {
  kNull = 0x70,
  kReference = 0x71,
  kClassDescription = 0x72,
  kObject = 0x73,
  kString = 0x74,
  kBlockData = 0x77,
  kEndBlockData = 0x78,
  kBlockDataLong = 0x7a,
  kLongString = 0x7c,
  kEnum = 0x7e,
};
constexpr int32_t kFirstHandle = 0x7e0000;
constexpr uint8_t kHasWriteMethod = 1, kSerializable = 2;
constexpr int kMaxDepth = 100;

struct ClassDescription {
  std::string name;
  uint8_t flags = 0;
  std::vector<std::pair<char, std::string>> fields;  // type code and name
  const ClassDescription* parent = nullptr;
};

class Reader {
 public:
  explicit Reader(std::string_view stream) : cursor_(stream) {}

  std::shared_ptr<const JavaValue> Read() {
    constexpr uint16_t kMagic = 0xaced, kVersion = 5;
    if (cursor_.Short() != kMagic || cursor_.Short() != kVersion) return nullptr;
    const JavaValue* const value = Content(0);
    return cursor_.Ok() ? std::shared_ptr<const JavaValue>(values_, value) : nullptr;
  }

 private:
  struct Handle {
    const JavaValue* value = nullptr;
    const ClassDescription* description = nullptr;
  };

  // Reads one object, string, enum constant or null. For anything else, returns null and the cursor fails.
  const JavaValue* Content(int depth) {
    if (depth > kMaxDepth) cursor_.Fail();
    const uint8_t code = cursor_.Byte();
    if (!cursor_.Ok()) return nullptr;
    switch (code) {
      case kNull:
        return &values_->emplace_back();
      case kReference:
        return Referred().value;
      case kString:
        return NewString(cursor_.Utf());
      case kLongString:
        return NewString(cursor_.Bytes(cursor_.Long()));
      case kObject:
        return Object(depth);
      case kEnum:
        return Enum(depth);
      default:
        cursor_.Fail();
        return nullptr;
    }
  }

  Handle Referred() {
    const int64_t row = int64_t{cursor_.Int()} - kFirstHandle;
    if (row < 0 || row >= static_cast<int64_t>(handles_.size())) {
      cursor_.Fail();
      return {};
    }
    return handles_[static_cast<size_t>(row)];
  }

  const JavaValue* NewString(std::string_view text) {
    JavaValue* const value = &values_->emplace_back();
    value->text = text;
    handles_.push_back({value, nullptr});
    return value;
  }

  const ClassDescription* Description(int depth) {
    if (depth > kMaxDepth) cursor_.Fail();
    const uint8_t code = cursor_.Byte();
    if (code == kNull || !cursor_.Ok()) return nullptr;
    if (code == kReference) return Referred().description;
    if (code != kClassDescription) {
      cursor_.Fail();
      return nullptr;
    }
    ClassDescription* const description = &classes_.emplace_back();
    description->name = cursor_.Utf();
    cursor_.Long();  // serialVersionUID
    handles_.push_back({nullptr, description});
    description->flags = cursor_.Byte();
    const uint16_t fields = cursor_.Short();
    for (uint16_t field = 0; field < fields && cursor_.Ok(); ++field) {
      const char type = static_cast<char>(cursor_.Byte());
      description->fields.emplace_back(type, cursor_.Utf());
      if (type == 'L' || type == '[') Content(depth + 1);  // the field's class, as a string
    }
    Annotations(nullptr, depth);
    description->parent = Description(depth + 1);
    return description;
  }

  // Reads to the end of block data; objects become elements of `value`.
  void Annotations(JavaValue* value, int depth) {
    while (cursor_.Ok()) {
      const size_t before = cursor_.Position();
      ByteCursor ahead = cursor_;
      const uint8_t code = ahead.Byte();
      if (code == kEndBlockData) {
        cursor_ = ahead;
        return;
      }
      if (code == kBlockData || code == kBlockDataLong) {
        cursor_ = ahead;
        cursor_.Bytes(code == kBlockData ? cursor_.Byte() : cursor_.Int());
        continue;
      }
      const JavaValue* const element = Content(depth + 1);
      if (value != nullptr && element != nullptr) value->elements.push_back(element);
      if (cursor_.Position() == before) cursor_.Fail();
    }
  }

  const JavaValue* Enum(int depth) {
    const ClassDescription* const description = Description(depth + 1);
    JavaValue* const value = &values_->emplace_back();
    handles_.push_back({value, nullptr});
    const JavaValue* const name = Content(depth + 1);
    if (description != nullptr) value->class_name = description->name;
    if (name != nullptr) value->text = name->text;
    return value;
  }

  const JavaValue* Object(int depth) {
    const ClassDescription* const description = Description(depth + 1);
    JavaValue* const value = &values_->emplace_back();
    handles_.push_back({value, nullptr});
    if (description == nullptr) {
      cursor_.Fail();
      return value;
    }
    value->class_name = description->name;
    // Data of the topmost class comes first.
    std::vector<const ClassDescription*> classes;
    for (const ClassDescription* level = description; level != nullptr && classes.size() < kMaxDepth;
         level = level->parent) {
      classes.push_back(level);
    }
    for (auto level = classes.rbegin(); level != classes.rend() && cursor_.Ok(); ++level) Data(**level, value, depth);
    return value;
  }

  void Data(const ClassDescription& description, JavaValue* value, int depth) {
    if ((description.flags & kSerializable) == 0) {
      cursor_.Fail();  // Externalizable: only its class can read it
      return;
    }
    for (const auto& [type, name] : description.fields) value->fields.emplace_back(name, FieldValue(type, depth));
    if ((description.flags & kHasWriteMethod) != 0) Annotations(value, depth);
  }

  const JavaValue* FieldValue(char type, int depth) {
    if (type == 'L') return Content(depth + 1);
    JavaValue* const value = &values_->emplace_back();
    switch (type) {
      case 'B':
      case 'Z':
        value->integer = cursor_.Byte();
        break;
      case 'C':
      case 'S':
        value->integer = cursor_.Short();
        break;
      case 'I':
      case 'F':
        value->integer = cursor_.Int();
        break;
      case 'J':
      case 'D':
        value->integer = cursor_.Long();
        break;
      default:
        cursor_.Fail();
        break;
    }
    return value;
  }

  ByteCursor cursor_;
  std::shared_ptr<std::deque<JavaValue>> values_ = std::make_shared<std::deque<JavaValue>>();
  std::deque<ClassDescription> classes_;
  std::vector<Handle> handles_;
};

}  // namespace

const JavaValue* JavaValue::Field(std::string_view name) const {
  for (const auto& [field, value] : fields) {
    if (field == name) return value;
  }
  return nullptr;
}

std::shared_ptr<const JavaValue> ReadJavaObject(std::string_view stream) { return Reader(stream).Read(); }

}  // namespace sparkprof
