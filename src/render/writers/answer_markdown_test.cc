// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/testing/application_builder.h"
#include "render/writers/answer_writers.h"

namespace sparkprof {
namespace {

TEST(AnswerMarkdownTest, ADiagnosisHasATableOfWhatSavesTime) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 4);
  builder.AddJob(0, {3});
  const int32_t stage = builder.AddStage(3, 0, 0);
  for (int64_t task = 0; task < 20; ++task) builder.AddTask(task, stage, executor, 0, task == 19 ? 60 : 6, 5);
  Application& application = builder.application();
  application.name = "etl|x";
  const std::string text = FindingsMarkdown(application, Answer(application));
  EXPECT_TRUE(text.starts_with("**etl\\|x** (app-1): 100.0 s")) << text;
  EXPECT_NE(text.find("| finding | code | saving | change |"), std::string::npos) << text;
  EXPECT_NE(text.find("(straggler) | count at `Job.scala:12` |"), std::string::npos) << text;
  EXPECT_NE(text.find("Not checked: code and locks (no CPU samples)"), std::string::npos) << text;
}

}  // namespace
}  // namespace sparkprof
