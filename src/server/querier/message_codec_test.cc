// SPDX-License-Identifier: Apache-2.0
#include "server/querier/message_codec.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace sparkprof {
namespace {

constexpr std::string_view kColors[] = {"COLOR_NONE", "COLOR_RED"};

struct Decoded {
  std::string profile_type;
  std::vector<std::string> names;
  int64_t start = 0;
  double step = 0;
  int64_t color = 0;
  std::vector<std::string> sites;
  bool has_filter = false;

  std::vector<MessageField> Fields() {
    return {{1, "profile_typeID", &profile_type},
            {2, "names", &names},
            {3, "start_time", &start},
            {4, "step", &step},
            {5, "color", MessageEnum{&color, kColors}},
            {7, "filter", &has_filter},
            {6, "site", [this]() -> std::vector<MessageField> {
               return {{1, "name", &sites.emplace_back()}};
             }}};
  }
  std::string Text() const {
    std::string text = profile_type + "|";
    for (const std::string& name : names) text += name + ",";
    text += "|" + std::to_string(start) + "|" + std::to_string(step) + "|" + std::to_string(color) + "|";
    for (const std::string& site : sites) text += site + ",";
    return text + (has_filter ? "filter" : "");
  }
};

// Decoded values of a message, or its error.
std::string Decode(MessageCodec codec, std::string_view message) {
  Decoded decoded;
  const Result<void> read = DecodeMessage(codec, message, decoded.Fields());
  return read ? decoded.Text() : read.error().message;
}
std::string DecodeJson(std::string_view message) { return Decode(MessageCodec::kJson, message); }

TEST(MessageCodecTest, JsonTakesBothNamesAndNumbersAsTexts) {
  EXPECT_EQ(DecodeJson(R"({"profileTypeID":"cpu","names":["a","b"],"startTime":"1700000000000","step":15.5,)"
                       R"("color":"COLOR_RED","site":[{"name":"main"},{"name":"work"}]})"),
            "cpu|a,b,|1700000000000|15.500000|1|main,work,");
  EXPECT_EQ(DecodeJson(R"({"profile_typeID":"cpu","start_time":1.7e12,"color":1,"site":{"name":"main"}})"),
            "cpu||1700000000000|0.000000|1|main,");
}

TEST(MessageCodecTest, JsonIgnoresUnknownFieldsAndNull) {
  EXPECT_EQ(DecodeJson(R"({"newField":{"a":[1]},"names":null,"start_time":-3})"), "||-3|0.000000|0|");
  EXPECT_EQ(DecodeJson(R"({"color":"COLOR_BLUE"})"), "||0|0.000000|-1|");
  EXPECT_EQ(DecodeJson("{}"), "||0|0.000000|0|");
}

TEST(MessageCodecTest, AnyValueMakesAFieldPresent) {
  EXPECT_EQ(DecodeJson(R"({"filter":{"a":1}})"), "||0|0.000000|0|filter");
  EXPECT_EQ(DecodeJson(R"({"filter":["a"]})"), "||0|0.000000|0|filter");
  EXPECT_EQ(DecodeJson(R"({"filter":[]})"), "||0|0.000000|0|");
  EXPECT_EQ(Decode(MessageCodec::kProtobuf, std::string("\x3A\0", 2)), "||0|0.000000|0|filter");
}

TEST(MessageCodecTest, JsonOfAWrongTypeIsAnError) {
  EXPECT_EQ(DecodeJson("[]"), "expected a JSON object");
  EXPECT_EQ(DecodeJson(R"({"names":"a"})"), "names: expected an array of strings");
  EXPECT_EQ(DecodeJson(R"({"names":[1]})"), "names: expected an array of strings");
  EXPECT_EQ(DecodeJson(R"({"startTime":"soon"})"), "startTime: expected a 64-bit integer");
  EXPECT_EQ(DecodeJson(R"({"startTime":1.5})"), "startTime: expected a 64-bit integer");
  EXPECT_EQ(DecodeJson(R"({"startTime":1e300})"), "startTime: expected a 64-bit integer");
  EXPECT_EQ(DecodeJson(R"({"site":3})"), "expected a JSON object");
  EXPECT_EQ(DecodeJson("{").substr(0, 30), "expected a message in JSON: Th");
}

TEST(MessageCodecTest, ProtobufHasTheSameFields) {
  std::string message;
  protozero::pbf_writer writer{message};
  writer.add_string(1, "cpu");
  writer.add_string(2, "a");
  writer.add_string(2, "b");
  writer.add_int64(3, -3);
  writer.add_double(4, 15.5);
  writer.add_int32(5, 1);
  writer.add_string(6, std::string("\x0a\x04main", 6));
  writer.add_string(99, "unknown");
  EXPECT_EQ(Decode(MessageCodec::kProtobuf, message), "cpu|a,b,|-3|15.500000|1|main,");
  EXPECT_EQ(Decode(MessageCodec::kProtobuf, ""), "||0|0.000000|0|");
  for (size_t size = 1; size < message.size(); ++size) {
    (void)Decode(MessageCodec::kProtobuf, message.substr(0, size));  // must not read beyond the end
  }
  EXPECT_EQ(Decode(MessageCodec::kProtobuf, message.substr(0, 2)).substr(0, 28), "expected a protobuf message:");
  EXPECT_EQ(Decode(MessageCodec::kProtobuf, "\x08\x01").substr(0, 28), "expected a protobuf message:") << "a number";
}

void WriteExample(MessageWriter* message) {
  message->Text(1, "name", "a\xff");
  message->Text(2, "empty", "");
  message->Integer(3, "start", 1'700'000'000'000);
  message->Integer(4, "zero", 0);
  message->Number(5, "value", 1.5);
  message->Boolean(6, "dataIngested", true);
  message->Texts(7, "names", {"x", ""});
  message->Integers(8, "values", {0, 300});
  const std::vector<int> rows = {1, 2};
  message->Messages(9, "rows", rows, [](int row, MessageWriter* nested) { nested->Integer(1, "id", row); });
  message->Message(10, "nested", [](MessageWriter* nested) { nested->Text(1, "name", "n"); });
}

TEST(MessageCodecTest, JsonOmitsDefaultsAndQuotesIntegers) {
  EXPECT_EQ(EncodeMessage(MessageCodec::kJson, WriteExample),
            "{\"name\":\"a\xEF\xBF\xBD\",\"start\":\"1700000000000\",\"value\":1.5,\"dataIngested\":true,"
            R"("names":["x",""],"values":["0","300"],"rows":[{"id":"1"},{"id":"2"}],"nested":{"name":"n"}})");
  EXPECT_EQ(EncodeMessage(MessageCodec::kJson, [](MessageWriter*) {}), "{}");
}

TEST(MessageCodecTest, ProtobufHasPackedIntegersAndValidTexts) {
  const std::string expected =
      "\x0a\x04"
      "a\xEF\xBF\xBD"
      "\x18\x80\xD0\x95\xFF\xBC\x31" +
      std::string("\x29\0\0\0\0\0\0\xF8\x3F", 9) + "\x30\x01" + std::string("\x3A\x01x\x3A\0", 5) +
      std::string("\x42\x03\0\xAC\x02", 5) + "\x4A\x02\x08\x01\x4A\x02\x08\x02\x52\x03\x0A\x01n";
  EXPECT_EQ(EncodeMessage(MessageCodec::kProtobuf, WriteExample), expected);
  EXPECT_EQ(EncodeMessage(MessageCodec::kProtobuf, [](MessageWriter*) {}), "");
}

}  // namespace
}  // namespace sparkprof
