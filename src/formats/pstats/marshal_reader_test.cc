// SPDX-License-Identifier: Apache-2.0
#include "formats/pstats/marshal_reader.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace sparkprof {
namespace {

using Type = MarshalValue::Type;

std::string Word(uint64_t word, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(word >> (8 * i));
  return text;
}

// An integer of digits of 15 bits, least first.
std::string Long(int32_t count, const std::vector<uint64_t>& digits) {
  std::string text = "l" + Word(static_cast<uint32_t>(count), 4);
  for (const uint64_t digit : digits) text += Word(digit, 2);
  return text;
}

// The value, or the fault.
std::string Read(const std::string& bytes) {
  MarshalReader reader(bytes);
  const std::optional<MarshalValue> value = reader.Read();
  if (!value) return "fault: " + reader.Fault();
  switch (value->type) {
    case Type::kInteger:
      return std::to_string(value->integer);
    case Type::kNumber:
      return "number " + std::to_string(value->number);
    case Type::kText:
      return "'" + std::string(value->text, value->size) + "'";
    case Type::kTuple:
      return "tuple of " + std::to_string(value->size);
    case Type::kDict:
      return "dict of " + std::to_string(value->size);
    default:
      return "other";
  }
}

TEST(MarshalReaderTest, Integers) {
  EXPECT_EQ(Read("i" + Word(7, 4)), "7");
  EXPECT_EQ(Read("i" + Word(0xffffffff, 4)), "-1");
  EXPECT_EQ(Read("I" + Word(uint64_t{1} << 40, 8)), "1099511627776");
  EXPECT_EQ(Read("I" + Word(~uint64_t{0}, 8)), "-1");
  EXPECT_EQ(Read("T"), "1");
}

TEST(MarshalReaderTest, IntegersOfManyDigits) {
  EXPECT_EQ(Read(Long(0, {})), "0");
  EXPECT_EQ(Read(Long(1, {5})), "5");
  EXPECT_EQ(Read(Long(-1, {5})), "-5");
  EXPECT_EQ(Read(Long(2, {1, 2})), "65537");
  EXPECT_EQ(Read(Long(-3, {1, 0, 1})), "-1073741825");
  EXPECT_EQ(Read(Long(5, {0x7fff, 0x7fff, 0x7fff, 0x7fff, 7})), "9223372036854775807");
  EXPECT_EQ(Read(Long(5, {0x7fff, 0x7fff, 0x7fff, 0x7fff, 8})), "9223372036854775807") << "too large";
  EXPECT_EQ(Read(Long(5, {0, 0, 0, 0, 16})), "9223372036854775807") << "too large";
  EXPECT_EQ(Read(Long(-6, {0, 0, 0, 0, 0, 1})), "-9223372036854775807") << "too large";
  EXPECT_EQ(Read(Long(6, {3, 0, 0, 0, 0, 0})), "3");
  EXPECT_EQ(Read(Long(2, {1})), "fault: an integer within the file");
  EXPECT_EQ(Read("l\1"), "fault: the rest of a value, found the end of the file");
}

TEST(MarshalReaderTest, Numbers) {
  EXPECT_EQ(Read("g" + Word(std::bit_cast<uint64_t>(2.5), 8)), "number 2.500000");
  EXPECT_EQ(Read("f\0032.5"), "number 2.500000");
  EXPECT_EQ(Read("x\0032.5\0011"), "number 1.000000");
  EXPECT_EQ(Read("y" + Word(0, 8) + Word(0, 8)), "other");
  EXPECT_EQ(Read("f\0032.x"), "fault: a number as text");
  EXPECT_EQ(Read("f\0042.5"), "fault: a text within the file");
  EXPECT_EQ(Read("x\0032.x\0011"), "fault: a number as text");
  for (const char* const cut :
       {"g\1\2\3\4\5\6\7", "y1234567", "y12345678abcdefg", "f", "x", "x\0011", "I1234567", "i123"}) {
    EXPECT_EQ(Read(cut).substr(0, 6), "fault:") << cut;
  }
}

TEST(MarshalReaderTest, OnlyFiniteNumbersAreNumbers) {
  MarshalValue value;
  EXPECT_EQ(value.Number(), std::nullopt);
  value.type = Type::kInteger;
  value.integer = 3;
  EXPECT_EQ(value.Number(), 3.0);
  value.type = Type::kNumber;
  value.number = 2.5;
  EXPECT_EQ(value.Number(), 2.5);
  value.number = std::numeric_limits<double>::infinity();
  EXPECT_EQ(value.Number(), std::nullopt);
  value.number = std::nan("");
  EXPECT_EQ(value.Number(), std::nullopt);
}

TEST(MarshalReaderTest, TextsOfEveryType) {
  for (const char type : {'s', 't', 'u', 'a', 'A'}) EXPECT_EQ(Read(type + Word(3, 4) + "abc"), "'abc'") << type;
  for (const char type : {'z', 'Z'}) EXPECT_EQ(Read(type + Word(3, 1) + "abc"), "'abc'") << type;
  EXPECT_EQ(Read("s" + Word(4, 4) + "abc"), "fault: a text within the file");
  EXPECT_EQ(Read("z"), "fault: the rest of a value, found the end of the file");
}

TEST(MarshalReaderTest, ContainersOfEveryType) {
  for (const char type : {'(', '[', '<', '>'}) EXPECT_EQ(Read(type + Word(2, 4) + "NT"), "tuple of 2") << type;
  EXPECT_EQ(Read(")\2NT"), "tuple of 2");
  EXPECT_EQ(Read(":NNN"), "tuple of 3");
  EXPECT_EQ(Read("{NTFT0"), "dict of 4");
  EXPECT_EQ(Read("{0"), "dict of 0");
  EXPECT_EQ(Read("{N0"), "fault: another item");
  EXPECT_EQ(Read(")\2N0"), "fault: another item");
  EXPECT_EQ(Read(")\3NT"), "fault: the rest of a value, found the end of the file");
  for (const char type : {'N', 'F', '.', 'S'}) EXPECT_EQ(Read(std::string(1, type)), "other") << type;
}

TEST(MarshalReaderTest, ReferencesGiveEarlierValues) {
  const std::string bytes = ")\4\xe9" + Word(7, 4) + "r" + Word(0, 4) + "t" + Word(1, 4) + "aR" + Word(0, 4);
  MarshalReader reader(bytes);
  const std::optional<MarshalValue> tuple = reader.Read();
  ASSERT_TRUE(tuple) << reader.Fault();
  const MarshalValue* const items = reader.Items(*tuple);
  EXPECT_EQ(items[1].integer, 7);
  EXPECT_EQ(std::string(items[3].text, items[3].size), "a");
  EXPECT_EQ(Read("r" + Word(0, 4)), "fault: a reference to an earlier value");
  EXPECT_EQ(Read(")\2\xe9" + Word(7, 4) + "r" + Word(1, 4)), "fault: a reference to an earlier value");
  // A flagged text is referred to by 'r' only.
  EXPECT_EQ(Read(")\2\xf4" + Word(1, 4) + "aR" + Word(0, 4)), "fault: a reference to an earlier value");
}

TEST(MarshalReaderTest, NestingIsLimited) {
  const auto nested = [](int depth) {
    std::string bytes;
    for (int i = 0; i < depth; ++i) bytes += ")\1";
    return bytes + "N";
  };
  EXPECT_EQ(Read(nested(32)), "tuple of 1");
  EXPECT_EQ(Read(nested(33)), "fault: values that are nested less deeply");
}

TEST(MarshalReaderTest, OtherTypesAreFaults) {
  EXPECT_EQ(Read("?"), "fault: a value of Python's marshal format that a profile can have");
  EXPECT_EQ(Read(""), "fault: the rest of a value, found the end of the file");
}

TEST(MarshalReaderTest, ADictBeginsWithABrace) {
  EXPECT_TRUE(MarshalReader("{").BeginDict());
  EXPECT_TRUE(MarshalReader("\xfb").BeginDict());
  MarshalReader other(")");
  EXPECT_FALSE(other.BeginDict());
  EXPECT_EQ(other.Fault(), "a dict");
  EXPECT_FALSE(MarshalReader("").BeginDict());
}

// The code objects of each Python: their integers, then byte code, names, file, name and line.
TEST(MarshalReaderTest, CodeObjectsOfEveryPythonHaveTheirPlace) {
  const std::string code = "s" + Word(2, 4) + "\x64\x01", none = ")" + Word(0, 1);
  const std::string file = "z\6job.py", name = "z\1f", line = Word(12, 4), table = "s" + Word(0, 4);
  const auto integers = [](int count) {
    std::string words;
    for (int i = 0; i < count; ++i) words += Word(3, 4);
    return words;
  };
  const std::string before_3_11 = code + none + none + none + none + none + file + name + line + table;
  const std::string since_3_11 = code + none + none + none + table + file + name + name + line + table + table;
  for (const std::string& bytes : {"c" + integers(4) + before_3_11, "c" + integers(5) + before_3_11,
                                   "c" + integers(6) + before_3_11, "c" + integers(5) + since_3_11}) {
    MarshalReader reader(bytes);
    const std::optional<MarshalValue> place = reader.Read();
    ASSERT_TRUE(place) << reader.Fault();
    ASSERT_EQ(place->size, 3u);
    const MarshalValue* const items = reader.Items(*place);
    EXPECT_EQ(std::string(items[0].text, items[0].size), "job.py");
    EXPECT_EQ(items[1].integer, 12);
    EXPECT_EQ(std::string(items[2].text, items[2].size), "f");
    for (size_t size = 1; size < bytes.size(); ++size)
      EXPECT_EQ(Read(bytes.substr(0, size)).substr(0, 6), "fault:") << size;
  }
}

}  // namespace
}  // namespace sparkprof
