// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ctime>

#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

using Words = std::vector<std::string>;

TEST(ShellWordsTest, QuotesAndContinuationsAreTakenOff) {
  EXPECT_EQ(WordsOfCommand("$ ./bin/submit --a 'b c' \\\n \"d=e f\"  g\\ h\nls -l\n", "submit"),
            (Words{"--a", "b c", "d=e f", "g h"}));
}

TEST(ShellWordsTest, ABackslashInDoubleQuotesEscapesAQuote) {
  EXPECT_EQ(WordsOfCommand("submit --a \"b=\\\"c d\\\" \\\ne\" 'f\\' g\n", "submit"),
            (Words{"--a", "b=\"c d\" e", "f\\", "g"}));
}

TEST(ShellWordsTest, ACommandEndsWhereTheNextOneBegins) {
  for (const char* const end : {";", " && x", " | x", " > x", "\nx"})
    EXPECT_EQ(WordsOfCommand(std::string("submit -a b") + end + " -c", "submit"), (Words{"-a", "b"})) << end;
}

TEST(ShellWordsTest, LinesThatLostTheirBackslashesGoOn) {
  EXPECT_EQ(WordsOfCommand("submit\n  --a b\n  --c\nd\n", "submit"), (Words{"--a", "b", "--c"}));
}

TEST(ShellWordsTest, ProseAboutTheProgramIsNoCommand) {
  EXPECT_EQ(WordsOfCommand("submit runs it: resubmit -x\n", "submit"), Words());
  EXPECT_EQ(WordsOfCommand("submit ran; then submit --a\n", "submit"), Words{"--a"});
  EXPECT_EQ(WordsOfCommand("submit -a \"b", "submit"), (Words{"-a", "b"}));
}

TEST(ShellWordsTest, ManyEmptyLinesCostTheirNumber) {
  const std::clock_t begin = std::clock();
  EXPECT_EQ(WordsOfCommand("submit --a b" + std::string(1'000'000, '\n') + "--c", "submit"),
            (Words{"--a", "b", "--c"}));
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 3);
}

}  // namespace
}  // namespace sparkprof
