// SPDX-License-Identifier: Apache-2.0
#include "inputs/java_object.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sparkprof {
namespace {

std::string BigEndian(int64_t value, int size) {
  std::string bytes;
  for (int byte = size - 1; byte >= 0; --byte) bytes += static_cast<char>(static_cast<uint64_t>(value) >> (8 * byte));
  return bytes;
}

std::string Utf(std::string_view text) { return BigEndian(static_cast<int64_t>(text.size()), 2) + std::string(text); }

const std::string kHeader = BigEndian(0xaced, 2) + BigEndian(5, 2);
const std::string kNull = "\x70", kObject = "\x73", kEnd = "\x78";
constexpr int kWrites = 1, kSerializable = 2, kExternalizable = 4;

std::string String(std::string_view text) { return "\x74" + Utf(text); }
std::string Handle(int row) { return "\x71" + BigEndian(0x7e0000 + row, 4); }
std::string Field(char type, std::string_view name) { return type + Utf(name); }

// The description of a class without a parent; `fields` has `count` fields.
std::string Class(std::string_view name, int flags, int count, const std::string& fields,
                  const std::string& parent = kNull) {
  return "\x72" + Utf(name) + BigEndian(42, 8) + BigEndian(flags, 1) + BigEndian(count, 2) + fields + kEnd + parent;
}

int64_t IntegerAt(const JavaValue& value, std::string_view field) {
  const JavaValue* const found = value.Field(field);
  return found == nullptr ? -999 : found->integer;
}

std::string TextAt(const JavaValue& value, std::string_view field) {
  const JavaValue* const found = value.Field(field);
  return found == nullptr ? "absent" : found->text;
}

TEST(JavaObject, HasTheFieldsOfEachPrimitiveType) {
  const std::string fields = Field('B', "byte") + Field('C', "char") + Field('D', "double") + Field('F', "float") +
                             Field('I', "int") + Field('J', "long") + Field('S', "short") + Field('Z', "boolean");
  const std::string data = BigEndian(1, 1) + BigEndian(2, 2) + BigEndian(3, 8) + BigEndian(4, 4) + BigEndian(-5, 4) +
                           BigEndian(-6, 8) + BigEndian(7, 2) + BigEndian(1, 1);
  const auto object = ReadJavaObject(kHeader + kObject + Class("a.Numbers", kSerializable, 8, fields) + data);
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->class_name, "a.Numbers");
  EXPECT_EQ(IntegerAt(*object, "byte"), 1);
  EXPECT_EQ(IntegerAt(*object, "char"), 2);
  EXPECT_EQ(IntegerAt(*object, "double"), 3);
  EXPECT_EQ(IntegerAt(*object, "float"), 4);
  EXPECT_EQ(IntegerAt(*object, "int"), -5);
  EXPECT_EQ(IntegerAt(*object, "long"), -6);
  EXPECT_EQ(IntegerAt(*object, "short"), 7);
  EXPECT_EQ(IntegerAt(*object, "boolean"), 1);
  EXPECT_EQ(object->Field("absent"), nullptr);
}

TEST(JavaObject, TheDataOfTheParentClassIsFirst) {
  const std::string parent = Class("a.Parent", kSerializable, 1, Field('I', "first"));
  const std::string data = BigEndian(1, 4) + BigEndian(2, 4);
  const auto object =
      ReadJavaObject(kHeader + kObject + Class("a.Child", kSerializable, 1, Field('I', "second"), parent) + data);
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->class_name, "a.Child");
  EXPECT_EQ(IntegerAt(*object, "first"), 1);
  EXPECT_EQ(IntegerAt(*object, "second"), 2);
}

TEST(JavaObject, ReferencesNameStringsObjectsAndClasses) {
  // Handles: the class 0, the type of its field 1, the outer object 2, the inner object 3, its text 4.
  const std::string fields = Field('L', "other") + String("La/Node;") + Field('L', "text") + Handle(1);
  const std::string inner = kObject + Handle(0) + kNull + String("inner");
  const auto object = ReadJavaObject(kHeader + kObject + Class("a.Node", kSerializable, 2, fields) + inner + Handle(4));
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(TextAt(*object, "text"), "inner");
  const JavaValue* const other = object->Field("other");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->class_name, "a.Node");
  EXPECT_EQ(TextAt(*other, "text"), "inner");
  EXPECT_EQ(TextAt(*other, "other"), "");
}

TEST(JavaObject, ReferencesOutsideTheStreamFail) {
  const std::string fields = Field('L', "text") + String("La/Node;");
  for (const int row : {-1, 3, 100}) {
    EXPECT_EQ(ReadJavaObject(kHeader + kObject + Class("a.Node", kSerializable, 1, fields) + Handle(row)), nullptr);
  }
  EXPECT_NE(ReadJavaObject(kHeader + kObject + Class("a.Node", kSerializable, 1, fields) + Handle(2)), nullptr);
}

TEST(JavaObject, ACollectionHasTheElementsThatItWrote) {
  const std::string long_block = "\x7a" + BigEndian(3, 4) + "xyz";
  const std::string data = BigEndian(2, 4) + "\x77" + BigEndian(2, 1) + "\x78\x78" + String("key") + long_block +
                           kObject + Class("a.Value", kSerializable, 1, Field('S', "number")) + BigEndian(9, 2) + kEnd;
  const auto list = ReadJavaObject(
      kHeader + kObject + Class("java.util.HashMap", kWrites | kSerializable, 1, Field('I', "threshold")) + data);
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(IntegerAt(*list, "threshold"), 2);
  ASSERT_EQ(list->elements.size(), 2u);
  EXPECT_EQ(list->elements[0]->text, "key");
  EXPECT_EQ(IntegerAt(*list->elements[1], "number"), 9);
}

TEST(JavaObject, AConstantOfAnEnumHasItsName) {
  const std::string type = Class("a.Color", kSerializable, 0, "", Class("java.lang.Enum", kSerializable, 0, ""));
  const auto constant = ReadJavaObject(kHeader + "\x7e" + type + String("RED"));
  ASSERT_NE(constant, nullptr);
  EXPECT_EQ(constant->class_name, "a.Color");
  EXPECT_EQ(constant->text, "RED");
}

TEST(JavaObject, StringsMayHaveLongLengths) {
  const auto text = ReadJavaObject(kHeader + "\x7c" + BigEndian(4, 8) + "text");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->text, "text");
}

TEST(JavaObject, AnotherProtocolOrTypeIsNotRead) {
  const std::string string = String("text");
  EXPECT_NE(ReadJavaObject(kHeader + string), nullptr);
  EXPECT_EQ(ReadJavaObject(BigEndian(0xacec, 2) + BigEndian(5, 2) + string), nullptr);
  EXPECT_EQ(ReadJavaObject(BigEndian(0xaced, 2) + BigEndian(4, 2) + string), nullptr);
  EXPECT_EQ(ReadJavaObject(kHeader + "\x75" + string), nullptr);  // an array
  EXPECT_EQ(ReadJavaObject(kHeader + kObject + Class("a.Own", kExternalizable, 0, "")), nullptr);
  EXPECT_EQ(ReadJavaObject(kHeader + kObject + kNull), nullptr);
  EXPECT_EQ(ReadJavaObject(kHeader + kObject + Class("a.A", kSerializable, 1, Field('Q', "what"))), nullptr);
}

TEST(JavaObject, ATruncatedStreamIsNotRead) {
  const std::string fields = Field('L', "text") + String("La/Node;") + Field('I', "number");
  const std::string all = kHeader + kObject + Class("a.Node", kWrites | kSerializable, 2, fields) + String("text") +
                          BigEndian(1, 4) + String("element") + kEnd;
  EXPECT_NE(ReadJavaObject(all), nullptr);
  for (size_t size = 0; size < all.size(); ++size) EXPECT_EQ(ReadJavaObject(all.substr(0, size)), nullptr) << size;
}

TEST(JavaObject, DeepNestingIsNotFollowed) {
  // Object 2 × n + … within object: each has the class of the first and the next object as its field.
  const auto nested = [](int depth) {
    std::string stream = kHeader + kObject + Class("a.Node", kSerializable, 1, Field('L', "next") + String("La/Node;"));
    for (int level = 1; level < depth; ++level) stream += kObject + Handle(0);
    return stream + kNull;
  };
  EXPECT_NE(ReadJavaObject(nested(100)), nullptr);
  EXPECT_EQ(ReadJavaObject(nested(102)), nullptr);
}

}  // namespace
}  // namespace sparkprof
