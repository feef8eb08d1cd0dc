// SPDX-License-Identifier: Apache-2.0
#include "pictures/picture_request.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/io/file.h"
#include "base/testing/source_file.h"
#include "pictures/draw.h"

namespace sparkprof {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

std::string Problem(const Parameters& parameters, PictureKind kind = PictureKind::kFlame) {
  const Result<PictureRequest> request = ParsePictureParameters(kind, parameters);
  return request ? "" : request.error().message;
}

TEST(PictureRequestTest, ParametersSetTheOptionsOfTheCommandLine) {
  const Result<PictureRequest> request = ParsePictureParameters(PictureKind::kFlame, {{"stage", "3.1"},
                                                                                      {"task", "4"},
                                                                                      {"task", "5"},
                                                                                      {"threads", "true"},
                                                                                      {"annotate", ""},
                                                                                      {"reverse", "0"},
                                                                                      {"format", "svg"},
                                                                                      {"width", "800"},
                                                                                      {"color", "java"},
                                                                                      {"title", ""}});
  ASSERT_TRUE(request) << request.error().message;
  const Result<Selection> selection = request->ParseSelection();
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->stage_attempt, 1);
  EXPECT_EQ(selection->tasks, (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(selection->event, "cpu");
  EXPECT_TRUE(request->transform.threads && request->transform.annotate_jit && request->transform.annotate_kernel);
  EXPECT_FALSE(request->transform.reverse);
  EXPECT_EQ(request->svg.width, 800);
  EXPECT_EQ(request->svg.palette, Palette::kJava);
  EXPECT_FALSE(request->event_was_given);
}

TEST(PictureRequestTest, OptionsThatNameFilesOrInputsAreNotParameters) {
  for (const std::string name : {"output", "o", "application", "by-input", "input-format", "lenient", "json", "help",
                                 "addrs", "srcline", "leaks", "tail", "latency", "e", "--title", ""}) {
    EXPECT_EQ(Problem({{name, "1"}}), "unknown parameter '" + name + "'");
  }
  EXPECT_EQ(Problem({{"stage", "3"}}, PictureKind::kDiff), "unknown parameter 'stage'");
  EXPECT_EQ(Problem({{"normalize", ""}, {"format", "json"}}, PictureKind::kDiff), "");
}

TEST(PictureRequestTest, WrongValuesAreNamed) {
  EXPECT_EQ(Problem({{"threads", "maybe"}}), "threads: 'maybe' is not true or false");
  EXPECT_EQ(Problem({{"job", "-1"}}), "job: -1 must be at least 0");
  EXPECT_EQ(Problem({{"job", "1x"}}), "job: \"1x\" is not a number");
  EXPECT_EQ(Problem({{"width", "99"}}), "width: 99 must be from 100 to 100000");
  EXPECT_EQ(Problem({{"factor", "0"}}), "factor: 0 must be greater than 0");
  EXPECT_EQ(Problem({{"factor", "nan"}}), "factor: \"nan\" is not a number");
  EXPECT_EQ(Problem({{"language", "perl"}}), "language: perl not in {merged,jvm,python}");
  EXPECT_EQ(Problem({{"counts", "1"}, {"format", "svg"}}), "--counts requires --format collapsed");
}

TEST(PictureRequestTest, ClientsHaveBoundsOfWidthAndDepth) {
  EXPECT_EQ(Problem({{"minwidth", "0"}}), "minwidth: 0 must be at least 0.01 pixels");
  EXPECT_EQ(Problem({{"minwidth", "0.0001%"}}), "minwidth: 0.0001% must be at least 0.01 pixels");
  EXPECT_EQ(Problem({{"minwidth", "0.01"}}), "");
  EXPECT_EQ(Problem({{"depth", "0"}}), "depth: 0 must be at least 1");
  EXPECT_EQ(Problem({{"depth", "2049"}}), "depth: 2049 must be from 1 to 2048");
  EXPECT_EQ(ParsePictureParameters(PictureKind::kFlame, {})->svg.max_depth, kMaxRequestDepth);
}

// A picture that draws a chain of calls in each of `threads` threads.
Profile DeepProfile(int threads, int depth) {
  Profile profile;
  profile.name = "deep";
  profile.AddEvent(Event::kCpu);
  StackId stack = 0;
  for (int i = 0; i < depth; ++i) {
    const StringId name = profile.strings.Intern("frame" + std::to_string(i));
    stack = profile.stacks.Push(stack, profile.frames.Intern({.name = name}));
  }
  for (int i = 1; i <= threads; ++i) {
    profile.threads.push_back({.tid = i, .name = "thread" + std::to_string(i)});
    profile.samples.push_back(
        {.stack = stack, .thread = static_cast<uint32_t>(profile.threads.size() - 1), .weight = 1});
  }
  return profile;
}

TEST(PictureTest, APictureThatNeedsTooMuchMemoryIsRefused) {
  const Result<PictureRequest> plain = ParsePictureParameters(PictureKind::kFlame, {{"format", "svg"}});
  const Result<PictureRequest> by_thread =
      ParsePictureParameters(PictureKind::kFlame, {{"format", "svg"}, {"threads", "true"}});
  const Profile profile = DeepProfile(5000, 1500);
  const Picture small = DrawFlame(profile, *plain);
  EXPECT_EQ(small.status, PictureStatus::kDrawn) << small.problem;
  EXPECT_EQ(small.content_type, "image/svg+xml");
  const Picture large = DrawFlame(profile, *by_thread);
  EXPECT_EQ(large.status, PictureStatus::kTooLarge);
  EXPECT_TRUE(large.problem.starts_with("too large: the picture needs more than 256 MiB")) << large.problem;
  EXPECT_EQ(large.content, "");
}

TEST(PictureTest, DeeperFramesAreCountedAndNotDrawn) {
  const Picture picture =
      DrawFlame(DeepProfile(1, 10), *ParsePictureParameters(PictureKind::kFlame, {{"format", "svg"}, {"depth", "4"}}));
  EXPECT_NE(picture.content.find("<title>frame3 "), std::string::npos);
  EXPECT_EQ(picture.content.find("<title>frame4 "), std::string::npos);
  EXPECT_NE(picture.content.find("6 narrow or deep frames not drawn"), std::string::npos);
}

TEST(PictureRequestTest, TheDocumentationListsTheParameters) {
  const Result<MappedFile> file = MappedFile::Open(SourceFile("docs/server-api.md"));
  ASSERT_TRUE(file);
  PictureRequest request;
  std::string list;
  for (const RequestOption& option : request.Options(PictureKind::kFlame)) {
    if (option.scope != OptionScope::kEverywhere) continue;
    list += (list.empty() ? "`" : ", `") + std::string(option.Name()) + "`";
  }
  std::string text(file->Bytes());
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_NE(text.find(" " + list + ". "), std::string::npos) << list;
}

}  // namespace
}  // namespace sparkprof
