// SPDX-License-Identifier: Apache-2.0
#include "inputs/line_wrapping.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparkprof {
namespace {

// "TIME/PARTS TEXT" of each line inside.
std::vector<std::string> Lines(LineWrapping wrapping, const std::vector<std::string>& wrapped) {
  LineUnwrapper unwrapper(wrapping);
  UnwrappedLine line;
  std::vector<std::string> lines;
  const auto add = [&] {
    lines.push_back(std::string(line.time) + "/" + std::to_string(line.parts) + " " + std::string(line.text));
  };
  for (const std::string& text : wrapped) {
    if (unwrapper.Add(text, &line)) add();
  }
  while (unwrapper.Finish(&line)) add();
  return lines;
}

TEST(LineWrappingTest, LinesOfKubernetesHaveTimeStreamTagsAndText) {
  const std::string time = "2016-10-06T00:17:09.669794202Z";
  EXPECT_EQ(Lines(LineWrapping::kCri,
                  {time + " stderr F a  b", time + " stdout F:x:y c", time + " stdout F", time + " stdout F "}),
            (std::vector<std::string>{time + "/1 a  b", time + "/1 c", time + "/1 ", time + "/1 "}));
  for (const char* const line :
       {"", "2016-10-06T00:17:09Z", "2016-10-06T00:17:09Z stdout ", "2016-10-06T00:17:09Z stdout Q x",
        "2016-10-06T00:17:09Z stdout Fx y", "2016-10-06T00:17:09Z INFO F x", "2016-10-06 00:17:09Z stdout F x",
        "16/10/06 00:17:09 INFO A: b"}) {
    EXPECT_EQ(Lines(LineWrapping::kCri, {line}), std::vector<std::string>{"/1 " + std::string(line)});
    EXPECT_EQ(DetectWrapping(line), LineWrapping::kNone) << line;
  }
  EXPECT_EQ(DetectWrapping(time + " stderr F a\n"), LineWrapping::kCri);
}

TEST(LineWrappingTest, PartsOfALineAreJoinedAcrossLinesOfTheOtherStream) {
  const std::string time = "2016-10-06T00:17:09+02:00";
  EXPECT_EQ(Lines(LineWrapping::kCri, {time + " stderr P o", time + " stdout F printed", time + " stderr P n",
                                       time + " stderr F e", time + " stderr P cut"}),
            (std::vector<std::string>{time + "/1 printed", time + "/3 one", "/1 cut"}));
}

TEST(LineWrappingTest, DockersLinesEndInANewlineUnlessTheyContinue) {
  const auto line = [](const std::string& log) { return R"({"log":")" + log + R"(","stream":"stderr","time":"t"})"; };
  EXPECT_EQ(Lines(LineWrapping::kDockerJson, {line("a \\\"b\\\"\\n"), line("o"), line("ne\\n"), "{", "text"}),
            (std::vector<std::string>{"t/1 a \"b\"", "t/2 one", "/1 {", "/1 text"}));
  EXPECT_EQ(Lines(LineWrapping::kDockerJson, {R"({"log":"of Fluentd","kubernetes":{}})"}),
            std::vector<std::string>{"/1 of Fluentd"});
  EXPECT_EQ(DetectWrapping(line("a\\n") + "\n" + line("b\\n") + "\n"), LineWrapping::kDockerJson);
  EXPECT_EQ(DetectWrapping(line("a") + "\n" + line("b") + "\n"), LineWrapping::kNone);
}

}  // namespace
}  // namespace sparkprof
