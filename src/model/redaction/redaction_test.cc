// SPDX-License-Identifier: Apache-2.0
#include "model/redaction/redaction.h"

#include <gtest/gtest.h>

#include <map>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/redaction/redaction.h"
#include "base/testing/source_file.h"
#include "model/segment/segment_codec.h"
#include "model/testing/example_segment.h"

namespace sparkprof {
namespace {

struct Field {
  std::string type;
  std::string name;
  uint32_t number = 0;
};

std::map<std::string, std::vector<Field>> FieldsOf(const std::string& proto) {
  std::map<std::string, std::vector<Field>> messages;
  std::string message;
  std::istringstream lines(proto);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Field field;
    std::string equals;
    words >> field.type;
    if (field.type == "message") words >> message;
    if (field.type == "repeated") words >> field.type;
    if (words >> field.name >> equals >> field.number && equals == "=") messages[message].push_back(field);
  }
  return messages;
}

// `message` with `text` in the field at the end of `path`: as one more value, which replaces that of a field with a
// single one. The last message of each field on the path has it.
std::string WithText(const std::string& message, const std::vector<Field>& path, size_t depth,
                     const std::string& text) {
  const uint32_t number = path[depth].number;
  if (depth + 1 == path.size()) {
    std::string changed = message;
    protozero::pbf_writer(changed).add_string(number, text);
    return changed;
  }
  std::vector<std::string> fields;  // each with its tag
  size_t place = 0;
  std::string inner;
  protozero::pbf_reader reader(message);
  for (const char* begin = message.data(); reader.next(); begin = reader.data().data()) {
    if (reader.tag() == number) {
      place = fields.size();
      inner = reader.get_string();
    } else {
      reader.skip();
    }
    fields.emplace_back(begin, reader.data().data());
  }
  std::string changed;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i != place) {
      changed += fields[i];
      continue;
    }
    protozero::pbf_writer(changed).add_message(number, WithText(inner, path, depth + 1, text));
  }
  return changed;
}

class SegmentTexts : public testing::Test {
 protected:
  void SetUp() override {
    const auto proto = ReadFile(SourceFile("proto/sparkprof/v1/segment.proto"));
    ASSERT_TRUE(proto) << proto.error().message;
    messages_ = FieldsOf(*proto);
    Collect({}, "Segment");
    ASSERT_GT(paths_.size(), 30U);
  }

  void Collect(const std::vector<Field>& above, const std::string& message) {
    for (const Field& field : messages_[message]) {
      std::vector<Field> path = above;
      path.push_back(field);
      if (messages_.contains(field.type)) Collect(path, field.type);
      if (field.type == "string" || field.type == "bytes") paths_.push_back(path);
    }
  }

  static std::string NameOf(const std::vector<Field>& path) {
    std::string name;
    for (const Field& field : path) name += (name.empty() ? "" : ".") + field.name;
    return name;
  }

  // The example with `text` in a field, decoded, redacted and encoded.
  static Result<std::string> Stored(const std::vector<Field>& path, const std::string& text) {
    std::string message;
    if (NameOf(path) == "logs.text") {  // its rows have sizes
      Segment segment = ExampleSegment();
      segment.logs.text += text;
      segment.logs.text_end.back() += text.size();
      message = EncodeSegment(segment);
    } else {
      message = WithText(EncodeSegment(ExampleSegment()), path, 0, text);
    }
    Result<Segment> segment = DecodeSegment(message);
    if (!segment) return tl::unexpected(segment.error());
    RedactSegment(&*segment);
    return EncodeSegment(*segment);
  }

  std::map<std::string, std::vector<Field>> messages_;
  std::vector<std::vector<Field>> paths_;  // to the fields with text
};

TEST_F(SegmentTexts, EachFieldOfTheProtoIsRedactedButSparksEvents) {
  const std::string secret = "kVw7SeKrIt99xQ";
  for (const std::vector<Field>& path : paths_) {
    SCOPED_TRACE(NameOf(path));
    if (NameOf(path) == "spark_events") continue;  // RedactEvent redacts their values
    const Result<std::string> stored = Stored(path, "connect --password " + secret + " to it");
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_EQ(stored->find(secret), std::string::npos);
    EXPECT_NE(stored->find(kRedacted), std::string::npos);
  }
}

TEST_F(SegmentTexts, EachFieldOfTheProtoKeepsOtherText) {
  for (const std::string text :
       {"org.example.PasswordEncoder.encodePassword", "std::map<Token, Secret>::operator=(Key const&)",
        "kubepods-burstable-pod5f3c1c7e_88d2_4f0a_9a53_0d5d1d7ac7a1.slice", "spark-5f3c1c7e88d24f0a9a530d5d1d7ac7a1"}) {
    for (const std::vector<Field>& path : paths_) {
      SCOPED_TRACE(NameOf(path));
      const Result<std::string> stored = Stored(path, text);
      ASSERT_TRUE(stored) << stored.error().message;
      EXPECT_NE(stored->find(text), std::string::npos);
    }
  }
}

TEST(RedactSegmentTest, StringsKeepTheirIds) {
  Segment segment = ExampleSegment();
  const StringId before = segment.strings.Intern("before");
  const StringId secret = segment.strings.Intern("token=kVw7SeKrIt99xQ");
  const StringId again = segment.strings.Intern("token=aBc4DeFgHi12jK");
  const StringId after = segment.strings.Intern("after");
  EXPECT_TRUE(RedactSegment(&segment));
  EXPECT_EQ(segment.strings.Get(before), "before");
  EXPECT_EQ(segment.strings.Get(secret), "token=" + std::string(kRedacted));
  EXPECT_EQ(segment.strings.Get(again), "token=" + std::string(kRedacted));
  EXPECT_EQ(segment.strings.Get(after), "after");
  EXPECT_FALSE(RedactSegment(&segment));
}

}  // namespace
}  // namespace sparkprof
