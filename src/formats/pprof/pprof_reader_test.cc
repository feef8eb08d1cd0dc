// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <initializer_list>
#include <protozero/pbf_writer.hpp>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

// A message of numbers: fields 1, 2, ….
std::string Numbers(std::initializer_list<uint64_t> numbers) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  uint32_t tag = 0;
  for (const uint64_t number : numbers) message.add_uint64(++tag, number);
  return bytes;
}

// The profile of one function "f" with samples of these values; each type is a pair of strings.
class Pprof {
 public:
  Pprof() : message_(bytes_) {}

  Pprof& Type(uint64_t name, uint64_t unit) { return Add(1, Numbers({name, unit})); }
  Pprof& PeriodType(uint64_t name, uint64_t unit) { return Add(11, Numbers({name, unit})); }
  Pprof& Sample(std::initializer_list<int64_t> values) {
    std::string bytes;
    protozero::pbf_writer sample(bytes);
    sample.add_uint64(1, 1);
    sample.add_packed_int64(2, values.begin(), values.end());
    return Add(2, bytes);
  }
  Pprof& Default(uint64_t name) {
    message_.add_uint64(14, name);
    return *this;
  }
  // The function, its location, and the strings "", "f", then these.
  std::string Finish(std::initializer_list<const char*> strings) {
    std::string location;
    {
      protozero::pbf_writer writer(location);
      writer.add_uint64(1, 1);
      writer.add_message(4, Numbers({1}));
    }
    Add(4, location).Add(5, Numbers({1, 1}));
    message_.add_string(6, "");
    message_.add_string(6, "f");
    for (const char* text : strings) message_.add_string(6, text);
    return bytes_;
  }

 private:
  Pprof& Add(uint32_t tag, const std::string& message) {
    message_.add_message(tag, message);
    return *this;
  }

  std::string bytes_;
  protozero::pbf_writer message_;
};

std::string DefaultOf(const std::string& bytes) {
  const Result<Profile> profile = ReadProfile("pprof", bytes);
  EXPECT_TRUE(profile) << profile.error().message;
  return profile ? profile->events[profile->default_event].name : "";
}

TEST(PprofReaderTest, IsRecognizedWhateverFieldComesFirst) {
  EXPECT_TRUE(LooksLikePprof(Pprof().Type(2, 3).Finish({"cpu", "ns"})));
  EXPECT_TRUE(LooksLikePprof(Pprof().PeriodType(2, 3).Type(2, 3).Finish({"space", "bytes"}))) << "Go's heap";
  EXPECT_TRUE(LooksLikePprof(Pprof().Sample({1}).Type(2, 3).Finish({"cpu", "ns"})));
  std::string tables;
  protozero::pbf_writer writer(tables);
  for (uint64_t id = 1; id < 20; ++id) writer.add_message(3, Numbers({id, 0x400000, 0x500000}));
  EXPECT_TRUE(LooksLikePprof(tables + Pprof().Type(2, 3).Finish({"cpu", "ns"})));
  EXPECT_FALSE(LooksLikePprof(tables)) << "no value type";
  EXPECT_FALSE(LooksLikePprof("\x0a\x03two")) << "not a message of numbers";
}

TEST(PprofReaderTest, DifferencesAreNegative) {
  const std::string bytes = Pprof().Type(2, 3).Sample({-5}).Sample({2}).Finish({"cpu", "nanoseconds"});
  EXPECT_EQ(StacksOfText("pprof", bytes), (Stacks{{"f", -3}}));
  const std::string huge = Pprof().Type(2, 3).Sample({INT64_MIN / 2}).Finish({"cpu", "seconds"});
  EXPECT_EQ(StacksOfText("pprof", huge), (Stacks{{"f", INT64_MIN}}));
}

TEST(PprofReaderTest, TheDefaultHasSamples) {
  EXPECT_EQ(DefaultOf(Pprof().Type(2, 2).Type(3, 3).Sample({1, 2}).Finish({"a", "b"})), "b") << "the last";
  EXPECT_EQ(DefaultOf(Pprof().Type(2, 2).Type(3, 3).Sample({1, 2}).Default(2).Finish({"a", "b"})), "a");
  EXPECT_EQ(DefaultOf(Pprof().Type(2, 2).Type(3, 3).Sample({1, 0}).Finish({"a", "b"})), "a") << "b has none";
  EXPECT_EQ(DefaultOf(Pprof().Type(2, 2).Type(3, 3).Sample({0, 1}).Default(2).Finish({"a", "b"})), "b");
}

TEST(PprofReaderTest, CountsOfAnEventAreAnEventToo) {
  const std::string bytes =
      Pprof().Type(2, 3).Type(4, 5).Sample({2, 20}).Sample({1, 0}).Finish({"samples", "count", "cpu", "nanoseconds"});
  EXPECT_EQ(StacksOfText("pprof", bytes), (Stacks{{"f", 20}}));
  Result<Profile> profile = ReadProfile("pprof", bytes);
  ASSERT_TRUE(profile);
  ASSERT_FALSE(profile->FindEvent("samples"));
  profile->ShowCountsAs("cpu");  // is an event itself
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"f", 20}}));
  profile->ShowCountsAs("samples");
  ASSERT_TRUE(profile->FindEvent("samples"));
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"f", 3}}));
}

}  // namespace
}  // namespace sparkprof::testing
