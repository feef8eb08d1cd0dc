// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_file.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

constexpr char kSuite[] = R"(suite: nightly
version: 1.4
interval: 200ms
environment: {A: "1", B: "2"}
monitors:
  - [ssh, node1, sparkprof, monitor]
jobs:
  - name: sort
    command: [python, "{suite}/sort.py", "{size}", "--parts={parts}", "{not a name}"]
    parameters: {parts: 8}
    sizes: [100000, 1.5]
    environment: {B: "3"}
    warm_up: 1
    repeats: 5
    profile: true
    timeout: 10m
  - name: other
    command: ["true"]
)";

std::string ErrorOf(const std::string& text) {
  const Result<Suite> suite = ParseSuite(text, "s.yaml");
  return suite ? "" : suite.error().message;
}

TEST(SuiteFileTest, ReadsEveryKey) {
  const Result<Suite> suite = ParseSuite(kSuite, "s.yaml");
  ASSERT_TRUE(suite) << suite.error().message;
  EXPECT_EQ(suite->name, "nightly");
  EXPECT_EQ(suite->version, "1.4");
  EXPECT_EQ(suite->interval_ns, 200 * kNanosPerMilli);
  EXPECT_EQ(suite->monitors, (std::vector<std::vector<std::string>>{{"ssh", "node1", "sparkprof", "monitor"}}));
  ASSERT_EQ(suite->jobs.size(), 2U);
  const SuiteJob& job = suite->jobs[0];
  EXPECT_EQ(job.sizes, (std::vector<double>{100000, 1.5}));
  EXPECT_EQ(job.environment, (std::map<std::string, std::string>{{"A", "1"}, {"B", "3"}}));
  EXPECT_EQ(job.warm_up, 1);
  EXPECT_EQ(job.repeats, 5);
  EXPECT_TRUE(job.profile);
  EXPECT_EQ(job.timeout_ns, 600 * kNanosPerSecond);
  EXPECT_EQ(suite->jobs[1].repeats, 3);
  EXPECT_FALSE(suite->jobs[1].profile);
}

TEST(SuiteFileTest, ReplacesPlaceholdersInTheCommand) {
  const Result<Suite> suite = ParseSuite(kSuite, "s.yaml");
  const auto command = CommandOf(suite->jobs[0], 100000, "/suites");
  ASSERT_TRUE(command);
  EXPECT_EQ(*command, (std::vector<std::string>{"python", "/suites/sort.py", "100000", "--parts=8", "{not a name}"}));
}

TEST(SuiteFileTest, AMonitorWithNodeIsOnEachHost) {
  const Result<Suite> suite = ParseSuite(
      "suite: s\nnodes: [n1, n2]\nmonitors: [[ssh, \"{node}\", \"--server={server}\"], [local, \"{output}\"]]\n"
      "jobs: [{name: a, command: [b]}]",
      "s.yaml");
  ASSERT_TRUE(suite) << suite.error().message;
  const auto commands = MonitorCommands(*suite, {{"server", "http://c"}, {"output", "/o"}});
  ASSERT_TRUE(commands);
  EXPECT_EQ(*commands, (std::vector<std::vector<std::string>>{
                           {"ssh", "n1", "--server=http://c"}, {"ssh", "n2", "--server=http://c"}, {"local", "/o"}}));
  EXPECT_FALSE(MonitorCommands(*suite, {{"output", "/o"}})) << "no server";
}

TEST(SuiteFileTest, PlaceholdersOfMonitorsAreChecked) {
  const std::string rest = "\njobs: [{name: a, command: [b]}]";
  EXPECT_NE(ErrorOf("suite: s\nmonitors: [[ssh, \"{node}\"]]" + rest).find("requires a list of hosts"),
            std::string::npos);
  EXPECT_NE(ErrorOf("suite: s\nmonitors: [[ssh, \"{host}\"]]" + rest).find("{host} is unknown"), std::string::npos);
}

TEST(SuiteFileTest, NamesLineAndProblem) {
  EXPECT_EQ(
      ErrorOf("suite: s\njobs:\n  - name: a\n    comand: [x]\n"),
      "s.yaml:4: unknown key \"comand\"; use name, command, parameters, sizes, environment, warm_up, repeats, profile, "
      "timeout");
  EXPECT_EQ(ErrorOf("suite: s\njobs:\n  - name: a\n    command: [x, \"{other}\"]\n"),
            "s.yaml:4: command: {other} is neither size, suite nor a parameter");
  EXPECT_EQ(ErrorOf("suite: s\njobs:\n  - {name: a, command: [x], repeats: 0}\n"),
            "s.yaml:3: repeats: expected 1 to 1000");
  EXPECT_EQ(ErrorOf("suite: ../s\njobs: []\n"), "s.yaml:1: suite: use up to 100 letters, digits, '.', '_' and '-'");
  EXPECT_EQ(ErrorOf("suite: s\njobs:\n  - {name: a, command: [x]}\n  - {name: a, command: [x]}\n"),
            "s.yaml:4: two jobs have the name a");
  EXPECT_EQ(ErrorOf("suite: s\njobs:\n  - {name: a, command: [x], sizes: [1, 2, 3], repeats: 500}\n"),
            "s.yaml: 1500 runs; at most 1000 are allowed");
}

TEST(SuiteFileTest, EveryBeginningOfTheFileIsReadOrRefused) {
  const std::string text = kSuite;
  for (size_t size = 0; size < text.size(); ++size) {
    const Result<Suite> suite = ParseSuite(text.substr(0, size), "s.yaml");
    EXPECT_TRUE(suite || suite.error().message.starts_with("s.yaml")) << size;
  }
  EXPECT_NE(ErrorOf(std::string(100'000, '[')), "");
  EXPECT_NE(ErrorOf("suite: \xff\njobs:\n"), "");
}

}  // namespace
}  // namespace sparkprof
