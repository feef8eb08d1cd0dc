// SPDX-License-Identifier: Apache-2.0
#include "launch/submit_command.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <filesystem>
#include <vector>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "base/testing/source_file.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr char kJar[] = "/opt/sparkprof/lib/sparkprof-spark.jar";

using SubmitCommandTest = FolderTest;

struct Case {
  std::string name, run, want;
  std::map<std::string, std::string> environment, want_environment;
  std::vector<std::pair<std::string, std::string>> files;
};

std::pair<std::string, std::string> SplitAt(const std::string& text, char separator) {
  const size_t at = text.find(separator);
  return at == std::string::npos ? std::pair(text, std::string()) : std::pair(text.substr(0, at), text.substr(at + 1));
}

std::vector<Case> ReadCases(const std::string& folder) {
  const std::string text = ReadFile(SourceFile("src/launch/submit_command_cases.txt")).value();
  std::vector<Case> cases;
  for (const std::string_view part : Split(text, '\n')) {
    std::string line(part);
    if (line.empty() || line.front() == '#') continue;
    RE2::GlobalReplace(&line, R"(\$FRONT)",
                       "--conf spark.plugins.defaultList=$PLUGIN --conf spark.driver.extraClassPath=$JAR");
    RE2::GlobalReplace(&line, R"(\$SPREAD)", "--conf spark.plugins.defaultList=$PLUGIN --conf spark.jars=$JAR");
    RE2::GlobalReplace(&line, R"(\$PLUGIN)", kPluginClass);
    RE2::GlobalReplace(&line, R"(\$JAR)", kJar);
    RE2::GlobalReplace(&line, R"(\$DIR)", folder);
    const auto [kind, padded] = SplitAt(line, ' ');
    const std::string rest(Trim(padded));
    if (kind == "CASE") cases.push_back({.name = rest});
    if (kind == "RUN") cases.back().run = rest;
    if (kind == "WANT") cases.back().want = rest;
    if (kind == "ENV") cases.back().environment.insert(SplitAt(rest, '='));
    if (kind == "WANTENV") cases.back().want_environment.insert(SplitAt(rest, '='));
    if (kind == "FILE") cases.back().files.push_back(SplitAt(rest, ' '));
  }
  return cases;
}

// In a case's file "\n" is a line end, "\t" a tab and "\\" a backslash.
std::string Unfold(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    const char c = escape ? text[++i] : text[i];
    out += escape && c == 'n' ? '\n' : escape && c == 't' ? '\t' : c;
  }
  return out;
}

TEST_F(SubmitCommandTest, AddsThePluginAndKeepsWhatTheUserSet) {
  const std::vector<Case> cases = ReadCases(folder_);
  ASSERT_GT(cases.size(), 30u);
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    fs::remove_all(folder_);
    for (const auto& [name, content] : one.files) {
      const fs::path path = fs::path(folder_) / name;
      fs::create_directories(path.parent_path());
      ASSERT_TRUE(WriteFile(path, Unfold(content)));
    }
    const auto result = AddPlugin({SplitWords(one.run).value(), one.environment, kJar, {}});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->command, SplitWords(one.want).value());
    EXPECT_EQ(result->environment, one.want_environment);
  }
}

TEST_F(SubmitCommandTest, OwnSettingsReplaceOnlyTheirOwnKeys) {
  const auto result = AddPlugin({{"spark-submit", "--conf", "spark.sparkprof.dir=/a", "--conf", "spark.x=y", "job.py"},
                                 {},
                                 kJar,
                                 {{"spark.sparkprof.dir", "/out put"}, {"spark.sparkprof.events", "cpu"}}});
  ASSERT_TRUE(result);
  const std::vector<std::string> end(result->command.begin() + 5, result->command.end());
  EXPECT_EQ(end, (std::vector<std::string>{"--conf", "spark.sparkprof.events=cpu", "--conf",
                                           "spark.sparkprof.dir=/out put", "--conf", "spark.x=y", "job.py"}));
}

TEST_F(SubmitCommandTest, AJarInAFolderWithBlanksOrCommasIsGivenAsUri) {
  const auto result = AddPlugin({{"spark-submit", "--master", "yarn", "job.py"}, {}, "/a b,c/sparkprof-spark.jar", {}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->command[4], "spark.jars=file:///a%20b%2Cc/sparkprof-spark.jar");
}

TEST_F(SubmitCommandTest, AJarWhosePathNoClassPathCanHaveIsGivenAsUri) {
  const auto result = AddPlugin({{"spark-submit", "job.py"}, {}, "/a:b/sparkprof-spark.jar", {}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->command[4], "spark.jars=file:///a%3Ab/sparkprof-spark.jar");
}

TEST_F(SubmitCommandTest, AnUnreadablePysparkSubmitArgsIsSaid) {
  const auto result = AddPlugin({{"python", "app.py"}, {{"PYSPARK_SUBMIT_ARGS", "--name 'x"}}, kJar, {}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "PYSPARK_SUBMIT_ARGS=--name 'x: character 7: missing closing '");
}

TEST_F(SubmitCommandTest, SettingsAreFoundUnderTheirKeyHoweverTheyWereGiven) {
  const auto find = [](std::vector<std::string> command, const char* key) {
    return FindSetting({std::move(command), {}, kJar, {}}, key);
  };
  EXPECT_EQ(find({"spark-submit", "--deploy-mode", "cluster", "x.jar"}, "spark.submit.deployMode"), "cluster");
  EXPECT_EQ(find({"spark-submit", "--conf", "spark.submit.deployMode=cluster", "x"}, "spark.submit.deployMode"),
            "cluster");
  EXPECT_EQ(find({"spark-submit", "x.jar", "--deploy-mode", "cluster"}, "spark.submit.deployMode"), "");
  EXPECT_EQ(find({"pyspark", "--remote", "sc://h"}, "spark.remote"), "sc://h");
}

TEST(SubmitQuotingTest, SplitsAsPythonsShlexDoes) {
  const auto split = [](const char* text) { return SplitWords(text).value(); };
  using Words = std::vector<std::string>;
  EXPECT_EQ(split(R"(  a  'b c' "d \" \\ \n e" f\ g '' x"y"'z')"),
            (Words{"a", "b c", R"(d " \ \n e)", "f g", "", "xyz"}));
  EXPECT_EQ(split("a # b"), (Words{"a", "#", "b"}));
  EXPECT_FALSE(SplitWords("\"a"));
  EXPECT_FALSE(SplitWords("a\\"));
}

TEST(SubmitQuotingTest, QuotedWordsAreReadBack) {
  for (const char* word : {"", "plain", "a b", "it's", "\"", "\\", "$x", "*", "a\nb", "ä"}) {
    EXPECT_EQ(SplitWords(ShellWord(word)).value(), std::vector<std::string>{word});
  }
}

TEST_F(SubmitCommandTest, SetsSettingsInsteadOfThoseOfTheCommandLine) {
  const SubmitRequest request{
      {"spark-submit", "--executor-memory", "4g", "--conf", "spark.sql.shuffle.partitions=200", "job.py", "--conf"},
      {},
      "",
      {{"spark.sql.shuffle.partitions", "64"}, {"spark.executor.memory", "2g"}, {"spark.speculation", "true"}}};
  const Result<SubmitCommand> set = SetSettings(request);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->command,
            (std::vector<std::string>{"spark-submit", "--conf", "spark.speculation=true", "--executor-memory", "2g",
                                      "--conf", "spark.sql.shuffle.partitions=64", "job.py", "--conf"}));
}

TEST_F(SubmitCommandTest, SetsSettingsOfAProgramByItsEnvironment) {
  const Result<SubmitCommand> set = SetSettings({{"python", "job.py"}, {}, "", {{"spark.speculation", "true"}}});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->command, (std::vector<std::string>{"python", "job.py"}));
  EXPECT_EQ(set->environment.at("PYSPARK_SUBMIT_ARGS"), "--conf spark.speculation=true pyspark-shell");
}

}  // namespace
}  // namespace sparkprof
