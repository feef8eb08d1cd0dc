// SPDX-License-Identifier: Apache-2.0
#include "formats/class_histogram/class_histogram.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

// The output of JDK 17; JDK 8 has no modules.
constexpr char kHistogram[] =
    " num     #instances         #bytes  class name (module)\n"
    "-------------------------------------------------------\n"
    "   1:        923245      110162600  [B (java.base@17.0.15)\n"
    "   2:          4139       13557584  [Ljava.lang.Object; (java.base@17.0.15)\n"
    "   3:            12            480  [[I\n"
    "   4:            10            160  org.example.Job$$Lambda$311/0x00000008010a1b38\n"
    "   5:             5             80  org.example.Job$$Lambda$312/0x00000008010a2000 (unnamed)\n"
    "   6:             2             64  org.example.Node\n"
    "   7:             1             96  org.example.Node\n"
    "Total        927414      123721064\n";

std::string Error(const std::string& text) {
  const Result<ClassHistogram> histogram = ReadClassHistogram(text);
  return histogram ? "no error" : histogram.error().message;
}

TEST(ClassHistogramTest, NamesAreThoseOfJavaSourceAndEachIsThereOnce) {
  const Result<ClassHistogram> histogram = ReadClassHistogram(kHistogram);
  ASSERT_TRUE(histogram) << histogram.error().message;
  std::string text;
  for (const auto& [name, objects] : histogram->classes) {
    text += name + " " + std::to_string(objects.instances) + " " + std::to_string(objects.bytes) + "\n";
  }
  EXPECT_EQ(text,
            "byte[] 923245 110162600\n"
            "java.lang.Object[] 4139 13557584\n"
            "int[][] 12 480\n"
            "org.example.Job$$Lambda 15 240\n"
            "org.example.Node 3 160\n");
}

TEST(ClassHistogramTest, ATruncatedHistogramFailsAtEveryByte) {
  const std::string text = kHistogram;
  for (size_t size = 0; size < text.rfind(' '); ++size) EXPECT_NE(Error(text.substr(0, size)), "no error") << size;
  EXPECT_EQ(Error(text.substr(0, text.rfind("Total"))),
            "class histogram: truncated, no line \"Total\" after 5 classes");
}

TEST(ClassHistogramTest, ALineThatIsNoClassFails) {
  EXPECT_EQ(Error("   1:  many  480  [[I\nTotal 1 1\n"),
            "class histogram, line 1: expected NUMBER: INSTANCES BYTES CLASS, not \"1:  many  480  [[I\"");
  EXPECT_NE(Error("   1:  -1  480  [[I\nTotal 1 1\n"), "no error");
  EXPECT_NE(Error("   1:  1  480  \nTotal 1 1\n"), "no error");
  EXPECT_NE(Error("java.lang.UnsupportedOperationException\n"), "no error");
}

TEST(ClassHistogramTest, SumsStayAtTheEndOfTheirRange) {
  const Result<ClassHistogram> histogram =
      ReadClassHistogram("1: 9223372036854775807 1 A\n2: 5 9223372036854775807 A\nTotal 0 0\n");
  ASSERT_TRUE(histogram) << histogram.error().message;
  EXPECT_EQ(histogram->classes[0].objects.instances, INT64_MAX);
  EXPECT_EQ(histogram->classes[0].objects.bytes, INT64_MAX);
}

}  // namespace
}  // namespace sparkprof
