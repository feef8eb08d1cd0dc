// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

std::string Frame(const std::string& title, double x, double y, double width, const std::string& exact = "") {
  return "<g>\n<title>" + title + "</title><rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
         "\" width=\"" + std::to_string(width) + "\" height=\"15.0\" " + exact + "/>\n<text>..</text>\n</g>\n";
}

std::string Svg(const std::string& frames, const std::string& attributes = "") {
  return "<?xml version=\"1.0\"?>\n<svg version=\"1.1\" width=\"1200\" " + attributes +
         ">\n<text id=\"title\">Flame Graph</text>\n<g id=\"frames\">\n" + frames + "</g>\n</svg>\n";
}

TEST(FlameSvgTest, TitlesHaveTheWeights) {
  const std::string frames = Frame("b::c&lt;int&gt; (x) (1,000 samples, 40.00%)", 10, 21, 40) +
                             Frame("all (2,500 samples, 100%)", 10, 53, 100) +
                             Frame("a (2,500 samples, 100.00%)", 10, 37, 100);
  EXPECT_EQ(StacksOfText("svg", Svg(frames)), (Stacks{{"a", 1'500}, {"a;b::c<int> (x)", 1'000}}));
}

TEST(FlameSvgTest, InvertedGraphsStartAtTheTop) {
  const std::string frames = Frame("all (5 samples, 100%)", 10, 20, 100) +
                             Frame("a (5 samples, 100.00%)", 10, 36, 100) +
                             Frame("b (5 samples, 100.00%)", 10, 52, 100);
  EXPECT_EQ(StacksOfText("svg", Svg(frames)), (Stacks{{"a;b", 5}}));
}

TEST(FlameSvgTest, ExactAttributesArePreferred) {
  const std::string frames =
      Frame("all (1.2 s, 3 samples, 100%)", 10, 53, 100, "data-x=\"0\" data-w=\"1200000007\"") +
      Frame("a (1.0 s, 2 samples, 83%)", 10, 37, 100, "data-x=\"0\" data-w=\"1000000007\"") +
      Frame("b (0.2 s, 1 samples, 17%; +1.00%)", 10, 37, 0, "data-x=\"1000000007\" data-w=\"200000000\"");
  const Result<Profile> profile = ReadProfile("svg", Svg(frames, "data-event=\"cpu\" data-unit=\"ns\""));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->events, (std::vector<ProfileEvent>{{.name = "cpu", .unit = "ns"}}));
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"a", 1'000'000'007}, {"b", 200'000'000}}));
  EXPECT_EQ(profile->samples[0].count + profile->samples[1].count, 3);
}

TEST(FlameSvgTest, TheUnitOfTitlesIsThatOfTheWeights) {
  const std::string frames = Frame("all (7 ms, 100%)", 0, 20, 100, "fg:x=\"0\" fg:w=\"7\"") +
                             Frame("a (7 ms, 100.00%)", 0, 4, 100, "fg:x=\"0\" fg:w=\"7\"");
  EXPECT_EQ(StacksOfText("svg", Svg(frames)), (Stacks{{"a", 7'000'000}}));
}

TEST(FlameSvgTest, WhatIsNotDrawnIsNoted) {
  const std::string frames = Frame("all (10 samples, 100%)", 10, 37, 100) + Frame("a (8 samples, 80.00%)", 10, 21, 80);
  const Result<Profile> profile = ReadProfile("svg", Svg(frames + "<text>12 narrow frames not drawn</text>"));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->notes,
            (std::vector<std::string>{"input: 12 narrow frames not drawn; their weight is counted for their callers",
                                      "input: 2 samples in frames that are not drawn skipped"}));
}

TEST(FlameSvgTest, DamageIsReported) {
  const std::string whole = Svg(Frame("all (5 samples, 100%)", 0, 20, 100) + Frame("a (5 samples, 100%)", 0, 4, 100));
  EXPECT_EQ(DamageOf("svg", whole.substr(0, whole.find("</svg>"))),
            "input: offset " + std::to_string(whole.find("</svg>")) + ": expected </svg>, found the end of the input");
  EXPECT_EQ(DamageOf("svg", Svg("")), "input: offset 0: expected frames with titles in an SVG, found none");
  EXPECT_EQ(DamageOf("svg", Svg(Frame("all (5 samples, 100%)", 0, 20, 100) + Frame("a", 0, 4, 100))),
            "input: offset 0: expected a frame with a caller and a title NAME (NUMBER UNIT, SHARE), found 1 others");
}

}  // namespace
}  // namespace sparkprof::testing
